//! Organizations, and their keys in API Gateway's usage plan. Only the operator can access more than one organization.

use std::error::Error;

use model::{DisplayName, OrganizationId, Timestamp};
use store::{Organization, OrganizationError, OrganizationRecord, Store};

use crate::uploads::Uploads;

/// The usage plan that counts the requests of organizations. It contains one key for each.
///
/// Every method can be repeated.
pub trait UsagePlan {
    /// Ensures that the organization's key exists and is in the plan.
    fn admit(
        &self,
        organization: &OrganizationRecord,
    ) -> impl Future<Output = Result<Admission, UsagePlanError>> + Send;

    /// Deletes the organization's key, which also removes it from the plan. Returns false if there is none.
    fn dismiss(&self, organization: &OrganizationId) -> impl Future<Output = Result<bool, UsagePlanError>> + Send;
}

/// A failure of the usage plan.
pub type UsagePlanError = Box<dyn Error + Send + Sync>;

/// The result of [`UsagePlan::admit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The key was already in the plan.
    Complete,
    /// A missing part was added.
    Repaired,
}

/// Why an organization was not created, added to the usage plan or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ProvisioningError {
    /// The organization does not exist, exists already, or the store failed.
    #[error("{0}")]
    Organization(#[from] OrganizationError),
    /// The organization exists, but API Gateway refuses its requests.
    #[error("organization {organization} exists, but its key is not in the usage plan: repair the organization")]
    NotAdmitted {
        /// The organization.
        organization: OrganizationId,
        /// The failure of the usage plan.
        source: UsagePlanError,
    },
    /// The organization is partly deleted.
    #[error("the organization is partly deleted: delete it again to complete the deletion")]
    DeletedInPart(#[source] UsagePlanError),
    /// The random source of the system failed.
    #[error("the system's random source failed: try again")]
    NoRandomness,
}

/// Returns the data of an existing organization.
///
/// # Errors
/// [`OrganizationError::NotFound`], or if the store fails.
pub async fn open(store: &Store, id: &OrganizationId) -> Result<Organization, OrganizationError> {
    let organization = store.organization(id);
    match organization.record().await? {
        Some(_) => Ok(organization),
        None => Err(OrganizationError::NotFound(id.clone())),
    }
}

/// Creates an organization with a new key for the usage plan, which [`admit`] adds to the plan.
///
/// # Errors
/// [`OrganizationError::Exists`] if the identifier is taken, or if the store fails.
pub async fn create(
    store: &Store,
    id: OrganizationId,
    name: DisplayName,
    created_at: Timestamp,
) -> Result<OrganizationRecord, ProvisioningError> {
    let usage_plan_key = usage_plan_key()?;
    let record = OrganizationRecord { organization_id: id, name: name.into(), usage_plan_key, created_at };
    store.as_operator().create_organization(&record).await?;
    Ok(record)
}

/// Ensures that an organization is in the usage plan. Does nothing without a plan, as on one machine.
///
/// # Errors
/// [`ProvisioningError::NotAdmitted`] if the usage plan fails.
pub async fn admit(
    plan: Option<&impl UsagePlan>,
    organization: &OrganizationRecord,
) -> Result<Admission, ProvisioningError> {
    let Some(plan) = plan else { return Ok(Admission::Complete) };
    let not_admitted =
        |source| ProvisioningError::NotAdmitted { organization: organization.organization_id.clone(), source };
    plan.admit(organization).await.map_err(not_admitted)
}

/// Ensures that one organization, or all if none is named, are in the usage plan. Returns the result for each.
///
/// # Errors
/// If there is no such organization, or the store or the usage plan fails.
pub async fn repair(
    store: &Store,
    plan: Option<&impl UsagePlan>,
    id: Option<&OrganizationId>,
) -> Result<Vec<(OrganizationId, Admission)>, ProvisioningError> {
    let organizations = match id {
        None => store.as_operator().organizations().await.map_err(OrganizationError::Store)?,
        Some(id) => {
            let record = store.organization(id).record().await.map_err(OrganizationError::Store)?;
            vec![record.ok_or_else(|| OrganizationError::NotFound(id.clone()))?]
        }
    };
    let mut repaired = Vec::with_capacity(organizations.len());
    for organization in organizations {
        let admission = admit(plan, &organization).await?;
        repaired.push((organization.organization_id, admission));
    }
    Ok(repaired)
}

/// Deletes an organization with all of its data. This cannot be undone.
///
/// The data is deleted first, because that ends access; then the files in the buckets and the key of the usage plan, even if the
/// data is already gone. Repeating an interrupted deletion completes it.
///
/// # Errors
/// If there is no such organization, or the store, a bucket or the usage plan fails.
pub async fn delete(
    store: &Store,
    plan: Option<&impl UsagePlan>,
    uploads: Option<&impl Uploads>,
    id: &OrganizationId,
) -> Result<(), ProvisioningError> {
    let existed = match store.as_operator().delete_organization(id).await {
        Ok(()) => true,
        Err(OrganizationError::Store(error)) => return Err(ProvisioningError::DeletedInPart(error.into())),
        Err(_) => false,
    };
    let files = match uploads {
        Some(uploads) => uploads.delete_of(id, None).await.map_err(ProvisioningError::DeletedInPart)?,
        None => 0,
    };
    let dismissed = match plan {
        Some(plan) => plan.dismiss(id).await.map_err(ProvisioningError::DeletedInPart)?,
        None => false,
    };
    match existed || files > 0 || dismissed {
        true => Ok(()),
        false => Err(OrganizationError::NotFound(id.clone()).into()),
    }
}

/// Returns 64 random hexadecimal digits; API Gateway accepts 20 to 128 letters and digits.
pub(crate) fn usage_plan_key() -> Result<String, ProvisioningError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| ProvisioningError::NoRandomness)?;
    Ok(hex::encode(bytes))
}
