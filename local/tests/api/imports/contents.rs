//! Whatever is in a file, the result is the command's.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use model::{Actor, Timestamp};
use operations::InputFile;
use operations::import::{Options, import};
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Importing, OF_FILE, client};
use crate::corpus;
use crate::samples::results;
use crate::support::{IMPORTS, TestApp, provider_id};

/// Returns the result of the same import by the command.
async fn by_command(app: &TestApp, content: &[u8], tenant: Option<&str>, completed_at: Option<&str>) -> Value {
    let completed_at = completed_at.map(|time| time.parse().unwrap());
    let options = Options { tenant: tenant.map(str::to_owned), completed_at, ..options(app) };
    commanded(app, vec![InputFile::new("results.json", content)], options).await
}

fn options(app: &TestApp) -> Options {
    Options::at(Timestamp::try_from((app.app.clock)()).unwrap())
}

async fn commanded(app: &TestApp, files: Vec<InputFile<'_>>, options: Options) -> Value {
    let result = import(&app.org_a.organization, &Actor::operator(), stream::iter(files), &options, &mut ()).await;
    serde_json::to_value(result.unwrap()).unwrap()
}

/// Adds the tenant that an import misses. Returns whether its message names one.
async fn has_added_tenant(apps: [&TestApp; 2], message: &str) -> bool {
    let Some(provider) = message.strip_prefix("the organization has no tenant ") else { return false };
    let (id, provider) = (format!("ten_{}", &provider[..8]), &provider[..36]);
    for app in apps {
        let name = "A tenant of the corpus".parse().unwrap();
        app.org_a.writer().add_tenant(id.parse().unwrap(), name, provider.parse().unwrap()).await.unwrap();
    }
    true
}

