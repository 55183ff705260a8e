//! Tasks: set for a control of a tenant or of several, shown in words, and done once the control is secure.

use axum::Router;
use futures_util::stream;
use model::{Actor, Role};
use operations::InputFile;
use operations::import::{self, Options};
use store::AuditAction;

use super::{Received, dashboard_of, hidden, join, now, send, sign_in};
use crate::samples::results;
use crate::support::{TestApp, provider_id, time};

const CONTROL: &str = "MS.AAD.1.1";

/// A Full Member of an organization in which a tool runs on days of July. It is the 15th.
struct Assigning {
    app: TestApp,
    router: Router,
    cookie: String,
    /// Address of the newest report.
    report: String,
}

impl Assigning {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
        let mut assigning = Self { app, router, cookie, report: String::new() };
        assigning.run(1, "Fail").await;
        assigning
    }

    /// Adds the report of a day.
    async fn run(&mut self, day: u32, result: &str) {
        let tenant = &self.app.org_a.tenants[0];
        let file = results(&provider_id(tenant), 7, &[(CONTROL, result), ("MS.AAD.2.1", "Fail")]);
        let file = file.replace("2026-07-01", &format!("2026-07-{day:02}"));
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        let options = Options::at(time("2026-07-14T08:00:00Z"));
        let organization = &self.app.org_a.organization;
        import::import(organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
        let newest = organization.newest_of_tools().await.unwrap().remove(0);
        self.report = format!("/tenants/{tenant}/reports/{}", newest.report_id);
    }

    async fn get(&self, path: &str) -> String {
        send(&self.router, "GET", path, Some(&self.cookie), "").await.text
    }

    /// Returns what the form of the control has seen.
    async fn seen(&self) -> String {
        let page = self.get(&format!("{}/task?control={CONTROL}", self.report)).await;
        hidden(&page, "seen").unwrap().to_owned()
    }

    async fn send(&self, fields: &[(&str, &str)]) -> Received {
        let mut form = form_urlencoded::Serializer::new(String::new());
        let form = form.append_pair("control", CONTROL).extend_pairs(fields).finish();
        send(&self.router, "POST", &format!("{}/task", self.report), Some(&self.cookie), &form).await
    }

    async fn set(&self, owner: &str, due: &str, note: &str) -> Received {
        let seen = self.seen().await;
        self.send(&[("seen", &seen), ("owner", owner), ("due", due), ("note", note), ("do", "set")]).await
    }

    /// Returns which of the texts are on the page of the report and on that of the control.
    async fn shown<const N: usize>(&self, texts: [&str; N]) -> [[bool; N]; 2] {
        let pages = [self.get(&self.report).await, self.get(&format!("/controls?control={CONTROL}")).await];
        pages.map(|page| texts.map(|text| page.contains(text)))
    }
}

