//! Controls about the permissions of other organizations' applications.

use std::collections::BTreeMap;

use super::rows::ServicePrincipal;
use crate::controls::conditional_access::few;
use crate::controls::document::unreadable;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, secure_if};

/// Organizations that own the suite's own applications.
const PROVIDER: [&str; 2] = ["f8cdef31-a31e-4b4a-93e4-5f571e91255a", "72f988bf-86f1-41af-91ab-2d7cd011db47"];

/// Permissions with which an application can take over the tenant or read and change all mail or files.
const DANGEROUS: [(&str, &str); 26] = [
    // Microsoft Graph
    ("06b708a9-e830-4db3-a914-8e69da51d44f", "AppRoleAssignment.ReadWrite.All"),
    ("1bfefb4e-e0b5-418b-a88f-73c46d2cc8e9", "Application.ReadWrite.All"),
    ("8e8e4742-1d95-4f68-9d56-6ee75648c72a", "DelegatedPermissionGrant.ReadWrite.All"),
    ("19dbc75e-c2e2-444c-a770-ec69d8559fc7", "Directory.ReadWrite.All"),
    ("7e05723c-0bb0-42da-be95-ae9f08a6e53c", "Domain.ReadWrite.All"),
    ("01d4889c-1287-42c6-ac1f-5d1e02578ef6", "Files.Read.All"),
    ("75359482-378d-4052-8f01-80520e7db3cd", "Files.ReadWrite.All"),
    ("62a82d76-70ea-41e2-9197-370581804d09", "Group.ReadWrite.All"),
    ("dbaae8cf-10b5-4b86-a4a1-f871c94c6695", "GroupMember.ReadWrite.All"),
    ("810c84a8-4a9e-49e6-bf7d-12d183f40d01", "Mail.Read"),
    ("e2a3a72e-5f79-4c64-b1b1-878b674786c9", "Mail.ReadWrite"),
    ("b633e1c5-b582-4048-a93e-9f11b44c7e96", "Mail.Send"),
    ("29c18626-4985-4dcd-85c0-193eef327366", "Policy.ReadWrite.AuthenticationMethod"),
    ("01c0a623-fc9b-48e9-b794-0756f8e8f067", "Policy.ReadWrite.ConditionalAccess"),
    ("a402ca1c-2696-4531-972d-6e5ee4aa11ea", "Policy.ReadWrite.PermissionGrant"),
    ("dd199f4a-f148-40a4-a2ec-f0069cc799ec", "RoleAssignmentSchedule.ReadWrite.Directory"),
    ("fee28b28-e1f3-4841-818e-2704dc62245f", "RoleEligibilitySchedule.ReadWrite.Directory"),
    ("9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8", "RoleManagement.ReadWrite.Directory"),
    ("a82116e5-55eb-4c41-a434-62fe8a61c773", "Sites.FullControl.All"),
    ("9492366f-7969-46a4-8d15-ed1a20078fff", "Sites.ReadWrite.All"),
    ("741f803b-c850-494e-b5df-cde7c675a1ca", "User.ReadWrite.All"),
    ("cc117bb9-00cf-4eb8-b580-ea2a878fe8f7", "User-PasswordProfile.ReadWrite.All"),
    ("50483e42-d915-4231-9639-7fdb7fd190e5", "UserAuthenticationMethod.ReadWrite.All"),
    // Exchange Online
    ("dc890d15-9560-4a4c-9b7f-a736ec74ec40", "full_access_as_app"),
    ("dc50a0fb-09a3-484d-be87-e023b12c6440", "Exchange.ManageAsApp"),
    // SharePoint Online
    ("678536fe-1083-478a-9c59-b99265e6b0d3", "Sites.FullControl.All"),
];

/// Beginnings of the delegated permissions that are dangerous if they are granted for all users.
const DANGEROUS_SCOPES: [&str; 6] =
    ["Directory.ReadWrite", "Directory.AccessAsUser", "Files.Read", "Mail.", "RoleManagement.ReadWrite", "Sites."];

