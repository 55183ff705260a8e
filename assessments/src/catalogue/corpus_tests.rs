//! Real results of the tools, where the folder with them is at hand; without it these tests say that they skip.

#[path = "../../tests/corpus/mod.rs"]
mod corpus_files;

use std::collections::{BTreeMap, BTreeSet};

use model::{ReportId, ReportType, Status};
use serde_json::Value;

use crate::catalogue::{RevisedControl, catalogue};
use crate::{Assembled, Earlier, IssueKind, Reference, Run, Settings, Tool, assemble, combine, read, references};

const RESULTS_1_4: &str = "scubagear/ScubaResults_v1.4.0_2024-08.json";
const RESULTS_1_6: &str = "scubagear/ScubaResults_v1.6.0_2025-07.json";
const RESULTS_1_7: &str = "scubagear/ScubaResults_v1.7.0_2025-10.json";
const PRODUCT_REPORT_1_8: &str = "scubagear/IndividualReport_AAD.json";
const TABLE_1_8: &str = "scubagear/ScubaResults_sample.csv";
const MIGRATIONS: &str = "scubagear/scuba-baseline-policy-migrations.csv";
const MAESTER: &str = "maester/TestResults-2025-11-27.json";
const PROWLER: &str = "prowler/derived_m365.ocsf.json";

/// The check to which Prowler gives the number of another recommendation in the benchmark's version 6.0, corrected in
/// its mapping of 7.0.
const MISNUMBERED: &str = "sharepoint_external_sharing_restricted";

/// A file of the corpus, or nothing where there is none.
fn corpus(file: &str) -> Option<Vec<u8>> {
    corpus_files::path(file).map(|path| std::fs::read(path).unwrap())
}

/// The one run of a corpus file.
fn run(file: &str) -> Option<Run> {
    let mut runs = combine([read(&corpus(file)?).unwrap()]).runs;
    assert_eq!(runs.len(), 1, "{file}");
    runs.pop()
}

fn report(run: &Run, earlier: Option<&Assembled>) -> Assembled {
    let id: ReportId = "rpt_earlier".parse().unwrap();
    let settings = Settings {
        lookback_days: None,
        earlier: earlier.map(|Assembled { body, revisions }| Earlier { id: &id, body, revisions }),
    };
    assemble(run, &settings).unwrap()
}

fn controls_with(report: &Assembled, status: Status) -> Vec<&str> {
    let checks = report.body.checks.iter().filter(|check| check.status == status);
    checks.map(|check| check.control_id.as_str()).collect()
}

#[test]
fn a_real_run_is_read_whole() {
    let Some(run) = run(RESULTS_1_7) else { return };
    assert_eq!(run.tool, Tool::ScubaGear);
    assert_eq!(run.tool_version.as_deref(), Some("1.7.0"));
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), "ca08493a-c9c8-4db0-a9e8-d3b4bafac269");
    assert_eq!(run.run_id, "dfd70a15-3042-4bc9-8e02-61d4f868be10");
    assert_eq!(run.completed.unwrap().to_string(), "2025-10-06T22:30:54.153Z");
    assert_eq!(run.admins.count, Some(2));
    assert_eq!(run.issues, []);
}

#[test]
fn the_first_run_is_a_baseline() {
    let Some(run) = run(RESULTS_1_4) else { return };
    assert_eq!(run.run_id, "ScubaGear/ca08493a-c9c8-4db0-a9e8-d3b4bafac269/2024-08-02T19:25:11.166Z");
    let report = report(&run, None);
    assert_eq!(report.body.report_type, ReportType::Baseline);
    let counts = report.body.controls;
    assert_eq!((counts.secure, counts.open, counts.not_assessed), (55, 27, 48));
    assert_eq!(counts.assessed, 82);
    assert_eq!(report.body.checks.len(), 130);
}

#[test]
fn later_runs_show_what_was_fixed_and_what_drifted() {
    let (Some(first), Some(second), Some(third)) = (run(RESULTS_1_4), run(RESULTS_1_6), run(RESULTS_1_7)) else {
        return;
    };
    let first = report(&first, None);
    let second_alone = report(&second, None);
    let second = report(&second, Some(&first));
    assert_eq!(
        controls_with(&second, Status::Fixed),
        ["MS.DEFENDER.6.1", "MS.POWERPLATFORM.2.2", "MS.EXO.4.1", "MS.EXO.4.2", "MS.EXO.4.3", "MS.EXO.4.4",]
    );
    assert_eq!(controls_with(&second, Status::Drifted), ["MS.DEFENDER.1.5"]);
    assert_eq!(second.body.score, second_alone.body.score, "a comparison does not change the score");

    for earlier in [&second, &second_alone] {
        let third = report(&third, Some(earlier));
        assert_eq!(controls_with(&third, Status::Fixed), ["MS.AAD.5.2", "MS.DEFENDER.4.2"]);
        assert_eq!(controls_with(&third, Status::Drifted), ["MS.DEFENDER.4.4"]);
        assert_eq!(third.body.previous_score, Some(second.body.score));
    }
}

#[test]
fn one_products_report_and_the_table_are_read() {
    let (Some(report), Some(table)) = (run(PRODUCT_REPORT_1_8), run(TABLE_1_8)) else { return };
    assert_eq!(report.findings.len(), 30);
    assert_eq!(report.completed.unwrap().to_string(), "2026-05-04T17:15:48.000Z");
    assert_eq!(table.findings.len(), 92);
    assert_eq!((table.tenant, table.completed), (None, None));
}

