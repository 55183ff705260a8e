//! `posture org export` and `import`: what an organization is in one table, it is in the other.

pub(crate) mod kills;
mod refusals;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::samples::results;
use crate::support::{Service, text_of};

/// Tests compare more than a minute of a client's requests.
const UNLIMITED: &str = "--no-rate-limit";

/// A response as it was received: status, tag and body.
type Response = (u16, Option<String>, String);

fn get(service: &Service, key: &str, path: &str) -> Response {
    let request = ureq::get(format!("{}{path}", service.api())).config().http_status_as_error(false).build();
    let mut response = request.header("Authorization", format!("Bearer {key}")).call().unwrap();
    let tag = response.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
    let body = response.body_mut().with_config().limit(1 << 30).read_to_string().unwrap();
    (response.status().as_u16(), tag, body)
}

/// Returns the responses of all endpoints to an organization: each list with every page, each tenant, each report.
fn responses(service: &Service, key: &str) -> BTreeMap<String, Response> {
    let mut responses = BTreeMap::new();
    let mut ask = |path: String| {
        let response = get(service, key, &path);
        let json: Value = serde_json::from_str(&response.2).unwrap();
        responses.insert(path, response);
        json
    };
    let tenants = ask("/v1/tenants".to_owned());
    ask("/v1/usage".to_owned());
    let ids: Vec<_> =
        tenants["tenants"].as_array().unwrap().iter().map(|tenant| text_of(tenant, "serviceTenantId")).collect();
    let of_tenants = ids.iter().map(|id| format!("&tenantId={id}"));
    let queries: Vec<_> = of_tenants.chain([String::new()]).collect();
    for id in &ids {
        ask(format!("/beta/billable-users?tenantId={id}"));
    }
    let mut reports = Vec::new();
    for (list, query) in ["posture-reports", "report-summaries"]
        .into_iter()
        .flat_map(|list| queries.iter().map(move |query| (list, query)))
    {
        ask(format!("/v1/{list}?latestOnly=true{query}"));
        let mut page = ask(format!("/v1/{list}?latestOnly=false&limit=500{query}"));
        loop {
            reports.extend(page["reports"].as_array().unwrap().iter().map(|report| text_of(report, "id")));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            page = ask(format!("/v1/{list}?latestOnly=false&limit=500{query}&cursor={cursor}"));
        }
    }
    for report in reports {
        ask(format!("/v1/posture-reports/{report}"));
    }
    responses
}

/// Asserts that all endpoints of an organization return the same in both tables. Returns the number of responses.
fn assert_equal(here: &Service, there: &Service, organization: &str) -> usize {
    let key = |service: &Service| text_of(&service.json(&["key", "create", "--org", organization]), "key");
    let (here, there) = (responses(here, &key(here)), responses(there, &key(there)));
    assert_eq!(here.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
    for (path, response) in &here {
        assert!(there[path] == *response, "{path}:\n{:?}\n{response:?}", there[path]);
    }
    here.len()
}

/// Returns the files in an archive.
fn files(archive: &str) -> BTreeMap<String, String> {
    let mut tar = tar::Archive::new(MultiGzDecoder::new(File::open(archive).unwrap()));
    let entries = tar.entries().unwrap().map(Result::unwrap);
    entries
        .map(|mut entry| {
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            (entry.path().unwrap().display().to_string(), text)
        })
        .collect()
}

/// Returns the number of parts of an archive.
fn parts(archive: &str) -> usize {
    let mut tar = tar::Archive::new(MultiGzDecoder::new(File::open(archive).unwrap()));
    let entries = tar.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().starts_with("items"));
    entries.filter(|is_part| *is_part).count()
}

/// Returns a service with the demo, and the organization of it that has members and reports.
fn demo() -> (Service, String) {
    let service = Service::start_with(&["--demo", UNLIMITED]);
    let organizations = service.json(&["org", "list"]);
    let ids = organizations.as_array().unwrap().iter().map(|organization| text_of(organization, "organizationId"));
    let has_members = |id: &String| service.json(&["member", "list", "--org", id]).as_array().unwrap().len() == 2;
    let organization = ids.into_iter().find(has_members).unwrap();
    (service, organization)
}

