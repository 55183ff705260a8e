//! Trends: the figures of a week, made by any round after its end.

mod costs;
mod damage;

use chrono::TimeDelta;
use futures_util::future::join_all;
use model::{Actor, ReportId, Role, Schedule, ServiceTenantId, Timestamp, Week};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit};
use serde_json::{Value, json};
use store::Schedules;

use crate::dashboard::{dashboard_of, join, send, sign_in};
use crate::formats::Item;
use crate::schedules::{admin, after, killed, round, scheduler};
use crate::stale::next_at;
use crate::support::{DASHBOARD, TestApp, TestOrganization, baseline_report, tenant, time};

/// The first moment at which the week 28 is made.
const MONDAY: &str = "2026-07-13T12:00:00Z";
/// The first look, before all reports.
const FIRST: &str = "2026-06-01T00:00:00Z";

/// Looks until no week is left.
async fn made(app: &TestApp, at: &str) {
    while next_at(app).await.unwrap() <= time(at) {
        round(app, time(at)).await;
    }
}

fn report(at: &str, score: u8, status: &str) -> Value {
    let mut body = baseline_report(at);
    body["score"] = json!(score);
    body["checks"][0]["status"] = json!(status);
    body
}

async fn add(of: &TestOrganization, tenant: usize, at: &str, score: u8, status: &str) {
    let id = format!("rpt_{tenant}_{}", at.replace(['-', ':'], "_"));
    of.add_report_of("ScubaGear", &of.tenants[tenant], &id, &report(at, score, status)).await;
}

async fn set_daily(app: &TestApp, at: &str) {
    let (every, between) = ("daily".parse().unwrap(), "22-04".parse().unwrap());
    let schedule = Schedule { every, between, since: time(at) };
    admin(&app.org_a.organization, at).set_schedule(None, Some(schedule)).await.unwrap();
}

/// Edits a report: a control that was open is secure.
async fn set_secure(app: &TestApp, report: &ReportId, at: &str) {
    let change = CheckChange { status: Some(model::Status::Secure), ..CheckChange::default() };
    let edit = ReportEdit::Check { control: "X.3".to_owned(), change };
    let (organization, operator) = (&app.org_a.organization, Actor::operator());
    edits::edit(organization, &operator, report, &edit, EditOptions::default(), time(at)).await.unwrap();
}

/// Returns a service whose two tenants have reports of the weeks 26 and 27.
async fn filled() -> TestApp {
    let app = TestApp::new().await;
    fill(&app).await;
    app
}

async fn fill(app: &TestApp) {
    round(app, time(FIRST)).await;
    add(&app.org_a, 0, "2026-06-24T00:00:00Z", 40, "OPEN").await;
    add(&app.org_a, 1, "2026-06-25T00:00:00Z", 81, "OPEN").await;
    add(&app.org_a, 0, "2026-07-01T00:00:00Z", 60, "SECURE").await;
}

async fn trends(app: &TestApp, query: &str) -> Vec<Value> {
    let list = app.org_a().get(&format!("/v1/trends{query}")).await.success();
    let trends = list["trends"].as_array().unwrap().clone();
    assert_eq!(list["totalTrends"], trends.len());
    trends
}

fn of_week(week: &str, average: f64, fixed: Value, moved: Value) -> Value {
    json!({
        "week": week, "endsAt": week.parse::<Week>().unwrap().ends(), "tool": "ScubaGear", "tenants": 2,
        "averageScore": average, "openControls": 4, "fixed": fixed, "moved": moved,
    })
}

fn moved(tenant: &ServiceTenantId, name: &str, before: u8, score: u8) -> Value {
    let url = format!("{DASHBOARD}/tenants/{tenant}");
    json!({ "serviceTenantId": tenant, "name": name, "scoreBefore": before, "score": score, "url": url })
}

/// Returns the trends of the three weeks after [`filled`].
fn expected(app: &TestApp) -> Vec<Value> {
    let fixed = json!([{ "severity": null, "controls": 1, "medianDays": 7 }]);
    vec![
        of_week("2026-W26", 60.5, json!([]), json!([])),
        of_week("2026-W27", 70.5, fixed, json!([moved(&app.org_a.tenants[0], "Tenant a1", 40, 60)])),
        of_week("2026-W28", 70.5, json!([]), json!([])),
    ]
}