/// Asserts that both services return the same reports, byte for byte.
async fn assert_same_reports(by_http: &TestApp, by_command: &TestApp) {
    let path = "/v1/posture-reports?latestOnly=false&limit=500";
    let (by_http, by_command) = (by_http.org_a().get(path).await, by_command.org_a().get(path).await);
    assert!(by_http.success()["totalReports"].as_u64().unwrap() >= 5);
    assert_eq!(by_http.body, by_command.body);
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn every_file_of_the_corpus_makes_the_commands_report_byte_for_byte() {
    let Some(folder) = corpus::folder("corpus") else { return };
    let (sent, commanded) = (Importing::new().await, TestApp::new().await);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files =
        files.into_iter().filter_map(|folder| folder.read_dir().ok()).flatten().map(|it| it.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10, "{}", files.len());
    for file in files {
        let content = fs::read(&file).unwrap();
        let mut expected = by_command(&commanded, &content, None, None).await;
        let message = expected["failures"][0]["error"].as_str().unwrap_or_default().to_owned();
        let mut query = String::new();
        if has_added_tenant([&commanded, &sent.app], &message).await {
            expected = by_command(&commanded, &content, None, None).await;
        } else if !message.is_empty() {
            // Whoever has such files says whose they are, and from when.
            let (tenant, time) = ("ten_a1", "2026-07-01T00:00:00Z");
            expected = by_command(&commanded, &content, Some(tenant), Some(time)).await;
            query = format!("&tenantId={tenant}&completedAt={time}");
        }
        let ended = sent.result(&sent.send(&query, gzip(&content)).await).await;
        assert_eq!(ended["result"], expected, "{}", file.display());
        eprintln!("{}: {}", file.display(), expected["status"]);
    }
    assert_same_reports(&sent.app, &commanded).await;
}

#[tokio::test]
async fn every_folder_of_the_corpus_makes_the_commands_reports_as_an_archive() {
    let Some(folder) = corpus::folder("corpus") else { return };
    let (sent, app) = (Importing::new().await, TestApp::new().await);
    let mut folders: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    assert!(folders.len() >= 5, "{folders:?}");
    for folder in folders {
        let mut files: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for file in &files {
            let name = file.file_name().unwrap().to_str().unwrap();
            archive.start_file(name, SimpleFileOptions::default()).unwrap();
            archive.write_all(&fs::read(file).unwrap()).unwrap();
        }
        let archive = archive.finish().unwrap().into_inner();
        let found = || {
            let named = |file: &PathBuf| {
                let (name, file) = (format!("out.zip/{}", file.file_name().unwrap().display()), file.clone());
                InputFile::new(name, move || fs::File::open(&file)).found()
            };
            files.iter().map(named).collect()
        };
        let tried = commanded(&app, found(), Options { dry_run: true, ..options(&app) }).await;
        let messages = tried["failures"].as_array().unwrap().iter().map(|failure| failure["error"].as_str().unwrap());
        for message in messages.collect::<BTreeSet<_>>() {
            has_added_tenant([&app, &sent.app], message).await;
        }
        let expected = commanded(&app, found(), options(&app)).await;
        let response = sent.client.post(&format!("{IMPORTS}?fileName=out.zip"), &[OF_FILE], archive).await;
        assert_eq!(sent.result(&response).await["result"], expected, "{}", folder.display());
    }
    assert_same_reports(&sent.app, &app).await;
}

#[tokio::test]
async fn a_file_that_cannot_be_imported_fails_in_the_commands_words() {
    let it = Importing::new().await;
    let foreign = results("11111111-2222-3333-4444-555555555555", 1, &[("MS.AAD.1.1v1", "Fail")]);
    let own = results(&provider_id(&it.app.org_a.tenants[0]), 1, &[("MS.AAD.1.1v1", "Fail")]);
    // A kilobyte that inflates to more than 8 GiB does not fit into 4 MB; this one inflates to 1,000 times its size.
    let bomb = gzip(&vec![b' '; 50_000_000]);
    for (content, tenant) in [
        (Vec::new(), None),
        (b"{}".to_vec(), None),
        (own.as_bytes()[..own.len() / 2].to_vec(), None),
        (bomb, None),
        (foreign.into_bytes(), None),
        (own.into_bytes(), Some("ten_a2")),
        (b"Control ID,Requirement,Result\n".to_vec(), None),
    ] {
        let expected = by_command(&it.app, &content, tenant, None).await;
        let query = tenant.map(|tenant| format!("&tenantId={tenant}")).unwrap_or_default();
        let ended = it.result(&it.send(&query, content).await).await;
        assert_eq!((&ended["status"], &ended["result"]), (&json!("FAILED"), &expected));
    }
    assert_eq!(it.reports().await["totalReports"], 0);
}

#[tokio::test]
async fn a_key_for_one_tenant_imports_for_no_other() {
    let it = Importing::new().await;
    let bound = Importing { client: client(&it.app, &it.app.org_a, Some("ten_a1")).await, app: it.app };
    let [own, other] = [0, 1].map(|number| provider_id(&bound.app.org_a.tenants[number]));
    let file = |provider: &str| results(provider, 1, &[("MS.AAD.1.1v1", "Fail")]);
    let refused = bound.send("&tenantId=ten_a2", file(&other)).await;
    for unknown in ["ten_b1", "ten_unknown", &other] {
        assert_eq!(bound.send(&format!("&tenantId={unknown}"), file(&other)).await, refused);
    }
    refused.failure(400, "INVALID_REQUEST");
    // A file of another tenant is refused in the same words, whether the organization has that tenant or not.
    for provider in [&*other, "11111111-2222-3333-4444-555555555555"] {
        let ended = bound.result(&bound.send("", file(provider)).await).await;
        let expected = format!(
            "the file belongs to provider tenant {provider}, but tenant ten_a1 is {own}: import it for its own tenant, or \
             without naming a tenant"
        );
        assert_eq!(ended["result"]["failures"][0]["error"], expected);
    }
    for query in ["", "&tenantId=ten_a1"] {
        let ended = bound.result(&bound.send(query, file(&own)).await).await;
        assert_eq!(ended["status"], "COMPLETED", "{ended}");
    }
}
