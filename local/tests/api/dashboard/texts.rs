//! Texts of the organization: set for a control of a tool, and used by later imports of every tenant.

use axum::Router;
use futures_util::stream;
use model::{Actor, Role, ServiceTenantId};
use operations::InputFile;
use operations::import::{self, Options};
use serde_json::{Value, json};
use store::{AuditAction, AuditEntry, Organization, TextError, Texts};

use super::{Received, dashboard_of, hidden, join, now, send, sign_in};
use crate::samples::results;
use crate::support::{TestApp, baseline_report, by_operator, provider_id, time};

const CONTROL: &str = "MS.AAD.1.1";
const SECURE: &str = "MS.AAD.2.1";
const FORM: &str = "/settings/texts/edit";

/// A Full Member of an organization in which ScubaGear runs every month.
pub(super) struct Writing {
    pub(super) app: TestApp,
    pub(super) router: Router,
    pub(super) cookie: String,
}

impl Writing {
    pub(super) async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        Self { router: dashboard_of(&app), cookie: sign_in(&app, &member).await, app }
    }

    pub(super) fn tenant(&self, place: usize) -> &ServiceTenantId {
        &self.app.org_a.tenants[place]
    }

    /// Imports a month of a tenant. Returns the address of the report.
    pub(super) async fn run(&self, place: usize, month: u32) -> String {
        self.run_with(place, month, "Fail").await
    }

    /// Imports a month of a tenant with a result of the control.
    pub(super) async fn run_with(&self, place: usize, month: u32, result: &str) -> String {
        run(&self.app.org_a.organization, self.tenant(place), month, result).await
    }

    pub(super) async fn get(&self, path: &str) -> String {
        send(&self.router, "GET", path, Some(&self.cookie), "").await.text
    }

    pub(super) async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Received {
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        send(&self.router, "POST", path, Some(&self.cookie), &form).await
    }

    /// Edits a field of the control's check, as its form does, and keeps that if asked to.
    pub(super) async fn edit(&self, report: &str, field: &str, value: &str, keep: bool) {
        let seen = self.seen(&format!("{report}/edit/check?control={CONTROL}")).await;
        let check = self.check(report, CONTROL).await;
        let mut fields: Vec<_> = ["status", "severity", "currentState", "why", "suggestedFix"]
            .map(|name| (name, check[name].as_str().unwrap_or_default().to_owned()))
            .to_vec();
        fields.iter_mut().find(|(name, _)| *name == field).unwrap().1 = value.to_owned();
        fields.extend([("control", CONTROL.to_owned()), ("seen", seen)]);
        fields.extend(keep.then(|| ("keep", "on".to_owned())));
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let edited = self.post(&format!("{report}/edit/check"), &fields).await;
        assert_eq!(edited.status, 303, "{}", edited.text);
    }

    /// Returns the state that the form on a page has seen.
    pub(super) async fn seen(&self, page: &str) -> String {
        hidden(&self.get(page).await, "seen").unwrap().to_owned()
    }

    async fn set(&self, control: &str, why: &str, fix: &str) -> Received {
        let seen = self.seen(&format!("{FORM}?control={control}&tool=ScubaGear")).await;
        self.send(control, &seen, why, fix, "set").await
    }

    async fn send(&self, control: &str, seen: &str, why: &str, fix: &str, action: &str) -> Received {
        let fields = [("why", why), ("suggestedFix", fix), ("do", action)];
        self.post(FORM, &[&[("tool", "ScubaGear"), ("control", control), ("seen", seen)], &fields[..]].concat()).await
    }

    /// Returns a check as the API returns it.
    pub(super) async fn check(&self, report: &str, control: &str) -> Value {
        let id = report.rsplit('/').next().unwrap();
        let report = self.app.org_a().get(&format!("/v1/posture-reports/{id}")).await.success();
        check_of(&report, control)
    }

    /// Returns the reason and the fix of a check.
    async fn texts(&self, report: &str, control: &str) -> [Value; 2] {
        let check = self.check(report, control).await;
        [check["why"].clone(), check["suggestedFix"].clone()]
    }
}

fn check_of(report: &Value, control: &str) -> Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["controlId"] == control).unwrap().clone()
}