/// Applications of other organizations have no dangerous permissions of their own.
pub(in crate::controls) fn application_permissions(tenant: &Tenant) -> Judged {
    let sources = [Source::GraphRoleAssignments, Source::ExchangeRoleAssignments, Source::SharePointRoleAssignments];
    let mut dangerous: BTreeMap<String, String> = BTreeMap::new();
    let mut gap = None;
    for source in sources {
        let list = tenant.lists.app_roles.get(&source);
        for assignment in list.into_iter().flat_map(|list| list.rows()) {
            let permission = DANGEROUS.iter().find(|(id, _)| assignment.app_role_id.eq_ignore_ascii_case(id));
            let Some((_, permission)) = permission else { continue };
            match foreign(tenant, &assignment.principal_id) {
                Ok(None) => {}
                Ok(Some(name)) => drop(dangerous.insert(name, (*permission).to_owned())),
                Err(reason) => gap = Some(reason),
            }
        }
        // A tenant that does not use a service has no application of its own for it.
        if !tenant.is_absent(source) {
            let unreadable = list.map_or(0, |list| list.unreadable());
            gap = gap.or(tenant.whole(source).and_then(|()| tenant.readable(source, unreadable)).err());
        }
    }
    result(&dangerous, gap, "permissions of their own")
}

/// Applications of other organizations have no dangerous permissions for all users.
pub(in crate::controls) fn delegated_permissions(tenant: &Tenant) -> Judged {
    let grants = tenant.rows(Source::PermissionGrants, &tenant.lists.grants)?;
    let mut dangerous: BTreeMap<String, String> = BTreeMap::new();
    let mut gap = None;
    for grant in grants {
        match grant.consent_type.as_deref() {
            Some("AllPrincipals") => {}
            Some("Principal") => continue,
            _ => return unreadable("consentType"),
        }
        let Some(scopes) = &grant.scope else { return unreadable("scope") };
        let is_dangerous = |scope: &&str| DANGEROUS_SCOPES.iter().any(|dangerous| scope.starts_with(dangerous));
        let Some(scope) = scopes.split_whitespace().find(is_dangerous) else { continue };
        match foreign(tenant, &grant.client_id) {
            Ok(None) => {}
            Ok(Some(name)) => drop(dangerous.insert(name, scope.to_owned())),
            Err(reason) => gap = Some(reason),
        }
    }
    result(&dangerous, gap, "permissions for all users")
}

/// Returns the name of an application if another organization owns it.
fn foreign(tenant: &Tenant, id: &str) -> Result<Option<String>, NotAssessed> {
    tenant.whole(Source::ServicePrincipals)?;
    let Some(application) = tenant.lists.service_principals.get(&id.to_ascii_lowercase()) else {
        return not_assessed("An application with permissions is not in the list of applications.");
    };
    let ServicePrincipal { display_name, app_owner_organization_id: owner, account_enabled } = application;
    let own = tenant.header.provider_tenant_id.as_str();
    match owner {
        // Managed identities have no owner and belong to the tenant.
        None => Ok(None),
        _ if *account_enabled == Some(false) => Ok(None),
        Some(owner) if owner.eq_ignore_ascii_case(own) || PROVIDER.iter().any(|it| owner.eq_ignore_ascii_case(it)) => {
            Ok(None)
        }
        Some(_) => Ok(Some(display_name.clone().unwrap_or_default())),
    }
}

fn result(dangerous: &BTreeMap<String, String>, gap: Option<NotAssessed>, kind: &str) -> Judged {
    let named: Vec<String> = dangerous.iter().map(|(name, permission)| format!("{name} ({permission})")).collect();
    match gap {
        Some(reason) if named.is_empty() => Err(reason),
        _ => secure_if(
            named.is_empty(),
            format!("No application of another organization has dangerous {kind}."),
            format!("Applications of other organizations have dangerous {kind}: {}.", few(&named)),
        ),
    }
}
