//! Whatever is in a file, the result is the command's.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::stream;
use model::{Actor, Timestamp};
use operations::InputFile;
use operations::import::{Options, import};
use serde_json::{Value, json};

use super::{Importing, client};
use crate::corpus;
use crate::samples::results;
use crate::support::{TestApp, provider_id};

/// Returns the result of the same import by the command.
async fn by_command(app: &TestApp, content: &[u8], tenant: Option<&str>, completed_at: Option<&str>) -> Value {
    let now = Timestamp::try_from((app.app.clock)()).unwrap();
    let completed_at = completed_at.map(|time| time.parse().unwrap());
    let options = Options { tenant: tenant.map(str::to_owned), completed_at, ..Options::at(now) };
    let files = stream::iter([InputFile::new("results.json", content)]);
    let result = import(&app.org_a.organization, &Actor::operator(), files, &options, &mut ()).await;
    serde_json::to_value(result.unwrap()).unwrap()
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
        let content = std::fs::read(&file).unwrap();
        let mut expected = by_command(&commanded, &content, None, None).await;
        let message = expected["failures"][0]["error"].as_str().unwrap_or_default().to_owned();
        let mut query = String::new();
        if let Some(provider) = message.strip_prefix("the organization has no tenant ") {
            let (id, provider) = (format!("ten_{}", &provider[..8]), provider[..36].to_owned());
            for app in [&commanded, &sent.app] {
                let name = "A tenant of the corpus".parse().unwrap();
                app.org_a.writer().add_tenant(id.parse().unwrap(), name, provider.parse().unwrap()).await.unwrap();
            }
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
    let path = "/v1/posture-reports?latestOnly=false&limit=500";
    let (by_http, by_command) = (sent.app.org_a().get(path).await, commanded.org_a().get(path).await);
    assert!(by_http.success()["totalReports"].as_u64().unwrap() > 5);
    assert_eq!(by_http.body, by_command.body);
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
