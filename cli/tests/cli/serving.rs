//! `posture serve`.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Service, failed, posture, text_of};

/// Returns the requests that the demo prints.
fn suggestions(service: &Service) -> Vec<&String> {
    service.greeting.iter().filter(|line| line.starts_with("curl ")).collect()
}

fn demo_key(service: &Service) -> &str {
    service.greeting.iter().find_map(|line| line.strip_prefix("key: ")).unwrap()
}

/// Returns the response to a printed request, pasted into a shell or, without curl, sent as the line says.
fn response(service: &Service, line: &str) -> Value {
    if Command::new("curl").arg("--version").output().is_ok() {
        let output = Command::new("sh").args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        return serde_json::from_slice(&output.stdout).unwrap();
    }
    eprintln!("curl is not there; the request is sent without it");
    let url = line.rsplit('"').nth(1).unwrap();
    let path = url.splitn(4, '/').nth(3).unwrap();
    service.get(demo_key(service), &format!("/{path}")).1
}

#[test]
fn the_demos_requests_work_as_pasted() {
    let service = Service::start_with(&["--demo"]);
    let variables = format!("export BASE_URL={} API_KEY={}", service.api(), demo_key(&service));
    assert!(service.greeting.contains(&variables), "{:?}", service.greeting);
    let responses: Vec<_> = suggestions(&service).into_iter().map(|line| response(&service, line)).collect();
    let [tenants, latest, summaries, usage, history, users] = responses.as_slice() else { panic!("{responses:?}") };

    let inspection = &service.json(&["check"])[0];
    assert_eq!((&inspection["reports"], &inspection["discrepancies"]), (&json!(5), &json!([])));
    assert_eq!(tenants["totalTenants"], 3);
    assert_eq!(tenants["tenants"].as_array().unwrap().iter().filter(|tenant| tenant["isPaused"] == true).count(), 1);
    assert_eq!(latest["totalReports"], 3);
    assert_eq!(summaries["totalReports"], 3);
    assert!(summaries["reports"].as_array().unwrap().iter().all(|summary| summary["updatedAt"].is_string()));
    assert_eq!(usage["totalTenants"], 3);
    assert_eq!(history["totalReports"], 2);
    assert_eq!(users["totalBillableUsers"], 4);
    let follow_ups = latest["reports"].as_array().unwrap().iter().filter(|report| report["reportType"] == "FOLLOW_UP");
    let changes: Vec<_> =
        follow_ups.map(|report| (&report["controls"]["fixed"], &report["controls"]["drifted"])).collect();
    assert_eq!(changes.len(), 2);
    assert!(
        changes.iter().all(|(fixed, drifted)| fixed.as_u64() > Some(0) && drifted.as_u64() > Some(0)),
        "{changes:?}"
    );
}

/// Adds the values of a field, wherever it occurs. Null is added as `null`.
fn add_values(json: &Value, field: &str, values: &mut BTreeSet<String>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| add_values(item, field, values)),
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            if name == field {
                values.insert(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
            add_values(value, field, values);
        }),
        _ => {}
    }
}

#[test]
fn the_demo_has_a_value_for_every_field_and_every_enumeration() {
    let service = Service::start_with(&["--demo"]);
    let history = service.get(demo_key(&service), "/v1/posture-reports?latestOnly=false").1;
    let values = |field: &str| {
        let mut values = BTreeSet::new();
        add_values(&history, field, &mut values);
        values
    };
    for (field, expected) in [
        ("reportType", "BASELINE FOLLOW_UP"),
        ("status", "DRIFTED FIXED IN_PROGRESS NOT_ASSESSED OPEN SECURE"),
        ("category", "ACCOUNTS APPS_DIRECTORY CONDITIONAL_ACCESS EXCHANGE EXTERNAL_SHARING GLOBAL_ADMINS"),
        ("mfaEnforcement", "CA_POLICY NONE PER_USER UNKNOWN"),
        ("mfaMethod", "AUTHENTICATOR EMAIL NONE PHISHING_RESISTANT SMS SOFTWARE_OATH UNKNOWN VOICE"),
    ] {
        let found: Vec<_> = values(field).into_iter().collect();
        assert_eq!(found.join(" "), expected, "{field}");
    }
    let severities: Vec<_> = values("severity").into_iter().filter(|severity| severity != "null").collect();
    assert_eq!(severities.join(" "), "CRITICAL HIGH LOW MEDIUM");
}

/// Adds every field, by its path, that has a value other than null, and every one that is null.
fn add_fields(json: &Value, path: &str, filled: &mut BTreeSet<String>, null: &mut BTreeSet<String>) {
    match json {
        Value::Array(items) => items.iter().for_each(|item| add_fields(item, path, filled, null)),
        Value::Object(fields) => {
            filled.insert(path.to_owned());
            fields.iter().for_each(|(name, value)| add_fields(value, &format!("{path}/{name}"), filled, null));
        }
        Value::Null => drop(null.insert(path.to_owned())),
        _ => drop(filled.insert(path.to_owned())),
    }
}

