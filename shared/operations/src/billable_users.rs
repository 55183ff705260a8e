//! Billable users of a tenant: those with a licence.

use std::collections::HashSet;

use model::{Actor, BillableUser, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Organization, TenantError, TenantRecord};

use crate::rows::{self, Placed, RowError};

/// A user, as recorded by people.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserRow {
    id: String,
    display_name: String,
    user_principal_name: String,
    #[serde(default)]
    mail: String,
    #[serde(deserialize_with = "rows::boolean")]
    account_enabled: bool,
    #[serde(default, deserialize_with = "rows::texts")]
    assigned_license_sku_ids: Vec<String>,
}

/// The users that were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedUsers {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// When they were recorded.
    pub generated_at: Timestamp,
    /// Number of users with a licence, who are recorded.
    pub billable_users: usize,
    /// Number of users without a licence, who are left out.
    pub without_licence: usize,
}

impl From<UserRow> for BillableUser {
    fn from(row: UserRow) -> Self {
        Self {
            id: row.id,
            display_name: row.display_name,
            user_principal_name: row.user_principal_name,
            mail: row.mail,
            account_enabled: row.account_enabled,
            assigned_license_sku_ids: row.assigned_license_sku_ids,
        }
    }
}

/// Returns the users of rows.
///
/// # Errors
/// If a user occurs twice.
pub fn of_rows(rows: Vec<Placed<UserRow>>) -> Result<Vec<BillableUser>, RowError> {
    let mut ids = HashSet::new();
    let users = rows.into_iter().map(|row| match ids.insert(row.row.id.clone()) {
        true => Ok(row.row.into()),
        false => Err(row.error("id", "occurs twice")),
    });
    users.collect()
}

/// Records the licensed users of a tenant and replaces the previous recording.
///
/// # Errors
/// If the tenant is removed, or the store fails; the previous recording then remains.
pub async fn record(
    organization: &Organization,
    actor: &Actor,
    tenant: &TenantRecord,
    users: Vec<BillableUser>,
    generated_at: Timestamp,
) -> Result<RecordedUsers, TenantError> {
    let all = users.len();
    let users: Vec<_> = users.into_iter().filter(|user| !user.assigned_license_sku_ids.is_empty()).collect();
    organization.by(actor, generated_at).record_billable_users(&tenant.service_tenant_id, &users).await?;
    Ok(RecordedUsers {
        service_tenant_id: tenant.service_tenant_id.clone(),
        generated_at,
        billable_users: users.len(),
        without_licence: all - users.len(),
    })
}
