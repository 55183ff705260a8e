//! The requirements of a policy before it grants access.

use super::policy::{GrantControls, Policy, SessionControls, elements, is_blank};

/// Combinations of methods that a phishing site cannot pass on.
const PHISHING_RESISTANT: [&str; 3] = ["windowsHelloForBusiness", "fido2", "x509CertificateMultiFactor"];

/// Methods that are two factors alone.
const TWO_FACTORS: [&str; 4] =
    ["deviceBasedPush", "federatedMultiFactor", "temporaryAccessPassMultiUse", "temporaryAccessPassOneTime"];

/// First factors, and methods that are the second one next to them.
const FIRST_FACTORS: [&str; 2] = ["password", "federatedSingleFactor"];
const SECOND_FACTORS: [&str; 6] =
    ["hardwareOath", "microsoftAuthenticatorPush", "sms", "softwareOath", "voice", "x509CertificateSingleFactor"];

/// Longest time between two sign-ins of an administrator, in hours.
const MOST_HOURS: i64 = 4;

/// The requirement of a control for a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Access is denied.
    Block,
    /// A second factor.
    Mfa,
    /// A second factor that a phishing site cannot pass on.
    PhishingResistant,
    /// A device that the organization manages.
    ManagedDevice,
    /// A second factor or a managed device.
    MfaOrDevice,
    /// A new password, or another remediation of the risk.
    Remediation,
    /// To sign in again after some hours.
    FrequentSignIn,
    /// That closing the browser ends the session.
    NoPersistence,
}

/// How far a policy requires something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fit {
    /// It does.
    Meets,
    /// It can be satisfied in a weaker way.
    Weaker,
    /// It has a control of unknown meaning.
    Unknown(String),
    /// It is about something else.
    Other,
}

impl Wanted {
    /// Returns how far a policy requires it.
    pub(super) fn fit(self, policy: &Policy) -> Fit {
        let session = policy.session_controls.as_ref();
        match self {
            Self::FrequentSignIn => session.map_or(Fit::Other, frequent_sign_in),
            Self::NoPersistence => session.map_or(Fit::Other, no_persistence),
            _ => policy.grant_controls.as_ref().map_or(Fit::Other, |grant| self.fit_of_grant(grant)),
        }
    }

    fn fit_of_grant(self, grant: &GrantControls) -> Fit {
        let alternatives: Vec<Fit> = self.alternatives(grant);
        let meets = alternatives.iter().filter(|fit| **fit == Fit::Meets).count();
        let unknown = || alternatives.iter().find(|fit| matches!(fit, Fit::Unknown(_))).cloned();
        let weaker = || alternatives.contains(&Fit::Weaker).then_some(Fit::Weaker);
        let every = meets == alternatives.len();
        match grant.operator.as_deref() {
            _ if meets == 0 => unknown().or_else(weaker).unwrap_or(Fit::Other),
            Some("AND") => Fit::Meets,
            None | Some("OR") if every => Fit::Meets,
            None | Some("OR") => unknown().unwrap_or(Fit::Weaker),
            Some(_) => Fit::Unknown("operator".to_owned()),
        }
    }

    /// Returns how far each of the policy's controls is enough.
    fn alternatives(self, grant: &GrantControls) -> Vec<Fit> {
        let built_in = elements(grant.built_in_controls.as_ref()).map(|control| self.fit_of_control(control));
        // An empty strength or one that another version describes is of unknown meaning.
        let strength = grant.authentication_strength.as_ref().map(|strength| match &strength.allowed_combinations {
            Some(combinations) if !combinations.is_empty() => self.fit_of_strength(combinations),
            _ => Fit::Unknown("authenticationStrength".to_owned()),
        });
        let others = [&grant.custom_authentication_factors, &grant.terms_of_use];
        let others = others.into_iter().flat_map(|list| elements(list.as_ref())).map(|_| Fit::Other);
        let named = grant.others.iter().filter(|(name, value)| !name.contains('@') && !is_blank(value));
        let named = named.map(|(name, _)| Fit::Unknown(name.clone()));
        built_in.chain(strength).chain(others).chain(named).collect()
    }

    /// Returns how far a built-in control is enough. To deny access is more than any other requirement.
    fn fit_of_control(self, control: &str) -> Fit {
        let meets = match control {
            "block" => true,
            "mfa" => matches!(self, Self::Mfa | Self::MfaOrDevice),
            "compliantDevice" | "domainJoinedDevice" => matches!(self, Self::ManagedDevice | Self::MfaOrDevice),
            "passwordChange" | "riskRemediation" => self == Self::Remediation,
            "approvedApplication" | "compliantApplication" => false,
            other => return Fit::Unknown(other.to_owned()),
        };
        if meets { Fit::Meets } else { Fit::Other }
    }

    fn fit_of_strength(self, combinations: &[String]) -> Fit {
        let resistant = combinations.iter().filter(|it| PHISHING_RESISTANT.contains(&it.as_str())).count();
        let is_every = |two_factors: bool| if two_factors { Fit::Meets } else { Fit::Weaker };
        match self {
            Self::PhishingResistant if resistant == 0 => Fit::Other,
            Self::PhishingResistant => is_every(resistant == combinations.len()),
            Self::Mfa | Self::MfaOrDevice => is_every(combinations.iter().all(|it| has_two_factors(it))),
            _ => Fit::Other,
        }
    }
}

fn has_two_factors(combination: &str) -> bool {
    match combination.split_once(',') {
        None => PHISHING_RESISTANT.contains(&combination) || TWO_FACTORS.contains(&combination),
        // The interface writes the two in either order.
        Some((one, other)) => {
            let are = |first, second| FIRST_FACTORS.contains(&first) && SECOND_FACTORS.contains(&second);
            are(one, other) || are(other, one)
        }
    }
}

fn frequent_sign_in(session: &SessionControls) -> Fit {
    let Some(frequency) = session.sign_in_frequency.as_ref().filter(|it| it.is_enabled == Some(true)) else {
        return Fit::Other;
    };
    let hours = |unit: &str| match unit {
        "hours" => Some(1),
        "days" => Some(24),
        _ => None,
    };
    let every = frequency
        .value
        .zip(frequency.unit.as_deref().and_then(hours))
        .map(|(value, hours)| value.saturating_mul(hours));
    let counts_factors = frequency.authentication_type.as_deref();
    match (frequency.frequency_interval.as_deref(), every) {
        _ if counts_factors.is_some_and(|it| it != "primaryAndSecondaryAuthentication") => Fit::Weaker,
        (Some("everyTime"), _) => Fit::Meets,
        (None | Some("timeBased"), Some(every)) if (0..=MOST_HOURS).contains(&every) => Fit::Meets,
        (None | Some("timeBased"), Some(_)) => Fit::Weaker,
        _ => Fit::Unknown("signInFrequency".to_owned()),
    }
}

fn no_persistence(session: &SessionControls) -> Fit {
    let browser = session.persistent_browser.as_ref().filter(|it| it.is_enabled == Some(true));
    match browser.map(|it| it.mode.as_deref()) {
        None => Fit::Other,
        Some(Some("never")) => Fit::Meets,
        Some(Some("always")) => Fit::Weaker,
        Some(_) => Fit::Unknown("persistentBrowser".to_owned()),
    }
}
