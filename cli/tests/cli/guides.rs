//! The commands of the guides work as they are written there.

use std::fs;
use std::io::Write;

use serde_json::Value;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::{Service, posture, succeeded};

const README: &str = include_str!("../../../README.md");
/// The file that the README names for readers without results, and its tenant.
const SAMPLE: (&str, &str) = ("cli/demo/harbour-dental-baseline.json", "3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411");

/// Returns the arguments of a command that a guide runs from a checkout.
fn arguments(line: &str) -> Vec<&str> {
    let line = line.strip_prefix("cargo run -- ").unwrap_or_else(|| panic!("{line}"));
    let quoted = line.split('"').enumerate();
    quoted
        .flat_map(|(place, part)| if place % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

#[test]
fn the_readmes_commands_import_a_file_a_folder_or_an_archive() {
    let (_, section) = README.split_once("## Import your own results").unwrap();
    let commands = section.split("```sh\n").nth(2).unwrap().split("```").next().unwrap();
    assert!(section.contains(SAMPLE.0) && section.contains(SAMPLE.1));
    let content = fs::read(format!("{}/../{}", env!("CARGO_MANIFEST_DIR"), SAMPLE.0)).unwrap();

    let service = Service::start();
    let at = |name: &str| service.folder.path().join(name);
    fs::create_dir(at("results")).unwrap();
    for file in [at("ScubaResults.json"), at("results/ScubaResults.json")] {
        fs::write(file, &content).unwrap();
    }
    let mut archive = ZipWriter::new(fs::File::create(at("results.zip")).unwrap());
    archive.start_file("results/ScubaResults.json", SimpleFileOptions::default()).unwrap();
    archive.write_all(&content).unwrap();
    archive.finish().unwrap();

    for results in ["ScubaResults.json", "results", "results.zip"].map(|name| at(name).display().to_string()) {
        let mut organization = String::new();
        for line in commands.lines() {
            let line = line.replace("ORG", &organization).replace("GUID", SAMPLE.1).replace("RESULTS", &results);
            let mut command = posture();
            command.args(arguments(&line)).args(["--endpoint-url", &service.endpoint()]);
            let printed = succeeded(&command.output().unwrap());
            if let Some(created) = printed.strip_prefix("Created organization ") {
                organization = created.split('.').next().unwrap().to_owned();
            }
        }
        let reports = service.json(&["report", "list", "--org", &organization]);
        assert_eq!(reports.as_array().map(Vec::len), Some(1), "{results}");
        assert_eq!(reports[0]["reportType"], Value::from("BASELINE"), "{results}");
    }
}
