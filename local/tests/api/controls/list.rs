//! The list of controls, and the tenants of one.

use model::{Choice, ReportBody, Severity, Status, Wire};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{Located, StoreError};

use crate::support::{Client, DASHBOARD, TestApp, baseline_report, by_operator, tenant, time};

const PATH: &str = "/v1/controls";

async fn page(client: &Client, query: &str) -> Value {
    client.get(&format!("{PATH}{query}")).await.success()
}

/// Returns a report in which the first control has a status.
pub(super) fn report(completed_at: &str, status: &str) -> Value {
    let mut body = baseline_report(completed_at);
    body["checks"][0]["status"] = json!(status);
    body
}

/// Returns the version of the list of controls of the first organization, as stored.
pub(super) async fn version(app: &TestApp) -> u64 {
    let pk = format!("ORG#{}", app.org_a.organization.id());
    let items = app.items().await;
    let list = items.iter().find(|item| item["pk"].as_s() == Ok(&pk) && item["sk"].as_s().unwrap() == "CONTROLS");
    list.unwrap()["version"].as_n().unwrap().parse().unwrap()
}

fn texts<'a>(page: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    page[list].as_array().unwrap().iter().map(|row| row[field].as_str().unwrap()).collect()
}

/// A service whose first organization has a report of each of its tenants.
async fn filled() -> TestApp {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_1", &report("2026-06-01T00:00:00.000Z", "OPEN")).await;
    app.org_a.add_report(first, "rpt_2", &report("2026-07-01T00:00:00.000Z", "DRIFTED")).await;
    app.org_a.add_report(second, "rpt_3", &report("2026-07-02T00:00:00.000Z", "SECURE")).await;
    app.org_a.add_report_of("Maester", second, "rpt_4", &report("2026-07-03T00:00:00.000Z", "OPEN")).await;
    app
}

#[tokio::test]
async fn a_control_has_the_number_of_tenants_by_result_and_its_tenants() {
    let app = filled().await;
    let list = page(&app.org_a(), "").await;
    assert_eq!((&list["totalControls"], &list["nextCursor"]), (&json!(8), &Value::Null));
    let counts = |secure: u32, drifted: u32| {
        json!({
            "assessed": 2, "secure": secure, "fixed": 0, "inProgress": 0, "open": 0, "drifted": drifted,
            "notAssessed": 0,
        })
    };
    let control = |id: &str, category: &str, severity: Value| {
        json!({
            "controlId": id, "name": format!("Control {id}"), "category": category, "severity": severity,
            "tool": "scubagear",
        })
    };
    let with = |mut row: Value, field: &str, value: Value| {
        row[field] = value;
        row
    };
    let counted = |row, tenants| with(with(row, "tenants", tenants), "acceptedRisks", json!(0));
    let first = control("X.1", "CONDITIONAL_ACCESS", Value::Null);
    assert_eq!(list["controls"][4], counted(first.clone(), counts(1, 1)));
    let second = control("X.2", "ACCOUNTS", json!("LOW"));
    assert_eq!(list["controls"][5], counted(second, counts(2, 0)));
    assert_eq!(texts(&list, "controls", "tool"), [["Maester"; 4], ["scubagear"; 4]].concat());

    let one = page(&app.org_a(), "/X.1?tool=scubagear").await;
    let [a1, a2] = &app.org_a.tenants;
    let tenant = |id, name: &str, status: &str, since: &str, report: &str, completed_at: &str| {
        json!({
            "serviceTenantId": id, "name": name, "providerTenantId": crate::support::provider_id(id), "status": status,
            "since": since, "reportId": report, "completedAt": completed_at,
            "url": format!("{DASHBOARD}/tenants/{id}/reports/{report}"),
        })
    };
    let tenants = json!([
        tenant(a1, "Tenant a1", "DRIFTED", "2026-06-01", "rpt_2", "2026-07-01T00:00:00.000Z"),
        tenant(a2, "Tenant a2", "SECURE", "2026-07-02", "rpt_3", "2026-07-02T00:00:00.000Z"),
    ]);
    let expected = with(with(with(first, "tenants", tenants), "totalTenants", json!(2)), "nextCursor", Value::Null);
    assert_eq!(one, expected);
}

