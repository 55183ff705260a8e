//! Imports by upload: the import's one way, its messages, and what becomes of kept edits.

use axum::Router;
use model::Role;
use serde_json::{Value, json};

use super::hostile::holds_no_formula;
use super::roles::hidden;
use super::{Received, dashboard_of, join, send, sign_in, upload};
use crate::samples::results;
use crate::support::{TestApp, later, provider_id};

pub(super) struct Uploading {
    pub(super) app: TestApp,
    router: Router,
    cookie: String,
    pub(super) provider: String,
}

impl Uploading {
    pub(super) async fn new() -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
        Self { provider: provider_id(&app.org_a.tenants[0]), app, router, cookie }
    }

    pub(super) async fn get(&self, path: &str) -> String {
        let response = send(&self.router, "GET", path, Some(&self.cookie), "").await;
        assert_eq!(response.status, 200, "{path}");
        response.text
    }

    async fn send(&self, fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Received {
        send(&self.router, "POST", "/imports", Some(&self.cookie), upload(fields, files)).await
    }

    /// Uploads files, and returns the page of what became of them.
    pub(super) async fn import(&self, fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> String {
        let response = self.send(fields, files).await;
        assert_eq!(response.status, 303, "{}", response.text);
        assert!(response.location().starts_with("/imports/imp_"), "{}", response.location());
        self.get(response.location()).await
    }

    /// The results of a run of a month, as ScubaGear writes them.
    fn results(&self, month: u32, controls: &[(&str, &str)]) -> Vec<u8> {
        results(&self.provider, month, controls).into_bytes()
    }

    pub(super) async fn newest(&self) -> Value {
        self.app.org_a().get("/v1/posture-reports").await.success()["reports"][0].clone()
    }
}

#[tokio::test]
async fn files_become_reports_and_the_page_shows_the_result_of_each() {
    let uploading = Uploading::new().await;
    let controls = [("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")];
    let (first, second) = (uploading.results(1, &controls), uploading.results(2, &controls));
    // A folder is sent with the paths of its files.
    let files: [(&str, &[u8]); 3] =
        [("run/February.json", &second), ("run/January.json", &first), ("run/notes.txt", b"No results.")];
    let page = uploading.import(&[], &files).await;
    assert!(page.contains("2 reports</span>") || page.contains("2 reports added"), "{page}");
    assert!(page.contains(">run/January.json<") && page.contains(">Follow-up<"), "{page}");
    assert!(page.contains("1 file skipped") && page.contains(">run/notes.txt</bdi>: "), "{page}");
    let report = uploading.newest().await;
    assert_eq!(report["completedAt"], "2026-02-01T06:00:00.000Z");
    assert_eq!(report["reportType"], "FOLLOW_UP", "older runs are imported first");
    let (trail, _) = uploading.app.org_a.organization.audit_trail(None, 10, later()).await.unwrap();
    let by_amara = trail.iter().filter(|entry| entry.action == store::AuditAction::ReportAdded);
    assert!(by_amara.clone().count() == 2 && by_amara.into_iter().all(|entry| entry.author_name == "Amara"));

    let again = uploading.import(&[], &[("again.json", &second)]).await;
    assert!(again.contains("Already there"), "{again}");
    let list = uploading.get("/imports").await;
    assert_eq!(list.matches("href=\"/imports/imp_").count(), 2, "{list}");
    let tenant = uploading.app.org_a.organization.tenant(&uploading.app.org_a.tenants[0]).await.unwrap().unwrap();
    // Each names its tenant: in a column of its own, and below the time where there is no room for one.
    assert_eq!(list.matches(&format!(">{}</bdi>", tenant.name)).count(), 4, "{list}");
    assert!(list.contains("4 MB at once"), "{list}");
    assert_eq!(uploading.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_control_that_is_named_by_its_identifier_alone_is_written_once() {
    let uploading = Uploading::new().await;
    let inside = json!({ "controlCategory": "Identity", "controlName": "AdminMFAV2", "scoreInPercentage": 10 });
    let outside = json!({ "controlCategory": "Apps", "controlName": "MDA_Other", "scoreInPercentage": 10 });
    let score = json!({
        "id": "score",
        "azureTenantId": uploading.provider,
        "createdDateTime": "2026-02-03T00:00:00Z",
        "controlScores": [inside, outside],
    });
    let file = json!({ "value": [score] }).to_string();
    let page = uploading.import(&[], &[("secureScores.json", file.as_bytes())]).await;
    assert!(page.contains("1 control that fit no section of a report"), "{page}");
    assert_eq!(page.matches("MDA_Other").count(), 1, "{page}");
}

#[tokio::test]
async fn the_options_are_those_of_the_command() {
    let uploading = Uploading::new().await;
    let tenant = uploading.app.org_a.tenants[0].as_str();
    let controls = [("MS.AAD.1.1v1", "Fail")];
    uploading.import(&[("tenant", tenant)], &[("1.json", &uploading.results(1, &controls))]).await;
    uploading.import(&[("asBaseline", "on")], &[("2.json", &uploading.results(2, &controls))]).await;
    assert_eq!(uploading.newest().await["reportType"], "BASELINE");
    // Results of another tenant than the chosen one.
    let foreign = results(&provider_id(&uploading.app.org_b.tenants[0]), 3, &controls).into_bytes();
    let page = uploading.import(&[("tenant", tenant)], &[("3.json", &foreign)]).await;
    assert!(page.contains("import it for its own tenant"), "{page}");
    // A tenant of another organization is unknown, whether a form or a file names it.
    let page = uploading.import(&[], &[("3.json", &foreign)]).await;
    assert!(page.contains("add it first"), "{page}");
    assert!(!page.contains(uploading.app.org_b.tenants[0].as_str()), "{page}");
    let foreign = uploading.app.org_b.tenants[0].as_str();
    let mut messages = Vec::new();
    for tenant in [foreign, "ten_unknown"] {
        let response = uploading.send(&[("tenant", tenant)], &[("1.json", b"{}")]).await;
        assert_eq!(response.status, 200, "the form is shown again");
        assert!(response.text.contains("add it first"), "{}", response.text);
        let upload = hidden(&response.text, "upload").unwrap();
        messages.push(response.text.replace(tenant, "").replace(upload, ""));
    }
    assert_eq!(messages[0], messages[1]);
}

#[tokio::test]
async fn an_upload_that_is_empty_or_too_large_is_refused_with_what_to_do() {
    let uploading = Uploading::new().await;
    let response = uploading.send(&[("completedAt", "yesterday")], &[("", b"")]).await;
    assert!(response.text.contains("No file was chosen.") && response.text.contains("Enter a date and a time"));
    let large = vec![b' '; 4_300_000];
    let response = uploading.send(&[], &[("large.json", &large)]).await;
    assert!(response.status == 413 && response.text.contains("import bucket"), "{}", response.status);
    let fits = uploading.import(&[], &[("fits.json", &large[..3_900_000])]).await;
    assert!(fits.contains(">fits.json<"), "{fits}");
    let response = send(&uploading.router, "POST", "/imports", Some(&uploading.cookie), "files=1").await;
    assert_eq!(response.status, 400);
    assert_eq!(uploading.app.org_a().get("/v1/posture-reports").await.success()["totalReports"], 0);
}

#[tokio::test]
async fn an_edit_that_is_kept_survives_the_next_upload_until_it_is_ended() {
    let uploading = Uploading::new().await;
    let controls = [("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")];
    uploading.import(&[], &[("1.json", &uploading.results(1, &controls))]).await;
    let report = uploading.newest().await;
    let (tenant, id) = (uploading.app.org_a.tenants[0].as_str(), report["id"].as_str().unwrap());
    let address = format!("/tenants/{tenant}/reports/{id}");
    let form = uploading.get(&format!("{address}/edit/check?control=MS.AAD.1.1")).await;
    let check = report["checks"].as_array().unwrap().iter().find(|check| check["controlId"] == "MS.AAD.1.1").unwrap();
    let mut sent = form_urlencoded::Serializer::new(String::new());
    for (name, field) in [("severity", "severity"), ("currentState", "currentState"), ("suggestedFix", "suggestedFix")]
    {
        sent.append_pair(name, check[field].as_str().unwrap_or_default());
    }
    sent.extend_pairs([("control", "MS.AAD.1.1"), ("seen", hidden(&form, "seen").unwrap()), ("keep", "on")]);
    sent.extend_pairs([("status", "IN_PROGRESS"), ("why", "Devices arrive in May.")]);
    let path = format!("{address}/edit/check");
    let response = send(&uploading.router, "POST", &path, Some(&uploading.cookie), sent.finish()).await;
    assert_eq!(response.status, 303, "{}", response.text);

    uploading.import(&[], &[("2.json", &uploading.results(2, &controls))]).await;
    let next = uploading.newest().await;
    let check = next["checks"].as_array().unwrap().iter().find(|check| check["controlId"] == "MS.AAD.1.1").unwrap();
    assert_eq!((&check["status"], &check["why"]), (&json!("IN_PROGRESS"), &json!("Devices arrive in May.")));
    let page = uploading.get(&format!("/tenants/{tenant}/reports/{}", next["id"].as_str().unwrap())).await;
    assert!(page.contains("Kept from an earlier report: status, why it matters, by "), "{page}");

    let kept = format!("/tenants/{tenant}/kept-edits");
    assert!(uploading.get(&kept).await.contains("Devices arrive in May."));
    let end = format!("{kept}/end");
    let response = send(&uploading.router, "POST", &end, Some(&uploading.cookie), "control=MS.AAD.1.1").await;
    assert_eq!((response.status, response.location()), (303, &*kept));
    assert!(uploading.get(&kept).await.contains("No edit is kept"));
    uploading.import(&[], &[("3.json", &uploading.results(3, &controls))]).await;
    let last = uploading.newest().await;
    let check = last["checks"].as_array().unwrap().iter().find(|check| check["controlId"] == "MS.AAD.1.1").unwrap();
    assert_eq!(check["status"], "OPEN");
}

#[tokio::test]
async fn texts_of_files_that_attack_are_harmless_on_pages_and_in_csv_files() {
    let uploading = Uploading::new().await;
    let long = "W".repeat(10_000);
    let attacks = [
        "<script>alert(1)</script>",
        "<svg onload=alert(1)>",
        "\"><img src=x onerror=alert(1)>",
        "invoice\u{202e}fdp.exe",
        "=HYPERLINK(\"https://evil.example\")",
        "@SUM(1)",
        &long,
    ];
    let rows = attacks.iter().enumerate().map(|(number, text)| {
        json!({
            "Control ID": format!("MS.AAD.{}.1v1", number + 1), "Requirement": text, "Result": "Fail",
            "Criticality": "Shall", "Details": text,
        })
    });
    let results = json!({
        "MetaData": { "TenantId": uploading.provider, "ToolVersion": "1.7.1", "TimestampZulu": "2026-01-01T06:00:00.000Z" },
        "Results": { "AAD": [{ "GroupName": "A group", "Controls": rows.collect::<Vec<_>>() }] },
    });
    let tenant = &uploading.app.org_a.tenants[0];
    let renamed = format!("={}", attacks[0]).parse().unwrap();
    uploading.app.org_a.writer().rename_tenant(tenant, &renamed).await.unwrap();
    let name = "=run/<script>alert(1)</script>\u{202e}.json";
    let imported = uploading.import(&[], &[(name, results.to_string().as_bytes()), (attacks[1], b"")]).await;
    let report = uploading.newest().await;
    assert_eq!(report["checks"].as_array().unwrap().len(), attacks.len());
    let address = format!("/tenants/{tenant}/reports/{}", report["id"].as_str().unwrap());
    let pages = [
        imported,
        uploading.get("/imports").await,
        uploading.get("/").await,
        uploading.get(&address).await,
        uploading.get(&format!("{address}/edit/check?control=MS.AAD.1.1")).await,
    ];
    for page in &pages {
        assert_eq!(page.matches("<script").count(), 1, "the one of the frame: {page}");
        assert!(!page.contains("<svg onload") && !page.contains("<img src=x") && !page.contains('\u{202e}'), "{page}");
    }
    assert!(pages[3].contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{}", pages[3]);
    for file in [format!("{address}/checks.csv"), "/portfolio.csv".to_owned()] {
        holds_no_formula(&file, &uploading.get(&file).await);
    }
}

const NEW: &str = "77777777-7777-4777-8777-777777777777";

#[tokio::test]
async fn a_new_clients_files_are_kept_until_the_tenant_is_added() {
    let uploading = Uploading::new().await;
    let controls = [("MS.AAD.1.1v1", "Fail")];
    let of_new = results(NEW, 1, &controls).into_bytes();
    let known = uploading.results(1, &controls);
    let page = uploading.import(&[("asBaseline", "on")], &[("new.json", &of_new), ("known.json", &known)]).await;
    assert!(page.contains("This tenant is new") && page.contains(NEW), "{page}");
    let form = page.split_once("action=\"/imports/imp_").unwrap().1.split('"').next().unwrap();
    let path = format!("/imports/imp_{form}");
    let post = async |fields: &str| send(&uploading.router, "POST", &path, Some(&uploading.cookie), fields).await;
    let unnamed = post(&format!("name=&providerTenantId={NEW}")).await;
    assert!(unnamed.status == 200 && unnamed.text.contains("Enter a name"), "{}", unnamed.text);
    let other = post("name=Other&providerTenantId=88888888-8888-4888-8888-888888888888").await;
    assert!(other.text.contains("The files are of another tenant."), "{}", other.text);

    let placed = post(&format!("name=New+Client&providerTenantId={NEW}")).await;
    assert_eq!(placed.status, 303, "{}", placed.text);
    let page = uploading.get(placed.location()).await;
    assert!(
        page.contains("New Client") && page.contains("1 report</span>") || page.contains("1 report added"),
        "{page}"
    );
    assert!(!page.contains("This tenant is new"), "{page}");
    let reports = uploading.app.org_a().get("/v1/posture-reports").await.success();
    assert_eq!(reports["totalReports"], 2);
    assert!(!uploading.app.items().await.iter().any(|item| item["sk"].as_s().unwrap().starts_with("UPLOAD#")));
    assert_eq!(post(&format!("name=New+Client&providerTenantId={NEW}")).await.status, 409, "the files are gone");
    assert_eq!(uploading.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_file_that_names_no_tenant_asks_for_one() {
    let uploading = Uploading::new().await;
    let unnamed = json!({
        "MetaData": { "ToolVersion": "1.7.1", "TimestampZulu": "2026-01-01T06:00:00.000Z" },
        "Results": { "AAD": [{ "GroupName": "A group", "Controls": [{
            "Control ID": "MS.AAD.1.1v1", "Requirement": "A rule", "Result": "Fail", "Criticality": "Shall", "Details": "So",
        }] }] },
    });
    let page = uploading.import(&[], &[("unnamed.json", unnamed.to_string().as_bytes())]).await;
    assert!(page.contains("Which tenant are these files of?"), "{page}");
    let form = page.split_once("action=\"/imports/imp_").unwrap().1.split('"').next().unwrap();
    let sent = format!("tenant={}", uploading.app.org_a.tenants[0]);
    let path = format!("/imports/imp_{form}");
    let placed = send(&uploading.router, "POST", &path, Some(&uploading.cookie), sent).await;
    assert_eq!(placed.status, 303, "{}", placed.text);
    assert_eq!(uploading.newest().await["tenant"]["serviceTenantId"], uploading.app.org_a.tenants[0].as_str());
}

#[tokio::test]
async fn files_that_are_sent_one_by_one_are_imported_together_and_outlive_a_mistake_in_the_form() {
    let uploading = Uploading::new().await;
    let controls = [("MS.AAD.1.1v1", "Fail")];
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &uploading.results(2, &controls)).unwrap();
    let files = [("a.json", uploading.results(1, &controls)), ("b.json", packed.finish().unwrap())];
    for (name, content) in &files {
        let sent = upload(&[("upload", "upl_1")], &[(name, content)]);
        let kept = send(&uploading.router, "POST", "/imports/files", Some(&uploading.cookie), sent).await;
        assert_eq!((kept.status, &*kept.text), (204, ""));
    }
    assert_eq!(uploading.app.org_a().get("/v1/posture-reports").await.success()["totalReports"], 0);
    let wrong = uploading.send(&[("upload", "upl_1"), ("completedAt", "yesterday")], &[]).await;
    assert!(
        wrong.text.contains("Enter a date and a time") && wrong.text.contains("2 files already sent"),
        "{}",
        wrong.text
    );
    assert_eq!(hidden(&wrong.text, "upload"), Some("upl_1"));
    let page = uploading.import(&[("upload", "upl_1")], &[]).await;
    assert!(page.contains("2 reports</span>") || page.contains("2 reports added"), "{page}");

    // Many files are too large together, and an upload of another organization has none.
    let large = vec![7; 3_900_000];
    for number in 0..6 {
        let sent = upload(&[("upload", "upl_2")], &[(&format!("{number}.json"), &large)]);
        let kept = send(&uploading.router, "POST", "/imports/files", Some(&uploading.cookie), sent).await;
        assert_eq!(kept.status, if number < 5 { 204 } else { 400 }, "{number}");
    }
    let other = join(&uploading.app, &uploading.app.org_b.organization, Role::FullMember, "Bela").await;
    let other = sign_in(&uploading.app, &other).await;
    let theirs = send(&uploading.router, "POST", "/imports", Some(&other), upload(&[("upload", "upl_2")], &[])).await;
    assert!(theirs.text.contains("No file was chosen."), "{}", theirs.text);
}
