//! The results of the newest report of a tool of a tenant, as stored.

use std::collections::HashMap;

use chrono::NaiveDate;
use model::{Check, ControlId, Label, ProviderTenantId, ReportBody, ReportId, ServiceTenantId, Status, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Control, Controls};
use crate::keys::Key;
use crate::{Fragment, ReportSummary, StoreError, TenantRecord};

/// The item. Its tool is in its key.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultsItem {
    pub(crate) service_tenant_id: ServiceTenantId,
    pub(crate) provider_tenant_id: ProviderTenantId,
    /// Name of the tenant when the item was written.
    pub(crate) tenant_name: String,
    /// Labels of the tenant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) labels: Vec<Label>,
    pub(crate) report_id: ReportId,
    pub(crate) completed_at: Timestamp,
    pub(crate) revision: u64,
    /// CRC-32 of the results.
    crc32: u32,
    /// Length of the results, in bytes.
    length: u64,
    /// The results, deflated.
    #[serde(with = "serde_bytes")]
    results: Vec<u8>,
}

/// The results, as JSON: a letter for each control of the list, which says both its status and since when it is as secure
/// as it is. One letter takes fewer bytes than two, once it is compressed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Results {
    /// The dates since which controls are as secure as they are.
    dates: Vec<NaiveDate>,
    /// The letters: [`STATUSES`] for each date, beginning at [`FIRST`], or [`ABSENT`].
    controls: String,
    /// The results of controls that are not in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<Other>,
    /// The accepted risks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    accepted: Vec<Accepted>,
}

/// A control whose risk is accepted until a day.
#[derive(PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    control_id: ControlId,
    until: NaiveDate,
}

/// The result of a control that is not in the list.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Other {
    #[serde(flatten)]
    control: Control,
    status: Status,
    since: NaiveDate,
}

/// The status of each control, with the date since which it is as secure as it is.
type Before = HashMap<ControlId, (Status, NaiveDate)>;

impl ResultsItem {
    /// Returns the item for a report, which keeps since when a control is as secure as it is.
    pub(crate) fn new(
        (tenant, summary): (&TenantRecord, &ReportSummary),
        body: &ReportBody,
        controls: &Controls,
        before: Option<&Results>,
    ) -> Result<Self, StoreError> {
        let before = before.map(|before| before.by_control(controls.of_tool(&summary.tool))).unwrap_or_default();
        let results = Results::of(&summary.tool, body, controls, &before);
        let text = serde_json::to_vec(&results).map_err(|_| StoreError::Corrupt("results cannot be written"))?;
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text);
        Ok(Self {
            service_tenant_id: summary.service_tenant_id.clone(),
            provider_tenant_id: summary.provider_tenant_id.clone(),
            tenant_name: tenant.name.clone(),
            labels: tenant.labels.clone(),
            report_id: summary.report_id.clone(),
            completed_at: summary.figures.completed_at,
            revision: summary.revision,
            crc32,
            length,
            results: deflated.into(),
        })
    }

    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.open(key).map(drop)
    }

    /// Returns the results in the item with a key.
    pub(crate) fn open(&self, key: Key) -> Result<Results, StoreError> {
        let fragment = Fragment::of_item(key, self.results.clone(), self.crc32, self.length);
        let results: Option<Results> = serde_json::from_slice(&fragment.inflate()?).ok();
        let whole = results.filter(Results::is_whole);
        whole.ok_or_else(|| fragment.unexpected("results have an unexpected shape"))
    }

    /// Returns whether the item has the results of a report, and the labels of its tenant.
    pub(crate) fn holds(
        &self,
        (tenant, summary): (&TenantRecord, &ReportSummary),
        body: &ReportBody,
        controls: &Controls,
        key: Key,
    ) -> bool {
        let controls = controls.of_tool(&summary.tool);
        self.labels == tenant.labels
            && self.is_of(summary)
            && self.open(key).is_ok_and(|results| results.agree_with(controls, body))
    }

    /// Returns whether the item is that of a report, in this state.
    pub(crate) fn is_of(&self, summary: &ReportSummary) -> bool {
        (&self.report_id, self.revision, &self.service_tenant_id)
            == (&summary.report_id, summary.revision, &summary.service_tenant_id)
    }
}

impl Results {
    fn of(tool: &str, body: &ReportBody, controls: &Controls, before: &Before) -> Self {
        let completed = body.figures.completed_at.date();
        let since = |check: &Check| match before.get(&check.control_id) {
            Some((before, since)) if state(*before) == state(check.status) => (*since).min(completed),
            _ => completed,
        };
        let (placed, others) = controls.placed(tool, body);
        let accepted = accepted(body);
        let mut results = Self { dates: vec![completed], controls: String::new(), others: Vec::new(), accepted };
        for check in placed {
            let letter = check.map_or(ABSENT, |check| letter(results.place_of(since(check)), check.status));
            results.controls.push(letter);
        }
        let other = |check: &Check| Other { control: check.into(), status: check.status, since: since(check) };
        results.others = others.into_iter().map(other).collect();
        results
    }

