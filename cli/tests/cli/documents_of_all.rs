//! The PDFs of all tenants at once, by the command and by the service. `DOCUMENTS` sets the number of those that are made in spite of kills.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use chrono::Utc;
use model::{Actor, Timestamp};
use serde_json::{Value, json};
use store::{RequestState, Store, Which};
use tempfile::TempDir;

use crate::crash::start;
use crate::moving::kills::killed;
use crate::samples::results;
use crate::support::{Member, Service, failed, text_of};

/// Default number of documents that are made in spite of kills.
const DOCUMENTS: usize = 13;

fn provider(number: usize) -> String {
    format!("11111111-2222-3333-4444-{number:012}")
}

/// Returns a service with tenants of these names, a report of each, and the identifiers of both by the number.
fn service(names: &[&str]) -> (Service, Member, Vec<(String, String)>) {
    filled(Service::start(), names)
}

fn filled(service: Service, names: &[&str]) -> (Service, Member, Vec<(String, String)>) {
    let member = service.organization("Northwind");
    let mut tenants = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let tenant = service.tenant(&member, name, &provider(number));
        let file = service.file("results.json", results(&provider(number), 1, &[("MS.AAD.1.1v1", "Fail")]));
        let imported = service.json(&["report", "import", "--org", &member.id, &file]);
        tenants.push((tenant, text_of(&imported["reports"][0], "reportId")));
    }
    (service, member, tenants)
}

/// Returns the arguments that make the documents of all tenants, and the place that they are written to.
fn all<'a>(member: &'a Member, output: &'a Path) -> Vec<&'a str> {
    vec!["report", "pdf", "--org", &member.id, "--all", "--output", output.to_str().unwrap()]
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: fs::DirEntry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap());
    fs::read_dir(folder).unwrap().map(|entry| file(entry.unwrap())).collect()
}

fn unpacked(archive: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive).unwrap()).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut content).unwrap();
        files.insert(file.name().unwrap().into_owned(), content);
    }
    assert_eq!(files.len(), archive.len());
    files
}

/// Returns the document of one report.
fn one(service: &Service, member: &Member, report: &str) -> Vec<u8> {
    let file = service.folder.path().join("one.pdf");
    service.text(&["report", "pdf", "--org", &member.id, report, "--output", file.to_str().unwrap()]);
    fs::read(file).unwrap()
}

#[test]
fn documents_of_all_tenants_are_those_of_each_in_a_folder_and_in_an_archive() {
    let (service, member, tenants) = service(&["Harbour Dental", "HARBOUR dental", "Con: ä/ö?"]);
    let [(_, first), (_, second), (_, third)] = &tenants[..] else { unreachable!() };
    let expected = BTreeMap::from([
        (format!("harbour-dental-scubagear-2026-01-01-{first}.pdf"), one(&service, &member, first)),
        (format!("harbour-dental-scubagear-2026-01-01-{second}.pdf"), one(&service, &member, second)),
        ("con-ä-ö-scubagear-2026-01-01.pdf".to_owned(), one(&service, &member, third)),
    ]);
    let (folder, archive) = (service.folder.path().join("documents"), service.folder.path().join("documents.ZIP"));
    let written = service.json(&all(&member, &folder));
    assert_eq!(written, json!({ "file": folder, "documents": 3, "missing": [] }));
    assert!(files(&folder) == expected, "{:?}", files(&folder).keys());
    let told = service.text(&all(&member, &archive));
    assert_eq!(told, format!("Wrote 3 documents to {}.\n", archive.display()));
    assert!(unpacked(&archive) == expected);
    assert!(!service.folder.path().join("documents.part").exists() && !archive.with_extension("ZIP.part").exists());
    if let Ok(tool) = Command::new("unzip").arg("-tq").arg(&archive).output() {
        assert!(tool.status.success(), "{tool:?}");
    }
    for output in [&folder, &archive] {
        assert!(service.failure(1, &all(&member, output)).contains("exists already"));
    }
    let stranger = service.organization("Stranger");
    let complaint = service.failure(1, &all(&stranger, &service.folder.path().join("others")));
    assert!(complaint.contains("no tenant has a report"), "{complaint}");
}

#[test]
fn documents_are_of_the_tenants_with_a_label() {
    let (service, member, tenants) = service(&["Alder", "Birch"]);
    service.text(&["tenant", "label", "--org", &member.id, &tenants[1].0, "--label", "Gold"]);
    let folder = service.folder.path().join("documents");
    service.text(&[&all(&member, &folder)[..], &["--label", "Gold", "--board"]].concat());
    assert_eq!(files(&folder).into_keys().collect::<Vec<_>>(), ["birch-scubagear-2026-01-01-board.pdf"]);
    let none = service.folder.path().join("none");
    assert!(
        service
            .failure(1, &[&all(&member, &none)[..], &["--label", "Silver"]].concat())
            .contains("no tenant has a report")
    );
}

/// Leaves the documents of a command unfinished: all of them but the first.
fn interrupted(service: &Service, member: &Member, output: &Path) -> PathBuf {
    let part = output.with_added_extension("part");
    let started = service.spawn(&all(member, output));
    let mut running = started;
    while fs::read_dir(&part).map_or(0, Iterator::count) < 2 {
        assert!(running.try_wait().unwrap().is_none(), "it ended");
    }
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(part.join("plan.json").exists() && !output.exists());
    part
}

