//! A sign-in, and what it shows.

use super::events::EntryFindings;
use super::measure::{ALL, Measure};
use super::subject::Subject;
use crate::file::Field;

/// A sign-in, as any export of the log has it. `None` for what the export does not have, and damaged fields for values
/// that are not understood.
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
    pub(crate) one_factor: Field<bool>,
    /// Methods that succeeded, in the log's words.
    pub(crate) methods: Option<Vec<String>>,
    /// Results of the conditional access policies.
    pub(crate) policy_results: Option<Vec<String>>,
    pub(crate) risk: Option<String>,
    /// `member` or `guest`.
    pub(crate) user_type: Option<String>,
    pub(crate) cross_tenant_access: Option<String>,
    /// Whether the device is compliant or managed.
    pub(crate) managed_device: Field<bool>,
    pub(crate) country: Option<String>,
}

/// Measures with the authentication protocol that they count.
const PROTOCOLS_OF_MEASURES: [(Measure, &str); 3] = [
    (Measure::DeviceCode, "devicecode"),
    (Measure::PasswordGrant, "ropc"),
    (Measure::AuthenticationTransfer, "authenticationtransfer"),
];

/// All authentication protocols of the log. Any other word can mean one that is counted.
const PROTOCOLS: [&str; 28] = [
    "none",
    "oauth2",
    "oauth20",
    "ropc",
    "wsfederation",
    "wsfed",
    "saml20",
    "saml",
    "devicecode",
    "authenticationtransfer",
    "nativeauth",
    "implicitaccesstokenandgetresponsemode",
    "implicitidtokenandgetresponsemode",
    "implicitaccesstokenandpostresponsemode",
    "implicitidtokenandpostresponsemode",
    "authorizationcodewithoutpkce",
    "authorizationcodewithpkce",
    "clientcredentials",
    "refreshtokengrant",
    "encryptedauthorizeresponse",
    "directusergrant",
    "kerberos",
    "prtgrant",
    "seamlesssso",
    "prtbrokerbased",
    "prtnonbrokerbased",
    "onbehalfof",
    "samlonbehalfof",
];

/// Errors of a sign-in with a wrong password, and of one to an account that is locked after several.
const WRONG_PASSWORD: i64 = 50126;
const LOCKED_ACCOUNT: i64 = 50053;

