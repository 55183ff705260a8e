//! The list of controls that the reports of an organization have had, by tool.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use chrono::NaiveDate;
use model::{Category, Check, ControlId, ReportBody, Severity};
use serde::{Deserialize, Serialize};

use crate::keys::Key;
use crate::reports::{EditMark, EditedField, EditedPart};
use crate::{Fragment, StoreError};

/// Most bytes of the compressed list: an item can have 400 KB.
const MOST: usize = 300 * 1024;

/// A control, as a report describes it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Control {
    /// Stable identifier.
    pub control_id: ControlId,
    /// Requirement of the control.
    pub name: String,
    /// Report section.
    pub category: Category,
    /// How much the client should care if it is misconfigured.
    pub severity: Option<Severity>,
}

/// The list, as stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControlsItem {
    pub(crate) version: u64,
    /// Whether the results of every newest report are stored.
    pub(crate) is_complete: bool,
    /// CRC-32 of the list's JSON.
    crc32: u32,
    /// Length of the list's JSON, in bytes.
    length: u64,
    /// The list's JSON, deflated.
    #[serde(with = "serde_bytes")]
    controls: Vec<u8>,
}

/// The list.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Controls(BTreeMap<String, OfTool>);

/// The controls of a tool, each at its position.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfTool {
    controls: Vec<Control>,
    /// The last date on which the texts of known controls were taken from a report.
    refreshed: NaiveDate,
    /// Whether reports have had controls for which the list has no room.
    #[serde(default)]
    is_full: bool,
}

impl ControlsItem {
    /// Returns the item of a list.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub(crate) fn new(version: u64, is_complete: bool, controls: &Controls) -> Result<Self, StoreError> {
        let text = serde_json::to_vec(controls).map_err(|_| StoreError::Corrupt("controls cannot be written"))?;
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text);
        Ok(Self { version, is_complete, crc32, length, controls: deflated.into() })
    }

    pub(crate) fn fits(&self) -> bool {
        self.controls.len() <= MOST
    }

    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.open(key).map(drop)
    }

    /// Returns the list in the item with a key.
    pub(crate) fn open(&self, key: Key) -> Result<Controls, StoreError> {
        let fragment = Fragment::of_item(key, self.controls.clone(), self.crc32, self.length);
        let controls = serde_json::from_slice(&fragment.inflate()?);
        controls.map_err(|_| fragment.unexpected("the list of controls has an unexpected shape"))
    }
}

impl Controls {
    pub(crate) fn of_tool(&self, tool: &str) -> &[Control] {
        self.0.get(tool).map_or(&[], |of_tool| &of_tool.controls)
    }

    /// Returns the tools in the order of their names.
    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns whether reports have had controls of a tool for which the list has no room.
    pub(super) fn is_full(&self, tool: &str) -> bool {
        self.0.get(tool).is_some_and(|of_tool| of_tool.is_full)
    }

    /// Takes over the controls of a report: new ones at the end, and the texts of known ones at most once a day, because
    /// tenants are assessed with different versions of a tool. A severity that people edited is that of one tenant.
    pub(crate) fn learn(&mut self, tool: &str, body: &ReportBody, edits: &[EditMark], today: NaiveDate) {
        let new = || OfTool { controls: Vec::new(), refreshed: today, is_full: false };
        let of_tool = self.0.entry(tool.to_owned()).or_insert_with(new);
        let mut places: HashMap<_, _> =
            of_tool.controls.iter().enumerate().map(|(place, control)| (control.control_id.clone(), place)).collect();
        let edited: HashSet<_> = edits.iter().filter_map(edited_control).collect();
        let is_due = of_tool.refreshed < today;
        for check in &body.checks {
            let control = Control::from(check);
            match places.get(&check.control_id) {
                None => {
                    places.insert(control.control_id.clone(), of_tool.controls.len());
                    of_tool.controls.push(control);
                }
                Some(&place) => {
                    let known = &mut of_tool.controls[place];
                    let is_due = is_due && !edited.contains(&check.control_id) || known.name.is_empty();
                    if is_due && *known != control {
                        *known = control;
                        of_tool.refreshed = today;
                    }
                }
            }
        }
    }

    /// Deletes the names of all controls, until a report has them again.
    pub(super) fn forget_names(&mut self) {
        for of_tool in self.0.values_mut() {
            of_tool.controls.iter_mut().for_each(|control| control.name.clear());
        }
    }

    /// Marks that the list has no room for controls of a tool.
    pub(crate) fn mark_full(&mut self, tool: &str, today: NaiveDate) {
        let new = || OfTool { controls: Vec::new(), refreshed: today, is_full: true };
        self.0.entry(tool.to_owned()).or_insert_with(new).is_full = true;
    }

    /// Returns the checks of a report by the position of their controls, and those that have none.
    pub(super) fn placed<'a>(&self, tool: &str, body: &'a ReportBody) -> (Vec<Option<&'a Check>>, Vec<&'a Check>) {
        let mut checks: HashMap<_, _> = body.checks.iter().map(|check| (&check.control_id, check)).collect();
        let mut placed: Vec<_> = self.of_tool(tool).iter().map(|control| checks.remove(&control.control_id)).collect();
        let used = placed.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        placed.truncate(used);
        let mut others: Vec<_> = checks.into_values().collect();
        others.sort_by_key(|check| &check.control_id);
        (placed, others)
    }
}

/// Returns the control of a mark whose severity was edited: of what the list has, nothing else can be.
fn edited_control(mark: &EditMark) -> Option<&ControlId> {
    match &mark.part {
        EditedPart::Check(control) if mark.fields.contains(&EditedField::Severity) => Some(control),
        _ => None,
    }
}

impl From<&Check> for Control {
    fn from(check: &Check) -> Self {
        Self {
            control_id: check.control_id.clone(),
            name: check.name.clone(),
            category: check.category,
            severity: check.severity,
        }
    }
}

impl fmt::Debug for Control {
    /// Leaves out the name, as that of a check is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("control_id", &self.control_id).finish_non_exhaustive()
    }
}
