//! Repairs under faults: nothing is lost, and another run completes them.

use std::fs;
use std::path::Path;

use aws_sdk_dynamodb::types::AttributeValue;
use operations::repair::{RepairError, repair};
use store::{OrganizationError, StoreError};
use tempfile::TempDir;

use super::target::{Subject, Target, record_usage, record_users};
use super::{FOR_GOOD, Fault, FaultyStore, ONCE, cases, passes};
use crate::formats::Item;
use crate::support::{TestApp, by_operator, time};

/// The kinds of items that a repair writes anew with every change.
const VERSIONS: [&str; 3] = ["TENANT", "CHANGED", "AUDIT"];

/// Returns an organization with a damaged or missing item in most places that a repair looks at.
async fn damaged(app: &TestApp) -> Target {
    let target = Target::prepared(&app.app.store).await;
    record_usage(target.clone()).await.unwrap();
    record_users(target.clone()).await.unwrap();
    let garbage = || AttributeValue::S("\u{fffd}".to_owned());
    for item in target.items(app).await {
        let (_, sk) = item.key();
        let attribute = match item.kind().as_str() {
            "LATEST" => "completedAt",
            "CHANGED" => "mark",
            "USAGE" => "service",
            "BILLABLE" => "deflated",
            "APIKEY" => "createdAt",
            "REPORT" if sk.ends_with("rpt_2") => "tail",
            "HISTORY" if sk.ends_with("rpt_1") => "",
            "PROVIDER" => "",
            _ => continue,
        };
        let mut broken = item.clone();
        let value = if attribute == "mark" { AttributeValue::Bool(true) } else { garbage() };
        broken.0.insert(attribute.to_owned(), value);
        match attribute {
            "" => app.delete(&item.0).await,
            _ => app.put(broken.0).await,
        }
    }
    target
}

/// Repairs as the command does, and keeps the items in a new file.
async fn repaired(target: &Target, file: &Path) -> Result<(), StoreError> {
    let now = time("2026-07-15T12:00:00Z");
    let planned = match target.plan_repair(now).await {
        Err(OrganizationError::Store(error)) => return Err(error),
        planned => planned.unwrap(),
    };
    match repair(&by_operator(target, now), planned, file).await {
        Ok(done) => {
            assert_eq!(done.refused, 0);
            Ok(())
        }
        Err(RepairError::Store(error)) => Err(error),
        Err(error) => panic!("{error}"),
    }
}

/// Returns the items in the files of repairs.
fn kept(files: &[&Path]) -> Vec<Item> {
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect::<String>();
    texts.lines().map(|line| Item::from_json(&serde_json::from_str(line).unwrap())).collect()
}

#[tokio::test]
async fn a_repair_under_faults_loses_nothing_and_is_completed_by_another_run() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let folder = TempDir::new().unwrap();
    faulty.plan(Fault::Refused, 0..0);
    repaired(&damaged(&app).await.over(&faulty), &folder.path().join("first")).await.unwrap();
    let calls = faulty.made();
    assert!(calls.iter().filter(|call| *call == "TransactWriteItems").count() >= 4, "{calls:?}");
    for (number, (fault, attempts)) in cases(&calls, &[ONCE, FOR_GOOD]).into_iter().enumerate() {
        let clean = damaged(&app).await;
        let before = clean.items(&app).await;
        let [first, second] = ["first", "second"].map(|name| folder.path().join(format!("{number} {name}")));
        faulty.plan(fault, attempts.clone());
        let outcome = repaired(&clean.over(&faulty), &first).await;
        let case = format!("{fault:?} at {attempts:?} of {:?}", faulty.made());
        assert!(outcome.is_ok() || !passes(&attempts), "{case}: {outcome:?}");
        if outcome.is_err() {
            repaired(&clean, &second).await.unwrap();
        }
        assert_eq!(clean.inspect().await.unwrap().discrepancies, [], "{case}");
        let after = clean.items(&app).await;
        let kept = kept(&[&first, &second]);
        for item in before.iter().filter(|item| !VERSIONS.contains(&item.kind().as_str())) {
            assert!(after.contains(item) || kept.contains(item), "{case}: {:?} is lost", item.key());
        }
        let again = clean.plan_repair(time("2026-07-15T12:00:00Z")).await.unwrap();
        assert_eq!((again.changes(), again.left()), (vec![], &[][..]), "{case}");
        app.app.store.as_operator().delete_organization(clean.id()).await.unwrap();
    }
}
