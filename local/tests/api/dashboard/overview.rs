//! The overview: a tenant's leading tool, the others below it, and totals for each tool; and what people declare of a tenant.

use axum::Router;
use model::{ReportBody, Role};
use serde_json::{Value, json};
use store::StoreError;

use super::{dashboard_of, join, send, sign_in};
use crate::support::{TestApp, baseline_report, follow_up_report, later};

/// The overview as read by a person: one text for each row of the table, its cells apart.
struct Overview {
    app: TestApp,
    router: Router,
    cookie: String,
}

impl Overview {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
        app.org_a.remove_tenant(&app.org_a.tenants[1]).await;
        Self { app, router, cookie }
    }

    async fn page(&self) -> String {
        send(&self.router, "GET", "/", Some(&self.cookie), "").await.text
    }

    /// Returns the lines of the tenants: the name or tool, then score, change and number of drifted controls.
    async fn lines(&self) -> Vec<String> {
        let csv = send(&self.router, "GET", "/portfolio.csv", Some(&self.cookie), "").await.text;
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let line = |cells: Vec<String>| {
            format!("{} {} {} from {}, {} drifted", cells[4], cells[6], cells[7], cells[8], cells[13])
        };
        csv.lines().skip(1).map(cells).map(line).collect()
    }

    async fn add(&self, tool: &str, id: &str, report: &Value) {
        self.app.org_a.add_report_of(tool, &self.app.org_a.tenants[0], id, report).await;
    }

    async fn lead(&self, tool: &str) -> u16 {
        let path = format!("/tenants/{}/leading-tool", self.app.org_a.tenants[0]);
        send(&self.router, "POST", &path, Some(&self.cookie), format!("tool={tool}")).await.status
    }

    async fn is_consistent(&self) {
        assert_eq!(self.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    }
}

/// A follow-up of 70 points, three above its baseline, with three drifted controls.
fn scuba(completed_at: &str) -> Value {
    let mut report = follow_up_report(completed_at);
    (report["score"], report["grade"], report["previousScore"]) = (json!(70), json!("C"), json!(67));
    report["controls"] = json!({
        "assessed": 104, "secure": 80, "fixed": 3, "inProgress": 0, "open": 18, "drifted": 3, "notAssessed": 0,
    });
    report
}

/// A run of few controls, as another tool writes it.
fn prowler(completed_at: &str) -> Value {
    let mut report = baseline_report(completed_at);
    (report["score"], report["grade"]) = (json!(29), json!("F"));
    report
}

const SCUBA: &str = "ScubaGear 70 C from 67, 3 drifted";
const PROWLER: &str = "Prowler 29 F from , 0 drifted";

#[tokio::test]
async fn a_small_run_of_another_tool_is_a_line_below_and_changes_no_total() {
    let overview = Overview::new().await;
    overview.add("ScubaGear", "rpt_scuba", &scuba("2026-07-01T00:00:00Z")).await;
    let before = overview.page().await;
    overview.add("Prowler", "rpt_prowler", &prowler("2026-07-02T00:00:00Z")).await;
    assert_eq!(overview.lines().await, [SCUBA, PROWLER]);
    let after = overview.page().await;
    let totals =
        |page: &str| page.split_once("aria-label=\"Totals\"").unwrap().1.split_once("</section>").unwrap().0.to_owned();
    assert_eq!(totals(&after), totals(&before));
    assert!(totals(&after).contains("over 1 of <bdi class=\"name\">ScubaGear"), "{after}");
    let tenant = &overview.app.org_a.tenants[0];
    let below = format!("<a href=\"/tenants/{tenant}/reports/rpt_prowler\"><bdi class=\"name\">Prowler</bdi></a>");
    assert!(after.contains(&below), "{after}");
    let newest = overview.app.org_a().get("/v1/posture-reports").await.success();
    assert_eq!(newest["reports"][0]["id"], "rpt_prowler", "the API returns the newest report of any tool");
    overview.is_consistent().await;
}

#[tokio::test]
async fn people_choose_the_leading_tool_among_those_with_reports() {
    let overview = Overview::new().await;
    overview.add("ScubaGear", "rpt_scuba", &scuba("2026-07-01T00:00:00Z")).await;
    overview.add("Prowler", "rpt_prowler", &prowler("2026-07-02T00:00:00Z")).await;
    assert_eq!(overview.lead("Maester").await, 400);
    assert_eq!(overview.lead("Prowler").await, 303);
    assert_eq!(overview.lines().await, [PROWLER, SCUBA]);
    let (trail, _) = overview.app.org_a.organization.audit_trail(None, 100, later()).await.unwrap();
    let chosen = trail.iter().find(|entry| entry.action == store::AuditAction::LeadingToolChosen).unwrap();
    assert_eq!((&*chosen.author_name, chosen.changes[0].after.as_deref()), ("Amara", Some("Prowler")));
    assert_eq!(overview.lead("").await, 303);
    assert_eq!(overview.lines().await, [SCUBA, PROWLER]);
}

