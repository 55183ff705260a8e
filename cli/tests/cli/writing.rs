//! `posture text`.

use serde_json::{Value, json};

use crate::samples::results;
use crate::support::Service;

const PROVIDER: &str = "11111111-2222-3333-4444-555555555555";

#[test]
fn a_text_is_set_listed_used_and_removed() {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", PROVIDER);
    // Returns the reason and the fix in the report of a month.
    let import = |month: u32| {
        let file = service.file("results.json", results(PROVIDER, month, &[("MS.AAD.1.1v1", "Fail")]));
        service.text(&["report", "import", "--org", &member.id, &file]);
        let reports = service.get(&member.key, "/v1/posture-reports?latestOnly=true").1;
        let check = &reports["reports"][0]["checks"][0];
        ["why", "suggestedFix"].map(|field| check[field].clone())
    };
    let text = |verb: &'static str, more: &[&str]| {
        service.json(&[&["text", verb, "--org", &member.id, "--control", "MS.AAD.1.1"], more].concat())
    };
    let list = || service.json(&["text", "list", "--org", &member.id]);
    let tools = import(1);
    let set = text("set", &["--tool", "ScubaGear", "--why", "Because.", "--fix", "Call us."]);
    assert_eq!([&set["why"], &set["suggestedFix"]], ["Because.", "Call us."]);
    assert_eq!(list(), json!([set]));
    let listed = service.text(&["text", "list", "--org", &member.id]);
    assert!(listed.contains("ScubaGear") && listed.contains("Because.") && listed.contains("Call us."), "{listed}");
    assert_eq!(import(2), ["Because.", "Call us."]);
    // Set again, the text is another.
    text("set", &["--fix", "Write to us."]);
    assert_eq!(import(3), [tools[0].clone(), json!("Write to us.")]);

    for (line, expected) in [
        (
            &["set", "--control", "MS.AAD.9.9", "--why", "Because."][..],
            "no report of the tool has had control MS.AAD.9.9",
        ),
        (&["set", "--control", "MS.AAD.1.1", "--why", "Because.", "--tool", "Maester"], "no report of the tool"),
        (&["set", "--control", "MS.AAD.1.1", "--why", " "], "a text needs a reason, a fix, or both"),
        (&["remove", "--control", "MS.AAD.1.1", "--tool", "Maester"], "there is no text for the control"),
    ] {
        let complaint = service.failure(1, &[&["text", line[0], "--org", &member.id], &line[1..]].concat());
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    assert_eq!(text("remove", &["--tool", "ScubaGear"])["removed"], true);
    assert_eq!((list(), import(4)), (Value::Array(Vec::new()), tools));
    text("set", &["--why", "Because."]);
    let removed = service.text(&["text", "remove", "--org", &member.id, "--control", "MS.AAD.1.1"]);
    assert!(removed.contains("The text for MS.AAD.1.1 of ScubaGear is removed."), "{removed}");
}
