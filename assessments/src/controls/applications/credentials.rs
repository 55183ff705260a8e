//! Controls about the secrets of applications.

use chrono::TimeDelta;
use model::counted;

use crate::controls::conditional_access::few;
use crate::controls::document::{Document, unreadable};
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, open, secure, secure_if};

/// Longest life of a secret: a year, and a day for time zones.
const LONGEST_LIFE: TimeDelta = TimeDelta::days(366);

/// Days for which an expired secret may stay.
const EXPIRED: TimeDelta = TimeDelta::days(30);

/// The tenant limits the secrets of all applications.
pub(in crate::controls) fn secret_policy(tenant: &Tenant) -> Judged {
    let policy = tenant.document(Source::DefaultAppManagementPolicy)?;
    if !policy.flag("isEnabled")? {
        return open("The policy for the secrets of applications is off.");
    }
    let of = |path: &'static str, name: &str| -> Result<Option<String>, NotAssessed> {
        let limited = limits(policy.list(path)?)?;
        Ok((!limited).then(|| name.to_owned()))
    };
    let unlimited: Vec<String> = [
        of("applicationRestrictions/passwordCredentials", "applications")?,
        of("servicePrincipalRestrictions/passwordCredentials", "enterprise applications")?,
    ]
    .into_iter()
    .flatten()
    .collect();
    secure_if(
        unlimited.is_empty(),
        "New secrets of applications are blocked or limited in their life.",
        format!("Nothing limits new secrets of {}.", unlimited.join(" and ")),
    )
}

/// Returns whether a restriction in effect blocks new secrets or limits their life, whatever the age of the application.
fn limits(restrictions: Vec<Document<'_>>) -> Result<bool, NotAssessed> {
    let mut limited = false;
    for restriction in restrictions {
        let kind = restriction.text("restrictionType")?;
        if !matches!(kind, "passwordAddition" | "passwordLifetime") {
            continue;
        }
        let enabled = match restriction.text("state")? {
            "enabled" => true,
            "disabled" => false,
            _ => return unreadable("state"),
        };
        let for_all = match restriction.get("restrictForAppsCreatedAfterDateTime") {
            None => true,
            // Without an age, the interface writes the first day of its calendar.
            Some(after) => after.as_str().is_some_and(|after| after.starts_with("0001-01-01")),
        };
        limited |= enabled && for_all && (kind == "passwordAddition" || restriction.get("maxLifetime").is_some());
    }
    Ok(limited)
}

/// The secrets of applications are young, and those that expired are removed.
pub(in crate::controls) fn application_secrets(tenant: &Tenant) -> Judged {
    let now = tenant.now().to_datetime();
    let mut total = 0;
    let mut bad = Vec::new();
    for application in tenant.rows(Source::Applications, &tenant.lists.applications)? {
        let Some(secrets) = &application.password_credentials else { return unreadable("passwordCredentials") };
        let name = application.display_name.as_deref().unwrap_or_default();
        for secret in secrets {
            total += 1;
            let (Some(start), Some(end)) = (secret.start_date_time, secret.end_date_time) else {
                return unreadable("endDateTime");
            };
            if end.to_datetime() - start.to_datetime() > LONGEST_LIFE {
                bad.push(format!("{name} (valid until {})", end.date()));
            } else if now - end.to_datetime() > EXPIRED {
                bad.push(format!("{name} (expired on {})", end.date()));
            }
        }
    }
    bad.sort();
    bad.dedup();
    if total == 0 {
        return secure("No application of the tenant has a secret.");
    }
    secure_if(
        bad.is_empty(),
        format!("None of {} lasts over a year or expired long ago.", counted(total, "secret")),
        format!("Secrets that last over a year, or expired long ago: {}.", few(&bad)),
    )
}
