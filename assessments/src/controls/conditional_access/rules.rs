//! The controls about conditional access policies.

use super::conditions::{Target, When};
use super::coverage::{Coverage, Requirement, Whom};
use super::grant::Wanted;
use super::policy::{Policy, State};
use crate::controls::administrators::PRIVILEGED_ROLES;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, open, secure, secure_if};

/// Kinds of guests and other external users.
const GUESTS: [&str; 6] = [
    "b2bCollaborationGuest",
    "b2bCollaborationMember",
    "b2bDirectConnectUser",
    "internalGuest",
    "otherExternalUser",
    "serviceProvider",
];

/// The interface that manages the cloud infrastructure.
const MANAGEMENT: &str = "797f4846-ba00-4fd7-ba43-dac1f8f63013";

/// The action of registering methods to sign in with, and of registering a device.
const REGISTER_METHODS: &str = "urn:user:registersecurityinfo";
pub(in crate::controls) const REGISTER_DEVICE: &str = "urn:user:registerdevice";

/// A requirement of everybody at every sign-in to every application.
const OF_EVERYBODY: Requirement<'static> = Requirement {
    whom: &[Whom::Everybody],
    target: Target::AllApplications,
    when: &[When::Always],
    wanted: Wanted::Mfa,
    except_trusted_locations: false,
};

/// Old protocols are blocked.
pub(in crate::controls) fn legacy_protocols(tenant: &Tenant) -> Judged {
    let clients = [When::ClientApp("exchangeActiveSync"), When::ClientApp("other")];
    let requirement = Requirement { when: &clients, wanted: Wanted::Block, ..OF_EVERYBODY };
    judged_with_defaults(tenant, &requirement, "block old protocols for all users")
}

/// Everybody needs a second factor for every application.
pub(in crate::controls) fn mfa_for_everybody(tenant: &Tenant) -> Judged {
    judged_with_defaults(tenant, &OF_EVERYBODY, MFA_FOR_EVERYBODY)
}

const MFA_FOR_EVERYBODY: &str = "require multifactor authentication of all users for all applications";

/// Everybody needs a phishing-resistant method.
pub(in crate::controls) fn phishing_resistant_for_everybody(tenant: &Tenant) -> Judged {
    let requirement = Requirement { wanted: Wanted::PhishingResistant, ..OF_EVERYBODY };
    judged(tenant, &requirement, "require phishing-resistant methods of all users for all applications")
}

/// Administrators need a phishing-resistant method.
pub(in crate::controls) fn phishing_resistant_for_administrators(tenant: &Tenant) -> Judged {
    let requirement = Requirement { whom: &administrators(), wanted: Wanted::PhishingResistant, ..OF_EVERYBODY };
    judged(tenant, &requirement, "require phishing-resistant methods of administrators for all applications")
}

/// Administrators need a second factor.
pub(in crate::controls) fn mfa_for_administrators(tenant: &Tenant) -> Judged {
    let requirement = Requirement { whom: &administrators(), ..OF_EVERYBODY };
    judged_with_defaults(
        tenant,
        &requirement,
        "require multifactor authentication of administrators for all applications",
    )
}

/// Accounts at high risk are blocked or have to be secured.
pub(in crate::controls) fn risky_accounts(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P2)?;
    let requirement = Requirement { when: &[When::HighUserRisk], wanted: Wanted::Remediation, ..OF_EVERYBODY };
    judged(tenant, &requirement, "block accounts at high risk, or require a new password")
}

/// Sign-ins at high risk are blocked or need a second factor.
pub(in crate::controls) fn risky_sign_ins(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P2)?;
    let requirement = Requirement { when: &[When::HighSignInRisk], ..OF_EVERYBODY };
    judged(tenant, &requirement, "block sign-ins at high risk, or require multifactor authentication")
}

/// Access needs a managed device.
pub(in crate::controls) fn managed_devices(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::Intune)?;
    let requirement = Requirement { wanted: Wanted::ManagedDevice, ..OF_EVERYBODY };
    judged(tenant, &requirement, "require a managed device of all users for all applications")
}

/// Registering methods needs a second factor, a managed device or a trusted location.
pub(in crate::controls) fn registering_methods(tenant: &Tenant) -> Judged {
    let requirement = Requirement {
        target: Target::UserAction(REGISTER_METHODS),
        wanted: Wanted::MfaOrDevice,
        except_trusted_locations: true,
        ..OF_EVERYBODY
    };
    judged(tenant, &requirement, "protect the registration of methods to sign in with")
}

/// Device codes are blocked.
pub(in crate::controls) fn device_codes(tenant: &Tenant) -> Judged {
    flow(tenant, "deviceCodeFlow", "block device codes for all users and applications")
}

/// The transfer of a sign-in to another device is blocked.
pub(in crate::controls) fn authentication_transfer(tenant: &Tenant) -> Judged {
    flow(tenant, "authenticationTransfer", "block authentication transfer for all users and applications")
}

fn flow(tenant: &Tenant, flow: &'static str, does: &str) -> Judged {
    let requirement = Requirement { when: &[When::Flow(flow)], wanted: Wanted::Block, ..OF_EVERYBODY };
    judged(tenant, &requirement, does)
}

