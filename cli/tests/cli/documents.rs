//! Reports as PDFs, and their brand.

use serde_json::json;

use crate::support::Service;

/// A PNG of 3 x 2 pixels.
const LOGO: &[u8] = include_bytes!("logo.png");

#[test]
fn a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let brand = |more: &[&str]| service.json(&[&["org", "brand", &member.id], more].concat());
    let default = json!({
        "organizationId": member.id, "name": "Northwind", "accent": "#2456c9", "footer": "Northwind · Confidential",
        "logo": null,
    });
    assert_eq!(brand(&[]), default);

    let logo = service.file("logo.png", LOGO);
    let chosen = json!({
        "organizationId": member.id, "name": "Northwind IT", "accent": "#8c7400", "footer": "For the client only",
        "logo": { "mediaType": "image/png", "width": 3, "height": 2, "bytes": LOGO.len() },
    });
    let options =
        ["--name", "Northwind IT", "--accent", "#FFD400", "--footer", "For the client only", "--logo", logo.as_str()];
    assert_eq!(brand(&options), chosen, "a pale accent is darkened");
    assert_eq!(brand(&[]), chosen);
    assert_eq!(brand(&["--reset", "name,accent,footer,logo"]), default);
}

#[test]
fn an_invalid_brand_is_refused_and_changes_nothing() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let svg = service.file("logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
    let large = service.file("large.png", vec![0; 100 * 1024 + 1]);
    let brand = ["org", "brand", member.id.as_str()];
    let refused = |code, more: &[&str]| service.failure(code, &[&brand[..], more].concat());
    assert!(refused(1, &["--name", "New", "--logo", &svg]).contains("neither a PNG nor a JPEG"));
    assert!(refused(1, &["--logo", &large]).contains("the limit is 102400"));
    assert!(refused(1, &["--logo", "missing.png"]).contains("missing.png cannot be read"));
    assert!(refused(2, &["--accent", "blue"]).contains("#rrggbb"));
    assert!(refused(2, &["--name", ""]).contains("1 to 100 characters"));
    assert_eq!(service.json(&brand)["name"], "Northwind");
    assert!(service.failure(1, &["org", "brand", "org_unknown"]).contains("does not exist"));
}

#[cfg(not(feature = "pdf"))]
#[test]
fn a_build_without_pdfs_says_how_to_get_one() {
    let service = Service::start();
    let told = service.failure(1, &["report", "pdf", "--org", "org_1", "rpt_1"]);
    assert!(told.contains("cargo run --features pdf -- report pdf"), "{told}");
}

#[cfg(feature = "pdf")]
mod with_the_feature {
    use std::fs;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;
    use crate::samples::results;
    use crate::support::{Member, text_of};

    const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

    /// Returns a service with one tenant and its report.
    fn service() -> (Service, Member, String, String) {
        let service = Service::start();
        let member = service.organization("Northwind");
        let tenant = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
        let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
        let imported = service.json(&["report", "import", "--org", &member.id, &file]);
        let report = text_of(&imported["reports"][0], "reportId");
        (service, member, tenant, report)
    }

    #[test]
    fn the_attachment_is_what_the_api_returns_before_and_after_an_edit() {
        let (service, member, tenant, report) = service();
        let write = |choice: &[&str], name: &str| -> PathBuf {
            let file = service.folder.path().join(name);
            let output = ["--output", file.to_str().unwrap()];
            let written = service.json(&[&["report", "pdf", "--org", &member.id], choice, &output].concat());
            assert_eq!(written["reportId"], report.as_str());
            file
        };
        let returned = || {
            let url = format!("{}/v1/posture-reports", service.api());
            let request = ureq::get(url).header("Authorization", format!("Bearer {}", member.key));
            request.call().unwrap().body_mut().read_to_string().unwrap()
        };
        for edited in [false, true] {
            if edited {
                let edit = ["report", "edit", "--org", &member.id, &report, "--control", "MS.AAD.1.1"];
                service.text(&[&edit[..], &["--current-state", "Changed by hand."]].concat());
            }
            let (one, two) = (write(&[&report], "one.pdf"), write(&["--tenant", &tenant], "two.pdf"));
            assert!(fs::read(&one).unwrap() == fs::read(&two).unwrap(), "the same bytes twice");
            let attachment = service.folder.path().join("attachment.json");
            let Ok(tool) = Command::new("pdfdetach").args(["-save", "1", "-o"]).args([&attachment, &one]).output()
            else {
                return; // The tests of `report-pdf` say that the tool is missing.
            };
            assert!(tool.status.success());
            let attached = fs::read_to_string(attachment).unwrap();
            assert_eq!(returned(), format!("{{\"reports\":[{attached}],\"totalReports\":1,\"nextCursor\":null}}"));
            assert_eq!(attached.contains("Changed by hand."), edited);
        }
    }

    #[test]
    fn every_choice_changes_the_document() {
        let (service, member, tenant, report) = service();
        service.text(&[
            "task",
            "set",
            "--org",
            &member.id,
            "--tenant",
            &tenant,
            "--control",
            "MS.AAD.1.1",
            "--owner",
            "Dana",
        ]);
        let choices: [&[&str]; 7] = [
            &[],
            &["--board"],
            &["--open"],
            &["--paper", "letter"],
            &["--tasks"],
            &["--foreword", "Dear board,"],
            &["--dashboard-url", "https://d.example"],
        ];
        let written: std::collections::HashSet<_> = choices
            .iter()
            .map(|choice| {
                let file = service.folder.path().join("report.pdf");
                let output = ["--output", file.to_str().unwrap()];
                service.text(&[&["report", "pdf", "--org", &member.id, &report], *choice, &output].concat());
                fs::read(file).unwrap()
            })
            .collect();
        assert_eq!(written.len(), choices.len());
    }

    #[test]
    fn foreign_removed_and_unknown_reports_do_not_exist() {
        let (service, member, tenant, report) = service();
        let other = service.organization("Other");
        let refused = |org: &str, report: &str| service.failure(1, &["report", "pdf", "--org", org, report]);
        let expected = |report: &str| format!("the organization has no report {report}\n");
        assert!(refused(&other.id, &report).contains(&expected(&report)));
        assert!(refused(&member.id, "rpt_unknown").contains(&expected("rpt_unknown")));
        service.text(&["tenant", "remove", "--org", &member.id, &tenant, "--yes"]);
        assert!(refused(&member.id, &report).contains(&expected(&report)));
    }
}
