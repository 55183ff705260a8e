//! The published samples, imported and read over HTTP. Runs only where they are, and says so elsewhere.

use serde_json::Value;

use crate::corpus_files;
use crate::support::{Service, text_of};

const PROVIDER_ID: &str = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269";

fn with_status<'a>(report: &'a Value, status: &str) -> Vec<&'a str> {
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["status"] == status);
    let mut ids: Vec<_> = checks.map(|check| check["controlId"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn three_runs_against_one_tenant_tell_what_was_fixed_and_what_drifted() {
    let names =
        ["ScubaResults_v1.4.0_2024-08.json", "ScubaResults_v1.6.0_2025-07.json", "ScubaResults_v1.7.0_2025-10.json"];
    let files = names.map(|name| corpus_files::path(&format!("scubagear/{name}")));
    let Some(files) = files.into_iter().collect::<Option<Vec<_>>>() else { return };
    let files: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Lab", PROVIDER_ID);
    let import = |more: &[&str]| service.json(&[&["report", "import", "--org", &member.id], more].concat());

    import(&[files[0]]);
    let second = import(&[files[1]]);
    let second_id = text_of(&second["reports"][0], "reportId");
    import(&["--baseline", &second_id, files[2]]);

    let history = service.get(&member.key, "/v1/posture-reports?latestOnly=false").1;
    let [third, second, first] = history["reports"].as_array().unwrap().as_slice() else { panic!("{history}") };
    assert_eq!(first["reportType"], "BASELINE");
    let counts = ["secure", "open", "notAssessed"].map(|count| first["controls"][count].as_u64().unwrap());
    assert_eq!(counts, [55, 27, 48]);

    assert_eq!(second["baseline"]["id"], first["id"]);
    let fixed = ["MS.DEFENDER.6.1", "MS.EXO.4.1", "MS.EXO.4.2", "MS.EXO.4.3", "MS.EXO.4.4", "MS.POWERPLATFORM.2.2"];
    assert_eq!(with_status(second, "FIXED"), fixed);
    assert_eq!(with_status(second, "DRIFTED"), ["MS.DEFENDER.1.5"]);

    assert_eq!(third["baseline"]["id"], second["id"]);
    assert_eq!(with_status(third, "FIXED"), ["MS.AAD.5.2", "MS.DEFENDER.4.2"]);
    assert_eq!(with_status(third, "DRIFTED"), ["MS.DEFENDER.4.4"]);

    let again = import(&[files[0], files[1], files[2]]);
    let outcomes: Vec<_> =
        again["reports"].as_array().unwrap().iter().map(|report| text_of(report, "outcome")).collect();
    assert_eq!(outcomes, ["ALREADY_THERE"; 3]);
    assert_eq!(service.get(&member.key, "/v1/posture-reports?latestOnly=false").1, history);
}
