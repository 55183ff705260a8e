//! Results in the formats of the tools, for tests of other crates.

use serde_json::json;

/// Returns a result file of a run in 2026, in the form that ScubaGear writes.
pub(crate) fn results(provider_id: &str, month: u32, controls: &[(&str, &str)]) -> String {
    let rows: Vec<_> = controls
        .iter()
        .map(|(control, result)| {
            json!({
                "Control ID": control,
                "Requirement": "A requirement.",
                "Result": result,
                "Criticality": "Shall",
                "Details": format!("Details of month {month}."),
            })
        })
        .collect();
    let results = json!({
        "MetaData": {
            "TenantId": provider_id,
            "ToolVersion": "1.7.1",
            "TimestampZulu": format!("2026-{month:02}-01T06:00:00.000Z"),
        },
        "Results": { "AAD": [{ "GroupName": "A group", "Controls": rows }] },
    });
    results.to_string()
}