#[tokio::test]
async fn a_task_is_shown_until_a_report_finds_the_control_secure() {
    let mut of = Assigning::new().await;
    let set = of.set(" Dana of the client ", "2026-07-14", "After\r\nthe move.").await;
    assert_eq!((set.status, set.location()), (303, &*format!("{}#check-{CONTROL}", of.report)), "{}", set.text);
    let texts = ["Dana of the client</bdi>, overdue, was due", "the move.", ">Task overdue<"];
    assert_eq!(of.shown(texts).await, [[true, true, true], [true, true, false]]);
    let in_list = async |filter: &str| {
        let report = of.get(&format!("{}?task={filter}", of.report)).await;
        let control = of.get(&format!("/controls?control={CONTROL}&task={filter}")).await;
        [
            report.contains("id=\"check-MS.AAD.1.1\""),
            report.contains("id=\"check-MS.AAD.2.1\""),
            control.contains("No tenant is found"),
        ]
    };
    assert_eq!(in_list("overdue").await, [true, false, false]);
    assert_eq!(in_list("set").await, [true, false, false]);
    assert_eq!(in_list("none").await, [false, true, true]);
    for file in [format!("{}/checks.csv", of.report), format!("/controls.csv?control={CONTROL}")] {
        assert!(of.get(&file).await.contains("Dana of the client,2026-07-14,\"After\nthe move.\""), "{file}");
    }
    let response = of.app.org_a().get("/v1/posture-reports").await.success().to_string();
    assert!(!response.contains("Dana") && !response.contains("the move"), "the API does not return it");

    assert_eq!(of.set("Dana", "2026-07-15", "").await.status, 303);
    assert_eq!(of.shown(["Dana</bdi>, due ", "overdue, was due", "the move."]).await, [[true, false, false]; 2]);

    of.run(2, "Fail").await;
    assert_eq!(of.shown(["Dana</bdi>, due "]).await, [[true]; 2], "a later report has it");
    of.run(5, "Pass").await;
    let done = ["Dana</bdi>, done with the report of", "5 Jul 2026", "class=\"tag\">Task"];
    assert_eq!(of.shown(done).await, [[true, true, false], [true, true, false]]);
    let (trail, _) = of.app.org_a.organization.audit_trail(None, 50, now(&of.app)).await.unwrap();
    let changes = |action| {
        let of_action = trail.iter().filter(move |entry| entry.action == action);
        of_action.flat_map(|entry| &entry.changes).filter(|change| change.field.ends_with("task"))
    };
    let ended: Vec<_> = changes(AuditAction::ReportAdded).map(|change| change.before.as_deref()).collect();
    assert_eq!(ended, [Some("due: 2026-07-15, owner: Dana")]);
    assert_eq!(changes(AuditAction::TaskSet).count(), 2);

    of.run(9, "Fail").await;
    assert_eq!(of.shown(done).await, [[true, true, false], [true, true, false]], "a task that is done stays so");
    assert_eq!(of.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_task_that_cannot_be_set_is_refused_and_the_form_keeps_what_was_entered() {
    let of = Assigning::new().await;
    let long = "x".repeat(101);
    for (owner, due, note, said) in [
        ("", "", " ", "A task needs an owner, a day by which it is due, or a note."),
        (long.as_str(), "", "Typed.", "The owner of a task is a name of at most 100 characters"),
        ("Dana", "soon", "Typed.", "Enter a day, or none."),
        ("Dana", "", &"y".repeat(1_001), "A note has at most 1000 characters"),
    ] {
        let again = of.set(owner, due, note).await;
        assert!(again.status == 200 && again.text.contains(said), "{said}: {}", again.text);
        assert!(again.text.contains(&format!("value=\"{owner}\"")) && again.text.contains(note.trim()), "{said}");
    }
    // Somebody else has set it since the form was opened.
    let seen = of.seen().await;
    assert_eq!(of.set("Theirs", "", "").await.status, 303);
    let conflict = of.send(&[("seen", &seen), ("owner", "Ours"), ("do", "set")]).await;
    assert!(conflict.status == 409 && conflict.text.contains("Theirs") && conflict.text.contains("value=\"Ours\""));
    let remove = [("seen", &*seen), ("do", "remove")];
    assert_eq!(of.send(&remove).await.status, 409, "theirs was not seen");
    let theirs = of.seen().await;
    assert_eq!(of.send(&[("seen", &theirs), ("do", "remove")]).await.status, 303);
    assert_eq!(of.shown(["Theirs"]).await, [[false]; 2]);
    assert_eq!(of.send(&remove).await.status, 409, "it is gone");
}

#[tokio::test]
async fn only_the_newest_report_has_tasks_and_ends_them() {
    let mut of = Assigning::new().await;
    let older = of.report.clone();
    of.run(9, "Fail").await;
    let newest = of.report.clone();
    assert!(of.get(&newest).await.contains("Set task") && !of.get(&older).await.contains("Set task"));
    of.report = older;
    let refused = of.set("Dana", "", "").await;
    assert!(
        refused.text.contains("A newer report of the tool was added: set the task in that one."),
        "{}",
        refused.text
    );
    of.report = newest;
    assert_eq!(of.set("Dana", "", "").await.status, 303);
    of.run(5, "Pass").await;
    assert_eq!(of.shown(["Dana</bdi>, no day"]).await, [[true]; 2], "a late report of an earlier day");
    // Its own report goes, and the run of the day before comes.
    let report = of.report.rsplit('/').next().unwrap().parse().unwrap();
    assert!(of.app.org_a.writer().delete_report(&report).await.is_ok());
    of.run(8, "Pass").await;
    assert_eq!(of.shown(["Dana</bdi>, done with the report of"]).await, [[true]; 2]);
}

#[tokio::test]
async fn tasks_are_set_and_removed_for_the_chosen_tenants() {
    let of = Assigning::new().await;
    let (tenant, other) = (of.app.org_a.tenants[0].to_string(), of.app.org_b.tenants[0].to_string());
    let press = async |button: &str, owner: &str| {
        let filter = format!("?control={CONTROL}&tool=ScubaGear");
        let fields = [("filter", &*filter), ("tenant", &tenant), ("tenant", &other), ("owner", owner), ("do", button)];
        let form = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        send(&of.router, "POST", "/controls/edit", Some(&of.cookie), &form).await.text
    };
    assert!(press("assign", "").await.contains("A task needs an owner"));
    let said = press("assign", "Dana").await;
    assert!(said.contains("Done for 1 tenant, and not for 1") && said.contains("The tenant has no report"), "{said}");
    assert_eq!(of.shown(["Dana</bdi>, no day"]).await, [[true]; 2]);
    let said = press("release", "").await;
    assert!(said.contains("Done for 1 tenant, and not for 1") && said.contains("The control has no task."), "{said}");
    assert!(of.app.org_a.organization.all_tasks().await.unwrap().is_empty());
}