#[test]
fn no_field_of_the_demo_is_null_everywhere() {
    let service = Service::start_with(&["--demo"]);
    let (mut filled, mut null) = (BTreeSet::new(), BTreeSet::new());
    for path in [
        "/v1/posture-reports?latestOnly=false",
        "/v1/report-summaries?latestOnly=false",
        "/v1/tenants",
        "/v1/usage",
        "/beta/billable-users",
    ] {
        let response = service.get(demo_key(&service), path).1;
        let path = path.split('?').next().unwrap();
        add_fields(&response, path, &mut filled, &mut null);
    }
    assert!(filled.len() > 60 && null.len() > 5, "{filled:?} {null:?}");
    // A page of all that exists has no next one.
    let without_value: Vec<_> = null.difference(&filled).filter(|path| !path.ends_with("/nextCursor")).collect();
    assert!(without_value.is_empty(), "null everywhere: {without_value:?}");
}

#[test]
fn the_demo_is_filled_in_once_and_has_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("demo.db");
    let options = ["--demo", "--data", data.to_str().unwrap()];

    let first = Service::start_with(&options);
    let old_key = demo_key(&first).to_owned();
    let reports = first.json(&["report", "list", "--org", "org_demo"]);
    assert_eq!(first.get(&old_key, "/v1/tenants").0, 200);
    let first_greeting = first.greeting[0].clone();
    first.stop();

    let second = Service::start_with(&options);
    assert_eq!(second.json(&["report", "list", "--org", "org_demo"]), reports);
    // The dashboard has another port, and its people are the same.
    assert_ne!(second.greeting[0], first_greeting);
    let members = second.json(&["member", "list", "--org", "org_demo"]);
    assert_eq!(members.as_array().unwrap().len(), 2);
    assert_eq!(reports.as_array().unwrap().len(), 5);
    assert_eq!(second.get(demo_key(&second), "/v1/tenants").0, 200);
    assert_eq!(second.get(&old_key, "/v1/tenants").0, 401);
    assert_eq!(second.json(&["key", "list", "--org", "org_demo"]).as_array().unwrap().len(), 1);
}

#[test]
fn data_in_a_file_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("posture.db");
    let options = ["--data", data.to_str().unwrap()];

    let first = Service::start_with(&options);
    let member = first.organization("Northwind Managed Services");
    assert_eq!(first.stop(), Some(0), "a service that is asked to stop ends well");

    let second = Service::start_with(&options);
    let organizations = second.json(&["org", "list"]);
    assert_eq!(text_of(&organizations[0], "name"), "Northwind Managed Services");
    assert_eq!(second.get(&member.key, "/v1/tenants").0, 200);
}

#[test]
fn data_in_memory_do_not_survive() {
    let first = Service::start();
    first.organization("Northwind Managed Services");
    first.stop();
    assert_eq!(Service::start().json(&["org", "list"]), Value::Array(Vec::new()));
}

#[test]
fn requests_are_limited_by_default() {
    let statuses = |service: &Service| -> Vec<u16> {
        let key = demo_key(service);
        (0..12).map(|_| service.get(key, "/v1/tenants").0).collect()
    };
    assert!(statuses(&Service::start_with(&["--demo"])).contains(&429));
    assert_eq!(statuses(&Service::start_with(&["--demo", "--no-rate-limit"])), [200; 12]);
}

#[test]
fn this_machine_can_be_called_by_another_name() {
    let named = |service: &Service| {
        let mut client = TcpStream::connect(service.api().strip_prefix("http://").unwrap()).unwrap();
        client.write_all(b"GET /docs HTTP/1.1\r\nHost: host.docker.internal\r\nConnection: close\r\n\r\n").unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        response
    };
    let refused = named(&Service::start());
    assert!(refused.starts_with("HTTP/1.1 421 ") && refused.contains("--allow-host"), "{refused}");
    assert!(named(&Service::start_with(&["--allow-host", "host.docker.internal"])).starts_with("HTTP/1.1 200 OK"));
    let output = posture().args(["serve", "--allow-host", "a:9000"]).output().unwrap();
    assert!(failed(2, &output).contains("a name without a port"));
}

#[test]
fn a_taken_port_is_named_with_the_option_that_changes_it() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (option, other) in [("--port", "--db-port"), ("--db-port", "--port")] {
        let arguments = ["serve", option, &port, other, "0", "--dashboard-port", "0"];
        let output = posture().args(arguments).output().unwrap();
        let complaint = failed(1, &output);
        assert!(complaint.contains(&port) && complaint.contains(&format!("; {option} chooses another")), "{complaint}");
    }
}