#[tokio::test]
async fn controls_and_tenants_are_filtered_and_come_in_pages() {
    let app = filled().await;
    let client = app.org_a();
    for (query, expected) in [
        ("?severity=HIGH", &["X.4", "X.4"][..]),
        ("?category=ACCOUNTS&tool=Maester", &["X.2"]),
        ("?tool=Unknown", &[]),
        ("?category=ACCOUNTS&severity=HIGH", &[]),
    ] {
        assert_eq!(texts(&page(&client, query).await, "controls", "controlId"), expected, "{query}");
    }
    let open = page(&client, "/X.1?tool=scubagear&status=DRIFTED").await;
    assert_eq!(texts(&open, "tenants", "reportId"), ["rpt_2"]);
    for (path, list, field) in [("?", "controls", "controlId"), ("/X.2?tool=scubagear&", "tenants", "reportId")] {
        let whole = page(&client, path).await;
        for limit in 1..=3 {
            let (mut cursor, mut found) = (String::new(), Vec::new());
            loop {
                let part = page(&client, &format!("{path}limit={limit}&cursor={cursor}")).await;
                found.extend(part[list].as_array().unwrap().clone());
                match part["nextCursor"].as_str() {
                    Some(next) => cursor = next.to_owned(),
                    None => break,
                }
            }
            assert_eq!(json!(found), whole[list], "{path} {limit} {field}");
        }
    }
    let first = page(&client, "?limit=1").await;
    let foreign = format!("{PATH}?tool=Maester&cursor={}", first["nextCursor"].as_str().unwrap());
    client.get(&foreign).await.failure(400, "INVALID_REQUEST");
    app.org_b()
        .get(&format!("{PATH}?cursor={}", first["nextCursor"].as_str().unwrap()))
        .await
        .failure(400, "INVALID_REQUEST");
}

#[tokio::test]
async fn an_unknown_control_is_not_found_and_one_of_several_tools_needs_the_tool() {
    let app = filled().await;
    app.org_a().get(&format!("{PATH}/X.9")).await.failure(404, "NOT_FOUND");
    app.org_a().get(&format!("{PATH}/X.1?tool=Unknown")).await.failure(404, "NOT_FOUND");
    app.org_b().get(&format!("{PATH}/X.1")).await.failure(404, "NOT_FOUND");
    let error = app.org_a().get(&format!("{PATH}/X.1")).await.failure(400, "INVALID_REQUEST");
    assert!(error["details"].as_str().unwrap().starts_with("tool must be given"), "{error}");
    for status in Status::KNOWN {
        page(&app.org_a(), &format!("/X.1?tool=Maester&status={}", Wire(status))).await;
    }
    for severity in Severity::KNOWN {
        page(&app.org_a(), &format!("?severity={}", Wire(severity))).await;
    }
    for query in ["?severity=HIGHEST", "?category=", "?limit=501", "/X.1?status=open", "/X.1?limit=0"] {
        app.org_a().get(&format!("{PATH}{query}")).await.failure(400, "INVALID_REQUEST");
    }
}