/// Sessions of administrators end.
pub(in crate::controls) fn administrators_sessions(tenant: &Tenant) -> Judged {
    let whom = administrators();
    let frequent = Requirement { whom: &whom, wanted: Wanted::FrequentSignIn, ..OF_EVERYBODY };
    let closed = Requirement { whom: &whom, wanted: Wanted::NoPersistence, ..OF_EVERYBODY };
    let frequent = judged(tenant, &frequent, "make administrators sign in again within four hours")?;
    let closed = judged(tenant, &closed, "end the sessions of administrators with their browser")?;
    secure_if(
        frequent.is_secure && closed.is_secure,
        format!("{} {}", frequent.state, closed.state),
        if frequent.is_secure { closed.state.clone() } else { frequent.state.clone() },
    )
}

/// Guests need a second factor.
pub(in crate::controls) fn mfa_for_guests(tenant: &Tenant) -> Judged {
    let requirement = Requirement { whom: &GUESTS.map(Whom::Guests), ..OF_EVERYBODY };
    judged_with_defaults(tenant, &requirement, "require multifactor authentication of guests for all applications")
}

/// Managing the cloud infrastructure needs a second factor.
pub(in crate::controls) fn mfa_for_management(tenant: &Tenant) -> Judged {
    let requirement = Requirement { target: Target::Application(MANAGEMENT), ..OF_EVERYBODY };
    judged_with_defaults(tenant, &requirement, "require multifactor authentication for managing Azure")
}

/// No policy was left in report-only mode.
pub(in crate::controls) fn report_only(tenant: &Tenant) -> Judged {
    let policies = known_policies(tenant)?;
    let enabled: Vec<_> = policies.iter().filter(|policy| policy.state() == State::Enabled).collect();
    let left: Vec<_> = policies
        .iter()
        .filter(|policy| policy.state() == State::ReportOnly)
        .filter(|policy| !enabled.iter().any(|other| other.does_the_same_as(policy)))
        .map(|policy| policy.quoted_name())
        .collect();
    if policies.iter().any(|policy| policy.state() == State::Unknown) {
        return not_assessed("A policy is in a state of unknown meaning.");
    }
    secure_if(
        left.is_empty(),
        "No policy is in report-only mode.",
        format!("In report-only mode, without effect: {}.", few(&left)),
    )
}

/// The tenant has a baseline at all.
pub(in crate::controls) fn baseline(tenant: &Tenant) -> Judged {
    let defaults = tenant.security_defaults();
    if defaults == Ok(true) {
        return secure("Security defaults are on.");
    }
    let policies =
        tenant.needs(Licence::P1).and_then(|()| judged_by_policies(tenant, &OF_EVERYBODY, MFA_FOR_EVERYBODY));
    match policies {
        Ok(verdict) if verdict.is_secure => Ok(verdict),
        Ok(verdict) => {
            defaults?;
            open(format!("Security defaults are off. {}", verdict.state))
        }
        Err(_) if defaults == Ok(false) && tenant.lacks(Licence::P1) => {
            open("Security defaults are off, and the tenant has no licence for Conditional Access.")
        }
        Err(reason) => Err(reason),
    }
}

fn administrators() -> [Whom<'static>; PRIVILEGED_ROLES.len()] {
    PRIVILEGED_ROLES.map(|(role, _)| Whom::Role(role))
}

/// Returns the result of a requirement that security defaults meet as well.
fn judged_with_defaults(tenant: &Tenant, requirement: &Requirement<'_>, does: &str) -> Judged {
    if tenant.security_defaults() == Ok(true) {
        return secure("Security defaults are on, which do this.");
    }
    judged(tenant, requirement, does)
}

/// Returns the result of a requirement that only policies can meet. `does` completes "Policies".
fn judged(tenant: &Tenant, requirement: &Requirement<'_>, does: &str) -> Judged {
    tenant.needs(Licence::P1)?;
    judged_by_policies(tenant, requirement, does)
}

fn judged_by_policies(tenant: &Tenant, requirement: &Requirement<'_>, does: &str) -> Judged {
    tenant.whole(Source::ConditionalAccessPolicies)?;
    let policies = tenant.lists.policies.rows();
    match requirement.coverage(policies, &tenant.header.emergency_access) {
        Coverage::Covered(names) => {
            let names: Vec<String> = names.into_iter().collect();
            secure(format!("Policies {does}: {}.", few(&names)))
        }
        Coverage::Unknown(misses) => not_assessed(format!("Policies may {does}. {}", misses.join(" "))),
        Coverage::Gap(misses) => {
            tenant.readable(Source::ConditionalAccessPolicies, tenant.lists.policies.unreadable())?;
            open(format!("Policies do not {does}. {}", misses.join(" ")).trim_end())
        }
    }
}

/// Returns whether policies require a second factor for an action of users, if the policies are known.
pub(in crate::controls) fn mfa_for_action(tenant: &Tenant, action: &'static str) -> Judged {
    let requirement = Requirement { target: Target::UserAction(action), ..OF_EVERYBODY };
    judged(tenant, &requirement, "require multifactor authentication for this")
}

/// Returns all policies, each of them readable.
pub(super) fn known_policies(tenant: &Tenant) -> Result<Vec<&Policy>, NotAssessed> {
    tenant.needs(Licence::P1)?;
    tenant.rows(Source::ConditionalAccessPolicies, &tenant.lists.policies).map(Iterator::collect)
}

/// Returns the first few of some names.
pub(in crate::controls) fn few(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