#[test]
fn an_organization_is_the_same_in_the_table_that_it_is_imported_into() {
    let (here, organization) = demo();
    let there = Service::start_with(&[UNLIMITED]);
    let org = ["--org", &organization];
    let tenants = here.json(&[&["tenant", "list"], &org[..]].concat());
    let [first, second] = [0, 1].map(|number| text_of(&tenants[number], "serviceTenantId"));
    here.text(&[&["tenant", "rename", &first, "--name", "Renamed since"], &org[..]].concat());
    here.text(&[&["tenant", "remove", &second, "--yes"], &org[..]].concat());
    let reports = here.json(&[&["report", "list", "--tenant", &first], &org[..]].concat());
    let report = text_of(&reports[0], "reportId");
    let control = text_of(&here.json(&[&["report", "show", &report], &org[..]].concat())["checks"][0], "controlId");
    let edit = ["report", "edit", &report, "--control", &control, "--why", "A reason of our own.", "--keep"];
    here.text(&[&edit, &org[..]].concat());

    let archive = here.folder.path().join("northwind.tar.gz").display().to_string();
    let exported = here.text(&[&["org", "export", &archive], &org[..]].concat());
    assert!(exported.starts_with(&format!("Exported organization {organization}, ")), "{exported}");
    let imported = there.text(&["org", "import", &archive]);
    assert!(imported.starts_with(&format!("Imported organization {organization}, ")), "{imported}");
    assert!(imported.contains("posture serve --demo") && imported.contains("posture key create"), "{imported}");

    let reports = here.json(&[&["report", "list"], &org[..]].concat()).as_array().unwrap().len();
    // Two lists for the organization and for two tenants, of the latest and of all; and four other responses.
    assert_eq!(assert_equal(&here, &there, &organization), 2 * 3 * 2 + 4 + reports);
    assert_eq!(there.json(&["check"])[0]["discrepancies"], json!([]));
    for list in [["tenant", "list"], ["member", "list"], ["report", "list"]] {
        let list = [&list, &org[..]].concat();
        assert_eq!(here.json(&list), there.json(&list), "{list:?}");
    }
    let files = files(&archive);
    let api = get(
        &here,
        &text_of(&here.json(&["key", "create", "--org", &organization]), "key"),
        &format!("/v1/posture-reports/{report}"),
    );
    assert_eq!(files[&format!("reports/{first}/{report}.json")], api.2);
    assert!(
        !files.keys().any(|file| file.starts_with(&format!("reports/{second}/"))),
        "the API has no removed tenants"
    );
    let keys = here.json(&["key", "list", "--org", &organization]);
    assert_eq!(serde_json::from_str::<Value>(&files["organization.json"]).unwrap()["apiKeys"][0], keys[0]);

    // A kept edit goes on to apply.
    let provider = text_of(&tenants[0], "providerTenantId");
    let mut run: Value = serde_json::from_str(&results(&provider, 1, &[(&control, "Fail")])).unwrap();
    run["MetaData"]["TimestampZulu"] = json!(chrono::Utc::now());
    let file = there.file("results.json", run.to_string());
    let imported = there.json(&[&["report", "import", &file], &org[..]].concat());
    let later = text_of(&imported["reports"][0], "reportId");
    let checks = there.json(&[&["report", "show", &later], &org[..]].concat())["checks"].clone();
    let edited = checks.as_array().unwrap().iter().find(|check| check["controlId"] == control).cloned();
    assert_eq!(edited.expect("the check is in the report")["why"], "A reason of our own.");
}

#[test]
fn links_in_an_archive_lead_to_the_named_dashboard_and_only_its_owner_reads_it() {
    let (service, organization) = demo();
    let archive = service.folder.path().join("northwind.tar.gz").display().to_string();
    let elsewhere = ["--dashboard-url", "https://d.example/"];
    let exported = service.json(&[&["org", "export", &archive, "--org", &organization], &elsewhere[..]].concat());
    let files = files(&archive);
    let reports: Vec<_> = files.iter().filter(|(name, _)| name.starts_with("reports/")).collect();
    assert!(!reports.is_empty());
    for (name, text) in reports {
        let report: Value = serde_json::from_str(text).unwrap();
        assert!(text_of(&report, "url").starts_with("https://d.example/tenants/"), "{name}");
    }
    let lines = files.iter().filter(|(name, _)| name.starts_with("items/")).map(|(_, text)| text.lines().count());
    assert_eq!(exported["items"], lines.sum::<usize>());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&archive).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
