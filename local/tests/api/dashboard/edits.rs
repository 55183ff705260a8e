//! Edits of reports in the dashboard: pages and the API agree for every field, and no editor overwrites another unseen.

use axum::Router;
use model::{ReportBody, Role};
use serde_json::{Value, json};
use store::{AuditAction, StoreError};

use super::roles::hidden;
use super::{Received, dashboard_of, join, send, sign_in};
use crate::support::{TestApp, by_operator, follow_up_report, later, time};

const CONTROL: &str = "Y.1";

/// A report of a tenant, and a Full Member who edits it.
struct Editing {
    app: TestApp,
    router: Router,
    cookie: String,
    report: String,
}

impl Editing {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &follow_up_report("2026-07-01T00:00:00Z")).await;
        let report = format!("/tenants/{}/reports/rpt_1", app.org_a.tenants[0]);
        Self { router: dashboard_of(&app), cookie: sign_in(&app, &member).await, app, report }
    }

    async fn get(&self, path: &str) -> String {
        let response = send(&self.router, "GET", path, Some(&self.cookie), "").await;
        assert_eq!(response.status, 200, "{path}");
        response.text
    }

    /// Opens the form of a check.
    async fn form(&self) -> Vec<(&'static str, String)> {
        let page = self.get(&format!("{}/edit/check?control={CONTROL}", self.report)).await;
        let check = self.returned().await["checks"][0].clone();
        let text = |field: &str| check[field].as_str().unwrap_or_default().to_owned();
        let names = ["status", "severity", "currentState", "why", "suggestedFix"];
        let mut fields: Vec<_> = names.into_iter().map(|name| (name, text(name))).collect();
        fields.push(("control", CONTROL.to_owned()));
        fields.push(("seen", hidden(&page, "seen").unwrap().to_owned()));
        fields
    }

    async fn send(&self, fields: &[(&str, String)]) -> Received {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        send(&self.router, "POST", &format!("{}/edit/check", self.report), Some(&self.cookie), &form.finish()).await
    }

    /// Opens the form of the check, sets a field and sends it.
    async fn edit(&self, field: &str, value: &str) -> Received {
        let mut fields = self.form().await;
        fields.iter_mut().find(|(name, _)| *name == field).unwrap().1 = value.to_owned();
        self.send(&fields).await
    }

    /// The report as the API returns it.
    async fn returned(&self) -> Value {
        self.app.org_a().get("/v1/posture-reports").await.success()["reports"][0].clone()
    }

    /// The report as `posture report show` reads it.
    async fn shown(&self) -> Value {
        let report = self.app.org_a.organization.report(&"rpt_1".parse().unwrap()).await.unwrap().unwrap();
        serde_json::to_value(report.open().unwrap().body).unwrap()
    }
}