#[tokio::test]
async fn the_lines_follow_imports_edits_and_deletions() {
    let overview = Overview::new().await;
    overview.add("ScubaGear", "rpt_old", &scuba("2026-06-01T00:00:00Z")).await;
    overview.add("Prowler", "rpt_prowler", &prowler("2026-07-02T00:00:00Z")).await;
    let mut newer = scuba("2026-07-01T00:00:00Z");
    newer["score"] = json!(71);
    overview.add("ScubaGear", "rpt_new", &newer).await;
    // An older run is imported late.
    overview.add("ScubaGear", "rpt_late", &scuba("2026-05-01T00:00:00Z")).await;
    assert_eq!(overview.lines().await, ["ScubaGear 71 C from 67, 3 drifted", PROWLER]);
    let writer = overview.app.org_a.writer();
    let edit = |body: &mut ReportBody| {
        body.figures.score = 72;
        Ok::<_, StoreError>(())
    };
    writer.edit_report(&"rpt_new".parse().unwrap(), edit).await.unwrap();
    writer.edit_report(&"rpt_late".parse().unwrap(), edit).await.unwrap();
    assert_eq!(overview.lines().await, ["ScubaGear 72 C from 67, 3 drifted", PROWLER]);
    overview.is_consistent().await;
    writer.delete_report(&"rpt_new".parse().unwrap()).await.unwrap();
    assert_eq!(overview.lines().await, [SCUBA, PROWLER]);
    writer.delete_report(&"rpt_prowler".parse().unwrap()).await.unwrap();
    assert_eq!(overview.lines().await, [SCUBA]);
    // This one is the tenant's newest, too.
    writer.delete_report(&"rpt_old".parse().unwrap()).await.unwrap();
    assert_eq!(overview.lines().await, ["ScubaGear 72 C from 67, 3 drifted"]);
    overview.is_consistent().await;
    overview.app.org_a.remove_tenant(&overview.app.org_a.tenants[0]).await;
    assert!(overview.lines().await.is_empty());
    overview.is_consistent().await;
}

#[tokio::test]
async fn totals_are_for_each_leading_tool_without_paused_tenants() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report_of("ScubaGear", first, "rpt_scuba", &scuba("2026-07-01T00:00:00Z")).await;
    app.org_a.add_report_of("Prowler", second, "rpt_prowler", &prowler("2026-07-02T00:00:00Z")).await;
    let page = async || send(&router, "GET", "/", Some(&cookie), "").await.text;
    let rows = |page: &str| {
        let table = page.split_once("By leading tool").unwrap().1.split_once("</table>").unwrap().0.to_owned();
        let texts = table.split('<').filter_map(|rest| rest.split_once('>')).map(|(_, text)| text.trim());
        texts.filter(|text| !text.is_empty()).skip(7).map(str::to_owned).collect::<Vec<_>>().join("|")
    };
    let both = page().await;
    assert_eq!(rows(&both), "Prowler|1|29|F|1|0|1|0|ScubaGear|1|70|C|1|3|18|0");
    app.org_a.writer().pause_tenant(second, true).await.unwrap();
    let one = page().await;
    assert!(one.contains("over 1 of <bdi class=\"name\">ScubaGear") && !one.contains("By leading tool"), "{one}");
    assert!(one.contains("1 paused, not in the totals"), "{one}");
}

#[tokio::test]
async fn people_declare_the_emergency_access_of_a_tenant() {
    let Overview { app, router, cookie } = &Overview::new().await;
    let page = format!("/tenants/{}", app.org_a.tenants[0]);
    let declare = async |objects: &str| {
        let form = form_urlencoded::Serializer::new(String::new()).append_pair("objects", objects).finish();
        send(router, "POST", &format!("{page}/emergency-access"), Some(cookie), form).await
    };
    let shown = async || {
        let page = send(router, "GET", &page, Some(cookie), "").await.text;
        let area = page.split_once("<textarea id=\"objects\"").unwrap().1.split_once("</textarea>").unwrap().0;
        area.split_once(">\n").unwrap().1.to_owned()
    };
    let id = |number: u32| format!("0a000000-0000-4000-8000-00000000000{number}");
    let two = format!("{}\n{}", id(1), id(2));
    assert_eq!((declare(&two.replace('\n', "\r\n").to_uppercase()).await.status, shown().await), (303, two.clone()));
    for refused in ["Break-glass".to_owned(), [id(1), id(2), id(3), id(4)].join("\n")] {
        let response = declare(&refused).await;
        assert_eq!(response.status, 200, "{refused}");
        assert!(
            response.text.contains("Enter up to three object IDs") && response.text.contains(&refused),
            "{refused}"
        );
        assert_eq!(shown().await, two, "nothing was changed");
    }
    assert_eq!((declare("").await.status, shown().await), (303, String::new()));
    let (trail, _) = app.org_a.organization.audit_trail(None, 100, later()).await.unwrap();
    let declared: Vec<_> =
        trail.iter().filter(|entry| entry.action == store::AuditAction::EmergencyAccessDeclared).collect();
    assert_eq!(declared.len(), 2);
    assert!(declared.iter().any(|entry| entry.changes[0].before.is_none() && entry.changes[0].after.is_some()));
}
