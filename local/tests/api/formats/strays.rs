//! A check of the golden table names each item that is damaged or contradicts another one, and says what is wrong.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::Utc;
use store::FORMAT;

use super::checked::{Checked, Found, name, number, text};
use super::{Item, LATER_FORMAT, sample};

const OF_ANOTHER: &str = "an item has the content of another";
const OTHER_SHAPE: &str = "an item has an unexpected shape";

/// Returns the checksum of the text in an item.
fn checksum(Item(fields): &mut Item) -> Option<&mut AttributeValue> {
    if fields.contains_key("crc32") {
        return fields.get_mut("crc32");
    }
    fields.values_mut().find_map(|value| match value {
        AttributeValue::M(fields) => fields.get_mut("crc32"),
        _ => None,
    })
}

fn owned(found: &[(&str, &'static str)]) -> Vec<Found> {
    found.iter().map(|(subject, what)| ((*subject).to_owned(), *what)).collect()
}

#[tokio::test]
async fn what_is_about_a_tenant_that_does_not_exist_is_found() {
    let checked = Checked::new().await;
    for (kind, what) in [
        ("KEPT", "an edit is kept for the tenant, which does not exist"),
        ("TASK", "a control of the tenant has a task, which does not exist"),
        ("REQUEST", "a report of the tenant is requested, which does not exist"),
        ("CONNECTION", "a tenant is connected that does not exist or is another"),
        ("KNOWN", "results of the tenant are known, which does not exist"),
    ] {
        let mut stray = checked.first(kind);
        let place = stray.key().1.replace("ten_golden1", "ten_nobody");
        stray.0.extend([("sk".to_owned(), text(&place)), ("serviceTenantId".to_owned(), text("ten_nobody"))]);
        assert_eq!(checked.with(stray).await, owned(&[("ten_nobody", what)]), "{kind}");
    }
}

#[tokio::test]
async fn what_contradicts_another_item_or_its_own_key_is_found() {
    let checked = Checked::new().await;
    let of_report = "the report is missing from a history, or its summary there is not the report's";
    let of_baseline = "the report is wrongly listed as a baseline";
    let of_connection = "a tenant is connected that does not exist or is another";
    let provider = "ca08493a-c9c8-4db0-a9e8-000000000000";
    let key = "key_019f202010007314beb72ea2d3e14a55";
    for (kind, attribute, value, is_damaged, others) in [
        ("AUDIT", "at", text("2026-01-01T00:00:00.001Z"), true, vec![]),
        ("USAGE", "serviceTenantId", text("ten_golden2"), true, vec![]),
        ("BASELINE", "reportId", text("rpt_golden_2"), true, vec![("rpt_golden_1", of_baseline)]),
        ("HISTORY", "score", number(43), false, vec![("rpt_golden_1", of_report)]),
        ("CONNECTION", "providerTenantId", text(provider), false, vec![("ten_golden1", of_connection)]),
        (
            "outside KEY",
            "keyId",
            text("key_other"),
            false,
            vec![
                (key, "the key is listed but does not give access"),
                ("key_other", "the key gives access but is not listed"),
            ],
        ),
    ] {
        let mut item = checked.first(kind);
        item.0.insert(attribute.to_owned(), value).unwrap();
        let damaged = is_damaged.then(|| (name(&item), OF_ANOTHER));
        let expected: Vec<_> = damaged.into_iter().chain(owned(&others)).collect();
        assert_eq!(checked.with(item).await, expected, "{kind}");
    }
}

#[tokio::test]
async fn a_shared_part_of_another_digest_is_found() {
    let checked = Checked::new().await;
    let mut other = checked.first("SHARED");
    other.0.insert("sk".to_owned(), text(&format!("SHARED#ten_golden1#{}", "0".repeat(32))));
    let named = (name(&other), "the shared part of reports is not what its key says");
    let found = checked.with(other).await;
    assert!(found.contains(&named), "{found:?}");
}

#[tokio::test]
async fn a_missing_correction_and_a_missing_newest_report_of_a_tool_are_found_as_that() {
    let checked = Checked::new().await;
    let other_name = "a list shows the report with another name of its tenant, or of a removed tenant";
    let of_results = "the stored results of the newest report are missing, or not the report's";
    let expected = [
        ("rpt_golden_1", other_name),
        ("rpt_golden_2", other_name),
        ("rpt_golden_2", of_results),
        ("rpt_golden_5", other_name),
    ];
    assert_eq!(checked.without(&checked.first("CORRECTION")).await, owned(&expected));
    let expected = [
        ("org_golden", "a report is wrongly listed as the newest of its tool"),
        ("org_golden", "results are stored that are of no newest report"),
        ("rpt_golden_2", "the newest report of its tool is not listed as that"),
    ];
    assert_eq!(checked.without(&checked.first("TOOL")).await, owned(&expected));
}

#[tokio::test]
async fn a_text_that_does_not_inflate_to_what_was_stored_is_found_in_every_kind() {
    let checked = Checked::new().await;
    let kinds: BTreeMap<_, _> = checked.golden.iter().map(|item| (item.kind(), item)).collect();
    let mut damaged = Vec::new();
    for (kind, item) in kinds {
        let mut item = item.clone();
        let Some(checksum) = checksum(&mut item) else { continue };
        *checksum = number(0);
        let key = name(&item);
        let found = checked.with(item).await;
        assert!(found.iter().any(|(subject, _)| *subject == key), "{kind}: {found:?}");
        damaged.push(kind);
    }
    let expected = ["BILLABLE", "CONTROLS", "EVENT", "IMPORT", "JOB", "KNOWN", "REPORT", "RESULTS", "SHARED", "UPLOAD"];
    assert_eq!(damaged, expected);
}

#[tokio::test]
async fn a_later_release_may_write_other_kinds_and_shapes_and_this_one_and_earlier_ones_may_not() {
    let checked = Checked::new().await;
    let mut unknown = checked.first("TEXT");
    unknown.0.insert("sk".to_owned(), text("SOMETHING#1"));
    let mut damaged = checked.first("TEXT");
    damaged.0.insert("why".to_owned(), AttributeValue::Bool(true));
    let later = "a later release wrote the item, and this release cannot read it";
    for (format, of_unknown, of_damaged) in [
        (FORMAT - 1, Some("no release wrote items of this kind"), OTHER_SHAPE),
        (FORMAT, Some("no release wrote items of this kind"), OTHER_SHAPE),
        (LATER_FORMAT, None, later),
    ] {
        for item in [&mut unknown, &mut damaged] {
            item.0.insert("v".to_owned(), number(format));
        }
        let expected: Vec<_> = of_unknown.map(|what| (name(&unknown), what)).into_iter().collect();
        assert_eq!(checked.with(unknown.clone()).await, expected, "{format}");
        assert_eq!(checked.with(damaged.clone()).await, [(name(&damaged), of_damaged)], "{format}");
    }
}

#[tokio::test]
async fn a_session_may_end_an_hour_late_by_another_clock_but_not_later() {
    let checked = Checked::new().await;
    let what = "a session of the member lasts longer than sessions do";
    for (minutes, expected) in [(12 * 60 + 30, None), (13 * 60 + 30, Some(what))] {
        let mut session = checked.first("SESSION");
        session.0.insert("expiresAt".to_owned(), number(Utc::now().timestamp() + minutes * 60));
        let member = session.0["memberId"].as_s().unwrap().clone();
        let expected: Vec<_> = expected.map(|what| (member, what)).into_iter().collect();
        assert_eq!(checked.with(session).await, expected, "{minutes} minutes");
    }
}

#[tokio::test]
async fn a_damaged_item_outside_of_an_organization_is_of_the_organization_that_its_key_names() {
    let checked = Checked::new().await;
    for kind in ["outside ORGANIZATIONS", "outside IDENTITY", "outside DUE"] {
        let mut item = checked.first(kind);
        item.0.insert("organizationId".to_owned(), AttributeValue::Bool(true));
        checked.app.put(item.0.clone()).await;
        let found = checked.app.app.store.inspect_outside().await.unwrap();
        let found: Vec<_> = found.into_iter().map(|(of, found)| (of, found.subject)).collect();
        assert_eq!(found, [(Some(sample::organization()), name(&item))], "{kind}");
        checked.app.restore(&checked.stored).await;
    }
}