    /// Returns the place of a date, which is added if it is new.
    fn place_of(&mut self, date: NaiveDate) -> usize {
        self.dates.iter().position(|known| *known == date).unwrap_or_else(|| {
            self.dates.push(date);
            self.dates.len() - 1
        })
    }

    /// Returns whether every letter is of a date that exists.
    fn is_whole(&self) -> bool {
        self.controls.chars().all(|letter| letter == ABSENT || self.read(letter).is_some())
    }

    /// Returns the status and the date of a letter; `None` for a control that the report does not have.
    fn read(&self, letter: char) -> Option<(Status, NaiveDate)> {
        let code = u32::from(letter).checked_sub(FIRST)?;
        let date = self.dates.get(usize::try_from(code / STATUSES).ok()?)?;
        Some((status(code % STATUSES), *date))
    }

    /// Returns the status of each listed control that the report has, by its position.
    pub(super) fn statuses(&self) -> impl Iterator<Item = (usize, Status)> {
        self.controls.chars().enumerate().filter_map(|(place, letter)| Some((place, self.read(letter)?.0)))
    }

    /// Returns the controls that are not in the list, with their statuses.
    pub(super) fn others(&self) -> impl Iterator<Item = (&Control, Status)> {
        self.others.iter().map(|other| (&other.control, other.status))
    }

    /// Returns the controls whose risks are accepted, with the days on which that ends.
    pub(super) fn accepted(&self) -> impl Iterator<Item = (&ControlId, NaiveDate)> {
        self.accepted.iter().map(|accepted| (&accepted.control_id, accepted.until))
    }

    /// Returns the status of one control, found by its position in the list or by its name, and since when it is as
    /// secure as it is; `None` if the report does not have the control.
    pub(super) fn find(&self, place: Option<usize>, id: &ControlId) -> Option<(Status, NaiveDate)> {
        let listed = || self.read(self.controls.chars().nth(place?)?);
        let other = || self.others.iter().find(|other| other.control.control_id == *id);
        listed().or_else(|| other().map(|other| (other.status, other.since)))
    }

    /// Returns whether these are the results of a report.
    fn agree_with(&self, controls: &[Control], body: &ReportBody) -> bool {
        let stored: HashMap<_, _> =
            self.by_control(controls).into_iter().map(|(control, (status, _))| (control, status)).collect();
        self.controls.chars().count() <= controls.len()
            && self.accepted == accepted(body)
            && stored == body.checks.iter().map(|check| (check.control_id.clone(), check.status)).collect()
    }

    fn by_control(&self, controls: &[Control]) -> Before {
        let listed = self.controls.chars().zip(controls);
        let listed = listed.filter_map(|(letter, control)| Some((control.control_id.clone(), self.read(letter)?)));
        let others = self.others.iter().map(|other| (other.control.control_id.clone(), (other.status, other.since)));
        listed.chain(others).collect()
    }
}

fn accepted(body: &ReportBody) -> Vec<Accepted> {
    let accepted = |check: &Check| {
        let until = check.accepted_risk.as_ref()?.until;
        Some(Accepted { control_id: check.control_id.clone(), until })
    };
    body.checks.iter().filter_map(accepted).collect()
}

/// Returns how secure a control is: whether it was assessed, and whether it met best practice.
fn state(status: Status) -> (bool, bool) {
    (status.is_assessed(), status.is_secure())
}

/// The letter of a control that a report does not have. It is before all others.
const ABSENT: char = '-';
/// The first letter of the first date: `A`.
const FIRST: u32 = 'A' as u32;
/// Number of letters for each date: those of this release's statuses, and of later ones.
const STATUSES: u32 = 16;

/// Returns the letter of a status and a date. Codes never change; a later release may add some.
fn letter(date: usize, status: Status) -> char {
    let code = match status {
        Status::Secure => 0,
        Status::Fixed => 1,
        Status::InProgress => 2,
        Status::Open => 3,
        Status::Drifted => 4,
        Status::NotAssessed => 5,
        Status::Unknown => STATUSES - 1,
    };
    // A list of controls is too short for dates without letters.
    let date = u32::try_from(date).unwrap_or_default();
    char::from_u32(FIRST + date * STATUSES + code).unwrap_or(ABSENT)
}

fn status(code: u32) -> Status {
    match code {
        0 => Status::Secure,
        1 => Status::Fixed,
        2 => Status::InProgress,
        3 => Status::Open,
        4 => Status::Drifted,
        5 => Status::NotAssessed,
        _ => Status::Unknown,
    }
}
