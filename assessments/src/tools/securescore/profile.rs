//! The profile of a control: its texts, and what the tenant decided about it.

use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::number::{Number, number};
use super::score::tenant_key;
use crate::file::{Field, WithoutOffset, read_time};
use crate::text::{html_to_text, non_empty};

/// The fields of a profile that are read. The decisions come first, because they show which of two profiles is newer.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile {
    #[serde(default)]
    control_state_updates: Field<Vec<StateUpdate>>,
    /// Id of the control.
    id: String,
    azure_tenant_id: Option<String>,
    #[serde(default)]
    title: Field<String>,
    /// Product of the control, such as EXO.
    #[serde(default)]
    pub(super) service: Field<String>,
    /// Points for meeting the control.
    #[serde(default, deserialize_with = "number")]
    pub(super) max_score: Option<Number>,
    #[serde(default)]
    remediation: Field<String>,
    #[serde(default)]
    threats: Field<Vec<String>>,
}

/// A decision about a control. The time comes first, because the latest decision counts.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateUpdate {
    #[serde(default)]
    updated_date_time: Field<String>,
    state: Option<String>,
}

/// The decision of the tenant about a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// None, or that the control was reviewed. The points decide.
    None,
    /// The risk is accepted.
    Ignored,
    /// Another product meets the control, which the tool cannot verify.
    ThirdParty,
    /// The tenant plans to meet the control.
    Planned,
    /// A word of unknown meaning. The points decide.
    Unknown,
    /// The decisions are damaged, so the points may be those of a third party and decide nothing.
    Unreadable,
}

impl Decision {
    /// Returns whether the control counts as not assessed, whatever its points.
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

    /// Returns the title in plain text.
    pub(super) fn title(&self) -> Option<String> {
        non_empty(self.title.text().map(html_to_text))
    }

    /// Returns how to meet the control, in plain text.
    pub(super) fn remediation(&self) -> Option<String> {
        non_empty(self.remediation.text().map(html_to_text))
    }

    /// Returns the threats that the control protects from, as a sentence.
    pub(super) fn threats(&self) -> Option<String> {
        let mut threats: Vec<String> =
            self.threats.get().into_iter().flatten().map(|threat| in_words(threat)).collect();
        let last = threats.pop()?;
        let list = if threats.is_empty() { last } else { format!("{} and {last}", threats.join(", ")) };
        Some(format!("Protects from {list}."))
    }

    /// Returns the latest decision.
    pub(super) fn decision(&self) -> Decision {
        if self.control_state_updates.is_damaged() {
            return Decision::Unreadable;
        }
        let updates = self.control_state_updates.get().into_iter().flatten();
        let latest = updates.max_by_key(|update| update.time()).and_then(|update| update.state.as_deref());
        let state: String =
            latest.unwrap_or_default().chars().filter(|character| character.is_alphanumeric()).collect();
        match state.to_ascii_lowercase().as_str() {
            "" | "default" | "reviewed" => Decision::None,
            "ignored" | "riskaccepted" => Decision::Ignored,
            "thirdparty" | "resolvedthroughthirdparty" => Decision::ThirdParty,
            "planned" | "inprogress" => Decision::Planned,
            _ => Decision::Unknown,
        }
    }
}

impl StateUpdate {
    fn time(&self) -> Option<Timestamp> {
        let time = Value::from(self.updated_date_time.text()?);
        read_time(&time, WithoutOffset::IsUtc).ok()
    }
}

/// Returns a threat in lower case words. Some threats are written in words, others as one word in camel case.
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