impl SignIn {
    /// Returns what the sign-in of a user shows.
    pub(crate) fn shows(&self) -> EntryFindings {
        let mut shown = EntryFindings::default();
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

    fn show_success(&self, shown: &mut EntryFindings) {
        self.show_client(shown);
        self.show_protocol(shown);
        self.show_methods(shown);
        self.show_risk(shown);
        self.show_guest(shown);
        self.show_device(shown);
        self.show_interactive(shown);
    }

    fn show_client(&self, shown: &mut EntryFindings) {
        let Some(app) = &self.client_app else { return };
        match legacy_protocol(app) {
            None if !is_modern_client(app) => {
                shown.not_understood(Measure::LegacyProtocol);
                shown.not_understood(Measure::SmtpAuth);
            }
            legacy => {
                see(shown, Measure::LegacyProtocol, legacy);
                see(shown, Measure::SmtpAuth, legacy.filter(|label| *label == "SMTP AUTH").map(|_| ALL));
            }
        }
    }

    fn show_protocol(&self, shown: &mut EntryFindings) {
        let Some(protocol) = self.protocol.as_deref().map(squeezed).filter(|word| !word.is_empty()) else { return };
        for (measure, word) in PROTOCOLS_OF_MEASURES {
            if protocol == word {
                shown.add(measure, ALL);
            } else if PROTOCOLS.contains(&protocol.as_str()) {
                shown.observable(measure);
            } else {
                shown.not_understood(measure);
            }
        }
    }

    fn show_methods(&self, shown: &mut EntryFindings) {
        let Some(methods) = &self.methods else { return };
        shown.observable(Measure::WeakMethod);
        for method in methods {
            match weak_method(method) {
                Some(label) => shown.add(Measure::WeakMethod, label),
                None if is_other_method(method) => {}
                None => shown.not_understood(Measure::WeakMethod),
            }
        }
    }

    fn show_risk(&self, shown: &mut EntryFindings) {
        let Some(risk) = self.risk.as_deref().map(squeezed).filter(|word| !word.is_empty()) else { return };
        match Measure::RiskySignIn.labels().iter().find(|label| **label == risk) {
            Some(level) => shown.add(Measure::RiskySignIn, level),
            None if risk == "none" => shown.observable(Measure::RiskySignIn),
            // The log conceals the risk from tenants without a licence for it.
            None if risk == "hidden" => shown.conceals(Measure::RiskySignIn),
            None => shown.not_understood(Measure::RiskySignIn),
        }
    }

    fn show_guest(&self, shown: &mut EntryFindings) {
        let Some(user_type) = self.user_type.as_ref().filter(|text| !text.trim().is_empty()) else { return };
        if is(user_type, "member") {
            shown.observable(Measure::Guest);
        } else if !is(user_type, "guest") {
            shown.not_understood(Measure::Guest);
        } else {
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

    fn show_device(&self, shown: &mut EntryFindings) {
        match self.managed_device {
            Field::Value(managed) => shown.add(Measure::Device, if managed { "managed" } else { "unmanaged" }),
            Field::Damaged => shown.not_understood(Measure::Device),
            Field::Missing => {}
        }
        if let Some(country) = self.country.as_ref().filter(|country| !country.is_empty()) {
            shown.add_about(Measure::Country, ALL, Subject::of(country));
        }
    }

    /// A sign-in without the user present repeats the result of an earlier one.
    fn show_interactive(&self, shown: &mut EntryFindings) {
        if self.interactive != Some(true) {
            return;
        }
        match self.one_factor {
            Field::Value(is_enough) => {
                shown.add(Measure::Factors, if is_enough { "one factor" } else { "two factors" });
            }
            Field::Damaged => shown.not_understood(Measure::Factors),
            Field::Missing => {}
        }
        if let Some(methods) = &self.methods {
            let strong = methods.iter().any(|method| is_phishing_resistant(method));
            shown.add(Measure::MethodStrength, if strong { "phishing-resistant" } else { "other" });
        }
    }
}

fn see(shown: &mut EntryFindings, measure: Measure, label: Option<&'static str>) {
    shown.observable(measure);
    label.into_iter().for_each(|label| shown.add(measure, label));
}

fn is(text: &str, word: &str) -> bool {
    text.trim().eq_ignore_ascii_case(word)
}

/// Returns the letters and digits of a word, in lower case: exports write `deviceCode` and `Device Code`.
pub(crate) fn squeezed(word: &str) -> String {
    word.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a client application signs in with a protocol that can ask for a second factor.
fn is_modern_client(app: &str) -> bool {
    matches!(squeezed(app).as_str(), "browser" | "mobileappsanddesktopclients")
}

/// The legacy protocol that the log means by a client application, if it is one. Older logs write `Other clients; IMAP`,
/// with the first part in the language of the user.
fn legacy_protocol(app: &str) -> Option<&'static str> {
    let app = app.trim().to_ascii_lowercase();
    let app = app.rsplit_once(';').map_or(app.as_str(), |(_, protocol)| protocol.trim());
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

/// Returns whether the log's name of a method is known, and the method cannot be intercepted like a weak one.
fn is_other_method(method: &str) -> bool {
    let method = method.to_ascii_lowercase();
    const NAMES: [&str; 13] = [
        "password",
        "mobile app",
        "oath",
        "authenticator",
        "verification code",
        "temporary access pass",
        "previously satisfied",
        "qr code",
        "federat",
        "external",
        "single sign-on",
        "pass-through",
        "none",
    ];
    is_phishing_resistant(&method) || NAMES.iter().any(|name| method.contains(name))
}

fn is_phishing_resistant(method: &str) -> bool {
    let method = method.to_ascii_lowercase();
    ["fido2", "passkey", "windows hello", "certificate", "platform credential"].iter().any(|name| method.contains(name))
}
