//! Controls about the policy for methods to sign in with.

use crate::controls::document::{Document, unreadable};
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, open, secure, secure_if};

/// Methods whose codes can be intercepted.
const INTERCEPTABLE: [(&str, &str); 3] =
    [("Sms", "text messages"), ("Voice", "voice calls"), ("Email", "e-mail codes")];

/// The group that stands for nobody, and the one for everybody.
const NOBODY: &str = "00000000-0000-0000-0000-000000000000";
const EVERYBODY: &str = "all_users";

/// Longest life of a temporary pass in minutes: a working day.
const LONGEST_PASS: i64 = 480;

/// Methods that can be intercepted are off.
pub(in crate::controls) fn interceptable_methods(tenant: &Tenant) -> Judged {
    let policy = policy(tenant)?;
    if !is_migrated(policy)? {
        return not_assessed("The older policies for methods still apply, and they cannot be read.");
    }
    let mut on = Vec::new();
    for (method, name) in INTERCEPTABLE {
        if is_enabled(configuration(policy, method)?)? {
            on.push(name.to_owned());
        }
    }
    secure_if(
        on.is_empty(),
        "Text messages, voice calls and e-mail codes are off.",
        format!("Allowed: {}.", on.join(", ")),
    )
}

/// The authenticator shows which application asks, and from where.
pub(in crate::controls) fn authenticator_context(tenant: &Tenant) -> Judged {
    let authenticator = configuration(policy(tenant)?, "MicrosoftAuthenticator")?;
    if !is_enabled(authenticator)? {
        return secure("The authenticator is off.");
    }
    let features = [
        ("featureSettings/displayAppInformationRequiredState", "the application"),
        ("featureSettings/displayLocationInformationRequiredState", "the location"),
    ];
    let mut missing = Vec::new();
    let mut by_default = false;
    for (path, name) in features {
        let Some(feature) = authenticator.get(path).map(Document) else { return unreadable(path) };
        let state = feature.text("state")?;
        match state {
            "enabled" | "default" => by_default |= state == "default",
            "disabled" => missing.push(format!("{name} is not shown")),
            _ => return unreadable("state"),
        }
        let excluded = feature.get("excludeTarget/id").and_then(|id| id.as_str()).unwrap_or(NOBODY);
        if feature.text("includeTarget/id")? != EVERYBODY || excluded != NOBODY {
            missing.push(format!("{name} is not shown to all users"));
        }
    }
    let note = if by_default { " A setting is left to Microsoft, which shows both at present." } else { "" };
    secure_if(
        missing.is_empty(),
        format!("The authenticator shows the application and the location.{note}"),
        format!("In the authenticator, {}.", missing.join(", ")),
    )
}

/// The older policies for methods no longer apply.
pub(in crate::controls) fn method_migration(tenant: &Tenant) -> Judged {
    secure_if(
        is_migrated(policy(tenant)?)?,
        "One policy decides about all methods.",
        "The migration to the new policy is not complete: the older policies for methods still apply.",
    )
}

/// Passkeys can be used.
pub(in crate::controls) fn passkeys(tenant: &Tenant) -> Judged {
    let enabled = is_enabled(configuration(policy(tenant)?, "Fido2")?)?;
    secure_if(enabled, "Passkeys (FIDO2) are allowed.", "Passkeys (FIDO2) are not allowed.")
}

/// Users are asked to register the authenticator, unless all of them have a second factor.
pub(in crate::controls) fn registration_campaign(tenant: &Tenant) -> Judged {
    let campaign = "registrationEnforcement/authenticationMethodsRegistrationCampaign/state";
    match policy(tenant)?.text(campaign)? {
        "enabled" => secure("Users are asked to register the authenticator."),
        "default" => secure("Users are asked to register the authenticator, as Microsoft decides."),
        "disabled" => match super::registered_members(tenant) {
            Ok(verdict) if verdict.is_secure => secure(format!("The campaign is off. {}", verdict.state)),
            Ok(verdict) => open(format!("Users are not asked to register the authenticator. {}", verdict.state)),
            Err(NotAssessed { reason, sentence }) => {
                Err(NotAssessed::new(reason, format!("The campaign is off. {sentence}")))
            }
        },
        _ => unreadable("state"),
    }
}

/// Temporary passes are used once and do not live long.
pub(in crate::controls) fn temporary_passes(tenant: &Tenant) -> Judged {
    let passes = configuration(policy(tenant)?, "TemporaryAccessPass")?;
    if !is_enabled(passes)? {
        return secure("Temporary access passes are off.");
    }
    let (once, minutes) = (passes.flag("isUsableOnce")?, passes.number("maximumLifetimeInMinutes")?);
    let reuse = if once { "can be used once" } else { "can be used more than once" };
    let state = format!("Temporary access passes {reuse}, for at most {minutes} minutes.");
    secure_if(once && minutes <= LONGEST_PASS, state.clone(), state)
}

fn policy(tenant: &Tenant) -> Result<Document<'_>, NotAssessed> {
    tenant.document(Source::AuthenticationMethodsPolicy)
}

/// Returns the settings of a method.
fn configuration<'a>(policy: Document<'a>, method: &'static str) -> Result<Document<'a>, NotAssessed> {
    let configurations = policy.list("authenticationMethodConfigurations")?;
    let mut of_method = configurations.into_iter().filter(|it| it.text("id").is_ok_and(|id| id == method));
    match (of_method.next(), of_method.next()) {
        (Some(configuration), None) => Ok(configuration),
        _ => unreadable(method),
    }
}

fn is_enabled(configuration: Document<'_>) -> Result<bool, NotAssessed> {
    match configuration.text("state")? {
        "enabled" => Ok(true),
        "disabled" => Ok(false),
        _ => unreadable("state"),
    }
}

/// Returns whether the older policies no longer apply. Tenants that never had them have no state.
fn is_migrated(policy: Document<'_>) -> Result<bool, NotAssessed> {
    match policy.0.get("policyMigrationState") {
        // A policy of nulls alone says nothing.
        Some(state) if state.is_null() => configuration(policy, "Sms").map(|_| true),
        _ => match policy.text("policyMigrationState")? {
            "migrationComplete" => Ok(true),
            "preMigration" | "migrationInProgress" => Ok(false),
            _ => unreadable("policyMigrationState"),
        },
    }
}
