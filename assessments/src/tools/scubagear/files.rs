//! The three files, and how their rows are reached.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use chrono::NaiveDateTime;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::control_row::{ControlRow, Policy};
use crate::file::{Input, Unique, UniqueMap, Unreadable, WithoutOffset, each_row, read_time, repeated, rows, unique};
use crate::run::{ControlResults, FileRuns, Issue, IssueKind, Repetition, Run, RunFacts, Tool};

/// Display name of the top-privilege role, which the tool writes in English.
const TOP_ROLE: &str = "Global Administrator";

/// The product suite that the tool assesses. A sister tool assesses another suite and writes files of the same shape.
const SUITE: &str = "Microsoft 365";

/// Rows that count as lost with a group of which the number of rows is unknown: the mean of the tool's groups.
const ROWS_OF_A_GROUP: usize = 4;

/// Names of the products that the tool assesses, as in its files.
const PRODUCTS: [&str; 8] =
    ["AAD", "Defender", "EXO", "PowerBI", "PowerPlatform", "SecuritySuite", "SharePoint", "Teams"];

/// Reads the results of a whole run.
pub(crate) fn read_results(input: Input<'_>) -> Result<Run, Unreadable> {
    let (file, raw_damage) = ResultsFile::read(input)?;
    let suite = text_of(&file.meta, "ProductSuite").unwrap_or_else(|| SUITE.to_owned());
    if suite != SUITE {
        return Err(Unreadable::other_suite(&text_of(&file.meta, "Tool").unwrap_or_default(), &suite));
    }
    let mut rows = ControlRows::new();
    if raw_damage {
        let message =
            "the JSON of Raw is invalid, so its part of the file was skipped; all results before it were read";
        rows.issues.push(Issue::of_file(IssueKind::UnreadableField, message));
    }
    for (product, groups) in file.results {
        rows.take_groups(product_name(&product), groups, &file.annotations);
    }
    Ok(rows.into_run(RunFacts {
        version: text_of(&file.meta, "ToolVersion"),
        tenant: text_of(&file.meta, "TenantId"),
        run_id: text_of(&file.meta, "ReportUUID"),
        administrators: administrators(&file.raw.unwrap_or_default().privileged_users),
        ..at(&file.meta["TimestampZulu"])
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
    let facts = RunFacts { version: text_of(meta, "Module Version"), ..at(&zoned_by_name(&meta["Report Date"])) };
    Run { is_part: true, ..rows.into_run(facts) }
}

/// Returns facts with the one time that the tool writes.
fn at(time: &Value) -> RunFacts {
    let time = read_time(time, WithoutOffset::IsUnreadable);
    RunFacts { started: time.ok(), completed: time.ok(), time_problem: time.err(), ..RunFacts::default() }
}

/// Reads the results as a table, which identifies neither tenant nor run nor time.
///
/// # Errors
/// Returns an error for the action plan, which has the same columns, but lists failing controls only. Without failing
/// controls, it has no rows.
pub(crate) fn read_table(input: Input<'_>) -> Result<Run, Unreadable> {
    let has_plan = input.shape().is_table_with(&["Remediation Completion Date"]);
    let mut rows = ControlRows::new();
    let mut count = 0;
    let mut failing = 0;
    for row in input.table()? {
        let row: Option<ControlRow> = row?;
        count += 1;
        failing += usize::from(row.as_ref().is_some_and(ControlRow::is_failing));
        rows.take(row, &Value::Null, || format!("row {count} of the table"));
    }
    match (count, failing) {
        (0, _) if !has_plan => Err(Unreadable::NoRows),
        (all, failing) if has_plan && all == failing => Err(Unreadable::Companion {
            found: "ScubaGear's ActionPlan.csv, which lists failing controls only",
            instead: "import ScubaResults*.json next to it",
        }),
        _ => Ok(rows.into_run(RunFacts::default())),
    }
}

/// The results of a whole run. Of `Raw`, most of the file, only the privileged users are read.
#[derive(Default)]
struct ResultsFile {
    meta: Value,
    /// Keyed by product.
    results: BTreeMap<String, Groups>,
    /// Since 1.6. Keyed by control, with its revision.
    annotations: Value,
    raw: Option<Raw>,
}

impl ResultsFile {
    /// Reads the file. Some versions of the tool write invalid JSON inside `Raw`, which comes last: if the results
    /// before it are complete, the second value is true.
    fn read(input: Input<'_>) -> Result<(Self, bool), Unreadable> {
        let mut file = Self::default();
        let mut in_raw = false;
        match input.json_into(ResultsSeed { file: &mut file, in_raw: &mut in_raw }) {
            Ok(()) => Ok((file, false)),
            Err(Unreadable::Malformed(_)) if in_raw && !file.results.is_empty() => Ok((file, true)),
            Err(error) => Err(error),
        }
    }
}

/// Fills the file member by member, so that the members before an error are known.
struct ResultsSeed<'a> {
    file: &'a mut ResultsFile,
    in_raw: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for ResultsSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ResultsSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the results of a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut known = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            *self.in_raw = name == "Raw";
            if !known.insert(name.clone()) {
                return Err(repeated());
            }
            match name.as_str() {
                "MetaData" => Unique(self.file.meta) = members.next_value()?,
                "Results" => UniqueMap(self.file.results) = members.next_value()?,
                "AnnotatedFailedPolicies" => Unique(self.file.annotations) = members.next_value()?,
                "Raw" => self.file.raw = members.next_value::<Option<Raw>>()?,
                _ => drop(members.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// The report of one product.
#[derive(Deserialize)]
struct ReportFile {
    #[serde(rename = "MetaData", deserialize_with = "unique")]
    meta: Value,
    #[serde(rename = "ReportSummary", deserialize_with = "unique")]
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
                self.results.count_lost(ROWS_OF_A_GROUP);
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
            self.results.count_lost(1);
            return;
        };
        let annotation = &annotations[row.control.to_string()];
        let (result, issue) = row.into_result(annotation);
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

/// Returns a time with the offset in place of the name of UTC. The names of other zones depend on the machine.
fn zoned_by_name(time: &Value) -> Value {
    let text = time.as_str().unwrap_or_default();
    let Some(utc) = text.strip_suffix("Coordinated Universal Time").or_else(|| text.strip_suffix("UTC")) else {
        return time.clone();
    };
    let time = NaiveDateTime::parse_from_str(utc.trim(), "%m/%d/%Y %H:%M:%S");
    time.map_or(Value::Null, |time| format!("{}Z", time.format("%Y-%m-%dT%H:%M:%S")).into())
}