#[tokio::test]
async fn pages_the_api_and_the_command_agree_for_every_field_that_can_be_edited() {
    let editing = Editing::new().await;
    let edits = [
        ("status", "IN_PROGRESS", ">In progress<"),
        ("severity", "LOW", ">Low<"),
        ("currentState", "Half of it.\r\nThe rest follows.", "Half of it.\nThe rest follows."),
        ("why", "The customer accepted the risk.", "The customer accepted the risk."),
        ("suggestedFix", "Wait for the new devices.", "Wait for the new devices."),
        ("severity", "", ">Not rated<"),
        ("why", "", ""),
        ("suggestedFix", "", ""),
    ];
    for (field, value, on_page) in edits {
        let before = editing.returned().await;
        let response = editing.edit(field, value).await;
        assert_eq!((response.status, response.location().split('#').next()), (303, Some(&*editing.report)), "{field}");
        let returned = editing.returned().await;
        let mut expected = before["checks"][0].clone();
        expected[field] = if value.is_empty() { Value::Null } else { json!(value.replace("\r\n", "\n")) };
        if field == "status" {
            // Only fixed and drifted results have a previous state.
            expected["previousState"] = Value::Null;
        }
        assert_eq!(returned["checks"][0], expected, "{field}");
        assert_eq!(returned["checks"][1], before["checks"][1], "{field}");
        let page = editing.get(&format!("{}?q={CONTROL}", editing.report)).await;
        assert!(page.contains(on_page), "{field}");
        let mut body = returned;
        for field in ["id", "url", "tenant"] {
            body.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(body, editing.shown().await, "{field}");
    }
    let check = editing.returned().await["checks"][0].clone();
    assert_eq!((check["severity"].clone(), check["why"].clone()), (Value::Null, Value::Null));
    assert_eq!(editing.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn the_report_page_marks_edits_which_the_api_does_not_know() {
    let editing = Editing::new().await;
    assert!(!editing.get(&editing.report).await.contains("tag edited"));
    let names: Vec<_> = editing.returned().await.as_object().unwrap().keys().cloned().collect();
    editing.edit("why", "A reason.").await;
    editing.edit("status", "OPEN").await;
    let page = editing.get(&editing.report).await;
    assert!(page.contains("1 result of this report was edited by people"), "{page}");
    assert!(page.contains("Edited: status, why it matters, by "), "{page}");
    assert!(page.contains(">Amara</bdi>, <time"), "{page}");
    let after: Vec<_> = editing.returned().await.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, after);
    let (entries, _) = editing.app.org_a.organization.audit_trail(None, 10, later()).await.unwrap();
    let changes = entries.iter().filter(|entry| entry.author_name == "Amara").flat_map(|entry| &entry.changes);
    let fields: Vec<_> = changes.map(|change| change.field.as_str()).collect();
    assert!(["Y.1 why", "Y.1 status", "Y.1 previousState"].iter().all(|field| fields.contains(field)), "{fields:?}");
    let kept = editing.app.org_a.organization.kept_edits(&editing.app.org_a.tenants[0]).await.unwrap();
    assert_eq!(kept, []);
    // The last one who edits a check is shown.
    let by_another = |body: &mut ReportBody| {
        body.checks[0].why = Some("Another reason.".to_owned());
        Ok::<_, StoreError>(())
    };
    let report = editing.report.rsplit('/').next().unwrap().parse().unwrap();
    by_operator(&editing.app.org_a.organization, time("2026-12-24T00:00:00Z"))
        .edit_report(&report, by_another)
        .await
        .unwrap();
    let page = editing.get(&editing.report).await;
    assert!(
        page.contains(">Operator</bdi>, <time datetime=\"2026-12-24") && !page.contains(">Amara</bdi>, <time"),
        "{page}"
    );
}

#[tokio::test]
async fn a_risk_is_accepted_in_the_form_counted_beside_the_results_and_ended() {
    let editing = Editing::new().await;
    editing.edit("why", "It matters.").await;
    let before = editing.app.org_a().get("/v1/posture-reports").await;
    let report = editing.returned().await;
    let with = async |until: &str, reason: &str| {
        let mut fields = editing.form().await;
        fields.extend([("until", until.to_owned()), ("reason", reason.to_owned())]);
        editing.send(&fields).await
    };
    assert_eq!(with("2027-07-15", "It waits\r\nfor May.").await.status, 303);
    let after = editing.app.org_a().get("/v1/posture-reports").await;
    assert_ne!(after.header("etag"), before.header("etag"));
    let mut expected = report.clone();
    expected["checks"][0]["acceptedRisk"] = json!({ "reason": "It waits\nfor May.", "until": "2027-07-15" });
    expected["topRisks"] = json!([]);
    assert_eq!(editing.returned().await, expected, "status, score and counts stay");
    let page = editing.get(&editing.report).await;
    assert!(page.contains("Drifted <b>1</b>, 1 of them accepted"), "{page}");
    assert!(page.contains("Nothing is open, drifted or in progress, but for accepted risks."), "{page}");
    assert!(page.contains("1 check</span>") || page.contains(", 1 accepted"), "{page}");
    assert!(page.contains("It waits\nfor May.") && page.contains("15 Jul 2027"), "{page}");
    let csv = editing.get(&format!("{}/checks.csv", editing.report)).await;
    assert!(csv.contains(",Nobody used it.,2027-07-15,\"It waits\nfor May.\",,,\r\n"), "{csv}");
    assert!(csv.ends_with(",Nobody used it.,,,,,\r\n"), "{csv}");
    let form = editing.get(&format!("{}/edit/check?control={CONTROL}", editing.report)).await;
    assert!(form.contains(r#"name="until" value="2027-07-15""#) && form.contains("\nIt waits\nfor May.</textarea>"));
    assert!(!form.contains("checked"), "no other edit is kept");
    let kept = editing.get(&format!("/tenants/{}/kept-edits", editing.app.org_a.tenants[0])).await;
    assert!(kept.contains("Risk accepted until") && kept.contains("It waits\nfor May."), "{kept}");

    assert_eq!(with("", "").await.status, 303);
    assert_eq!(editing.returned().await, report);
    let (entries, _) = editing.app.org_a.organization.audit_trail(None, 10, later()).await.unwrap();
    let actions: Vec<_> = entries.iter().filter(|entry| entry.author_name == "Amara").map(|it| it.action).collect();
    assert!(actions.contains(&AuditAction::RiskAccepted) && actions.contains(&AuditAction::RiskAcceptanceEnded));
    let changes = entries.iter().flat_map(|entry| &entry.changes);
    let ended = changes.filter(|change| change.field == "Y.1 acceptedRisk" && change.after.is_none()).count();
    assert_eq!((ended, editing.app.org_a.organization.all_kept_edits().await.unwrap().len()), (1, 0));
}

#[tokio::test]
async fn what_a_tools_file_says_for_accepting_a_risk_is_offered_and_accepted_only_by_a_person() {
    let editing = Editing::new().await;
    let mut report = follow_up_report("2026-07-02T00:00:00Z");
    report["checks"][0]["status"] = json!("NOT_ASSESSED");
    report["checks"][0]["proposedRisk"] = json!({ "reason": "It is done elsewhere.", "until": "2026-12-31" });
    editing.app.org_a.add_report(&editing.app.org_a.tenants[0], "rpt_2", &report).await;
    let editing = Editing { report: editing.report.replace("rpt_1", "rpt_2"), ..editing };
    let address = format!("{}/edit/check?control={CONTROL}", editing.report);
    let form = editing.get(&address).await;
    assert!(form.contains("The tool's file says: It is done elsewhere. (2026-12-31)"), "{form}");
    assert!(!form.contains("name=\"until\""), "nothing is filled in");
    let filled = editing.get(&format!("{address}&proposed=yes")).await;
    assert!(
        filled.contains("name=\"until\" value=\"2026-12-31\"") && filled.contains("<option value=\"OPEN\" selected>")
    );
    assert!(filled.contains("\nIt is done elsewhere.</textarea>"));
    assert_eq!(editing.edit("why", "It matters.").await.status, 303);
    assert!(editing.returned().await["checks"][0].get("acceptedRisk").is_none(), "another edit accepts nothing");
    let mut fields = editing.form().await;
    fields.iter_mut().find(|(name, _)| *name == "status").unwrap().1 = "OPEN".to_owned();
    fields.extend([("until", "2026-12-31".to_owned()), ("reason", "It is done elsewhere.".to_owned())]);
    assert_eq!(editing.send(&fields).await.status, 303);
    assert_eq!(editing.returned().await["checks"][0]["acceptedRisk"]["until"], "2026-12-31");
    assert!(!editing.get(&address).await.contains("file says"));
}

#[tokio::test]
async fn an_administrators_status_is_edited_and_marked() {
    let editing = Editing::new().await;
    let page = editing.get(&editing.report).await;
    let links: Vec<_> = page.split("href=\"").filter_map(|rest| rest.split('"').next()).collect();
    let links: Vec<_> = links.into_iter().filter(|link| link.contains("/edit/administrator?")).collect();
    assert_eq!(links.len(), 8);
    assert!(!page.split("href=\"").skip(1).any(|rest| rest.split('"').next().unwrap().contains("@example.org")));
    let form = editing.get(links[3]).await;
    let fields = [("administrator", hidden(&form, "administrator")), ("seen", hidden(&form, "seen"))];
    let fields: Vec<_> = fields.into_iter().map(|(name, value)| format!("{name}={}", value.unwrap())).collect();
    let path = format!("{}/edit/administrator", editing.report);
    let form = |status: &str| format!("{}&status={status}", fields.join("&"));
    let response = send(&editing.router, "POST", &path, Some(&editing.cookie), &form("NOPE")).await;
    assert!(response.status == 200 && response.text.contains("Choose a status."), "{}", response.status);
    let response = send(&editing.router, "POST", &path, Some(&editing.cookie), &form("SECURE")).await;
    assert_eq!(response.status, 303, "{}", response.text);
    assert_eq!(editing.returned().await["globalAdmins"]["admins"][3]["status"], "SECURE");
    assert!(editing.get(&editing.report).await.contains("Edited: status, by "));
    let (entries, _) = editing.app.org_a.organization.audit_trail(None, 10, later()).await.unwrap();
    let edit = entries.iter().find(|entry| entry.action == AuditAction::ReportEdited).unwrap();
    let changes: Vec<_> = edit.changes.iter().map(|change| (&*change.field, change.after.as_deref())).collect();
    assert_eq!(changes, [("sms@example.org status", Some("SECURE"))]);
    // The form was opened before that edit.
    let response = send(&editing.router, "POST", &path, Some(&editing.cookie), &form("OPEN")).await;
    assert!(response.status == 409 && response.text.contains("It is now: Secure"), "{}", response.status);
    assert_eq!(editing.returned().await["globalAdmins"]["admins"][3]["status"], "SECURE");
}

#[tokio::test]
async fn an_editor_does_not_overwrite_another_without_seeing_it() {
    let editing = Editing::new().await;
    let mut second = editing.form().await;
    assert_eq!(editing.edit("why", "The first.").await.status, 303);
    second[3].1 = "The second.".to_owned();
    let response = editing.send(&second).await;
    assert_eq!(response.status, 409);
    assert!(
        response.text.contains("This was changed since you opened it")
            && response.text.contains("It is now: The first.")
    );
    assert!(response.text.contains(">\nThe second.</textarea>"), "what was entered stays: {}", response.text);
    assert_eq!(editing.returned().await["checks"][0]["why"], "The first.");
    // Who has seen it may replace it.
    second[6].1 = hidden(&response.text, "seen").unwrap().to_owned();
    assert_eq!(editing.send(&second).await.status, 303);
    assert_eq!(editing.returned().await["checks"][0]["why"], "The second.");
}

#[tokio::test]
async fn bad_input_gets_the_form_again_and_changes_nothing() {
    let editing = Editing::new().await;
    let before = editing.returned().await;
    let long = "x".repeat(10_001);
    let bad = [
        ("status", "NOPE", "Choose a status."),
        ("severity", "WORST", "Choose a severity."),
        ("currentState", " ", "must not be empty."),
        ("why", "a\u{1b}[2J", "has hidden characters"),
        ("why", "invoice\u{202e}fdp.exe", "has hidden characters"),
        ("suggestedFix", &long, "at most 10000 characters"),
    ];
    for (field, value, reason) in bad {
        let response = editing.edit(field, value).await;
        assert_eq!(response.status, 200, "{field}");
        assert!(response.text.contains(reason) && response.text.contains(&format!("id=\"{field}-error\"")), "{field}");
    }
    let bad = [
        ("2027-02-30", "It waits.", "until", "Enter the day"),
        ("", "It waits.", "until", "Enter the day"),
        ("2026-07-15", "It waits.", "until", "after today (UTC) and within a year"),
        ("2027-07-16", "It waits.", "until", "after today (UTC) and within a year"),
        ("2027-01-01", " ", "reason", "needs a reason"),
        ("2027-01-01", "invoice\u{202e}fdp.exe", "reason", "needs a reason"),
    ];
    for (until, reason, field, complaint) in bad {
        let mut fields = editing.form().await;
        fields.extend([("until", until.to_owned()), ("reason", reason.to_owned())]);
        let response = editing.send(&fields).await;
        assert!(response.text.contains(complaint), "{until} {reason:?}");
        assert!(response.text.contains(&format!("id=\"{field}-error\"")), "{until} {reason:?}");
    }
    // Saving what is there already changes nothing either.
    assert_eq!(editing.send(&editing.form().await).await.status, 303);
    assert_eq!(editing.returned().await, before);
    let summary = editing.app.org_a.organization.report(&"rpt_1".parse().unwrap()).await.unwrap().unwrap().summary;
    assert_eq!(summary.revision, 0);
}
