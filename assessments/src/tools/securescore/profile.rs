//! What a control asks for, and how the tenant has marked it.

use model::Timestamp;
use serde::Deserialize;

use super::number::{Number, number};
use super::score::tenant_key;
use crate::markup::plain;
use crate::wording::stated;

/// The profile of a control, as far as it is read. The marks stand first: they decide which of two profiles is newer.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile {
    #[serde(default)]
    control_state_updates: Option<Vec<StateUpdate>>,
    /// The control.
    id: String,
    azure_tenant_id: Option<String>,
    title: Option<String>,
    /// The product that the control is of, such as EXO.
    pub(super) service: Option<String>,
    /// Points for meeting the control.
    #[serde(default, deserialize_with = "number")]
    pub(super) max_score: Option<Number>,
    remediation: Option<String>,
    threats: Option<Vec<String>>,
}

/// How somebody marked a control. The time stands first: the latest mark counts.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateUpdate {
    updated_date_time: Option<String>,
    state: Option<String>,
}

/// How a tenant has marked a control, by the words that the tool has for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Not at all, or as reviewed, which leaves the result to the points.
    Unmarked,
    /// The risk is accepted.
    Ignored,
    /// Another product meets the control, which the tool cannot see.
    ThirdParty,
    /// The tenant means to meet the control.
    Planned,
    /// A word that is not known. The result is left to the points.
    Unknown,
}

impl Mark {
    /// Whether the control is not assessed, whatever its points.
    pub(super) fn decides_alone(self) -> bool {
        matches!(self, Self::Ignored | Self::ThirdParty)
    }
}

impl Profile {
    pub(super) fn control(&self) -> &str {
        &self.id
    }

    pub(super) fn tenant_key(&self) -> String {
        tenant_key(self.azure_tenant_id.as_deref())
    }

    /// What the control asks for, in plain text.
    pub(super) fn title(&self) -> Option<String> {
        stated(self.title.as_deref().map(plain))
    }

    /// How to meet the control, in plain text.
    pub(super) fn remediation(&self) -> Option<String> {
        stated(self.remediation.as_deref().map(plain))
    }

    /// What the control protects from, in a sentence.
    pub(super) fn threats(&self) -> Option<String> {
        let mut threats: Vec<String> = self.threats.iter().flatten().map(|threat| in_words(threat)).collect();
        let last = threats.pop()?;
        let list = if threats.is_empty() { last } else { format!("{} and {last}", threats.join(", ")) };
        Some(format!("Protects from {list}."))
    }

    /// The latest mark.
    pub(super) fn mark(&self) -> Mark {
        let updates = self.control_state_updates.iter().flatten();
        let latest = updates.max_by_key(|update| update.time()).and_then(|update| update.state.as_deref());
        let state: String =
            latest.unwrap_or_default().chars().filter(|character| character.is_alphanumeric()).collect();
        match state.to_ascii_lowercase().as_str() {
            "" | "default" | "reviewed" => Mark::Unmarked,
            "ignored" | "riskaccepted" => Mark::Ignored,
            "thirdparty" | "resolvedthroughthirdparty" => Mark::ThirdParty,
            "planned" | "inprogress" => Mark::Planned,
            _ => Mark::Unknown,
        }
    }
}

impl StateUpdate {
    fn time(&self) -> Option<Timestamp> {
        self.updated_date_time.as_ref()?.parse().ok()
    }
}

/// A threat in lower case words. Some are written in words, some as one word in camel case.
fn in_words(threat: &str) -> String {
    let mut words = String::new();
    for character in threat.trim().chars() {
        if character.is_uppercase() && words.ends_with(|before: char| before.is_lowercase()) {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}
