//! A sign-in, and what it shows.

use super::events::Shown;
use super::measure::{ALL, Measure};
use super::subject::Subject;

/// A sign-in, as any export of the log has it. `None` for what the export does not have.
#[derive(Debug, Default)]
pub(crate) struct SignIn {
    /// 0 for a sign-in that succeeded.
    pub(crate) error: i64,
    /// Whether the sign-in counts as failed. Interrupted ones do not.
    pub(crate) failed: bool,
    /// The reason why a second factor was required, as a label of [`Measure::SecondFactor`].
    pub(crate) second_factor: Option<&'static str>,
    pub(crate) interactive: Option<bool>,
    /// The application's way to sign in: `Browser`, `IMAP4`.
    pub(crate) client_app: Option<String>,
    /// `deviceCode`, `ropc`, `oAuth2` and others; only in the beta version of the interface.
    pub(crate) protocol: Option<String>,
    /// Whether one factor was enough.
    pub(crate) one_factor: Option<bool>,
    /// Methods that succeeded, in the log's words.
    pub(crate) methods: Option<Vec<String>>,
    /// Results of the conditional access policies.
    pub(crate) policy_results: Option<Vec<String>>,
    pub(crate) risk: Option<String>,
    /// `member` or `guest`.
    pub(crate) user_type: Option<String>,
    pub(crate) cross_tenant_access: Option<String>,
    /// Whether the device is compliant or managed.
    pub(crate) managed_device: Option<bool>,
    pub(crate) country: Option<String>,
}

/// Errors of a sign-in with a wrong password, and of one to an account that is locked after several.
const WRONG_PASSWORD: i64 = 50126;
const LOCKED_ACCOUNT: i64 = 50053;

impl SignIn {
    /// Returns what the sign-in of a user shows.
    pub(crate) fn shows(&self) -> Shown {
        let mut shown = Shown::default();
        see(&mut shown, Measure::FailedSignIn, self.failed.then_some(ALL));
        see(&mut shown, Measure::SecondFactor, self.second_factor);
        see(&mut shown, Measure::WrongPassword, self.failure());
        if let Some(results) = &self.policy_results {
            let stopped = results.iter().any(|result| is(result, "reportOnlyFailure"));
            see(&mut shown, Measure::ReportOnly, stopped.then_some(ALL));
        }
        if self.error == 0 {
            self.show_success(&mut shown);
        }
        shown
    }

    fn failure(&self) -> Option<&'static str> {
        match self.error {
            WRONG_PASSWORD => Some("wrong password"),
            LOCKED_ACCOUNT => Some("locked account"),
            _ => None,
        }
    }

    fn show_success(&self, shown: &mut Shown) {
        if let Some(app) = &self.client_app {
            let legacy = legacy_protocol(app);
            see(shown, Measure::LegacyProtocol, legacy);
            see(shown, Measure::SmtpAuth, legacy.filter(|label| *label == "SMTP AUTH").map(|_| ALL));
        }
        if let Some(protocol) = &self.protocol {
            see(shown, Measure::DeviceCode, is(protocol, "deviceCode").then_some(ALL));
            see(shown, Measure::PasswordGrant, is(protocol, "ropc").then_some(ALL));
            see(shown, Measure::AuthenticationTransfer, is(protocol, "authenticationTransfer").then_some(ALL));
        }
        if let Some(methods) = &self.methods {
            methods.iter().for_each(|method| see(shown, Measure::WeakMethod, weak_method(method)));
            shown.observable(Measure::WeakMethod);
        }
        if let Some(risk) = &self.risk {
            // `none` and `hidden` are not levels.
            let level = Measure::RiskySignIn.labels().iter().find(|label| is(risk, label));
            see(shown, Measure::RiskySignIn, level.copied());
        }
        self.show_guest(shown);
        self.show_device(shown);
        self.show_interactive(shown);
    }

    fn show_guest(&self, shown: &mut Shown) {
        let Some(user_type) = &self.user_type else { return };
        shown.observable(Measure::Guest);
        if is(user_type, "guest") {
            let access = self.cross_tenant_access.as_deref().unwrap_or_default().to_ascii_lowercase();
            let label = match access.replace([' ', '-'], "").as_str() {
                "b2bcollaboration" => "B2B collaboration",
                "b2bdirectconnect" => "B2B direct connect",
                "serviceprovider" => "service provider",
                _ => "other access",
            };
            shown.add(Measure::Guest, label);
        }
    }

    fn show_device(&self, shown: &mut Shown) {
        if let Some(managed) = self.managed_device {
            shown.add(Measure::Device, if managed { "managed" } else { "unmanaged" });
        }
        if let Some(country) = self.country.as_ref().filter(|country| !country.is_empty()) {
            shown.add_about(Measure::Country, ALL, Subject::of(country));
        }
    }

    /// A sign-in without the user present repeats the result of an earlier one.
    fn show_interactive(&self, shown: &mut Shown) {
        if self.interactive != Some(true) {
            return;
        }
        if let Some(one_factor) = self.one_factor {
            shown.add(Measure::Factors, if one_factor { "one factor" } else { "two factors" });
        }
        if let Some(methods) = &self.methods {
            let strong = methods.iter().any(|method| is_phishing_resistant(method));
            shown.add(Measure::MethodStrength, if strong { "phishing-resistant" } else { "other" });
        }
    }
}

fn see(shown: &mut Shown, measure: Measure, label: Option<&'static str>) {
    shown.observable(measure);
    label.into_iter().for_each(|label| shown.add(measure, label));
}

fn is(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word)
}

/// The legacy protocol that the log means by a client application, if it is one. Older logs write `Other clients; IMAP`.
fn legacy_protocol(app: &str) -> Option<&'static str> {
    let app = app.trim().to_ascii_lowercase();
    let app = app.strip_prefix("other clients; ").unwrap_or(&app);
    Some(match app {
        "authenticated smtp" | "smtp" => "SMTP AUTH",
        "autodiscover" => "Autodiscover",
        "exchange activesync" => "Exchange ActiveSync",
        "exchange online powershell" => "Exchange Online PowerShell",
        "exchange web services" => "Exchange Web Services",
        "imap" | "imap4" => "IMAP4",
        "mapi" | "mapi over http" => "MAPI over HTTP",
        "offline address book" => "Offline Address Book",
        "outlook anywhere" | "outlook anywhere (rpc over http)" => "Outlook Anywhere",
        "outlook service" => "Outlook Service",
        "pop" | "pop3" => "POP3",
        "reporting web services" => "Reporting Web Services",
        "universal outlook" => "Universal Outlook",
        "other clients" | "older office clients" => "other clients",
        _ => return None,
    })
}

fn weak_method(method: &str) -> Option<&'static str> {
    let method = method.to_ascii_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| method.contains(word));
    if names(&["text message", "sms"]) {
        Some("text message")
    } else if names(&["phone call", "voice"]) {
        Some("voice call")
    } else {
        names(&["email", "e-mail"]).then_some("e-mail code")
    }
}

fn is_phishing_resistant(method: &str) -> bool {
    let method = method.to_ascii_lowercase();
    ["fido2", "passkey", "windows hello", "certificate", "platform credential"].iter().any(|name| method.contains(name))
}
