//! Usage of a tenant and its billable users.

use assessments::{LicensesUnknown, TRIAL_DAYS, Terms};
use chrono::NaiveDate;
use model::BillableStatus;
use serde_json::json;

use super::{ROLES, USERS, directory, member, open, page, role, user};

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn terms(onboarding: &str) -> Terms {
    Terms { onboarding_date: day(onboarding), trial_days: TRIAL_DAYS, is_paused: false, is_not_for_resale: false }
}

#[test]
fn usage_follows_from_users_and_terms() {
    let mut unlicensed = user("b");
    unlicensed["assignedLicenses"] = json!([]);
    let directory = directory(&[page(USERS, &[user("a"), unlicensed, user("c")])]);
    let paused = Terms { is_paused: true, ..terms("2026-01-01") };
    let not_for_resale = Terms { is_not_for_resale: true, ..paused };
    let no_trial = Terms { trial_days: 0, ..terms("2026-02-08") };
    for (terms, on, first, status, billable, share) in [
        (terms("2026-01-01"), "2026-02-10", "2026-01-15", BillableStatus::Active, 2, 100.0),
        (terms("2026-01-01"), "2026-01-15", "2026-01-15", BillableStatus::Active, 2, 54.84),
        (terms("2026-01-01"), "2026-01-14", "2026-01-15", BillableStatus::Trial, 2, 54.84),
        (terms("2026-01-18"), "2026-01-31", "2026-02-01", BillableStatus::Trial, 0, 0.0),
        (terms("2026-01-18"), "2026-02-01", "2026-02-01", BillableStatus::Active, 2, 100.0),
        (no_trial, "2026-02-08", "2026-02-08", BillableStatus::Active, 2, 75.0),
        (paused, "2026-02-10", "2026-01-15", BillableStatus::Paused, 0, 0.0),
        (not_for_resale, "2026-02-10", "2026-01-15", BillableStatus::NotForResale, 0, 0.0),
    ] {
        let usage = directory.usage(&terms, day(on)).unwrap();
        assert_eq!((usage.first_billable_date, usage.billable_status), (day(first), status), "{terms:?} on {on}");
        assert_eq!(usage.total_licensed_users, 2);
        assert_eq!((usage.billable_users_this_month, usage.prorating_percentage_this_month), (billable, share));
    }
}

#[test]
fn the_last_and_the_leap_days_of_months_count() {
    let directory = directory(&[page(USERS, &[user("a")])]);
    let share = |first: &str, on: &str| {
        let terms = Terms { trial_days: 0, ..terms(first) };
        directory.usage(&terms, day(on)).unwrap().prorating_percentage_this_month
    };
    assert_eq!(share("2026-12-31", "2026-12-31"), 3.23);
    assert_eq!(share("2028-02-29", "2028-02-01"), 3.45);
    assert_eq!(share("2028-02-29", "2028-01-31"), 0.0);
}

#[test]
fn billable_users_are_those_with_a_licence() {
    let mut first = user("B");
    first["mail"] = json!("mail@example.com");
    first["accountEnabled"] = json!(false);
    first["assignedLicenses"] = json!([{ "skuId": "sku-2" }, { "skuId": "sku-1" }]);
    let mut second = user("a");
    second["displayName"] = json!(null);
    let mut guest = user("c");
    guest["assignedLicenses"] = json!([]);
    let mut users = directory(&[page(USERS, &[first, guest, second])]).users().unwrap();
    assert_eq!(users.len(), 3);
    users.retain(|user| !user.assigned_license_sku_ids.is_empty());
    insta::assert_json_snapshot!("billable_users", users);
}

#[test]
fn who_is_licensed_is_not_guessed() {
    let mut unasked = user("a");
    unasked.as_object_mut().unwrap().remove("assignedLicenses");
    for (files, reason) in [
        (vec![page(ROLES, &[role(&[member("a")])])], LicensesUnknown::NoUsers),
        (vec![open(page(USERS, &[user("a")]))], LicensesUnknown::PageMissing),
        (vec![page(USERS, &[user("b"), unasked.clone()])], LicensesUnknown::NoLicenses),
    ] {
        let directory = directory(&files);
        assert_eq!(directory.users().unwrap_err(), reason);
        assert_eq!(directory.usage(&terms("2026-01-01"), day("2026-02-10")).unwrap_err(), reason);
    }
    let mut empty = directory(&[page(USERS, &[])]);
    assert_eq!(empty.users().unwrap_err(), LicensesUnknown::Empty);
    empty.allow_no_users();
    assert_eq!(empty.users().unwrap(), []);
    assert_eq!(empty.usage(&terms("2026-01-01"), day("2026-02-10")).unwrap().total_licensed_users, 0);
    let completed = directory(&[page(USERS, &[unasked]), page(USERS, &[user("a")])]);
    assert_eq!(completed.users().unwrap().len(), 1, "pages that were asked for other properties complete it");
}
