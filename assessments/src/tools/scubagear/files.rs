//! The three files and how they are walked.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::rows::{ControlRow, Said};
use crate::catalogue::RevisedControl;
use crate::collector::{Collector, Repetition};
use crate::header::Header;
use crate::read::{Format, Input, Outline, Part, Unreadable, each, rows};
use crate::run::{Issue, IssueKind, Run, Tool};

/// The role that counts as top-privilege, by its display name, which the tool writes in English.
const TOP_ROLE: &str = "Global Administrator";

/// The products that the tool assesses, as it names them in a file.
const PRODUCTS: [&str; 8] =
    ["AAD", "Defender", "EXO", "PowerBI", "PowerPlatform", "SecuritySuite", "SharePoint", "Teams"];

/// The results of a whole run.
pub(crate) struct Results;

impl Format for Results {
    fn name(&self) -> &'static str {
        "ScubaGear's ScubaResults (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["MetaData", "Results"]) && !ProductReport.recognizes(outline)
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let file: ResultsFile = input.json()?;
        let mut rows = Rows::new();
        for (product, groups) in file.results {
            rows.take_groups(named(&product), groups, &file.annotations);
        }
        let header = Header {
            version: text_of(&file.meta, "ToolVersion"),
            tenant: text_of(&file.meta, "TenantId"),
            run_id: text_of(&file.meta, "ReportUUID"),
            administrators: administrators(&file.raw.unwrap_or_default().privileged_users),
            ..at(text_of(&file.meta, "TimestampZulu").and_then(|time| time.parse().ok()))
        };
        Ok(vec![rows.into_run(header).into()])
    }
}

/// The name of a product in an issue. A file may have any text in its place, which is not repeated.
fn named(product: &str) -> &'static str {
    PRODUCTS.into_iter().find(|known| *known == product).unwrap_or("a product")
}

/// The report of one product. It names the tenant for people only, and no run.
pub(crate) struct ProductReport;

impl Format for ProductReport {
    fn name(&self) -> &'static str {
        "ScubaGear's IndividualReports (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["MetaData", "ReportSummary", "Results"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut parts = Vec::new();
        input
            .json_into(each(|report| parts.push(report.map_or_else(no_report, |report| product_run(report).into()))))?;
        Ok(parts)
    }
}

fn no_report() -> Part {
    let message = "an element of the list is no product's report and was left out";
    Issue::of_file(IssueKind::UnreadableRow, message).into()
}

fn product_run(report: ReportFile) -> Run {
    let mut rows = Rows::new();
    rows.take_groups("the report", report.results, &report.summary["AnnotatedFailedPolicies"]);
    let meta = &report.meta;
    rows.into_run(Header {
        version: text_of(meta, "Module Version"),
        ..at(text_of(meta, "Report Date").and_then(|time| zoned_by_name(&time)))
    })
}

/// A header with the one moment that the tool notes.
fn at(time: Option<Timestamp>) -> Header {
    Header { started: time, completed: time, ..Header::default() }
}

/// The results as a table. It names neither tenant nor run nor time.
pub(crate) struct ResultsTable;

