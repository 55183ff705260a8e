//! Options are honoured or refused, with every command.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Output;

use serde_json::{Value, json};

use crate::command_lines::{COMMANDS, CommandLine, ON_DATA};
use crate::support::{Member, Service, failed, posture, succeeded, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

/// Runs a command against the service with variables that name another table and a usage plan.
fn run_with_variables(service: &Service, arguments: &[&str]) -> Output {
    let mut command = posture();
    command.env("TABLE_NAME", "elsewhere").env("USAGE_PLAN_ID", "plan");
    command.args(arguments).args(["--local", "--endpoint-url", &service.endpoint()]).output().unwrap()
}

fn names(service: &Service, table: &[&str]) -> Vec<String> {
    let listed = service.json(&[&["org", "list"], table].concat());
    listed.as_array().unwrap().iter().map(|organization| text_of(organization, "name")).collect()
}

#[tokio::test]
async fn a_command_on_a_restored_table_leaves_the_table_in_service_alone() {
    let service = Service::start();
    let member = service.organization("Live");
    service.restore("restored").await;
    service.text(&["org", "delete", &member.id, "--yes", "--table", "restored"]);
    assert_eq!(names(&service, &["--table", "restored"]), [""; 0]);
    assert_eq!(names(&service, &[]), ["Live"]);
    assert_eq!(service.get(&member.key, "/v1/tenants").0, 200);
    // The variables of a deployment are not meant for the service on this machine.
    let listed: Value =
        serde_json::from_str(&succeeded(&run_with_variables(&service, &["org", "list", "--json"]))).unwrap();
    assert_eq!(text_of(&listed[0], "name"), "Live");
    succeeded(&run_with_variables(&service, &["org", "create", "--name", "Second"]));
    assert_eq!(names(&service, &[]), ["Live", "Second"]);
}

#[test]
fn every_command_uses_the_named_table() {
    let service = Service::start();
    let archive = service.folder.path().join("archive.tar.gz").display().to_string();
    service.text(&["org", "export", &archive, "--org", &service.organization("Northwind").id]);
    // The service itself adds the first two.
    let others: Vec<_> = ON_DATA[2..].iter().flat_map(|(option, _)| option.split(' ')).collect();
    let on_data = COMMANDS
        .iter()
        .filter(|command| !["serve", "collect", "certificate"].contains(&command.line.split(' ').next().unwrap()));
    for command in on_data {
        // Without the feature, it says so first; with a local service, there is no usage plan to repair and nothing to
        // restore.
        if ["report pdf", "org repair", "restore"].iter().any(|unable| command.line.starts_with(unable)) {
            continue;
        }
        let confirmed = command.options.iter().any(|(option, _)| *option == "--yes").then_some("--yes");
        let base_url = command.line.starts_with("bootstrap").then_some(["--base-url", "http://127.0.0.1:1"]);
        // An import reads the whole archive before the table.
        let named = command.line.replace("org import northwind.tar.gz", &format!("org import {archive}"));
        let line: Vec<_> = named.split(' ').chain(confirmed).chain(base_url.into_iter().flatten()).collect();
        let output = service.run(&[&line[..], &others].concat());
        let complaint = failed(1, &output);
        assert!(complaint.contains("there is no table restored at http://127.0.0.1:"), "{line:?}: {complaint}");
        assert_eq!(output.stdout, b"", "{line:?}");
    }
}

#[test]
fn an_organization_is_named_by_option_or_variable() {
    let service = Service::start();
    let (one, two) = (service.organization("One"), service.organization("Two"));
    service.tenant(&one, "Alder", PROVIDER_ID);
    let listed = |options: &[&str]| {
        let mut command = posture();
        command.args(["tenant", "list", "--json", "--local", "--endpoint-url", &service.endpoint()]);
        let output = command.args(options).env("POSTURE_ORG", &one.id).output().unwrap();
        serde_json::from_str::<Value>(&succeeded(&output)).unwrap().as_array().unwrap().len()
    };
    assert_eq!((listed(&[]), listed(&["--org", &two.id])), (1, 0));
}

#[test]
fn a_missing_option_is_named_with_its_variable() {
    let missing = |line: &str| failed(2, &posture().args(line.split(' ')).output().unwrap());
    let collect = format!("collect --tenant {PROVIDER_ID} --out file --client-id app");
    for (line, variable) in [
        ("tenant list", "the variable POSTURE_ORG does the same"),
        ("report import results.json", "the variable POSTURE_ORG does the same"),
        (&*collect, "the variable GRAPH_CERTIFICATE does the same"),
        ("serve --sign-in-issuer https://i.example", "the variable SIGN_IN_CLIENT_ID does the same"),
    ] {
        let complaint = missing(line);
        assert!(complaint.contains(variable), "{line}: {complaint}");
        assert_eq!(complaint.matches("the variable").count(), 1, "{complaint}");
    }
    assert!(!missing("org create").contains("the variable"), "this name has no variable");
}

#[test]
fn commands_that_cannot_be_undone_require_a_confirmation() {
    let service = Service::start();
    // A repair asks once it has found what to change.
    let confirmed = |command: &&CommandLine| {
        command.options.iter().any(|(o, _)| *o == "--yes") && !command.line.starts_with("repair")
    };
    for command in COMMANDS.iter().filter(confirmed) {
        let line: Vec<_> = command.line.split(' ').collect();
        let complaint = service.failure(2, &line);
        assert!(complaint.contains("nothing was changed: without a terminal, confirm with --yes"), "{complaint}");
        // With it, the command goes on, and does not find what the line names.
        service.failure(1, &[&line[..], &["--yes"]].concat());
    }
}

#[test]
fn options_without_effect_are_refused() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let outputs = service.file("outputs.json", "[]");
    let line = |line: &str| -> Vec<String> {
        line.replace("ORG", &member.id).replace("OUTPUTS", &outputs).split(' ').map(str::to_owned).collect()
    };
    const LOCAL: &str = "cannot be used with --local: it is about a deployment in AWS";
    let cases = [
        ("org create --name Second --usage-plan plan", LOCAL),
        ("org delete ORG --yes --usage-plan plan", LOCAL),
        ("org repair ORG --usage-plan plan", LOCAL),
        ("org delete ORG --yes --bucket files", LOCAL),
        ("org delete ORG --yes --snapshots files", LOCAL),
        ("tenant erase --org ORG ten_1 --yes --bucket files", LOCAL),
        ("tenant erase --org ORG ten_1 --yes --snapshots files", LOCAL),
        ("org import archive --usage-plan plan", LOCAL),
        ("report request --org ORG --tenant ten_1 --queue https://queue.example", LOCAL),
        ("notify test --org ORG tgt_1 --queue https://queue.example", LOCAL),
        ("restore --table restored", LOCAL),
        ("restore", "name the restored table with --table"),
        ("bootstrap --name Northwind --base-url https://api.example --usage-plan plan", LOCAL),
        ("bootstrap --name Northwind --base-url https://api.example --outputs OUTPUTS", LOCAL),
        ("org brand ORG --reset name,logo --name Northwind", "--name cannot be used with --reset of the same part"),
        ("org brand ORG --reset logo --logo logo.png", "--logo cannot be used with --reset"),
        ("org brand ORG --reset accent --accent #2456c9", "--accent cannot be used with --reset"),
        ("org brand ORG --reset footer --footer text", "--footer cannot be used with --reset"),
        ("schedule documents --org ORG --every never --board", "only --label can be used with --every never"),
        ("schedule documents --org ORG --every never --new", "only --label can be used with --every never"),
        ("usage record --org ORG --trial-days 7 usage.csv", "--from-exports"),
        ("usage record --org ORG --not-for-resale usage.csv", "--from-exports"),
        ("usage record --org ORG --allow-empty usage.csv", "--from-exports"),
        ("usage record --org ORG --tenant ten_1 usage.csv", "--from-exports"),
        ("usage record --org ORG --from-exports usage.csv", "--tenant"),
        ("billable-users record --org ORG --tenant ten_1 --allow-empty users.csv", "--from-exports"),
    ];
    for (command, expected) in cases {
        let arguments = line(command);
        let complaint = service.failure(2, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(complaint.contains(expected), "{command}: {complaint}");
    }
    assert!(service.failure(1, &["org", "repair"]).contains("has no usage plan"));
    assert_eq!(names(&service, &[]), ["Northwind"], "nothing was created or deleted");
    for refused in [["--client-id", "id"], ["--certificate", "app.pem"]] {
        let collect = ["collect", "--tenant", PROVIDER_ID, "--out", "file"];
        failed(2, &posture().args(collect).args(refused).output().unwrap());
    }
    for refused in [["--sign-in-issuer", "https://i.example"], ["--sign-in-client-id", "id"]] {
        failed(2, &posture().arg("serve").args(refused).output().unwrap());
    }
}

/// Returns the address that a response of a service with these options redirects to.
fn redirect(service: &Service, path: &str) -> String {
    let url = format!("{}{path}", service.dashboard());
    let request = ureq::get(url).config().http_status_as_error(false).max_redirects(0).build();
    let response = request.call().unwrap();
    assert_eq!(response.status(), 303);
    response.headers()["location"].to_str().unwrap().to_owned()
}

/// Returns the address of an issuer that only describes itself.
fn issuer() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let described = json!({
        "issuer": address, "authorization_endpoint": format!("{address}/authorize"),
        "token_endpoint": format!("{address}/token"), "jwks_uri": format!("{address}/keys"),
    });
    std::thread::spawn(move || {
        for mut connection in listener.incoming().map(Result::unwrap) {
            let request = BufReader::new(&connection).lines().map(Result::unwrap);
            let path = request.take_while(|line| !line.is_empty()).next().unwrap_or_default();
            let body = if path.contains("keys") { json!({ "keys": [] }) } else { described.clone() }.to_string();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
            write!(connection, "{head} {}\r\n\r\n{body}", body.len()).unwrap();
        }
    });
    address
}

