//! Old mail apps.

use model::counted;

use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, not_assessed, secure_if};

/// Nobody reads or sends mail with an app that uses a password alone.
pub(in crate::controls) fn mail_apps(tenant: &Tenant) -> Judged {
    tenant.whole(Source::MailAppsReport)?;
    match tenant.directory.mail_app_users() {
        None => not_assessed("The report of mail apps has no row, or malformed ones."),
        Some(users) => secure_if(
            users == 0,
            "Nobody uses POP3, IMAP4 or SMTP in a mail app.",
            format!(
                "{} POP3, IMAP4 or SMTP in a mail app.",
                if users == 1 { "1 user uses".to_owned() } else { format!("{} use", counted(users, "user")) }
            ),
        ),
    }
}
