//! Rows of the lists, with the fields that are read.

use model::{BillableUser, MfaMethod, ProviderTenantId, Timestamp};
use serde::Deserialize;

use super::list::{ListItem, raise};
use super::top_role::MOST_EXPANDED;
use crate::file::{rows, time};

/// A user, of `GET /users`. A field that the request did not select is `None`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    id: String,
    pub(super) user_principal_name: String,
    display_name: Option<String>,
    mail: Option<String>,
    pub(super) account_enabled: Option<bool>,
    pub(super) assigned_licenses: Option<Vec<License>>,
    #[serde(default, deserialize_with = "time")]
    pub(super) last_password_change_date_time: Option<Timestamp>,
}

/// A licence of a user.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct License {
    sku_id: String,
}

impl User {
    pub(super) fn is_licensed(&self) -> bool {
        self.assigned_licenses.as_ref().is_some_and(|licenses| !licenses.is_empty())
    }

    /// Returns the user for the list of billable users. An account counts as enabled if the page does not say
    /// otherwise.
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

impl ListItem for User {
    fn id(&self) -> &str {
        &self.id
    }

    /// Merges pages of one user that select different fields.
    fn join(&mut self, other: Self) {
        raise(&mut self.user_principal_name, other.user_principal_name);
        raise(&mut self.display_name, other.display_name);
        raise(&mut self.mail, other.mail);
        raise(&mut self.account_enabled, other.account_enabled);
        raise(&mut self.assigned_licenses, other.assigned_licenses);
        raise(&mut self.last_password_change_date_time, other.last_password_change_date_time);
    }
}

/// A subscription, of `GET /subscribedSkus`. No other row names its tenant.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subscription {
    /// Made of tenant and licence, because tenants have licences with the same identifier.
    id: String,
    account_id: Option<String>,
}

impl Subscription {
    pub(super) fn tenant(&self) -> Option<ProviderTenantId> {
        self.account_id.as_ref()?.parse().ok()
    }
}

impl ListItem for Subscription {
    fn id(&self) -> &str {
        &self.id
    }
}

/// A role, of `GET /directoryRoles`, with members if the request has `$expand=members`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Role {
    pub(super) role_template_id: String,
    pub(super) members: Option<Members>,
    #[serde(rename = "members@odata.nextLink")]
    pub(super) more_members: Option<String>,
}

/// The members within a role. A malformed member is `None`.
#[derive(Deserialize)]
pub(super) struct Members(#[serde(deserialize_with = "rows")] pub(super) Vec<Option<Member>>);

/// A member of a role, of `GET /directoryRoles/{id}/members`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Member {
    id: String,
    #[serde(rename = "@odata.type")]
    kind: Option<String>,
    pub(super) user_principal_name: Option<String>,
}

impl Member {
    /// Returns whether the member is a person, as far as the row shows.
    pub(super) fn is_user(&self) -> bool {
        self.kind.as_ref().map_or(self.user_principal_name.is_some(), |kind| kind.ends_with(".user"))
    }

    /// Returns whether the row says what the member is.
    pub(super) fn has_kind(&self) -> bool {
        self.kind.is_some() || self.user_principal_name.is_some()
    }

    /// Returns whether the member is a group, whose own members have the role as well.
    pub(super) fn is_group(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.ends_with(".group"))
    }
}

impl ListItem for Member {
    fn id(&self) -> &str {
        &self.id
    }
}

/// An assignment of a role, or the eligibility for one, of `GET
/// /roleManagement/directory/roleAssignmentScheduleInstances` and `.../roleEligibilityScheduleInstances` with
/// `$expand=principal`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RoleInstance {
    pub(super) role_definition_id: String,
    principal_id: String,
    principal: Option<Member>,
}

impl RoleInstance {
    /// Returns the holder of the role.
    pub(super) fn holder(self) -> Member {
        let unknown = Member { id: self.principal_id, kind: None, user_principal_name: None };
        self.principal.unwrap_or(unknown)
    }
}