#[tokio::test]
async fn a_week_has_the_figures_of_the_newest_reports_at_its_end() {
    let app = filled().await;
    made(&app, "2026-07-05T23:59:59Z").await;
    assert_eq!(trends(&app, "").await, expected(&app)[..1]);
    assert_eq!(next_at(&app).await, Some(time("2026-07-06T12:00:00Z")));
    // It completes in the next week, and comes before the round.
    add(&app.org_a, 1, "2026-07-13T00:00:00Z", 10, "OPEN").await;
    made(&app, MONDAY).await;
    assert_eq!(trends(&app, "").await, expected(&app));
    assert_eq!(app.org_b().get("/v1/trends").await.success(), json!({ "trends": [], "totalTrends": 0 }));
    let of_b = app.org_b.organization.schedules().await.unwrap().unwrap();
    assert_eq!(of_b.trends_from, Some("2025-W29".parse().unwrap()), "it waits for a report");
    assert_eq!(next_at(&app).await, Some(time("2026-07-20T12:00:00Z")));
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn the_overview_shows_the_trend_or_when_it_begins() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let page = async || send(&router, "GET", "/", Some(&cookie), "").await.text;
    assert!(!page().await.contains("Trend"), "there is no report");
    fill(&app).await;
    let empty = page().await;
    assert!(empty.contains("The trend begins after the end of a week"), "{empty}");
    made(&app, MONDAY).await;
    let shown = page().await;
    assert!(shown.contains("ScubaGear: 60.5 on 29 Jun 2026, 70.5 on 6 Jul 2026, 70.5 on 13 Jul 2026."), "{shown}");
    for text in [
        "The week to <time datetime=\"2026-07-13",
        "<td class=\"n\">70.5</td>",
        ">0<",
        "Not rated: 7 days (1 control)",
        "The score of no tenant changed.",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    // Of the week that has ended, before the next one has.
    let [first, _] = &app.org_a.tenants;
    app.org_a.add_report_of("Maester", first, "rpt_m1", &report("2026-07-02T00:00:00Z", 90, "OPEN")).await;
    app.org_a.add_report_of("Maester", first, "rpt_m2", &report("2026-07-08T00:00:00Z", 84, "OPEN")).await;
    let items = app.items().await.into_iter().filter(|item| Item((*item).clone()).key().1.starts_with("TREND#"));
    for item in items {
        app.delete(&item).await;
    }
    let schedules = app.org_a.organization.schedules().await.unwrap().unwrap();
    let again = Schedules { trends_from: Some("2026-W26".parse().unwrap()), ..schedules };
    assert!(app.org_a.writer().settle_schedules(&again, time(MONDAY)).await.unwrap());
    made(&app, MONDAY).await;
    let shown = page().await;
    let link = format!("<a href=\"/tenants/{first}\"><bdi class=\"name\">Tenant a1</bdi></a></th><td>");
    assert!(shown.contains("From 90 at the end of the week before to 84") && shown.contains(&link), "{shown}");
    app.org_a.remove_tenant(first).await;
    assert!(!page().await.contains("Tenant a1"));
}

#[tokio::test]
async fn two_tools_are_never_mixed() {
    let app = filled().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report_of("Maester", second, "rpt_m1", &report("2026-07-02T00:00:00Z", 90, "OPEN")).await;
    app.org_a.add_report_of("Maester", second, "rpt_m2", &report("2026-07-08T00:00:00Z", 95, "SECURE")).await;
    app.org_a.add_report_of("Maester", first, "rpt_m3", &report("2026-07-09T00:00:00Z", 5, "OPEN")).await;
    made(&app, MONDAY).await;
    assert_eq!(trends(&app, "?tool=ScubaGear").await, expected(&app));
    let maester = trends(&app, "?tool=Maester").await;
    let figures = |of: &Value| (of["week"].clone(), of["tenants"].clone(), of["averageScore"].clone());
    assert_eq!(
        maester.iter().map(figures).collect::<Vec<_>>(),
        [(json!("2026-W27"), json!(1), json!(90.0)), (json!("2026-W28"), json!(2), json!(50.0)),]
    );
    assert_eq!(maester[1]["moved"], json!([moved(second, "Tenant a2", 90, 95)]));
    assert_eq!(maester[1]["fixed"], json!([{ "severity": null, "controls": 1, "medianDays": 6 }]));
    let all = trends(&app, "").await;
    let of_all: Vec<_> = all.iter().map(|of| (&of["week"], &of["tool"])).collect();
    assert_eq!(of_all[1..3], [(&json!("2026-W27"), &json!("Maester")), (&json!("2026-W27"), &json!("ScubaGear"))]);
    assert_eq!(trends(&app, "?tool=Prowler").await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_week_that_was_missed_is_made_later_and_unknown_ones_are_a_gap() {
    let app = filled().await;
    made(&app, "2026-12-07T12:00:00Z").await;
    let all: Vec<_> = app.org_a.organization.trends("2025-W01".parse().unwrap()).await.unwrap();
    assert_eq!(all.first().unwrap().week.to_string(), "2026-W26", "no week before the first report");
    assert_eq!(all.last().unwrap().week.to_string(), "2026-W49");
    let missed = trends(&app, "?startDate=2026-06-24").await;
    let without_fixed =
        |of: &Value| Value::from_iter(of.as_object().unwrap().clone().into_iter().filter(|(name, _)| name != "fixed"));
    let expected = expected(&app);
    assert_eq!(
        missed[..3].iter().map(without_fixed).collect::<Vec<_>>(),
        expected.iter().map(without_fixed).collect::<Vec<_>>()
    );
    assert!(missed[..3].iter().all(|of| of["fixed"].is_null()), "their events are deleted");
    let known: Vec<_> =
        all.iter().filter(|of| of.tools["ScubaGear"].fixed.is_some()).map(|of| of.week.to_string()).collect();
    assert_eq!((known.first().unwrap().as_str(), known.len()), ("2026-W38", 12), "those within 90 days");
    // More than a year later, the weeks between stay a gap.
    made(&app, "2029-01-01T12:00:00Z").await;
    let all = app.org_a.organization.trends("2025-W01".parse().unwrap()).await.unwrap();
    assert_eq!((all.len(), all[24].week.to_string().as_str()), (24 + 52, "2028-W01"));
}

#[tokio::test]
async fn rounds_at_once_and_killed_ones_make_each_week_once() {
    let app = filled().await;
    let scheduler = scheduler(&app);
    join_all([(); 3].map(|()| scheduler.handle(time(MONDAY)))).await;
    made(&app, MONDAY).await;
    assert_eq!(trends(&app, "").await, expected(&app));
    let mut monday = time(MONDAY);
    for polls in 1.. {
        monday = after(monday, 7 * 24);
        let ended = killed(polls, scheduler.handle(monday)).await;
        round(&app, monday).await;
        round(&app, monday).await;
        let all = app.org_a.organization.trends("2026-W28".parse().unwrap()).await.unwrap();
        let weeks: Vec<_> = all.iter().map(|of| of.week).collect();
        assert_eq!(weeks, "2026-W28".parse::<Week>().unwrap().until(Week::of(monday)).collect::<Vec<_>>());
        for of in &all {
            assert_eq!((of.tools["ScubaGear"].tenants, of.tools["ScubaGear"].scores, of.version), (2, 141, 0));
        }
        if ended {
            assert!(polls > 5, "it was killed in {polls} places");
            return;
        }
    }
}

#[tokio::test]
async fn edits_deletions_and_late_reports_change_later_weeks_only() {
    let app = filled().await;
    made(&app, MONDAY).await;
    // An older report that comes late, an edit that lets a control be secure, and a deletion of the newest report.
    add(&app.org_a, 1, "2026-06-30T00:00:00Z", 11, "OPEN").await;
    let newest = "rpt_1_2026_06_30T00_00_00Z".parse().unwrap();
    set_secure(&app, &newest, "2026-07-14T00:00:00Z").await;
    app.org_a.writer().delete_report(&"rpt_0_2026_07_01T00_00_00Z".parse().unwrap()).await.unwrap();
    made(&app, "2026-07-20T12:00:00Z").await;
    let organization = &app.org_a.organization;
    let score = organization.report(&newest).await.unwrap().unwrap().open().unwrap().body.figures.score;
    let all = organization.trends("2026-W26".parse().unwrap()).await.unwrap();
    let of = |place: usize| &all[place].tools["ScubaGear"];
    assert_eq!([of(0).scores, of(1).scores, of(2).scores], [121, 141, 141]);
    assert_eq!((of(3).scores, of(3).open), (40 + u64::from(score), 3));
    assert_eq!(of(3).fixed, Some(Vec::new()), "the report that is fixed completed before");
    assert_eq!(of(3).moved, [], "both scores are as at the end of the week before");
}

#[tokio::test]
async fn a_tenant_that_is_paused_does_not_count_and_a_removed_or_erased_one_is_not_named() {
    let app = filled().await;
    let [first, second] = &app.org_a.tenants;
    made(&app, MONDAY).await;
    let of_week_27 = async || trends(&app, "").await[1]["moved"].clone();
    let tag = app.org_a().get("/v1/trends").await.header("etag").unwrap().to_owned();
    assert_eq!(app.org_a().get_if_changed("/v1/trends", &tag).await.status, 304);
    app.org_a.writer().rename_tenant(first, &"Renamed".parse().unwrap()).await.unwrap();
    assert_eq!(of_week_27().await, json!([moved(first, "Renamed", 40, 60)]));
    assert_eq!(app.org_a().get_if_changed("/v1/trends", &tag).await.status, 200);
    app.org_a.writer().pause_tenant(second, true).await.unwrap();
    app.org_a.remove_tenant(first).await;
    assert_eq!(of_week_27().await, json!([]));
    let names_it = async || {
        let items = app.items().await.into_iter().map(Item).filter(|item| item.key().1.starts_with("TREND#"));
        items.filter(|item| format!("{item:?}").contains(first.as_str())).count()
    };
    assert_eq!(names_it().await, 0);
    made(&app, "2026-07-20T12:00:00Z").await;
    assert_eq!(app.org_a.organization.trends("2026-W29".parse().unwrap()).await.unwrap(), []);
    assert_eq!(trends(&app, "").await[1]["averageScore"], 70.5, "a week that has ended stays");
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn the_ten_largest_changes_are_named_and_a_rise_by_loss_is_none() {
    let app = TestApp::new().await;
    round(&app, time(FIRST)).await;
    for number in 0..13 {
        let id = format!("ten_m{number:02}").parse().unwrap();
        app.org_a.add_tenant(&tenant(&id, &format!("Tenant {number}"))).await;
        app.org_a.add_report(&id, &format!("rpt_a{number}"), &report("2026-07-01T00:00:00Z", 50, "OPEN")).await;
        let score = if number % 2 == 0 { 50 + number } else { 50 - number };
        let mut body = report("2026-07-08T00:00:00Z", score, "OPEN");
        if number == 12 {
            body["coverage"] = json!({ "previouslyAssessed": 10, "lost": 2, "reasons": [] });
        }
        app.org_a.add_report(&id, &format!("rpt_b{number}"), &body).await;
    }
    made(&app, MONDAY).await;
    let named = async || {
        let last = trends(&app, "").await.pop().unwrap();
        let names = last["moved"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let expected = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map(|number| format!("Tenant {number}"));
    assert_eq!(named().await, expected);
    app.org_a.writer().erase_tenant(&"ten_m11".parse().unwrap()).await.unwrap();
    assert_eq!(named().await, expected[1..], "the others stay");
}

#[tokio::test]
async fn days_are_counted_from_the_first_report_that_had_a_control_open() {
    let app = TestApp::new().await;
    round(&app, time(FIRST)).await;
    for (day, status) in
        [(8, "SECURE"), (9, "OPEN"), (12, "DRIFTED"), (14, "NOT_ASSESSED"), (15, "OPEN"), (30, "FIXED")]
    {
        let mut body = report(&format!("2026-06-{day:02}T00:00:00Z"), 50, status);
        body["checks"][3] = body["checks"][0].clone();
        body["checks"][3]["controlId"] = json!("X.4");
        app.org_a.add_report_of("ScubaGear", &app.org_a.tenants[0], &format!("rpt_{day}"), &body).await;
    }
    let events = app.org_a().get("/v1/events?limit=500&kind=control.fixed").await.success();
    assert_eq!(events["events"][0]["control"]["openSince"], "2026-06-09");
    made(&app, "2026-07-06T12:00:00Z").await;
    let all = trends(&app, "").await;
    assert_eq!(all.last().unwrap()["fixed"], json!([{ "severity": null, "controls": 2, "medianDays": 21 }]));
}

#[tokio::test]
async fn an_organization_of_an_earlier_release_is_followed_from_the_upgrade_on() {
    let app = filled().await;
    for item in app.items().await {
        let key = Item(item.clone()).key();
        if key.1 == "SCHEDULES" || key.0 == "DUE" {
            app.delete(&item).await;
        }
    }
    let discrepancies = app.org_a.organization.inspect().await.unwrap().discrepancies;
    let what = "the organization is not looked at: no reports are made when they are due, and no trend";
    assert_eq!(discrepancies.iter().map(|found| (&*found.subject, found.what)).collect::<Vec<_>>(), [("org_a", what)]);
    round(&app, time(MONDAY)).await;
    assert_eq!(trends(&app, "").await, [] as [Value; 0]);
    app.app.store.as_operator().upgrade(None, |_| {}).await.unwrap();
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    let now = Timestamp::try_from(chrono::Utc::now() + TimeDelta::minutes(1)).unwrap();
    round(&app, now).await;
    let later = next_at(&app).await.unwrap();
    made(&app, &later.to_string()).await;
    let first = app.org_a.organization.trends("2025-W01".parse().unwrap()).await.unwrap().remove(0);
    let earliest = Week::of(later).back(52).max("2026-W26".parse().unwrap());
    assert_eq!((first.week, first.tools["ScubaGear"].tenants), (earliest, 2), "its last year");
}

#[tokio::test]
async fn an_import_that_goes_on_at_the_first_look_is_whole_in_old_weeks() {
    let app = TestApp::new().await;
    add(&app.org_a, 0, "2026-06-24T00:00:00Z", 40, "OPEN").await;
    made(&app, "2026-07-10T00:00:00Z").await;
    // A schedule that is set meanwhile lets the organization be looked at again.
    set_daily(&app, "2026-07-10T01:00:00Z").await;
    round(&app, time("2026-07-10T01:00:00Z")).await;
    assert_eq!(trends(&app, "").await, [] as [Value; 0]);
    add(&app.org_a, 1, "2026-06-25T00:00:00Z", 81, "OPEN").await;
    add(&app.org_a, 0, "2026-07-01T00:00:00Z", 60, "SECURE").await;
    made(&app, "2026-07-13T11:59:59Z").await;
    assert_eq!(trends(&app, "").await, [] as [Value; 0]);
    made(&app, MONDAY).await;
    assert_eq!(trends(&app, "").await, expected(&app));
}

#[tokio::test]
async fn a_report_of_the_last_night_that_comes_after_midnight_is_in_the_week() {
    let app = filled().await;
    made(&app, "2026-07-13T00:05:00Z").await;
    add(&app.org_a, 1, "2026-07-12T23:50:00Z", 31, "OPEN").await;
    made(&app, MONDAY).await;
    let moved = json!([moved(&app.org_a.tenants[1], "Tenant a2", 81, 31)]);
    assert_eq!(trends(&app, "").await[2], of_week("2026-W28", 45.5, json!([]), moved));
    // A person edits it on Tuesday.
    set_secure(&app, &"rpt_1_2026_07_12T23_50_00Z".parse().unwrap(), "2026-07-14T00:00:00Z").await;
    made(&app, "2026-07-20T12:00:00Z").await;
    let fixed = json!([{ "severity": "MEDIUM", "controls": 1, "medianDays": 17 }]);
    assert_eq!(trends(&app, "").await[3]["fixed"], fixed);
}

#[tokio::test]
async fn scores_are_compared_only_if_their_controls_compare() {
    let app = TestApp::new().await;
    round(&app, time(FIRST)).await;
    // Controls that were lost since the baseline, and that were assessed, in each report.
    let cases = [
        ("regained", [(2, 8), (0, 10)]),
        ("lost both times", [(2, 8), (2, 8)]),
        ("another scope", [(0, 10), (0, 8)]),
        ("about the same", [(1, 9), (0, 10)]),
    ];
    for (number, (name, reports)) in cases.into_iter().enumerate() {
        let id = format!("ten_c{number}").parse().unwrap();
        app.org_a.add_tenant(&tenant(&id, name)).await;
        for (at, (score, (lost, assessed))) in
            ["2026-07-01", "2026-07-08"].into_iter().zip([95, 60].into_iter().zip(reports))
        {
            let mut body = report(&format!("{at}T00:00:00Z"), score, "OPEN");
            body["coverage"] = json!({ "previouslyAssessed": 10, "lost": lost, "reasons": [] });
            body["controls"]["assessed"] = json!(assessed);
            app.org_a.add_report(&id, &format!("rpt_{number}_{score}"), &body).await;
        }
    }
    made(&app, MONDAY).await;
    let last = trends(&app, "").await.pop().unwrap();
    let names: Vec<_> = last["moved"].as_array().unwrap().iter().map(|of| of["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lost both times", "about the same"]);
}
