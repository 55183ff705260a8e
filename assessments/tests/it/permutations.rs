//! A property of all tools whose rows are grouped: the order of the rows does not matter.

use assessments::assemble;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::support::{run, settings};
use crate::{maester, prowler, zerotrust};

const FOUND: &[&str] = &["It is on.", "It is off.", "Cannot verify it.", "", "a\nb", "Zürich"];

/// Returns rows, and the same rows in another order.
fn shuffled(row: impl Strategy<Value = Value>) -> impl Strategy<Value = (Vec<Value>, Vec<Value>)> {
    let rows = prop::collection::vec(row, 1..20);
    rows.prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))
}

fn maester_row() -> impl Strategy<Value = Value> {
    let ids = select(vec!["MT.1033.0", "MT.1033.1", "MT.1001", "CISA.MS.AAD.3.2v2", "CISA.MS.AAD.3.2", "MT.1053", "X"]);
    let results = select(vec!["Passed", "Failed", "Skipped", "Error"]);
    (ids, results, select(FOUND), select(vec!["Low", "High", "Info"])).prop_map(|(id, result, found, severity)| {
        let mut row = maester::test(id, result, found);
        row["Severity"] = json!(severity);
        row["Title"] = json!(format!("{found} {id}"));
        row
    })
}

fn zerotrust_row() -> impl Strategy<Value = Value> {
    let ids = select(vec![json!(21796), json!("21796"), json!("21813"), json!("24541"), json!({})]);
    let statuses = select(vec!["Passed", "Failed", "Planned", "Error"]);
    (ids, statuses, select(FOUND), select(vec!["Identity", "Data"])).prop_map(|(id, status, found, pillar)| {
        let mut row = zerotrust::test(&id, status, found);
        row["TestPillar"] = json!(pillar);
        row["TestDescription"] = json!(found);
        row
    })
}

fn prowler_row() -> impl Strategy<Value = Value> {
    let checks = select(vec!["entra_users_mfa_capable", "exchange_x", "intune_x", "x"]);
    let statuses = select(vec!["PASS", "FAIL", "MANUAL", "UNHEARD OF"]);
    (checks, statuses, select(FOUND), any::<bool>(), 10..60).prop_map(|(check, status, found, muted, second)| {
        let mut row = prowler::finding(check, status, found);
        row["time_dt"] = json!(format!("2026-02-03T04:05:{second}"));
        row["risk_details"] = json!(found);
        if muted { prowler::muted(row) } else { row }
    })
}

/// Returns whether both files give the same run and, if they give one, the same report.
fn same(file: &[u8], other: &[u8]) -> bool {
    let (run, other) = (run(file), run(other));
    run == other && assemble(&run, &settings()) == assemble(&other, &settings())
}

proptest! {
    #[test]
    fn of_maesters_tests((rows, shuffled) in shuffled(maester_row())) {
        let file = |rows: &[Value]| maester::results(rows).to_string().into_bytes();
        prop_assert!(same(&file(&rows), &file(&shuffled)));
    }

    #[test]
    fn of_zero_trust_assessments_tests((rows, shuffled) in shuffled(zerotrust_row())) {
        let file = |rows: &[Value]| zerotrust::results(rows).to_string().into_bytes();
        prop_assert!(same(&file(&rows), &file(&shuffled)));
    }

    #[test]
    fn of_prowlers_findings((rows, shuffled) in shuffled(prowler_row())) {
        prop_assert!(same(&prowler::results(&rows), &prowler::results(&shuffled)));
    }
}
