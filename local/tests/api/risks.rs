//! The life of an accepted risk: at each step, what the API, the page and the events say.

use futures_util::stream;
use model::{AcceptedRisk, Actor, Role};
use operations::import::{self, ImportResult, Options};
use operations::{InputFile, risks};
use serde_json::{Value, json};
use store::Assignment;

use crate::dashboard::{dashboard_of, join, send, sign_in};
use crate::samples::results;
use crate::support::{TestApp, provider_id, time};

const CONTROL: &str = "MS.AAD.1.1";

/// A tenant whose tool runs on days of July.
struct Life {
    app: TestApp,
    cookie: String,
    events: usize,
}

/// The control, as API, page and events show it on a day.
#[derive(Debug, PartialEq)]
struct Known {
    status: String,
    accepted_until: Option<String>,
    top_risks: Vec<String>,
    score: u64,
    /// How many of the results with its status the page says are accepted, and whether it marks the control.
    on_page: (bool, bool),
    /// The number of tenants whose risk the controls of all tenants count as accepted; its end, by their pages and files.
    in_fleet: (u64, Option<String>),
    /// The new events, without those of the score.
    events: Vec<String>,
}

impl Life {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        let cookie = sign_in(&app, &member).await;
        let mut life = Self { app, cookie, events: 0 };
        life.events().await;
        life
    }

    /// Imports the run of a day.
    async fn run(&mut self, day: u32, result: &str) -> Known {
        let tenant = &self.app.org_a.tenants[0];
        let file =
            results(&provider_id(tenant), 7, &[(CONTROL, result), ("MS.AAD.2.1", "Fail"), ("MS.AAD.3.1", "Pass")]);
        let file = file.replace("2026-07-01", &format!("2026-07-{day:02}"));
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        let options = Options::at(time(&format!("2026-07-{day:02}T08:00:00Z")));
        let organization = &self.app.org_a.organization;
        let imported: ImportResult =
            import::import(organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
        assert!(imported.failures.is_empty(), "{:?}", imported.failures);
        self.known().await
    }

    /// Accepts the risk until 10 July, on an earlier day.
    async fn accept(&mut self, day: u32) -> Known {
        let risk = AcceptedRisk { reason: "New devices come.".to_owned(), until: "2026-07-10".parse().unwrap() };
        let organization = &self.app.org_a.organization;
        let (newest, at) =
            (organization.newest_of_tools().await.unwrap(), time(&format!("2026-07-{day:02}T09:00:00Z")));
        risks::accept(organization, &Actor::operator(), &newest, CONTROL, Some(risk), at).await.unwrap();
        self.known().await
    }

    async fn known(&mut self) -> Known {
        let report = self.app.org_a().get("/v1/posture-reports").await.success()["reports"][0].clone();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["controlId"] == CONTROL).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let path = format!("/tenants/{}/reports/{}", self.app.org_a.tenants[0], text(&report["id"]));
        let page = send(&dashboard_of(&self.app), "GET", &path, Some(&self.cookie), "").await.text;
        let reason = check.get("acceptedRisk").map(|risk| text(&risk["reason"]));
        assert!(reason.is_none_or(|reason| page.contains(&reason)));
        Known {
            status: text(&check["status"]),
            accepted_until: check.get("acceptedRisk").map(|risk| text(&risk["until"])),
            top_risks: report["topRisks"].as_array().unwrap().iter().map(|risk| text(&risk["controlId"])).collect(),
            score: report["score"].as_u64().unwrap(),
            on_page: (page.contains(", 1 of them accepted"), page.contains(">Accepted</span>")),
            in_fleet: self.in_fleet().await,
            events: self.events().await,
        }
    }

    async fn in_fleet(&self) -> (u64, Option<String>) {
        let client = self.app.org_a();
        let list = client.get("/v1/controls").await.success();
        assert_eq!(list["controls"][0]["controlId"], CONTROL);
        let one = client.get(&format!("/v1/controls/{CONTROL}")).await.success();
        let until = one["tenants"][0].get("acceptedUntil").map(|until| until.as_str().unwrap().to_owned());
        let router = dashboard_of(&self.app);
        let read = async |path: &str| send(&router, "GET", path, Some(&self.cookie), "").await.text;
        let of_one = format!("?control={CONTROL}");
        let pages = [read("/controls").await, read(&format!("/controls{of_one}")).await];
        let shown = pages.map(|page| [" accepted</span>", "Accepted until"].map(|text| page.contains(text)));
        assert_eq!(shown, [[until.is_some(), false], [false, until.is_some()]]);
        let files = [read("/controls.csv").await, read(&format!("/controls.csv{of_one}")).await];
        let cell = |file: &str, from_the_end: usize| {
            let line = file.lines().find(|line| line.contains(CONTROL)).unwrap();
            line.rsplit(',').nth(from_the_end).unwrap().to_owned()
        };
        // A control's file ends with the task.
        let cells = [cell(&files[0], 0), cell(&files[1], 3)];
        let accepted = list["controls"][0]["acceptedRisks"].as_u64().unwrap();
        assert_eq!(cells, [accepted.to_string(), until.clone().unwrap_or_default()]);
        (accepted, until)
    }

    async fn events(&mut self) -> Vec<String> {
        let list = self.app.org_a().get("/v1/events?limit=100").await.success();
        let events = list["events"].as_array().unwrap();
        let new = events.iter().skip(std::mem::replace(&mut self.events, events.len()));
        let kinds = new.map(|event| event["kind"].as_str().unwrap().to_owned());
        kinds.filter(|kind| kind != "score.dropped").collect()
    }
}

