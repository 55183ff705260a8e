//! Refused exports and imports. They leave nothing behind.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::json;

use super::demo;
use crate::support::Service;

/// Returns the first member of an archive, with another content of its manifest, and the other members.
fn with_manifest(archive: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let mut first = GzDecoder::new(archive);
    let mut tar = Vec::new();
    first.read_to_end(&mut tar).unwrap();
    let rest = first.into_inner();
    let mut text = String::new();
    tar::Archive::new(&*tar).entries().unwrap().next().unwrap().unwrap().read_to_string(&mut text).unwrap();
    let changed = change(&text);
    let mut header = tar::Header::new_gnu();
    header.set_size(changed.len() as u64);
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_data(&mut header, "organization.json", changed.as_bytes()).unwrap();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(builder.get_ref()).unwrap();
    [gzip.finish().unwrap(), rest.to_vec()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_cut_newer_or_forged_archive_is_refused_before_anything_is_written() {
    let (here, organization) = demo();
    let there = Service::start();
    let archive = here.folder.path().join("northwind.tar.gz").display().to_string();
    here.text(&["org", "export", &archive, "--org", &organization]);
    let whole = fs::read(&archive).unwrap();
    let mut cases = vec![
        ("empty".to_owned(), Vec::new(), "not an archive"),
        ("no archive".to_owned(), b"a text".to_vec(), "not an archive"),
        ("more behind".to_owned(), [&whole[..], b"more"].concat(), "damaged or cut off after part"),
        ("twice".to_owned(), whole.repeat(2), "damaged or cut off after part"),
    ];
    for tenth in 1..10 {
        let place = whole.len() * tenth / 10;
        cases.push((format!("cut at {place}"), whole[..place].to_vec(), "damaged or cut off after part"));
        let mut changed = whole.clone();
        changed[place] ^= 0x10;
        cases.push((format!("changed at {place}"), changed, "damaged or cut off after part"));
    }
    let newer = |from: &'static str, to: &'static str| with_manifest(&whole, move |text| text.replace(from, to));
    const NEWER: &str = "release 1.0.0 wrote the archive in a format that this release does not know";
    cases.push(("format".to_owned(), newer("\"format\": 1", "\"format\": 2"), NEWER));
    cases.push(("format of items".to_owned(), newer("\"dataFormat\": 2", "\"dataFormat\": 99"), NEWER));
    let other = with_manifest(&whole, |text| text.replace(&organization, "org_other"));
    cases.push(("another organization".to_owned(), other, "an item does not belong to organization org_other"));
    for (case, bytes, expected) in cases {
        let file = there.file("wrong.tar.gz", bytes);
        let complaint = there.failure(1, &["org", "import", &file]);
        assert!(complaint.contains(expected), "{case}: {complaint}");
        let items = there.items().await;
        assert!(items.iter().all(|(pk, _)| pk == "DATA"), "{case}: {items:?}");
    }
    let missing = there.failure(1, &["org", "import", "no-such-file"]);
    assert!(missing.contains("cannot be read"), "{missing}");
}

#[test]
fn an_organization_that_exists_is_not_imported_and_no_file_is_overwritten() {
    let (service, organization) = demo();
    let archive = service.folder.path().join("northwind.tar.gz").display().to_string();
    let export = ["org", "export", &archive, "--org", &organization];
    service.text(&export);
    let complaint = service.failure(1, &["org", "import", &archive]);
    assert!(complaint.contains(&format!("organization {organization} exists already")), "{complaint}");
    assert!(complaint.contains("`posture org delete"), "{complaint}");
    let complaint = service.failure(1, &export);
    assert!(complaint.contains("exists already: choose another file"), "{complaint}");

    let other = service.organization("Other").id;
    fs::rename(&archive, format!("{archive}.part")).unwrap();
    let complaint = service.failure(1, &["org", "export", &archive, "--org", &other]);
    assert!(complaint.contains("is not the beginning of an export of this organization"), "{complaint}");
    service.file("northwind.tar.gz.part", "a text of somebody");
    let complaint = service.failure(1, &export);
    assert!(complaint.contains("is not the beginning of an export of this organization"), "{complaint}");
    let complaint = service.failure(1, &["org", "export", "file", "--org", "org_unknown"]);
    assert!(complaint.contains("organization org_unknown does not exist"), "{complaint}");

    // What was deleted can be imported again.
    fs::remove_file(format!("{archive}.part")).unwrap();
    service.text(&export);
    service.text(&["org", "delete", &organization, "--yes"]);
    service.text(&["org", "import", &archive]);
    assert_eq!(service.json(&["check", "--org", &organization])[0]["discrepancies"], json!([]));
}
