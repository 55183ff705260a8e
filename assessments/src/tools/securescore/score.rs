//! The score of a day, and each control's part in it.

use model::{ControlId, Timestamp};
use serde::Deserialize;

use super::number::{Number, number};
use crate::markup::plain;
use crate::read::rows;
use crate::wording::stated;

/// The score of a tenant on a day, as far as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Score {
    /// Tenant and day.
    pub(super) id: String,
    azure_tenant_id: Option<String>,
    created_date_time: Option<String>,
    #[serde(deserialize_with = "rows")]
    pub(super) control_scores: Vec<Option<ControlScore>>,
}

/// A control's part in a score.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ControlScore {
    pub(super) control_name: ControlId,
    pub(super) control_category: Option<String>,
    description: Option<String>,
    implementation_status: Option<String>,
    #[serde(default, deserialize_with = "number")]
    pub(super) score: Option<Number>,
    #[serde(default, deserialize_with = "number")]
    score_in_percentage: Option<Number>,
    /// Users, or whatever the control counts.
    #[serde(default, deserialize_with = "number")]
    pub(super) count: Option<Number>,
}

impl Score {
    /// The tenant's identifier, as the row has it.
    pub(super) fn tenant(&self) -> Option<&str> {
        self.azure_tenant_id.as_deref()
    }

    pub(super) fn tenant_key(&self) -> String {
        tenant_key(self.tenant())
    }

    pub(super) fn time(&self) -> Option<Timestamp> {
        self.created_date_time.as_ref()?.parse().ok()
    }

    /// Scores of one tenant from oldest to latest; of the same day, by what they say, so that the order of the files
    /// does not matter.
    pub(super) fn order(&self) -> impl Ord {
        let points = self.control_scores.iter().flatten().filter_map(|control| control.score);
        (self.time(), self.id.clone(), points.collect::<Vec<_>>())
    }
}

/// What tells the rows of one tenant from those of others, in any case of its letters.
pub(super) fn tenant_key(tenant: Option<&str>) -> String {
    tenant.unwrap_or_default().to_lowercase()
}

impl ControlScore {
    /// What the tool found, in plain text.
    pub(super) fn status(&self) -> Option<String> {
        stated(self.implementation_status.as_deref().map(plain))
    }

    /// What the control is about, in plain text.
    pub(super) fn description(&self) -> Option<String> {
        stated(self.description.as_deref().map(plain))
    }

    /// The share of the points that the tenant has: as the score says, or else by the points that there are.
    pub(super) fn percent(&self, max: Option<Number>) -> Option<Number> {
        self.score_in_percentage.or_else(|| self.score?.percent_of(max?))
    }

    /// Points for meeting the control, as far as its own part tells.
    pub(super) fn implied_max(&self) -> Option<Number> {
        self.score?.whole(self.score_in_percentage?)
    }
}
