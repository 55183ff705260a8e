//! The three files, and how their rows are reached.

use std::collections::BTreeMap;

use chrono::NaiveDateTime;
use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::control_row::{ControlRow, Policy};
use crate::catalogue::RevisedControl;
use crate::file::{Input, Unreadable, each_row, rows};
use crate::run::{ControlResults, FileRuns, Issue, IssueKind, Repetition, Run, RunFacts, Tool};

/// Display name of the top-privilege role, which the tool writes in English.
const TOP_ROLE: &str = "Global Administrator";

/// Names of the products that the tool assesses, as in its files.
const PRODUCTS: [&str; 8] =
    ["AAD", "Defender", "EXO", "PowerBI", "PowerPlatform", "SecuritySuite", "SharePoint", "Teams"];

/// Reads the results of a whole run.
pub(crate) fn read_results(input: Input<'_>) -> Result<Run, Unreadable> {
    let file: ResultsFile = input.json()?;
    let mut rows = ControlRows::new();
    for (product, groups) in file.results {
        rows.take_groups(product_name(&product), groups, &file.annotations);
    }
    Ok(rows.into_run(RunFacts {
        version: text_of(&file.meta, "ToolVersion"),
        tenant: text_of(&file.meta, "TenantId"),
        run_id: text_of(&file.meta, "ReportUUID"),
        administrators: administrators(&file.raw.unwrap_or_default().privileged_users),
        ..at(text_of(&file.meta, "TimestampZulu").and_then(|time| time.parse().ok()))
    }))
}

/// Returns the name of a product for an issue. A file may have any other text there, which is not repeated.
fn product_name(product: &str) -> &'static str {
    PRODUCTS.into_iter().find(|known| *known == product).unwrap_or("a product")
}

/// Reads the report of one product, or a list of such reports. They identify neither the tenant nor the run.
pub(crate) fn read_product_reports(input: Input<'_>) -> Result<FileRuns, Unreadable> {
    let mut found = FileRuns::default();
    input.json_into(each_row(|report: Option<ReportFile>| match report {
        Some(report) => found.runs.push(product_run(report)),
        None => {
            let message = "skipped an element of the list that is not the report of a product";
            found.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
    }))?;
    Ok(found)
}

fn product_run(report: ReportFile) -> Run {
    let mut rows = ControlRows::new();
    rows.take_groups("the report", report.results, &report.summary["AnnotatedFailedPolicies"]);
    let meta = &report.meta;
    rows.into_run(RunFacts {
        version: text_of(meta, "Module Version"),
        ..at(text_of(meta, "Report Date").and_then(|time| zoned_by_name(&time)))
    })
}

/// Returns facts with the one time that the tool writes.
fn at(time: Option<Timestamp>) -> RunFacts {
    RunFacts { started: time, completed: time, ..RunFacts::default() }
}

/// Reads the results as a table, which identifies neither tenant nor run nor time.
pub(crate) fn read_table(input: Input<'_>) -> Result<Run, Unreadable> {
    let mut rows = ControlRows::new();
    for (index, row) in input.table().enumerate() {
        rows.take(row?, &Value::Null, || format!("row {} of the table", index + 1));
    }
    Ok(rows.into_run(RunFacts::default()))
}

/// The results of a whole run. Of `Raw`, most of the file, only the privileged users are read.
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

/// The rows read so far.
struct ControlRows {
    results: ControlResults<Policy>,
    /// Issues that are more precise than those of `results`: positions of malformed rows, and malformed dates.
    issues: Vec<Issue>,
}

impl ControlRows {
    fn new() -> Self {
        Self { results: ControlResults::new(Repetition::Duplicates), issues: Vec::new() }
    }

    /// Takes the groups of one product.
    fn take_groups(&mut self, product: &str, groups: Groups, annotations: &Value) {
        for group in groups.0 {
            let Some(group) = group else {
                let message = format!("skipped a group of {product} that has no controls");
                self.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
                continue;
            };
            for (index, row) in group.controls.into_iter().enumerate() {
                self.take(row, annotations, || format!("row {} of a group of {product}", index + 1));
            }
        }
    }

    /// Takes one row. Reports the position of a malformed one.
    fn take(&mut self, row: Option<ControlRow>, annotations: &Value, position: impl Fn() -> String) {
        let Some(row) = row else {
            let message = format!("skipped {}, which is not a control result", position());
            self.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
            return;
        };
        let date = |control: &RevisedControl| annotations[control.to_string()]["RemediationDate"].as_str();
        let (result, issue) = row.into_result(date);
        self.issues.extend(issue);
        self.results.take(Some(result));
    }

    fn into_run(self, facts: RunFacts) -> Run {
        facts.into_run_with(Tool::ScubaGear, self.results, self.issues)
    }
}

/// Returns the number of users with the top role. Returns `None` if the tool could not list the privileged users.
fn administrators(privileged_users: &Value) -> Option<u32> {
    let users = privileged_users.as_object().filter(|users| !users.is_empty())?;
    let has_top_role = |user: &&Value| items(&user["roles"]).iter().any(|role| role == TOP_ROLE);
    // Some versions list applications among the users.
    let is_person = |user: &&Value| user["ServicePrincipalId"].is_null();
    u32::try_from(users.values().filter(is_person).filter(has_top_role).count()).ok()
}

/// Returns the items of a list. PowerShell writes a list of one as the item itself, and an empty list as null.
fn items(list: &Value) -> &[Value] {
    match list {
        Value::Array(items) => items,
        Value::Null => &[],
        single => std::slice::from_ref(single),
    }
}

/// Returns a text field, unless it is empty.
fn text_of(object: &Value, key: &str) -> Option<String> {
    object[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Parses a time in the invariant culture's form with the name of its zone. Only UTC's name is unambiguous.
fn zoned_by_name(text: &str) -> Option<Timestamp> {
    let time = text.strip_suffix("Coordinated Universal Time").or_else(|| text.strip_suffix("UTC"))?;
    NaiveDateTime::parse_from_str(time.trim(), "%m/%d/%Y %H:%M:%S").ok()?.and_utc().try_into().ok()
}
