//! Text that would control a terminal or change the direction of text, from files and from arguments.

use model::is_hidden;
use serde_json::json;

use crate::samples::results;
use crate::support::{Service, failed};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";
/// Clears the screen, then changes the writing direction.
const HOSTILE: &str = "\u{1b}[2J\u{202e}gpj.exe\u{2066}";

fn harmless(text: &str) -> bool {
    !text.chars().any(|c| is_hidden(c) && c != '\n')
}

#[test]
fn hidden_characters_of_a_file_reach_neither_the_report_nor_the_terminal() {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let hostile = json!(HOSTILE).to_string();
    let file = results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]).replace("Details of", hostile.trim_matches('"'));
    let file = service.file("hostile\u{202e}.json", file);
    let shown = service.text(&["report", "import", "--org", &member.id, &file]);
    assert!(harmless(&shown) && shown.contains("added"), "{shown:?}");

    let (_, response) = service.get(&member.key, "/v1/posture-reports");
    let state = response["reports"][0]["checks"][0]["currentState"].as_str().unwrap().to_owned();
    assert!(state.contains("gpj.exe") && harmless(&state), "{state:?}");
    let report = response["reports"][0]["id"].as_str().unwrap().to_owned();
    let shown = service.text(&["report", "show", "--org", &member.id, &report]);
    assert!(shown.contains("gpj.exe") && harmless(&shown), "{shown:?}");
}

#[test]
fn hidden_characters_of_an_argument_are_spelled_out() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let name = format!("Harbour {HOSTILE}");
    let adding = ["tenant", "add", "--org", &member.id, "--name", &name, "--provider-tenant-id", PROVIDER_ID];
    let missing = format!("{HOSTILE}.json");
    for arguments in [&adding[..], &["report", "import", "--org", &member.id, &missing], &["tenant", HOSTILE]] {
        let output = service.run(arguments);
        let complaint = failed(output.status.code().unwrap(), &output);
        assert_ne!(output.status.code(), Some(0));
        assert!(complaint.contains("[U+202E]") && harmless(&complaint), "{complaint:?}");
    }
}