#[test]
fn no_markup_and_no_badge_is_left() {
    for file in [RESULTS_1_4, RESULTS_1_6, RESULTS_1_7, PRODUCT_REPORT_1_8, TABLE_1_8] {
        let Some(run) = run(file) else { return };
        for check in run.findings.iter().map(|finding| &finding.check) {
            for text in [&check.name, &check.current_state] {
                assert!(
                    !text.is_empty() && text.trim() == text && !text.ends_with(" ."),
                    "{}: {text:?}",
                    check.control_id
                );
                for leftover in
                    ["<", ">", "&quot;", "BOD 25-01", "Automated Check", "View all CA policies", "#dns-logs", " . "]
                {
                    assert!(!text.contains(leftover), "{}: {text:?}", check.control_id);
                }
            }
        }
    }
}

#[test]
fn the_catalogue_covers_every_control() {
    for file in [RESULTS_1_4, RESULTS_1_6, RESULTS_1_7, PRODUCT_REPORT_1_8, TABLE_1_8] {
        let Some(run) = run(file) else { return };
        let missing: Vec<_> = run.issues.iter().filter(|issue| issue.kind == IssueKind::UnknownControl).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
    for (old, new) in migrations().unwrap_or_default() {
        for RevisedControl { control, .. } in new.iter().chain([&old]) {
            assert!(catalogue().control(control).is_some(), "{control} is not in the catalogue");
        }
    }
}

#[test]
fn the_moved_controls_are_the_unambiguous_ones_of_the_table() {
    let Some(migrations) = migrations() else { return };
    let sources = |new: &RevisedControl| {
        let all = migrations.iter().filter(|(_, targets)| targets.iter().any(|each| each.control == new.control));
        all.map(|(old, _)| &old.control).collect::<BTreeSet<_>>().len()
    };
    let mut moved = 0;
    for (old, targets) in &migrations {
        let origin = |new: &RevisedControl| catalogue().moved_from(&new.control, new.revision);
        match targets.as_slice() {
            [new] if new.control != old.control && sources(new) == 1 => {
                assert_eq!(origin(new), Some(old), "{old} moved to {new}");
                moved += 1;
            }
            _ => assert!(targets.iter().all(|new| origin(new) != Some(old)), "{old} did not simply move"),
        }
    }
    assert_eq!(moved, catalogue().origins.len());
}

#[test]
fn the_numbers_that_prowler_names_are_those_of_the_catalogue() {
    let Some(file) = corpus(PROWLER) else { return };
    let rows: Vec<Value> = serde_json::from_slice(&file).unwrap();
    for row in &rows {
        let (id, compliance) = (&row["metadata"]["event_code"], &row["unmapped"]["compliance"]);
        let numbers = texts(compliance.get("CIS-7.0").unwrap_or(&compliance["CIS-6.0"]));
        let named: BTreeSet<_> = numbers.map(|number| format!("CIS 7.0: {number}")).collect();
        let mut known = references_of(id);
        known.retain(|reference| reference.starts_with("CIS "));
        assert_eq!(known != named, id == MISNUMBERED, "{id}: {known:?}, where the tool says {named:?}");
    }
    assert!(!rows.is_empty());
}

#[test]
fn the_recommendations_that_maester_tags_are_those_of_the_catalogue() {
    let Some(file) = corpus(MAESTER) else { return };
    let file: Value = serde_json::from_slice(&file).unwrap();
    let mut tagged = 0;
    for test in file["Tests"].as_array().unwrap() {
        for reference in texts(&test["Tag"]).filter_map(tagged_reference) {
            assert!(references_of(&test["Id"]).contains(&reference), "{}: {reference} is not known", test["Id"]);
            tagged += 1;
        }
    }
    assert!(tagged > 0);
}

/// What a tag of Maester refers to: `CIS.M365.1.1.1` or `MS.AAD.1.1`, not the product alone (`MS.AAD`).
fn tagged_reference(tag: &str) -> Option<String> {
    if let Some(number) = tag.strip_prefix("CIS.M365.") {
        return Some(format!("CIS 7.0: {number}"));
    }
    (tag.starts_with("MS.") && tag.ends_with(|last: char| last.is_ascii_digit())).then(|| format!("SCuBA: {tag}"))
}

fn references_of(id: &Value) -> BTreeSet<String> {
    references(&id.as_str().unwrap().parse().unwrap()).iter().map(Reference::to_string).collect()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// The migrations table: every old control with what it became, a range being all that lies between.
fn migrations() -> Option<Vec<(RevisedControl, Vec<RevisedControl>)>> {
    let table = corpus(MIGRATIONS)?;
    let mut reader = csv::Reader::from_reader(table.as_slice());
    let rows = reader.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
    Some(rows.map(|row| (row["Old ID"].parse().unwrap(), targets(&row["New ID"]))).collect())
}

fn targets(text: &str) -> Vec<RevisedControl> {
    let ends: Vec<RevisedControl> =
        text.split(" - ").filter(|id| id.starts_with("MS.")).map(|id| id.parse().unwrap()).collect();
    let [first, last] = ends.as_slice() else { return ends };
    let number = |id: &RevisedControl| id.control.as_str().rsplit('.').next().unwrap().parse::<u32>().unwrap();
    let group = first.control.as_str().rsplit_once('.').unwrap().0;
    (number(first)..=number(last)).map(|each| format!("{group}.{each}").parse().unwrap()).collect()
}
