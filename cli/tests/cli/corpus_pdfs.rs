//! PDFs of the published samples: everything that the API returns of a report is in its PDF. Skipped without the
//! samples.

use std::fs;

use crate::corpus_files;
use serde_json::Value;

use crate::poppler::{attachment_of, missing_from, pages_of};
use crate::support::{Service, text_of};

/// For files that name no tenant.
const ANY: &str = "5c9a3f0e-7d1b-4e7a-9a55-0c2f6f1d8b21";
const SCUBAGEAR: &str = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269";
const PROWLER: &str = "8f2c1e34-5b6a-4c7d-9e80-1a2b3c4d5e6f";

/// Files that are imported together, and their tenant.
const SAMPLES: [(&[&str], &str); 10] = [
    (&["scubagear/ScubaResults_v1.4.0_2024-08.json"], SCUBAGEAR),
    (&["scubagear/ScubaResults_v1.6.0_2025-07.json"], SCUBAGEAR),
    (&["scubagear/ScubaResults_v1.7.0_2025-10.json"], SCUBAGEAR),
    (&["scubagear/IndividualReport_AAD.json"], ANY),
    (&["scubagear/ScubaResults_sample.csv"], ANY),
    (&["maester/TestResults-2025-11-27.json"], "0817c655-a853-4d8f-9723-3a333b5b9235"),
    (&["prowler/derived_m365.ocsf.json"], PROWLER),
    (&["prowler/derived_m365.csv"], PROWLER),
    (&["securescore/secureScore.json", "securescore/profiles.json"], ANY),
    (&["zerotrust/SampleReport.json"], "aaaabbbb-0000-cccc-1111-dddd2222eeee"),
];

#[test]
fn every_text_and_byte_of_the_samples_reports_is_in_their_pdfs() {
    let service = Service::start();
    for (names, provider) in SAMPLES {
        let files = names.iter().map(|name| corpus_files::path(name)).collect::<Option<Vec<_>>>();
        let Some(files) = files else { continue };
        let member = service.organization(names[0]);
        let tenant = service.tenant(&member, "Any tenant", provider);
        let mut import = vec!["report", "import", "--org", &member.id];
        if provider == ANY {
            import.extend(["--tenant", &tenant]);
        }
        // The table of results has no time.
        if names[0].ends_with("sample.csv") {
            import.extend(["--completed-at", "2026-05-01T00:00:00Z"]);
        }
        // A part of a run.
        if names[0].contains("IndividualReport") {
            import.push("--fragments");
        }
        import.extend(files.iter().map(|file| file.to_str().unwrap()));
        let imported = service.json(&import);
        let report = text_of(&imported["reports"][0], "reportId");

        let request = ureq::get(format!("{}/v1/posture-reports", service.api()));
        let mut response = request.header("Authorization", format!("Bearer {}", member.key)).call().unwrap();
        let returned = response.body_mut().with_config().limit(100 << 20).read_to_string().unwrap();
        let file = service.folder.path().join("report.pdf");
        service.json(&["report", "pdf", "--org", &member.id, &report, "--output", file.to_str().unwrap()]);
        let document = fs::read(&file).unwrap();
        let Some(attached) = attachment_of(&document) else { return };
        let attached = String::from_utf8(attached).unwrap();
        assert_eq!(
            returned,
            format!("{{\"reports\":[{attached}],\"totalReports\":1,\"nextCursor\":null}}"),
            "{names:?}"
        );
        assert_eq!(missing_from(&document, attached.as_bytes()), Vec::<String>::new(), "{names:?}");
        let pages = pages_of(&document).unwrap();
        assert!(pages.len() < 50, "{names:?}: {} pages", pages.len());
        assert!(list_follows_its_heading(&pages, &serde_json::from_str(&attached).unwrap()), "{names:?}");
    }
}

/// Returns whether the page with the heading of the controls that were not assessed has the first of them, too.
fn list_follows_its_heading(pages: &[String], report: &Value) -> bool {
    let below = pages.iter().find_map(|page| page.split_once("They do not count in the score."));
    let ids = report["checks"].as_array().unwrap().iter().filter(|check| check["status"] == "NOT_ASSESSED");
    let mut ids = ids.map(|check| text_of(check, "controlId"));
    below.is_none_or(|(_, list)| ids.any(|id| list.contains(&id)))
}