#[test]
fn a_report_that_changes_or_goes_while_the_others_are_made_is_made_again_or_listed() {
    let (service, member, tenants) = service(&["Alder", "Birch", "Cedar", "Dogwood"]);
    let archive = service.folder.path().join("documents.zip");
    let part = interrupted(&service, &member, &archive);
    let other = service.failure(1, &[&all(&member, &archive)[..], &["--open"]].concat());
    assert!(other.contains("they were begun with other options"), "{other}");
    // All are made before the reports change, except the last, which a newer one follows.
    for (name, (_, report)) in ["alder", "birch", "cedar"].iter().zip(&tenants) {
        fs::write(part.join(format!("{name}-scubagear-2026-01-01.pdf")), one(&service, &member, report)).unwrap();
    }
    let edit = ["report", "edit", "--org", &member.id, &tenants[0].1, "--control", "MS.AAD.1.1"];
    service.text(&[&edit[..], &["--current-state", "Changed by hand."]].concat());
    service.text(&["report", "delete", "--org", &member.id, &tenants[1].1, "--yes"]);
    service.text(&["tenant", "remove", "--org", &member.id, &tenants[2].0, "--yes"]);
    let file = service.file("next.json", results(&provider(3), 2, &[("MS.AAD.1.1v1", "Pass")]));
    service.text(&["report", "import", "--org", &member.id, &file]);

    let output = service.run(&all(&member, &archive));
    let [deleted, removed] = [("Birch", 1, "The report was deleted."), ("Cedar", 2, "The tenant was removed.")]
        .map(|(name, number, reason)| (name, tenants[number].1.clone(), reason));
    let told = [&deleted, &removed]
        .map(|(name, report, reason)| format!("error: no document of report {report} of \"{name}\": {reason}\n"));
    assert_eq!(failed(1, &output), told.concat());
    let list = [&deleted, &removed].map(|(name, report, reason)| format!("{name}, report {report}: {reason}\r\n"));
    let expected = BTreeMap::from([
        ("alder-scubagear-2026-01-01.pdf".to_owned(), one(&service, &member, &tenants[0].1)),
        ("dogwood-scubagear-2026-01-01.pdf".to_owned(), one(&service, &member, &tenants[3].1)),
        ("MISSING.txt".to_owned(), list.concat().into_bytes()),
    ]);
    assert!(unpacked(&archive) == expected, "{:?}", unpacked(&archive).keys());
    assert!(!part.exists());
}

#[tokio::test]
async fn documents_are_complete_and_once_each_after_kills() {
    let number = env::var("DOCUMENTS").ok().map_or(DOCUMENTS, |number| number.parse().unwrap());
    let names: Vec<_> = (0..number).map(|number| format!("Tenant {number}")).collect();
    let (service, member, tenants) = service(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let archive = service.folder.path().join("documents.zip");
    let part = archive.with_added_extension("part");
    let made = || fs::read_dir(&part).map_or(0, |files| files.flatten().filter(is_document).count());
    let begin = std::time::Instant::now();
    let start = |_| service.spawn(&all(&member, &archive));
    let interrupted = killed(start, async || made() as f64 / number as f64, || assert!(!archive.exists())).await;
    assert_eq!(interrupted, 10);
    let written: Value = service.json(&all(&member, &archive));
    eprintln!("{number} documents with {interrupted} kills: {:?}", begin.elapsed());
    assert_eq!((&written["documents"], &written["missing"]), (&json!(number), &json!([])));
    let documents = unpacked(&archive);
    let expected: Vec<_> = (0..number).map(|number| format!("tenant-{number}-scubagear-2026-01-01.pdf")).collect();
    assert_eq!(documents.len(), number);
    // Making another one of each would take as long as the command.
    for (name, (_, report)) in expected.iter().zip(&tenants).step_by(number.div_ceil(4)) {
        assert!(documents[name] == one(&service, &member, report), "{name}");
    }
    assert!(expected.iter().all(|name| documents.contains_key(name)));
}

/// Kills of the service while it makes a set, each after so many documents.
const KILLED_AFTER: [usize; 5] = [0, 1, 4, 7, 9];

#[tokio::test]
async fn a_set_is_complete_and_has_each_document_once_after_kills_of_the_service() {
    let data = TempDir::new().unwrap();
    let names: Vec<_> = (0..10).map(|number| format!("Tenant {number}")).collect();
    let (mut service, member, tenants) = filled(start(&data), &names.iter().map(String::as_str).collect::<Vec<_>>());
    let store = |service: &Service| Store::new(service.client(), "posture").organization(&member.id.parse().unwrap());
    let now = || Timestamp::try_from(Utc::now()).unwrap();
    let writer = store(&service).by(&Actor::service(), now());
    let set = writer.request_documents(Which::default(), "{\"kind\":\"board\"}".to_owned()).await.unwrap();
    let archive = data.path().join(format!("posture.db.documents/{}/{}.zip", member.id, set.set_id));
    let shelf = archive.with_extension("");
    for documents in KILLED_AFTER {
        while fs::read_dir(&shelf).map_or(0, |files| files.flatten().filter(is_document).count()) < documents {
            assert!(!archive.exists());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // Dropping a service kills it.
        drop(service);
        service = start(&data);
    }
    let made = loop {
        let set = store(&service).document_set(&set.set_id, now()).await.unwrap().unwrap();
        if !set.is_open() {
            break set;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!((made.state, made.documents, made.done, made.missing), (RequestState::Completed, 10, 10, 0));
    let documents = unpacked(&archive);
    let expected: Vec<_> = (0..10).map(|number| format!("tenant-{number}-scubagear-2026-01-01-board.pdf")).collect();
    assert_eq!(documents.keys().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    let file = data.path().join("one.pdf");
    let one = ["report", "pdf", "--org", &member.id, &tenants[9].1, "--board", "--output", file.to_str().unwrap()];
    service.text(&one);
    assert!(documents[&expected[9]] == fs::read(file).unwrap());
}

fn is_document(entry: &fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|extension| extension == "pdf")
}
