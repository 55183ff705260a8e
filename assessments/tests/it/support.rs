//! Small files in the tools' formats, and the steps that most tests share.

use assessments::{Assembled, Earlier, Run, Settings, assemble, combine, read};
use model::{Check, ReportId, Status};
use serde_json::{Value, json};

/// Returns the one run of a file.
pub(crate) fn run(bytes: &[u8]) -> Run {
    let mut runs = combine([read(&bytes).unwrap()]).runs;
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

/// Returns a results file with these rows, all of one product.
pub(crate) fn results(rows: &[Value]) -> Vec<u8> {
    let file = json!({
        "MetaData": {
            "TenantId": "11111111-2222-3333-4444-555555555555",
            "ToolVersion": "1.8.0",
            "TimestampZulu": "2026-02-03T04:05:06.789Z",
            "ReportUUID": "99999999-8888-7777-6666-555555555555",
        },
        "Results": { "AAD": [{ "Controls": rows }] },
    });
    file.to_string().into_bytes()
}

/// Returns a row as the tool writes it.
pub(crate) fn row(control: &str, result: &str) -> Value {
    json!({
        "Control ID": control,
        "Requirement": format!("What {control} asks for."),
        "Result": result,
        "Criticality": "Shall",
        "Details": format!("{control} was {result}."),
    })
}

/// Returns the report of a run, compared with an earlier one if there is one.
pub(crate) fn report(run: &Run, earlier: Option<&Assembled>) -> Assembled {
    let id = baseline_id();
    let earlier = earlier.map(|Assembled { body, revisions }| Earlier { id: &id, body, revisions });
    assemble(run, &Settings { earlier, ..settings() }).unwrap()
}

/// Returns the report of a file with these rows.
pub(crate) fn report_of(rows: &[Value], earlier: Option<&Assembled>) -> Assembled {
    report(&run(&results(rows)), earlier)
}

/// Settings of an import without choices.
pub(crate) fn settings() -> Settings<'static> {
    Settings::default()
}

pub(crate) fn baseline_id() -> ReportId {
    "rpt_baseline".parse().unwrap()
}

/// Returns the check of a control, by its id without revision.
pub(crate) fn check<'a>(report: &'a Assembled, control: &str) -> &'a Check {
    report.body.checks.iter().find(|check| check.control_id.as_str() == control).unwrap()
}

/// Returns the status of a control, by its id without revision.
pub(crate) fn status(report: &Assembled, control: &str) -> Status {
    check(report, control).status
}
