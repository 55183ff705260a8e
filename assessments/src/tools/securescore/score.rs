//! The score of a day, and the share of each control.

use model::{ControlId, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use super::number::{Number, number};
use crate::file::{Field, TimeProblem, WithoutOffset, damaged, read_time, rows};
use crate::text::{html_to_text, non_empty};

/// The fields of a tenant's daily score that are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Score {
    /// Tenant and day.
    pub(super) id: String,
    azure_tenant_id: Option<String>,
    #[serde(default)]
    created_date_time: Value,
    #[serde(deserialize_with = "rows")]
    pub(super) control_scores: Vec<Option<ControlScore>>,
}

/// The share of a control in a score.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ControlScore {
    pub(super) control_name: ControlId,
    #[serde(default)]
    pub(super) control_category: Field<String>,
    #[serde(default)]
    description: Field<String>,
    #[serde(default)]
    implementation_status: Field<String>,
    #[serde(default, deserialize_with = "number")]
    pub(super) score: Option<Number>,
    #[serde(default, deserialize_with = "number")]
    score_in_percentage: Option<Number>,
    /// Number of users, or of other objects that the control counts.
    #[serde(default, deserialize_with = "number")]
    pub(super) count: Option<Number>,
}

impl Score {
    /// Returns the tenant's identifier, as in the file.
    pub(super) fn tenant(&self) -> Option<&str> {
        self.azure_tenant_id.as_deref()
    }

    pub(super) fn tenant_key(&self) -> String {
        tenant_key(self.tenant())
    }

    pub(super) fn time(&self) -> Option<Timestamp> {
        self.read_time().ok()
    }

    /// Returns the time of the score, or the reason why it is unknown.
    pub(super) fn read_time(&self) -> Result<Timestamp, TimeProblem> {
        read_time(&self.created_date_time, WithoutOffset::IsUtc)
    }

    /// Returns a key that orders the scores of one tenant from oldest to latest. Scores of the same day are ordered by
    /// their content, so that the order of the files does not matter.
    pub(super) fn order(&self) -> impl Ord {
        let points = self.control_scores.iter().flatten().filter_map(|control| control.score);
        (self.time(), self.id.clone(), points.collect::<Vec<_>>())
    }
}

/// Returns the key of a tenant's rows. The case of the identifier does not matter.
pub(super) fn tenant_key(tenant: Option<&str>) -> String {
    tenant.unwrap_or_default().to_lowercase()
}

impl ControlScore {
    /// Returns the state that the tool found, in plain text.
    pub(super) fn status(&self) -> Option<String> {
        non_empty(self.implementation_status.text().map(html_to_text))
    }

    /// Returns the description of the control in plain text.
    pub(super) fn description(&self) -> Option<String> {
        non_empty(self.description.text().map(html_to_text))
    }

    /// Returns the percentage of the points that the tenant has: the file's own, else that of the greatest number.
    pub(super) fn percent(&self, max: Option<Number>) -> Option<Number> {
        self.score_in_percentage.or_else(|| self.score?.percent_of(max?))
    }

    /// Returns the names of the damaged fields.
    pub(super) fn damaged(&self) -> Vec<&'static str> {
        damaged([
            ("controlCategory", self.control_category.is_damaged()),
            ("description", self.description.is_damaged()),
            ("implementationStatus", self.implementation_status.is_damaged()),
        ])
    }

    /// Returns the points for meeting the control, as implied by score and percentage.
    pub(super) fn implied_max(&self) -> Option<Number> {
        self.score?.whole(self.score_in_percentage?)
    }
}
