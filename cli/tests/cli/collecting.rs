//! `posture collect`, against the stand-in of `posture serve`.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Output;

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Service, failed, posture, succeeded};

pub(crate) const TENANT: &str = "5c9a3f0e-7d1b-4e7a-9a55-0c2f6f1d8b21";

/// Writes a recorded tenant into a folder of a folder.
pub(crate) fn recorded() -> TempDir {
    let folder = TempDir::new().unwrap();
    let tenant = folder.path().join("any name");
    fs::create_dir(&tenant).unwrap();
    let write = |name: &str, content: Value| fs::write(tenant.join(name), content.to_string()).unwrap();
    write(
        "_manifest.json",
        json!({ "endpoints": {
            "organization": { "url": "/v1.0/organization" },
            "domains": { "url": "/v1.0/domains" },
            "missing": { "url": "/v1.0/users" },
        } }),
    );
    write("organization.json", json!({ "value": [{ "id": TENANT, "displayName": "Recorded Ltd" }] }));
    write(
        "domains.json",
        json!({ "value": [{ "id": "a.example", "isVerified": true, "supportedServices": ["Email"] }] }),
    );
    let look_up = json!({ "query_name": "_dmarc.a.example", "query_answers": ["v=DMARC1; p=reject"] });
    write("_dns.json", json!({ "dmarc_records": [{ "domain": "a.example", "log": [look_up] }] }));
    folder
}

fn collect(service: &Service, more: &[&str]) -> Output {
    let line = service.greeting.iter().find(|line| line.contains(TENANT)).unwrap();
    let address = line.split(' ').find(|word| word.starts_with("http://")).unwrap();
    let mut command = posture();
    command.args(["collect", "--tenant", TENANT, "--graph-url", address]).args(more).output().unwrap()
}

fn lines(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_recorded_tenant_becomes_a_snapshot() {
    let folder = recorded();
    let service = Service::start_with(&["--graph-folder", folder.path().to_str().unwrap()]);
    let file = service.folder.path().join("snapshot.jsonl.gz");
    let declared = ["--emergency-access", "7d3f8b1c-1111-4222-8333-444455556666"];
    let output = collect(&service, &[&["--json", "--out", file.to_str().unwrap()], &declared[..]].concat());
    let result: Value = serde_json::from_str(&succeeded(&output)).unwrap();
    let lines = lines(&file);
    let (first, last, responses) = (&lines[0], lines.last().unwrap(), &lines[1..lines.len() - 1]);
    assert_eq!(first["emergencyAccess"], json!(declared[1..]));
    assert_eq!(first["providerTenantId"], TENANT);
    assert_eq!((&last["end"]["responses"], &result["responses"]), (&json!(responses.len()), &json!(responses.len())));
    let status = |endpoint: &str, query: &str| {
        let found =
            responses.iter().find(|it| it["endpoint"] == endpoint && it["query"].as_str().unwrap_or("") == query);
        found.map(|it| (it["status"].clone(), it["body"].clone()))
    };
    assert_eq!(status("/v1.0/organization", "").unwrap().0, 200);
    let select = responses.iter().find(|it| it["endpoint"] == "/v1.0/users").unwrap();
    assert_eq!(
        (&select["status"], &select["body"]["error"]["code"]),
        (&json!(403), &json!("Authorization_RequestDenied"))
    );
    let (_, policy) = status("dns", "name=_dmarc.a.example&type=TXT").unwrap();
    assert_eq!(policy["Answer"][0]["data"], "v=DMARC1; p=reject");
    let (_, nothing) = status("dns", "name=a.example&type=TXT").unwrap();
    assert_eq!(nothing["Status"], 3);

    let again = collect(&service, &["--out", file.to_str().unwrap()]);
    assert!(failed(1, &again).contains("exists already"));
}

/// From the stand-in to the report: what is collected is also judged.
#[test]
fn a_tenant_of_the_demo_is_collected_and_reported() {
    let service = Service::start_with(&["--demo"]);
    let line = service.greeting.iter().find(|line| line.starts_with("Lindqvist Architects can be collected")).unwrap();
    let after = |option: &str| line.split(' ').skip_while(|word| *word != option).nth(1).unwrap().to_owned();
    let file = service.folder.path().join("snapshot.jsonl.gz");
    let file = file.to_str().unwrap();
    let tenant = ["collect", "--tenant", &after("--tenant"), "--graph-url", &after("--graph-url"), "--out", file];
    succeeded(&posture().args(tenant).output().unwrap());
    let imported = service.json(&["report", "import", "--org", "org_demo", file]);
    assert_eq!((&imported["reports"][0]["outcome"], &imported["issues"]), (&json!("ADDED"), &json!([])), "{imported}");
    let report = imported["reports"][0]["reportId"].as_str().unwrap();
    let report = service.json(&["report", "show", "--org", "org_demo", report]);
    let administrators = &report["globalAdmins"];
    assert_eq!((&administrators["count"], &administrators["dataComplete"]), (&json!(3), &json!(true)));
    assert_eq!(administrators["admins"][0]["userPrincipalName"], "ada.abel0@lindqvist-architects.example");
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().any(|check| check["observedUsage"].is_string()), "the logs show some usage");
    let unread = |check: &&Value| check["currentState"].as_str().unwrap_or_default().contains("documented form");
    assert_eq!(checks.iter().filter(unread).count(), 0);
}

#[test]
fn a_check_shows_shapes_and_no_values() {
    let folder = recorded();
    let service = Service::start_with(&["--graph-folder", folder.path().to_str().unwrap()]);
    let output = collect(&service, &["--check"]);
    let text = succeeded(&output);
    let shapes: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let organization = shapes.iter().find(|shape| shape["endpoint"] == "/v1.0/organization").unwrap();
    assert_eq!(organization["shape"]["value"], json!([{ "displayName": "text", "id": "id" }]));
    let refused = shapes.iter().find(|shape| shape["endpoint"] == "/v1.0/users").unwrap();
    assert_eq!((&refused["status"], &refused["code"]), (&json!(403), &json!("Authorization_RequestDenied")));
    for value in ["Recorded", TENANT, "a.example", "reject"] {
        assert!(!text.contains(value), "{value}");
    }
}

#[test]
fn missing_credentials_and_recordings_are_named() {
    let refusal = |code: i32, arguments: &[&str]| {
        failed(code, &posture().args(arguments).env_remove("GRAPH_ACCESS_TOKEN").output().unwrap())
    };
    let check = ["collect", "--tenant", TENANT, "--check"];
    let text = refusal(1, &check);
    assert!(text.contains("--client-id") && text.contains("GRAPH_ACCESS_TOKEN"), "{text}");
    let text = refusal(1, &[&check[..], &["--graph-url", "http://graph.example"]].concat());
    assert!(text.contains("https://"), "{text}");
    refusal(2, &check[..3]);
    let text = refusal(1, &[&check[..], &["--client-id", "id", "--certificate", "missing.pem"]].concat());
    assert!(text.contains("missing.pem cannot be read"), "{text}");
    let text = refusal(2, &[&check[..], &["--emergency-access", "id"]].concat());
    assert!(text.contains("cannot be used with"), "{text}");
    let empty = TempDir::new().unwrap();
    let ports = ["serve", "--port", "0", "--db-port", "0", "--dashboard-port", "0"];
    let text = refusal(1, &[&ports[..], &["--graph-folder", empty.path().to_str().unwrap()]].concat());
    assert!(text.contains("_manifest.json"), "{text}");
}