fn known(status: &str, is_accepted: bool, score: u64, events: &[&str]) -> Known {
    let is_risk = !is_accepted && !["SECURE", "FIXED"].contains(&status);
    Known {
        status: status.to_owned(),
        accepted_until: is_accepted.then(|| "2026-07-10".to_owned()),
        top_risks: is_risk.then_some(CONTROL).into_iter().chain(["MS.AAD.2.1"]).map(str::to_owned).collect(),
        score,
        on_page: (is_accepted, is_accepted),
        in_fleet: if is_accepted { (1, Some("2026-07-10".to_owned())) } else { (0, None) },
        events: events.iter().map(|kind| (*kind).to_owned()).collect(),
    }
}

#[tokio::test]
async fn an_accepted_risk_from_drift_to_drift() {
    let mut life = Life::new().await;
    assert_eq!(life.run(1, "Pass").await, known("SECURE", false, 72, &["report.completed"]));
    let drifted = &["report.completed", "control.drifted"];
    assert_eq!(life.run(2, "Fail").await, known("DRIFTED", false, 36, drifted));
    assert_eq!(life.accept(3).await, known("DRIFTED", true, 36, &["report.edited"]), "the status and the score stay");
    assert_eq!(life.run(4, "Fail").await, known("DRIFTED", true, 36, &["report.completed"]), "the next report");
    let fixed = &["report.completed", "control.fixed"];
    assert_eq!(life.run(5, "Pass").await, known("SECURE", false, 72, fixed), "it ends with the risk");
    assert_eq!(life.run(6, "Fail").await, known("DRIFTED", false, 36, drifted), "a later failure is not hidden");
    assert_eq!(life.accept(7).await, known("DRIFTED", true, 36, &["report.edited"]));
    assert_eq!(
        life.run(9, "Fail").await,
        known("DRIFTED", true, 36, &["report.completed"]),
        "the last day before its end"
    );
    assert_eq!(life.run(10, "Fail").await, known("DRIFTED", false, 36, &["report.completed"]), "it ends on its day");
    let checked = life.app.org_a.organization.inspect().await.unwrap();
    assert_eq!(json!(checked.discrepancies), json!([]));
}

#[tokio::test]
async fn what_a_report_ends_and_finishes_is_at_most_80_and_the_rest_follows() {
    let app = TestApp::new().await;
    let (organization, tenant) = (&app.org_a.organization, &app.org_a.tenants[0]);
    let controls: Vec<_> = (1..=90).map(|number| format!("MS.AAD.{number}.1")).collect();
    let run = async |day: u32, result: &str| {
        let found: Vec<_> = controls.iter().map(|control| (control.as_str(), result)).collect();
        let file = results(&provider_id(tenant), 7, &found).replace("2026-07-01", &format!("2026-07-{day:02}"));
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        let options = Options::at(time(&format!("2026-07-{day:02}T08:00:00Z")));
        let imported = import::import(organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
        imported.reports[0].imported.report_id.clone()
    };
    let report = run(1, "Fail").await;
    let (writer, newest) = (app.org_a.writer(), organization.newest_of_tools().await.unwrap());
    let (accepted, assigned) = controls.split_at(45);
    for control in accepted {
        let risk = AcceptedRisk { reason: "It waits.".to_owned(), until: "2026-12-31".parse().unwrap() };
        let (newest, at) = (&newest, time("2026-07-01T09:00:00Z"));
        risks::accept(organization, &Actor::operator(), newest, control, Some(risk), at).await.unwrap();
    }
    let assignment = Assignment { owner: Some("Amara".to_owned()), due: None, note: None };
    for control in assigned {
        writer.set_task(&report, control, &assignment, None).await.unwrap();
    }
    let left = async || {
        let open = organization.tasks(tenant).await.unwrap().iter().filter(|task| task.is_open()).count();
        (organization.kept_edits(tenant).await.unwrap().len(), open)
    };
    assert_eq!(left().await, (45, 45));
    run(2, "Pass").await;
    assert_eq!(left().await, (0, 10));
    run(3, "Pass").await;
    assert_eq!(left().await, (0, 0));
}
