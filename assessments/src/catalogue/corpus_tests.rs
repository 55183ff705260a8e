//! Compares the catalogue with real results of the tools, if their folder exists; otherwise these tests print that
//! that they skip.

#[path = "../../tests/corpus/mod.rs"]
mod corpus_files;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::references;
use crate::catalogue::{RevisedControl, catalogue};
use crate::{IssueKind, Run, combine, read};

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

/// Returns a file of the corpus, or `None` if it does not exist.
fn corpus(file: &str) -> Option<Vec<u8>> {
    corpus_files::path(file).map(|path| std::fs::read(path).unwrap())
}

/// Returns the one run of a corpus file.
fn run(file: &str) -> Option<Run> {
    let mut runs = combine([read(&corpus(file)?).unwrap()]).runs;
    assert_eq!(runs.len(), 1, "{file}");
    runs.pop()
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

/// Returns the recommendation in a tag of Maester, such as `CIS.M365.1.1.1` or `MS.AAD.1.1`, but not `MS.AAD` alone.
fn tagged_reference(tag: &str) -> Option<String> {
    if let Some(number) = tag.strip_prefix("CIS.M365.") {
        return Some(format!("CIS 7.0: {number}"));
    }
    (tag.starts_with("MS.") && tag.ends_with(|last: char| last.is_ascii_digit())).then(|| format!("SCuBA: {tag}"))
}

fn references_of(id: &Value) -> BTreeSet<String> {
    references(&id.as_str().unwrap().parse().unwrap()).iter().map(ToString::to_string).collect()
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap())
}

/// Returns the migrations table: every old control with its new ones; a range stands for all controls between its ends.
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