impl Format for ResultsTable {
    fn name(&self) -> &'static str {
        "ScubaGear's ScubaResults (CSV)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        // The action plan has the same columns and more, but lists failing controls only.
        outline.is_table_with(&["Control ID", "Requirement", "Result", "Criticality", "Details"])
            && !outline.is_table_with(&["Remediation Completion Date"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut rows = Rows::new();
        for (index, row) in input.table().enumerate() {
            rows.take(row?, &Value::Null, || format!("row {} of the table", index + 1));
        }
        Ok(vec![rows.into_run(Header::default()).into()])
    }
}

/// The results of a whole run. Of `Raw`, most of the file, only the privileged users are looked at.
#[derive(Deserialize)]
struct ResultsFile {
    #[serde(rename = "MetaData")]
    meta: Value,
    /// Keyed by product.
    #[serde(rename = "Results")]
    results: BTreeMap<String, Groups>,
    /// Since 1.6. Keyed by control, with its revision.
    #[serde(rename = "AnnotatedFailedPolicies", default)]
    annotations: Value,
    #[serde(rename = "Raw")]
    raw: Option<Raw>,
}

/// The report of one product.
#[derive(Deserialize)]
struct ReportFile {
    #[serde(rename = "MetaData")]
    meta: Value,
    #[serde(rename = "ReportSummary")]
    summary: Value,
    #[serde(rename = "Results")]
    results: Groups,
}

/// The groups of one product's controls.
#[derive(Deserialize)]
struct Groups(#[serde(deserialize_with = "rows")] Vec<Option<Group>>);

#[derive(Deserialize)]
struct Group {
    #[serde(rename = "Controls", deserialize_with = "rows")]
    controls: Vec<Option<ControlRow>>,
}

#[derive(Default, Deserialize)]
struct Raw {
    /// Keyed by object id.
    #[serde(default)]
    privileged_users: Value,
}

/// The rows taken so far.
struct Rows {
    collector: Collector<Said>,
    /// What tells more than the collector would: places of rows that are none, and dates that are none.
    issues: Vec<Issue>,
}

impl Rows {
    fn new() -> Self {
        Self { collector: Collector::new(Repetition::Duplicates), issues: Vec::new() }
    }

    /// Takes the groups of one product.
    fn take_groups(&mut self, product: &str, groups: Groups, annotations: &Value) {
        for group in groups.0 {
            let Some(group) = group else {
                let message = format!("a group of {product} has no controls and was left out");
                self.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
                continue;
            };
            for (index, row) in group.controls.into_iter().enumerate() {
                self.take(row, annotations, || format!("row {} of a group of {product}", index + 1));
            }
        }
    }

    /// Takes one row, or notes that the row at `place` is none.
    fn take(&mut self, row: Option<ControlRow>, annotations: &Value, place: impl Fn() -> String) {
        let Some(row) = row else {
            let message = format!("{} is no control result and was left out", place());
            self.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
            return;
        };
        let date = |control: &RevisedControl| annotations[control.to_string()]["RemediationDate"].as_str();
        let row = row.into_row(date, &mut self.collector, &mut self.issues);
        self.collector.take(row);
    }

    fn into_run(self, header: Header) -> Run {
        let mut collected = self.collector.finish(Said::plain);
        collected.issues.splice(0..0, self.issues);
        header.into_run(Tool::ScubaGear, collected)
    }
}

/// The users with the top role; none where the tool could not list the privileged users.
fn administrators(privileged_users: &Value) -> Option<u32> {
    let users = privileged_users.as_object().filter(|users| !users.is_empty())?;
    let has_top_role = |user: &&Value| items(&user["roles"]).iter().any(|role| role == TOP_ROLE);
    // Some versions list applications among the users.
    let is_person = |user: &&Value| user["ServicePrincipalId"].is_null();
    u32::try_from(users.values().filter(is_person).filter(has_top_role).count()).ok()
}

/// The elements of a list, which PowerShell writes as the element itself when it is the only one, and as null when
/// there is none.
fn items(list: &Value) -> &[Value] {
    match list {
        Value::Array(items) => items,
        Value::Null => &[],
        single => std::slice::from_ref(single),
    }
}

/// A text field, unless it is empty.
fn text_of(object: &Value, key: &str) -> Option<String> {
    object[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A moment in the invariant culture's form with the name of the zone. Only UTC's name is unambiguous.
fn zoned_by_name(text: &str) -> Option<Timestamp> {
    let moment = text.strip_suffix("Coordinated Universal Time").or_else(|| text.strip_suffix("UTC"))?;
    NaiveDateTime::parse_from_str(moment.trim(), "%m/%d/%Y %H:%M:%S").ok()?.and_utc().try_into().ok()
}
