//! Requests: what they need, what they return, and that a repeated one is one import.

use serde_json::{Value, json};

use super::{Importing, OF_FILE, OF_LIST, accepted, client, list, path_of};
use crate::samples::results;
use crate::support::{IMPORTS, TestApp, provider_id};

fn sample(app: &TestApp, tenant: usize, month: u32) -> String {
    results(&provider_id(&app.org_a.tenants[tenant]), month, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")])
}

#[tokio::test]
async fn a_file_with_the_request_becomes_a_report() {
    let it = Importing::new().await;
    let response = it.send("", sample(&it.app, 0, 1)).await;
    let requested = accepted(&response);
    assert_eq!((&requested["status"], &requested["result"]), (&json!("WAITING"), &json!(null)));
    assert_eq!(requested["files"][0]["uploadUrl"], json!(null));
    let ended = it.result(&response).await;
    assert_eq!((&ended["status"], &ended["result"]["status"]), (&json!("COMPLETED"), &json!("IMPORTED")));
    assert_eq!(it.reports().await["reports"][0]["id"], ended["result"]["reports"][0]["reportId"]);
    let again = it.send("&asBaseline=false", sample(&it.app, 0, 1)).await;
    assert_eq!(it.result(&again).await["result"]["status"], "ALREADY_THERE");
}

#[tokio::test]
async fn files_are_sent_to_their_addresses_and_imported_together() {
    let it = Importing::new().await;
    let file = sample(&it.app, 0, 1);
    let body = list(&[("out/ScubaResults.json", file.len()), ("out/notes.txt", 5)]);
    let response = it.client.post(IMPORTS, &[OF_LIST], body).await;
    let files = accepted(&response)["files"].clone();
    assert_eq!(it.put(files[0]["uploadUrl"].as_str().unwrap(), file).await.status, 200);
    assert_eq!(it.result(&response).await["status"], "WAITING", "a file is missing");
    assert_eq!(it.put(files[1]["uploadUrl"].as_str().unwrap(), "notes").await.status, 200);
    let ended = it.result(&response).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    assert_eq!(ended["result"]["skipped"][0]["of"], "out/notes.txt");
    assert_eq!(
        ended["files"][0],
        json!({ "name": "out/ScubaResults.json", "size": files[0]["size"], "uploadUrl": null })
    );
}

#[tokio::test]
async fn a_repeated_request_is_one_import_and_another_with_its_key_is_refused() {
    let it = Importing::new().await;
    let key = ("idempotency-key", "run 7");
    let path = format!("{IMPORTS}?fileName=results.json");
    let (first, second) = (sample(&it.app, 0, 1), sample(&it.app, 1, 1));
    let one = it.client.post(&path, &[OF_FILE, key], first.clone()).await;
    let ended = it.result(&one).await;
    let again = it.client.post(&path, &[OF_FILE, key], first.clone()).await;
    assert_eq!(accepted(&again)["importId"], ended["importId"]);
    assert_eq!(accepted(&again), ended, "the same import, as it is now");
    for (path, body) in [(path.clone(), second.clone()), (format!("{path}&asBaseline=true"), first.clone())] {
        let refused = it.client.post(&path, &[OF_FILE, key], body).await.failure(400, "INVALID_REQUEST");
        assert!(refused["details"].as_str().unwrap().contains("Idempotency-Key"), "{refused}");
    }
    // It is of one API key.
    let other = client(&it.app, &it.app.org_a, None).await.post(&path, &[OF_FILE, key], second).await;
    assert_ne!(accepted(&other)["importId"], ended["importId"]);
    assert_eq!(it.client.get(IMPORTS).await.success()["totalImports"], 1);
}

#[tokio::test]
async fn a_bad_request_is_refused_and_says_what_is_needed() {
    let it = Importing::new().await;
    let file = format!("{IMPORTS}?fileName=a.json");
    let long = format!("{IMPORTS}?fileName={}", "x".repeat(256));
    let many = list(&[("a", 1); 101]);
    let large = vec![0; 4_000_001];
    for (path, media_type, body, says) in [
        (IMPORTS, "application/json", b"[]".to_vec(), "a list of the files"),
        (IMPORTS, "application/json", b"{\"files\":[],\"tenant\":1}".to_vec(), "a list of the files"),
        (IMPORTS, "application/json", list(&[]).into_bytes(), "1 to 100 files"),
        (IMPORTS, "application/json", many.into_bytes(), "1 to 100 files"),
        (IMPORTS, "application/json", list(&[("", 1)]).into_bytes(), "visible characters"),
        (IMPORTS, "application/json", list(&[("a\u{202e}b", 1)]).into_bytes(), "visible characters"),
        (IMPORTS, "application/json", list(&[("a", 500_000_001)]).into_bytes(), "500 MB"),
        (&long, "application/octet-stream", b"{}".to_vec(), "255"),
        (&file, "application/json", b"{}".to_vec(), "application/octet-stream"),
        (&file, "", b"{}".to_vec(), "application/octet-stream"),
        (&file, "application/gzip", large, "4 MB"),
        (&format!("{file}&completedAt=yesterday"), "application/gzip", b"{}".to_vec(), "completedAt"),
        (&format!("{file}&tenant=x"), "application/gzip", b"{}".to_vec(), "tenantId"),
    ] {
        let refused = it.client.post(path, &[("content-type", media_type)], body).await.failure(400, "INVALID_REQUEST");
        assert!(refused["details"].as_str().unwrap().contains(says), "{refused}");
    }
    for key in ["", "ä"] {
        it.client.post(&file, &[OF_FILE, ("idempotency-key", key)], "{}").await.failure(400, "INVALID_REQUEST");
    }
    assert_eq!(it.client.get(IMPORTS).await.success()["totalImports"], 0);
}

#[tokio::test]
async fn the_list_has_pages_of_the_keys_own_imports() {
    let it = Importing::new().await;
    let mut paths = Vec::new();
    for month in 1..=3 {
        paths.push(path_of(&it.send("", sample(&it.app, 0, month)).await));
    }
    let mut seen = Vec::new();
    let mut cursor = Value::String(String::new());
    while let Some(place) = cursor.as_str() {
        let page = it.client.get(&format!("{IMPORTS}?limit=2&cursor={place}")).await.success();
        seen.extend(page["imports"].as_array().unwrap().iter().map(|import| import["importId"].clone()));
        cursor = page["nextCursor"].clone();
    }
    let mut expected: Vec<_> = paths.iter().map(|path| json!(path.rsplit('/').next().unwrap())).collect();
    let by_text = |id: &Value| id.as_str().unwrap().to_owned();
    expected.sort_by_key(by_text);
    expected.reverse();
    assert_eq!(seen, expected);
    // Another key sees none of them, not even in the same organization.
    for other in [client(&it.app, &it.app.org_a, None).await, client(&it.app, &it.app.org_b, None).await] {
        assert_eq!(other.get(IMPORTS).await.success()["totalImports"], 0);
        let unknown = other.get(&format!("{IMPORTS}/imp_unknown")).await;
        unknown.failure(404, "NOT_FOUND");
        for path in &paths {
            assert_eq!(other.get(path).await, unknown, "{path}");
        }
    }
    let tag = it.client.get(&paths[0]).await.header("etag").unwrap().to_owned();
    assert_eq!(it.client.get_if_changed(&paths[0], &tag).await.status, 304);
    it.app.uploads.import_all(&it.app.app).await;
    assert_eq!(it.client.get_if_changed(&paths[0], &tag).await.status, 200);
}

#[tokio::test]
async fn a_key_that_reads_imports_nothing() {
    let it = Importing::new().await;
    let reader = it.app.org_a();
    let refused = reader.get(IMPORTS).await.failure(403, "FORBIDDEN");
    let one = reader.get(&format!("{IMPORTS}/imp_1")).await;
    assert_eq!(one.failure(403, "FORBIDDEN"), refused);
    assert_eq!(one.header("ratelimit-policy"), Some("\"default\";q=60;w=60"));
    let sent = reader.post(&format!("{IMPORTS}?fileName=a"), &[OF_FILE], "{}").await;
    assert_eq!(sent.failure(403, "FORBIDDEN"), refused);
    it.app.anonymous().post(IMPORTS, &[OF_LIST], list(&[("a", 1)])).await.unauthorized();
}
