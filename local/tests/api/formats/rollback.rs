//! A rollback, with the release before: it read and changed the newest golden table, and this release goes on with it.
//!
//! `local/tests/rollback/run` builds that release and runs both halves; without it, this test has nothing to compare.

use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

use serde_json::Value;

use super::golden::{Golden, change_all, shapes};
use super::newer::{identity, is_calculated};
use super::{Item, check, items, read_all, with_items};

/// Attributes that the changes of the other release write anew.
const WRITTEN_ANEW: [&str; 1] = ["v: N"];

fn read(path: &str) -> Vec<Item> {
    let table: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    table["items"].as_array().unwrap().iter().map(Item::from_json).collect()
}

#[tokio::test]
async fn a_table_that_the_release_before_changed_has_lost_nothing() {
    let (Ok(before), Ok(after)) = (env::var("ROLLBACK_BEFORE"), env::var("ROLLBACK_AFTER")) else {
        eprintln!("skipped: local/tests/rollback/run runs this with the release before");
        return;
    };
    let (before, after) = (read(&before), read(&after));
    let known = shapes(&Golden::read("1.0").items);
    let now: BTreeMap<_, _> = after.iter().map(|item| (identity(item), item.values())).collect();
    let mut compared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut parts = 0;
    for item in before.iter().filter(|item| item.kind() != "outside DATA") {
        let key = identity(item);
        let left = now.get(&key).unwrap_or_else(|| panic!("{key:?} is gone"));
        let none = BTreeSet::new();
        let known = known.get(&item.kind()).unwrap_or(&none);
        let is_edited = key.1.contains("rpt_golden_2");
        for (path, values) in item.values() {
            let is_known = known.contains(&path) || WRITTEN_ANEW.contains(&&*path);
            if is_known || is_edited && is_calculated(&path) {
                continue;
            }
            assert_eq!(left.get(&path), Some(&values), "{key:?} lost {path}");
            parts += values.len();
            compared.entry(item.kind()).or_default().insert(path);
        }
    }
    for (kind, paths) in &compared {
        eprintln!("{kind}: {}", paths.iter().cloned().collect::<Vec<_>>().join(", "));
    }
    eprintln!("{} items, {parts} values that the release before does not know: all are left", before.len());
    let sample = Golden::newest().sample;
    let app = with_items(after).await;
    // The release before keeps no results of newest reports.
    app.app.store.as_operator().upgrade(None, |_| {}).await.unwrap();
    let reports = read_all(&app, &sample).await;
    eprintln!("this release reads {} reports after it", reports.as_array().unwrap().len());
    change_all(&app, &sample).await;
    read_all(&app, &sample).await;
    check(&app).await;
    eprintln!("and {} items after changes of its own", items(&app).await.len());
}
