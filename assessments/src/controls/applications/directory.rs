//! Controls about what users may do in the directory.

use serde_json::Value;

use crate::controls::accounts::{settings_flag, settings_of};
use crate::controls::conditional_access::{REGISTER_DEVICE, few, mfa_for_action};
use crate::controls::document::{Document, unreadable};
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, open, secure, secure_if};

/// Beginning of the policies that let users consent for themselves.
const FOR_SELF: &str = "ManagePermissionGrantsForSelf.";

/// The policy that lets users consent to permissions that the tenant classified as low.
const LOW: &str = "ManagePermissionGrantsForSelf.microsoft-user-default-low";

/// The template of the settings for groups of the suite.
const GROUP_RULES: &str = "62375ab9-6b52-47ed-826b-58e47e0e304b";

/// Users cannot register applications.
pub(in crate::controls) fn registering_applications(tenant: &Tenant) -> Judged {
    may_users(tenant, "defaultUserRolePermissions/allowedToCreateApps", "register applications")
}

/// Users cannot create tenants.
pub(in crate::controls) fn creating_tenants(tenant: &Tenant) -> Judged {
    may_users(tenant, "defaultUserRolePermissions/allowedToCreateTenants", "create tenants")
}

/// Users cannot create security groups.
pub(in crate::controls) fn creating_security_groups(tenant: &Tenant) -> Judged {
    may_users(tenant, "defaultUserRolePermissions/allowedToCreateSecurityGroups", "create security groups")
}

fn may_users(tenant: &Tenant, path: &'static str, does: &str) -> Judged {
    let allowed = tenant.document(Source::AuthorizationPolicy)?.flag(path)?;
    secure_if(!allowed, format!("Users cannot {does}."), format!("All users can {does}."))
}

/// Users cannot consent to applications.
pub(in crate::controls) fn user_consent(tenant: &Tenant) -> Judged {
    let policy = tenant.document(Source::AuthorizationPolicy)?;
    let policies = policy.texts("defaultUserRolePermissions/permissionGrantPoliciesAssigned")?;
    let for_self: Vec<&str> = policies.into_iter().filter(|policy| policy.starts_with(FOR_SELF)).collect();
    if for_self.is_empty() {
        return secure("Users cannot consent to applications.");
    }
    if for_self == [LOW] {
        return not_assessed(
            "Users can consent to the permissions of verified applications that the tenant classified as low, and the \
             classification is not read.",
        );
    }
    let names: Vec<String> = for_self.iter().map(|policy| policy[FOR_SELF.len()..].to_owned()).collect();
    open(format!("Users can consent to applications, by the policies {}.", few(&names)))
}

/// Users can ask an administrator for consent.
pub(in crate::controls) fn consent_requests(tenant: &Tenant) -> Judged {
    let policy = tenant.document(Source::AdminConsentRequestPolicy)?;
    if !policy.flag("isEnabled")? {
        return open("Users cannot ask an administrator for consent.");
    }
    let reviewers = policy.list("reviewers")?.len();
    secure_if(
        reviewers > 0,
        "Users can ask an administrator for consent.",
        "Users can ask for consent, but nobody is named to answer.",
    )
}

/// Joining a device needs a second factor, or is not possible.
pub(in crate::controls) fn joining_devices(tenant: &Tenant) -> Judged {
    let policy = tenant.document(Source::DeviceRegistrationPolicy)?;
    let required = match policy.text("multiFactorAuthConfiguration")? {
        "required" => true,
        "notRequired" => false,
        _ => return unreadable("multiFactorAuthConfiguration"),
    };
    let allowed = policy.get("azureADJoin/allowedToJoin").map(Document);
    let nobody = allowed.and_then(|it| it.get("@odata.type")?.as_str())
        == Some("#microsoft.graph.noDeviceRegistrationMembership");
    if required {
        return secure("Joining a device needs multifactor authentication.");
    }
    if nobody {
        return secure("Nobody can join a device.");
    }
    if tenant.lacks(Licence::P1) {
        return open("Joining a device needs no multifactor authentication.");
    }
    let verdict = mfa_for_action(tenant, REGISTER_DEVICE)?;
    secure_if(
        verdict.is_secure,
        format!("A policy protects joining a device. {}", verdict.state),
        "Joining a device needs no multifactor authentication.",
    )
}

/// The passwords of local administrators are kept and changed by the directory.
pub(in crate::controls) fn local_passwords(tenant: &Tenant) -> Judged {
    let enabled = tenant.document(Source::DeviceRegistrationPolicy)?.flag("localAdminPassword/isEnabled")?;
    secure_if(
        enabled,
        "The directory keeps and changes the passwords of local administrators (LAPS).",
        "The directory does not keep and change the passwords of local administrators (LAPS).",
    )
}

/// Synchronization cannot take over accounts of the cloud.
pub(in crate::controls) fn synchronization(tenant: &Tenant) -> Judged {
    let organization = tenant.organization()?;
    match organization.0.get("onPremisesSyncEnabled") {
        Some(Value::Null | Value::Bool(false)) => return secure("No on-premises directory is synchronized."),
        Some(Value::Bool(true)) => {}
        _ => return unreadable("onPremisesSyncEnabled"),
    }
    let mut settings = tenant.rows(Source::OnPremisesSynchronization, &tenant.lists.synchronization)?;
    let Some(settings) = settings.next().map(Document) else { return unreadable("features") };
    let hard = settings.flag("features/blockCloudObjectTakeoverThroughHardMatchEnabled")?;
    let soft = settings.flag("features/blockSoftMatchEnabled")?;
    let open_ways: Vec<&str> = [(hard, "hard match"), (soft, "soft match")]
        .into_iter()
        .filter(|(blocked, _)| !blocked)
        .map(|it| it.1)
        .collect();
    secure_if(
        open_ways.is_empty(),
        "Synchronization cannot take over accounts of the cloud.",
        format!("Synchronization can take over accounts of the cloud by {}.", open_ways.join(" and ")),
    )
}

/// Strangers cannot sign up by themselves.
pub(in crate::controls) fn self_service_sign_up(tenant: &Tenant) -> Judged {
    let policy = tenant.document(Source::AuthorizationPolicy)?;
    let subscriptions = policy.flag("allowedToSignUpEmailBasedSubscriptions")?;
    let joining = policy.flag("allowEmailVerifiedUsersToJoinOrganization")?;
    let allowed: Vec<&str> = [(subscriptions, "sign up for subscriptions"), (joining, "join the tenant")]
        .into_iter()
        .filter(|(allowed, _)| *allowed)
        .map(|it| it.1)
        .collect();
    secure_if(
        allowed.is_empty(),
        "Nobody can sign up or join with an e-mail address alone.",
        format!("With an e-mail address alone, people can {}.", allowed.join(" and ")),
    )
}

/// Only some people create groups of the suite.
pub(in crate::controls) fn creating_groups(tenant: &Tenant) -> Judged {
    let Some(rules) = settings_of(tenant, GROUP_RULES)? else {
        return open("All users can create Microsoft 365 groups: the tenant has no settings for them.");
    };
    let allowed = settings_flag(rules, "EnableGroupCreation")?;
    secure_if(
        !allowed,
        "Only some people can create Microsoft 365 groups.",
        "All users can create Microsoft 365 groups.",
    )
}

impl Tenant {
    /// Returns the tenant's own object.
    pub(in crate::controls) fn organization(&self) -> Result<Document<'_>, NotAssessed> {
        let mut organizations = self.rows(Source::Organization, &self.lists.organization)?;
        organizations.next().map_or_else(|| unreadable("organization"), |organization| Ok(Document(organization)))
    }
}