#[tokio::test]
async fn edits_renames_deletions_and_removals_show_at_once() {
    let app = filled().await;
    let [first, second] = &app.org_a.tenants;
    let writer = app.org_a.writer();
    let secure = |body: &mut ReportBody| {
        body.checks[0].status = Status::Secure;
        Ok::<_, StoreError>(())
    };
    let one = async || page(&app.org_a(), "/X.1?tool=scubagear").await["tenants"].clone();
    let held = app.org_a().get(PATH).await.header("etag").unwrap().to_owned();
    assert_eq!(app.org_a().get_if_changed(PATH, &held).await.status, 304);
    writer.edit_report(&"rpt_2".parse().unwrap(), secure).await.unwrap();
    assert_eq!(app.org_a().get_if_changed(PATH, &held).await.status, 200);
    assert_eq!((&one().await[0]["status"], &one().await[0]["since"]), (&json!("SECURE"), &json!("2026-07-01")));
    writer.rename_tenant(first, &"Renamed".parse().unwrap()).await.unwrap();
    assert_eq!(one().await[0]["name"], "Renamed");
    writer.delete_report(&"rpt_2".parse().unwrap()).await.unwrap();
    assert_eq!((&one().await[0]["status"], &one().await[0]["reportId"]), (&json!("OPEN"), &json!("rpt_1")));
    writer.delete_report(&"rpt_1".parse().unwrap()).await.unwrap();
    assert_eq!(one().await.as_array().unwrap().len(), 1);
    app.org_a.remove_tenant(second).await;
    assert_eq!(page(&app.org_a(), "").await["controls"], json!([]));
    let added = tenant(&"ten_a3".parse().unwrap(), "Third");
    app.org_a.add_tenant(&added).await;
    let mut other = report("2026-07-04T00:00:00.000Z", "OPEN");
    let checks = other["checks"].as_array_mut().unwrap();
    checks.truncate(1);
    checks[0]["controlId"] = json!("Y.1");
    app.org_a.add_report(&added.service_tenant_id, "rpt_5", &other).await;
    assert_eq!(texts(&page(&app.org_a(), "").await, "controls", "controlId"), ["Y.1"]);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn texts_of_controls_follow_the_reports_once_a_day_and_not_the_edits_of_one_tenant() {
    let app = TestApp::new().await;
    let name = async |day: u32, name: &str| {
        let mut body = report(&format!("2026-07-{day:02}T00:00:00.000Z"), "OPEN");
        body["checks"][0]["name"] = json!(name);
        let parsed = ReportBody::deserialize(&body).unwrap();
        assert_eq!(parsed.checks[0].name, name);
        app.org_a.add_report(&app.org_a.tenants[0], &format!("rpt_{day}_{name}"), &body).await;
        page(&app.org_a(), "").await["controls"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(name(1, "A").await, "A");
    assert_eq!(name(1, "B").await, "A");
    assert_eq!(name(2, "B").await, "B");
    let severity = |body: &mut ReportBody| {
        body.checks[0].severity = Some(Severity::Critical);
        Ok::<_, StoreError>(())
    };
    let next_day = by_operator(&app.org_a.organization, time("2026-07-03T00:00:00Z"));
    next_day.edit_report(&"rpt_2_B".parse().unwrap(), severity).await.unwrap();
    assert_eq!(page(&app.org_a(), "").await["controls"][0]["severity"], Value::Null);
}

#[tokio::test]
async fn no_name_of_a_control_is_left_of_an_erased_tenant() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    let mut body = report("2026-07-01T00:00:00.000Z", "OPEN");
    body["checks"][0]["name"] = json!("Of the erased one");
    body["checks"][1]["controlId"] = json!("Z.1");
    app.org_a.add_report(first, "rpt_1", &body).await;
    app.org_a.add_report(second, "rpt_2", &report("2026-07-01T00:00:00.000Z", "OPEN")).await;
    let names = async || {
        let list = page(&app.org_a(), "").await;
        texts(&list, "controls", "name").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["Of the erased one", "Control X.2", "Control X.3", "Control X.4", "Control X.2"]);
    let before = version(&app).await;
    app.org_a.writer().erase_tenant(first).await.unwrap();
    assert_eq!(version(&app).await, before + 1);
    assert_eq!(names().await, ["Control X.1", "Control X.2", "Control X.3", "Control X.4"]);
    let fleet = app.org_a.organization.fleet().await.unwrap();
    let located = fleet.locate(&"Z.1".parse().unwrap(), None).await.unwrap();
    assert!(matches!(&located, Located::In { control, .. } if control.name == "Z.1"), "{located:?}");
    // Its control is listed again once a report has it.
    body["checks"][0]["name"] = json!("Control X.1");
    body["checks"][1]["name"] = json!("Control Z.1");
    body["completedAt"] = json!("2026-07-02T00:00:00.000Z");
    app.org_a.add_report(second, "rpt_3", &body).await;
    assert_eq!(names().await, ["Control X.1", "Control X.3", "Control X.4", "Control Z.1"]);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_control_that_is_new_while_the_controls_are_read_has_its_name() {
    let app = filled().await;
    let fleet = app.org_a.organization.fleet().await.unwrap();
    let mut with_new = report("2026-07-04T00:00:00.000Z", "OPEN");
    (with_new["checks"][1]["controlId"], with_new["checks"][1]["name"]) = (json!("Y.1"), json!("New"));
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_5", &with_new).await;
    let controls = fleet.controls(Some("scubagear"), None).await.unwrap().controls;
    let names: Vec<_> = controls.iter().map(|of| &*of.control.name).collect();
    assert_eq!(names, ["Control X.1", "Control X.2", "Control X.3", "Control X.4", "New"]);
}

#[tokio::test]
async fn controls_for_which_the_list_has_no_room_are_found_and_counted() {
    let app = TestApp::new().await;
    let mut random = fastrand::Rng::with_seed(1);
    for (tenant, letter) in app.org_a.tenants.iter().zip(["A", "B"]) {
        let mut report = report("2026-06-01T00:00:00.000Z", "OPEN");
        let template = report["checks"][0].clone();
        let check = |number: usize| {
            let mut check = template.clone();
            check["controlId"] = format!("{letter}.{number}").into();
            // Both reports fit into an item, but not the names of both.
            let name = (0..1_500).map(|_| random.alphanumeric()).collect::<String>();
            check["name"] = format!("{letter}.{number} {name}").into();
            check
        };
        report["checks"] = (0..150).map(check).collect();
        app.org_a.add_report(tenant, &format!("rpt_{letter}"), &report).await;
    }
    let client = app.org_a();
    assert_eq!(page(&client, "?limit=300").await["totalControls"], 300);
    for (control, report) in [("A.7", "rpt_A"), ("B.7", "rpt_B")] {
        let one = page(&client, &format!("/{control}")).await;
        assert_eq!(texts(&one, "tenants", "reportId"), [report]);
        assert!(one["name"].as_str().unwrap().starts_with(&format!("{control} ")));
    }
    client.get(&format!("{PATH}/B.150")).await.failure(404, "NOT_FOUND");
}