/// A group with its members, of `GET /groups/{id}?$expand=transitiveMembers`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    id: String,
    transitive_members: Option<Vec<Member>>,
    #[serde(rename = "transitiveMembers@odata.nextLink")]
    more_members: Option<String>,
    /// Whether the members come from a list of their own, which has no greatest length.
    #[serde(skip)]
    listed_apart: bool,
}

impl Group {
    /// Returns a group with all of its members.
    pub(super) fn of(id: &str, members: Vec<Member>) -> Self {
        Self { id: id.to_owned(), transitive_members: Some(members), more_members: None, listed_apart: true }
    }

    /// Returns whether the row has all members.
    pub(super) fn is_whole(&self) -> bool {
        let listed = self.transitive_members.as_ref().map(Vec::len);
        let fits = |members| self.listed_apart || members < MOST_EXPANDED;
        listed.is_some_and(fits) && self.more_members.is_none()
    }

    /// Returns the members, those of nested groups included.
    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.transitive_members.iter().flatten()
    }
}

impl ListItem for Group {
    fn id(&self) -> &str {
        &self.id
    }
}

/// The registered methods of a user, of `GET /reports/authenticationMethods/userRegistrationDetails`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Registration {
    id: String,
    methods_registered: Option<Vec<String>>,
}

impl Registration {
    /// Returns the strongest registered method. It is unknown if the row does not list the methods, or lists unknown
    /// methods only.
    pub(super) fn strongest(&self) -> MfaMethod {
        let Some(methods) = &self.methods_registered else { return MfaMethod::Unknown };
        let known = methods.iter().map(|method| mfa_method(method));
        known.min_by_key(|method| rank(*method)).unwrap_or(MfaMethod::None)
    }
}

impl ListItem for Registration {
    fn id(&self) -> &str {
        &self.id
    }
}

/// Returns the contract's name of a registered method. Methods that only reset a password or are temporary count as
/// none.
fn mfa_method(name: &str) -> MfaMethod {
    match name {
        "fido"
        | "fido2"
        | "fido2SecurityKey"
        | "macOsSecureEnclaveKey"
        | "passKeyDeviceBound"
        | "passKeyDeviceBoundAuthenticator"
        | "passKeyDeviceBoundWindowsHello"
        | "passKeySynced"
        | "windowsHelloForBusiness"
        | "x509Certificate" => MfaMethod::PhishingResistant,
        "appNotification" | "microsoftAuthenticatorPasswordless" | "microsoftAuthenticatorPush" => {
            MfaMethod::Authenticator
        }
        // The contract has one word for one-time codes, whatever shows them.
        "appCode" | "hardwareOneTimePasscode" | "oneTimePasscode" | "softwareOneTimePasscode" => {
            MfaMethod::SoftwareOath
        }
        // A mobile phone can receive messages and calls; the stronger of the two counts.
        "alternateMobilePhone" | "mobilePhone" | "mobileSMS" | "sms" => MfaMethod::Sms,
        "alternateMobileCall" | "mobileCall" | "officePhone" => MfaMethod::Voice,
        "email" => MfaMethod::Email,
        "appPassword" | "none" | "qrCode" | "securityQuestion" | "temporaryAccessPass" => MfaMethod::None,
        _ => MfaMethod::Unknown,
    }
}

/// Ranks methods from strongest to none. An unknown method may be any, so a known second factor takes precedence.
fn rank(method: MfaMethod) -> u8 {
    match method {
        MfaMethod::PhishingResistant => 0,
        MfaMethod::Authenticator => 1,
        MfaMethod::SoftwareOath => 2,
        MfaMethod::Sms => 3,
        MfaMethod::Voice => 4,
        MfaMethod::Email => 5,
        MfaMethod::Unknown => 6,
        MfaMethod::None => 7,
    }
}
