//! Rows of the lists, as far as they are read.

use serde::{Deserialize, Deserializer};
use shared::model::{BillableUser, MfaMethod, ProviderTenantId, Timestamp};

/// A user: `GET /users`.
///
/// What a page was not asked for is none, and two rows of one user complete each other.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    pub(super) id: String,
    pub(super) user_principal_name: String,
    display_name: Option<String>,
    mail: Option<String>,
    pub(super) account_enabled: Option<bool>,
    pub(super) assigned_licenses: Option<Vec<AssignedLicense>>,
    #[serde(default, deserialize_with = "moment")]
    pub(super) last_password_change_date_time: Option<Timestamp>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AssignedLicense {
    pub(super) sku_id: String,
}

impl User {
    /// Whether the user has a licence, as far as the row tells.
    pub(super) fn is_licensed(&self) -> bool {
        self.assigned_licenses.as_ref().is_some_and(|licenses| !licenses.is_empty())
    }

    /// The user as the billable users list shows one.
    pub(super) fn billable(&self) -> BillableUser {
        let licenses = self.assigned_licenses.iter().flatten();
        BillableUser {
            id: self.id.clone(),
            display_name: self.display_name.clone().unwrap_or_default(),
            user_principal_name: self.user_principal_name.clone(),
            mail: self.mail.clone().unwrap_or_default(),
            account_enabled: self.account_enabled.unwrap_or(true),
            assigned_license_sku_ids: licenses.map(|license| license.sku_id.clone()).collect(),
        }
    }
}