#[test]
fn people_sign_in_with_the_named_issuer() {
    let issuer = issuer();
    let service = Service::start_with(&["--sign-in-issuer", &issuer, "--sign-in-client-id", "client-7"]);
    let location = redirect(&service, "/sign-in/start");
    assert!(location.starts_with(&format!("{issuer}/authorize?")), "{location}");
    assert!(location.contains("client_id=client-7"), "{location}");
    assert!(!redirect(&Service::start(), "/sign-in/start").contains("client-7"));
}

#[test]
fn links_lead_to_the_named_dashboard() {
    let elsewhere = "https://d.example";
    let service = Service::start_with(&["--dashboard-url", elsewhere]);
    let member = service.organization("Northwind");
    let report = imported(&service, &member);
    let of_api = &service.get(&member.key, "/v1/posture-reports").1["reports"][0];
    let link = text_of(of_api, "url");
    assert!(link.starts_with(elsewhere), "{link}");
    let show = ["report", "show", "--org", &member.id, &report];
    assert_eq!(text_of(&service.json(&show), "url"), link, "the service names it");
    let third = link.replace(elsewhere, "https://third.example");
    let named = ["--dashboard-url", "https://third.example/"];
    assert_eq!(text_of(&service.json(&[&show[..], &named].concat()), "url"), third);
    let edit = ["report", "edit", "--org", &member.id, &report, "--control", "MS.AAD.1.1", "--why", "text"];
    assert_eq!(text_of(&service.json(&[&edit[..], &["--dashboard-url", elsewhere]].concat()), "url"), link);
    let invite = ["member", "invite", "--org", &member.id, "--role", "admin", "--dashboard-url", elsewhere];
    assert!(text_of(&service.json(&invite), "link").starts_with(&format!("{elsewhere}/invitations/")));
    let bootstrap =
        ["bootstrap", "--name", "New", "--base-url", &service.api(), "--dashboard-url", elsewhere, "--json"];
    let ready: Value = serde_json::from_slice(&service.run(&bootstrap).stdout).unwrap();
    assert!(text_of(&ready, "adminLink").starts_with(&format!("{elsewhere}/invitations/")));
}

/// Imports a report, and returns its identifier.
fn imported(service: &Service, member: &Member) -> String {
    service.tenant(member, "Alder", PROVIDER_ID);
    let file = service.file("results.json", crate::samples::results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let imported = service.json(&["report", "import", "--org", &member.id, &file]);
    text_of(&imported["reports"][0], "reportId")
}