async fn run(organization: &Organization, tenant: &ServiceTenantId, month: u32, result: &str) -> String {
    let file = results(&provider_id(tenant), month, &[(CONTROL, result), (SECURE, "Pass")]);
    let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
    let options = Options::at(time("2026-07-14T08:00:00Z"));
    let imported = import::import(organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
    format!("/tenants/{tenant}/reports/{}", imported.reports[0].imported.report_id)
}

#[tokio::test]
async fn later_imports_use_a_text_where_no_edit_is_kept() {
    let of = Writing::new().await;
    let (first, second) = (of.run(0, 1).await, of.run(1, 1).await);
    let tools = of.texts(&first, CONTROL).await;
    let secure = of.texts(&first, SECURE).await;
    assert!(tools.iter().all(Value::is_string), "{tools:?}");
    of.edit(&first, "why", "Of the tenant.", true).await;

    // The form begins with what people edited in the check, and leaves the tool's texts to the tool.
    let begun = async |report: &str| {
        let page = of.get(report).await;
        let (_, link) = page.split_once("/settings/texts/edit?").unwrap();
        of.get(&format!("{FORM}?{}", link.split('"').next().unwrap().replace("&amp;", "&"))).await
    };
    let (edited, unedited) = (begun(&first).await, begun(&second).await);
    assert!(edited.contains(">\nOf the tenant.</textarea>"), "{edited}");
    for tools in tools.iter().map(|text| text.as_str().unwrap()) {
        assert!(!edited.contains(tools) && !unedited.contains(tools), "{tools}: {edited} {unedited}");
    }
    let set = of.set(CONTROL, "Of the\r\norganization.", "Call us.").await;
    assert_eq!((set.status, set.location()), (303, "/settings/texts"), "{}", set.text);
    let stored = begun(&first).await;
    assert!(stored.contains(">\nOf the\norganization.</textarea>") && !stored.contains("Of the tenant."), "{stored}");
    assert_eq!(of.set(SECURE, "", "Stay so.").await.status, 303);
    assert_eq!(of.texts(&second, CONTROL).await, tools, "reports that exist stay as they are");

    let (first, second) = (of.run(0, 2).await, of.run(1, 2).await);
    assert_eq!(of.texts(&first, CONTROL).await, [json!("Of the tenant."), json!("Call us.")]);
    assert_eq!(of.texts(&second, CONTROL).await, [json!("Of the\norganization."), json!("Call us.")]);
    assert_eq!(of.texts(&second, SECURE).await, [secure[0].clone(), json!("Stay so.")]);
    let page = of.get(&first).await;
    assert!(page.contains("Kept from an earlier report: why it matters, by"), "{page}");
    assert!(page.contains("From the organization's texts: suggested fix, by"), "{page}");
    let page = of.get(&second).await;
    assert!(page.contains("From the organization's texts: why it matters, suggested fix, by"), "{page}");
    assert_eq!(page.matches(">Organization's text<").count(), 5, "two checks, and three fields");
    assert!(!page.contains("Kept edit") && !page.contains("edited by people"), "{page}");
    assert!(page.contains("2 results of this report have a text of your organization."), "{page}");
    let document: Value = serde_json::from_str(&of.get(&format!("{second}/pdf")).await).unwrap();
    assert_eq!(check_of(&document, CONTROL), of.check(&second, CONTROL).await);

    // Another organization has the tool's values.
    let foreign = &of.app.org_b;
    let id = run(&foreign.organization, &foreign.tenants[0], 2, "Fail").await;
    let report = of.app.org_b().get(&format!("/v1/posture-reports/{}", id.rsplit('/').next().unwrap())).await.success();
    assert_eq!(check_of(&report, CONTROL)["why"], tools[0]);

    // A changed and a removed text change later reports alone.
    assert_eq!(of.set(CONTROL, "", "Write to us.").await.status, 303);
    let third = of.run(1, 3).await;
    assert_eq!(of.texts(&third, CONTROL).await, [tools[0].clone(), json!("Write to us.")]);
    assert_eq!(of.texts(&second, CONTROL).await[1], "Call us.");
    let seen = of.seen(&format!("{FORM}?control={CONTROL}")).await;
    assert_eq!(of.send(CONTROL, &seen, "", "", "remove").await.status, 303);
    assert_eq!(of.texts(&of.run(1, 4).await, CONTROL).await, tools);
    assert_eq!(of.texts(&third, CONTROL).await[1], "Write to us.");

    let (trail, _) = of.app.org_a.organization.audit_trail(None, 100, now(&of.app)).await.unwrap();
    let of_texts = |entry: &&AuditEntry| {
        entry.subject == CONTROL && matches!(entry.action, AuditAction::TextSet | AuditAction::TextRemoved)
    };
    let changes = |field: &str| {
        let changes = trail.iter().filter(of_texts).flat_map(|entry| &entry.changes).filter(|it| it.field == field);
        let mut changes: Vec<_> = changes.map(|it| (it.before.as_deref(), it.after.as_deref())).collect();
        changes.sort_unstable();
        changes
    };
    let (call, write) = (Some("Call us."), Some("Write to us."));
    assert_eq!(changes("suggestedFix"), [(None, call), (call, write), (write, None)]);
    let why = Some("Of the\norganization.");
    assert_eq!(changes("why"), [(None, why), (why, None)]);
    assert_eq!(changes("tool"), [(None, Some("ScubaGear")), (None, Some("ScubaGear")), (Some("ScubaGear"), None)]);
    assert_eq!(of.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_text_is_of_one_tool() {
    let of = Writing::new().await;
    let tools = of.texts(&of.run(0, 1).await, CONTROL).await;
    let mut other = baseline_report("2026-01-02T00:00:00Z");
    other["checks"][0]["controlId"] = json!(CONTROL);
    of.app.org_a.add_report_of("Maester", of.tenant(1), "rpt_other", &other).await;
    let several = of.get(&format!("{FORM}?control={CONTROL}")).await;
    assert!(!several.contains("<textarea"), "several tools have it");
    let fields = [("tool", "Maester"), ("control", CONTROL), ("seen", "0"), ("why", "Of Maester."), ("do", "set")];
    assert_eq!(of.post(FORM, &fields).await.status, 303);
    assert_eq!(of.texts(&of.run(0, 2).await, CONTROL).await, tools);
    assert_eq!(of.set(CONTROL, "Of ScubaGear.", "").await.status, 303);
    assert_eq!(of.texts(&of.run(0, 3).await, CONTROL).await[0], "Of ScubaGear.");
}

#[tokio::test]
async fn a_text_that_cannot_be_set_is_refused_and_the_form_keeps_what_was_entered() {
    let of = Writing::new().await;
    of.run(0, 1).await;
    let long = "x".repeat(10_001);
    for (why, fix, field, said) in [
        ("", " \n", "why", "A text needs a reason, a fix, or both."),
        ("a\u{1b}[2J", "Typed.", "why", "has hidden characters"),
        ("Typed.", "invoice\u{202e}fdp.exe", "suggestedFix", "has hidden characters"),
        ("Typed.", long.as_str(), "suggestedFix", "at most 10000 characters"),
    ] {
        let again = of.set(CONTROL, why, fix).await;
        assert!(again.status == 200 && again.text.contains(said), "{said}: {}", again.text);
        assert!(again.text.contains(&format!("id=\"{field}-error\"")), "{said}");
        assert!(fix.trim().is_empty() || again.text.contains(">\nTyped.</textarea>"), "{said}");
    }
    let unknown = of.send("MS.AAD.9.9", "0", "Typed.", "", "set").await;
    assert_eq!(unknown.status, 404, "no report has it");

    // Two tabs, of which the first saves.
    let seen = of.seen(&format!("{FORM}?control={CONTROL}")).await;
    let hostile = "</td><script>alert(1)</script>";
    assert_eq!(of.send(CONTROL, &seen, hostile, "", "set").await.status, 303);
    let listed = of.get("/settings/texts").await;
    assert!(listed.contains("&lt;/td&gt;&lt;script&gt;") && !listed.contains(hostile), "{listed}");
    let second = of.send(CONTROL, &seen, "Ours.", "", "set").await;
    assert!(second.status == 409 && second.text.contains("It is now: &lt;/td&gt;"), "{}", second.text);
    assert!(second.text.contains(">\nOurs.</textarea>"), "{}", second.text);
    assert_eq!(of.send(CONTROL, &seen, "", "", "remove").await.status, 409, "theirs was not seen");
    let theirs = hidden(&second.text, "seen").unwrap().to_owned();
    assert_eq!(of.send(CONTROL, &theirs, "Ours.", "", "set").await.status, 303);
    assert_eq!(of.set(SECURE, "", "Theirs.").await.status, 303);
    for (query, found) in [("ms.aad.1", [true, false]), ("theirs scubagear", [false, true]), ("nothing", [false; 2])] {
        let listed = of.get(&format!("/settings/texts?q={}", query.replace(' ', "+"))).await;
        assert_eq!([CONTROL, SECURE].map(|it| listed.contains(&format!("control={it}"))), found, "{query}");
    }
    let now = of.seen(&format!("{FORM}?control={CONTROL}")).await;
    assert_eq!(of.send(CONTROL, &now, "", "", "remove").await.status, 303);
    assert_eq!(of.send(CONTROL, &now, "", "", "remove").await.status, 409, "it is gone");
    assert_eq!(of.app.org_a.organization.all_texts().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_text_that_was_removed_and_set_anew_is_not_the_one_that_was_seen() {
    let of = Writing::new().await;
    of.run(0, 1).await;
    assert_eq!(of.set(CONTROL, "Old.", "").await.status, 303);
    let seen = of.seen(&format!("{FORM}?control={CONTROL}")).await;
    let (control, later) = (CONTROL.parse().unwrap(), time("2026-07-20T08:00:00Z"));
    let writer = by_operator(&of.app.org_a.organization, later);
    writer.remove_text("ScubaGear", &control, None).await.unwrap();
    let texts = Texts { why: Some("New.".to_owned()), suggested_fix: None };
    writer.set_text((None, &control), &texts, None).await.unwrap();
    assert_eq!(of.send(CONTROL, &seen, "Mine.", "", "set").await.status, 409);
    assert_eq!(of.send(CONTROL, &seen, "", "", "remove").await.status, 409);
    assert!(of.app.org_a.organization.all_texts().await.unwrap().pop().unwrap().texts == texts);
}

#[tokio::test]
async fn the_texts_of_a_tool_have_a_limit() {
    let of = Writing::new().await;
    of.run(0, 1).await;
    // Each has 30,000 bytes.
    let long = "€".repeat(10_000);
    assert_eq!(of.set(CONTROL, &long, &long).await.status, 303);
    let refused = of.set(SECURE, &long, &long).await;
    assert_eq!(refused.status, 200);
    let limit = "tool can have at most 300 texts with 100 KB in total: shorten or remove some.";
    assert!(refused.text.contains(limit), "{}", refused.text);
    // The three take 90,000 of 102,400 bytes.
    let rest = "€".repeat(4_133);
    assert_eq!(of.set(SECURE, &long, &format!("{rest}xx")).await.status, 200);
    assert_eq!(of.set(SECURE, &long, &format!("{rest}x")).await.status, 303);
    assert_eq!(of.set(CONTROL, "", &long).await.status, 303, "what a text replaces does not count");
}

#[tokio::test]
async fn a_tool_has_at_most_300_texts() {
    let app = TestApp::new().await;
    let mut body = baseline_report("2026-07-01T00:00:00.000Z");
    let check = body["checks"][0].clone();
    let with = |number: usize| {
        let mut check = check.clone();
        check["controlId"] = json!(format!("L.{number}"));
        check
    };
    body["checks"] = (0..301).map(with).collect();
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &body).await;
    let texts = Texts { why: Some("Ours.".to_owned()), suggested_fix: None };
    let writer = app.org_a.writer();
    let set =
        async |number: usize| writer.set_text((None, &format!("L.{number}").parse().unwrap()), &texts, None).await;
    for number in 0..300 {
        set(number).await.unwrap();
    }
    assert!(matches!(set(300).await, Err(TextError::TooMany)));
    set(0).await.unwrap();
}

#[tokio::test]
async fn the_list_of_controls_follows_reports_that_have_a_text() {
    let of = Writing::new().await;
    let (organization, tenant, control) = (&of.app.org_a.organization, of.tenant(0), "MS.AAD.99.1");
    let import = async |month: u32, criticality: &str, at: &str| {
        let file = results(&provider_id(tenant), month, &[(control, "Fail")]).replace("Shall", criticality);
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        let options = Options::at(time(at));
        let imported = import::import(organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
        let report = format!("/{}", imported.reports[0].imported.report_id);
        let of_check = of.check(&report, control).await;
        let listed = of.app.org_a().get("/v1/controls").await.success()["controls"][0].clone();
        assert_eq!(listed["controlId"], control);
        (of_check["why"].clone(), of_check["severity"].clone(), listed["severity"].clone())
    };
    let high = (json!(null), json!("HIGH"), json!("HIGH"));
    assert_eq!(import(1, "Shall", "2026-07-14T08:00:00Z").await, high);
    assert_eq!(of.set(control, "Ours.", "").await.status, 303);
    let medium = (json!("Ours."), json!("MEDIUM"), json!("MEDIUM"));
    assert_eq!(import(2, "Should", "2026-07-15T08:00:00Z").await, medium);
}
