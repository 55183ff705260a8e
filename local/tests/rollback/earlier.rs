//! The newest golden table, read, changed and read again by an earlier release: `run` puts this file among its tests.

use std::{env, fs};

use serde_json::{Value, json};

use super::golden::change_all;
use super::sample::Sample;
use super::{Item, items, later, read_all, with_items};
use crate::support::by_operator;

#[tokio::test]
async fn the_table_of_a_later_release_is_read_changed_and_read_again() {
    let text = fs::read_to_string(env::var("ROLLBACK_BEFORE").unwrap()).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let sample = Sample::new(table["apiKey"].as_str().unwrap().to_owned());
    let stored = table["items"].as_array().unwrap().iter().map(Item::from_json);
    let app = with_items(stored.filter(|item| item.kind() != "outside DATA")).await;
    read_all(&app, &sample).await;
    change_all(&app, &sample).await;
    read_all(&app, &sample).await;
    // The report before is the newest again, by the pointers that this release has made.
    let organization = app.app.store.organization(&sample.organization);
    by_operator(&organization, later()).delete_report(&"rpt_golden_4".parse().unwrap()).await.unwrap();
    let items: Vec<_> = items(&app).await.iter().map(Item::to_json).collect();
    fs::write(env::var("ROLLBACK_AFTER").unwrap(), json!({ "items": items }).to_string()).unwrap();
}
