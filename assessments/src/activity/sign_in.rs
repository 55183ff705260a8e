//! A sign-in, and what it shows.

use super::events::{Entry, Events, Subject};
use super::measure::{ALL, Measure};

/// A sign-in, as any export of the log has it. `None` for what the export does not have.
#[derive(Debug, Default)]
pub(crate) struct SignIn {
    /// 0 for a sign-in that succeeded.
    pub(crate) error: i64,
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
    /// Adds what the sign-in of a user shows.
    pub(crate) fn observe(&self, entry: Entry, events: &mut Events) {
        let mut see = |measure, label: Option<&'static str>| {
            events.observable(measure);
            label.into_iter().for_each(|label| events.add(measure, label, entry));
        };
        see(Measure::WrongPassword, self.failure());
        if let Some(results) = &self.policy_results {
            see(Measure::ReportOnly, results.iter().any(|result| is(result, "reportOnlyFailure")).then_some(ALL));
        }
        if self.error != 0 {
            return;
        }
        if let Some(app) = &self.client_app {
            let legacy = legacy_protocol(app);
            see(Measure::LegacyProtocol, legacy);
            see(Measure::SmtpAuth, legacy.filter(|label| *label == "SMTP AUTH").map(|_| ALL));
        }
        if let Some(protocol) = &self.protocol {
            see(Measure::DeviceCode, is(protocol, "deviceCode").then_some(ALL));
            see(Measure::PasswordGrant, is(protocol, "ropc").then_some(ALL));
            see(Measure::AuthenticationTransfer, is(protocol, "authenticationTransfer").then_some(ALL));
        }
        if let Some(methods) = &self.methods {
            methods.iter().for_each(|method| see(Measure::WeakMethod, weak_method(method)));
            events.observable(Measure::WeakMethod);
        }
        if let Some(risk) = &self.risk {
            see_risk(risk, entry, events);
        }
        self.observe_guest(entry, events);
        self.observe_device(entry, events);
        self.observe_interactive(entry, events);
    }

    fn failure(&self) -> Option<&'static str> {
        match self.error {
            WRONG_PASSWORD => Some("wrong password"),
            LOCKED_ACCOUNT => Some("locked account"),
            _ => None,
        }
    }

    fn observe_guest(&self, entry: Entry, events: &mut Events) {
        let Some(user_type) = &self.user_type else { return };
        events.observable(Measure::Guest);
        if is(user_type, "guest") {
            let access = self.cross_tenant_access.as_deref().unwrap_or_default().to_ascii_lowercase();
            let label = match access.replace([' ', '-'], "").as_str() {
                "b2bcollaboration" => "B2B collaboration",
                "b2bdirectconnect" => "B2B direct connect",
                "serviceprovider" => "service provider",
                _ => "other access",
            };
            events.add(Measure::Guest, label, entry);
        }
    }

    fn observe_device(&self, entry: Entry, events: &mut Events) {
        if let Some(managed) = self.managed_device {
            events.add(Measure::Device, if managed { "managed" } else { "unmanaged" }, entry);
        }
        if let Some(country) = self.country.as_ref().filter(|country| !country.is_empty()) {
            events.add(Measure::Country, ALL, Entry { subject: Subject::of(country), ..entry });
        }
    }

    /// A sign-in without the user present repeats the result of an earlier one.
    fn observe_interactive(&self, entry: Entry, events: &mut Events) {
        if self.interactive != Some(true) {
            return;
        }
        if let Some(one_factor) = self.one_factor {
            events.add(Measure::Factors, if one_factor { "one factor" } else { "two factors" }, entry);
        }
        if let Some(methods) = &self.methods {
            let strong = methods.iter().any(|method| is_phishing_resistant(method));
            events.add(Measure::MethodStrength, if strong { "phishing-resistant" } else { "other" }, entry);
        }
    }
}

/// Adds a sign-in that succeeded at a risk of this level. `none` and `hidden` are not levels.
fn see_risk(level: &str, entry: Entry, events: &mut Events) {
    events.observable(Measure::RiskySignIn);
    if let Some(label) = Measure::RiskySignIn.labels().iter().find(|label| is(level, label)) {
        events.add(Measure::RiskySignIn, label, entry);
    }
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
