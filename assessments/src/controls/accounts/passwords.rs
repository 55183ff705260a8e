//! Controls about passwords.

use serde_json::Value;

use crate::controls::conditional_access::few;
use crate::controls::document::{Document, unreadable};
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, open, secure, secure_if};

/// Days of a password that never expires, as the interface writes it.
const NEVER: i64 = 2_147_483_647;

/// The template of the settings for passwords.
const PASSWORD_RULES: &str = "5cf42378-d67d-4f36-ba46-e8b86229381d";

/// Most wrong passwords before an account is locked, and the least seconds for which it is.
const MOST_ATTEMPTS: i64 = 10;
const LEAST_SECONDS: i64 = 60;

/// Passwords do not expire.
pub(in crate::controls) fn password_expiry(tenant: &Tenant) -> Judged {
    let domains = tenant.rows(Source::Domains, &tenant.lists.domains)?;
    let mut expiring = Vec::new();
    let mut judged = 0;
    for domain in domains.filter(|domain| domain.is_verified() != Some(false) && domain.is_root() != Some(false)) {
        match domain.authentication_type() {
            Some("Managed") => {}
            Some("Federated") => continue,
            _ => return unreadable("authenticationType"),
        }
        judged += 1;
        match domain.password_days() {
            Some(NEVER) => {}
            Some(days) => expiring.push(format!("{} after {days} days", domain.name())),
            None => return unreadable("passwordValidityPeriodInDays"),
        }
    }
    match (judged, expiring.is_empty()) {
        (0, _) => not_assessed("No domain manages its passwords here: another identity provider does."),
        (_, true) => secure("Passwords do not expire in any domain."),
        (_, false) => open(format!("Passwords expire: {}.", few(&expiring))),
    }
}

/// Words that everybody would guess cannot be part of a password.
pub(in crate::controls) fn banned_passwords(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P1)?;
    let rules = password_rules(tenant)?;
    let enforced = flag(rules, "EnableBannedPasswordCheck")?;
    let words =
        value(rules, "BannedPasswordList")?.split(['\t', '\n', ',']).filter(|word| !word.trim().is_empty()).count();
    secure_if(
        enforced && words > 0,
        format!("An own list of {words} banned words is enforced."),
        if enforced { "The own list of banned words is empty." } else { "No own list of banned words is enforced." },
    )
}

/// Accounts are locked after a few wrong passwords.
pub(in crate::controls) fn lockout(tenant: &Tenant) -> Judged {
    let rules = password_rules(tenant)?;
    let number = |name| value(rules, name)?.trim().parse::<i64>().or_else(|_| unreadable(name));
    let (attempts, seconds) = (number("LockoutThreshold")?, number("LockoutDurationInSeconds")?);
    let state = format!("An account is locked for {seconds} seconds after {attempts} wrong passwords.");
    let strict = (1..=MOST_ATTEMPTS).contains(&attempts) && seconds >= LEAST_SECONDS;
    secure_if(strict, state.clone(), state)
}

/// Returns the settings for passwords, which not every response contains.
fn password_rules(tenant: &Tenant) -> Result<Document<'_>, NotAssessed> {
    setting(tenant, PASSWORD_RULES)?.map_or_else(
        || not_assessed("The response does not contain the settings for passwords, so they cannot be read."),
        Ok,
    )
}

/// Returns the settings of a template, if the response contains them.
pub(in crate::controls) fn setting<'a>(
    tenant: &'a Tenant,
    template: &str,
) -> Result<Option<Document<'a>>, NotAssessed> {
    let mut settings = tenant.rows(Source::GroupSettings, &tenant.lists.group_settings)?;
    Ok(settings.find(|setting| setting.get("templateId").and_then(Value::as_str) == Some(template)).map(Document))
}

/// Returns the text of a value among settings.
fn value<'a>(settings: Document<'a>, name: &'static str) -> Result<&'a str, NotAssessed> {
    let values = settings.list("values")?;
    let named = values.into_iter().find(|value| value.text("name").is_ok_and(|it| it == name));
    named.map_or_else(|| unreadable(name), |value| value.text("value"))
}

/// Returns the truth value among settings.
pub(in crate::controls) fn flag(settings: Document<'_>, name: &'static str) -> Result<bool, NotAssessed> {
    match value(settings, name)?.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => unreadable(name),
    }
}
