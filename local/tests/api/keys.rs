//! API keys as clients use them: the same refusal for every fault, no success after deletion, and no trace of a key.

use lambda_http::http::{HeaderMap, HeaderValue, header};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use store::{CreatedKey, Organization};
use tracing::level_filters::LevelFilter;

use crate::support::{Log, Received, TestApp, by_operator, time};

/// Number of keys that are created, used, deleted and used again: a thousand, some concurrently.
const BATCHES: usize = 20;
const BATCH: usize = 50;

/// A key that is well-formed but was never created.
const UNKNOWN: &str = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF";

/// Returns the response to a request with these `Authorization` headers.
async fn ask(app: &TestApp, path: &str, authorizations: &[&[u8]]) -> Received {
    let mut request = app.anonymous().request("GET", path);
    let values = authorizations.iter().map(|value| HeaderValue::from_bytes(value).unwrap());
    request.headers_mut().extend(values.map(|value| (header::AUTHORIZATION, value)).collect::<HeaderMap>());
    app.anonymous().send(request).await
}

/// Returns headers without a valid key, derived from a valid one.
fn refused(key: &str) -> Vec<Vec<String>> {
    let one = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        key.to_owned(),
        format!("bearer {key}"),
        format!("BEARER {key}"),
        format!("Bearer{key}"),
        format!(" Bearer {key}"),
        format!("Bearer  {key}"),
        format!("Bearer {key} "),
        format!("Bearer\t{key}"),
        format!("Bearer Bearer {key}"),
        format!("Basic {key}"),
        format!("Token {key}"),
        format!("Bearer {key}x"),
        format!("Bearer {}", &key[..key.len() - 1]),
        format!("Bearer {}", key.replace("spk_", "key_")),
        format!("Bearer {}", key.to_lowercase()),
        format!("Bearer {}", with_other_checksum(key)),
        format!("Bearer {UNKNOWN}"),
        format!("Bearer {key}, Bearer {key}"),
        format!("Bearer {key}\u{e9}"),
        "Bearer schlüssel".to_owned(),
        format!("Bearer {}", "x".repeat(10_000)),
        format!("Bearer {}", key.repeat(10_000 / key.len())),
    ];
    let valid = format!("Bearer {key}");
    let several = [vec![], vec![valid.clone(), valid.clone()], vec![valid, "Bearer x".to_owned()]];
    one.map(|header| vec![header]).into_iter().chain(several).collect()
}

/// Returns the key with its last character replaced by another one of the alphabet.
fn with_other_checksum(key: &str) -> String {
    let (rest, last) = key.split_at(key.len() - 1);
    format!("{rest}{}", if last == "A" { "B" } else { "A" })
}

async fn create(organization: &Organization) -> CreatedKey {
    by_operator(organization, time("2026-07-15T00:00:00Z")).create_key(None).await.unwrap()
}

#[tokio::test]
async fn whatever_is_wrong_with_a_key_the_response_is_the_same_at_every_route() {
    let app = TestApp::new().await;
    let deleted = create(&app.org_a.organization).await;
    app.org_a.writer().delete_key(&deleted.listing.key_id).await.unwrap();
    let mut headers = refused(&app.org_a.key);
    headers.push(vec![format!("Bearer {}", deleted.key.reveal())]);
    let first = app.anonymous().get(&app.paths[0]).await;
    first.unauthorized();
    for path in &app.paths {
        for header in &headers {
            let values: Vec<_> = header.iter().map(String::as_bytes).collect();
            assert_eq!(ask(&app, path, &values).await, first, "{path} reveals the fault in {header:?}");
        }
        assert_ne!(app.org_a().get(path).await.status, 401, "{path}");
    }
}

#[test]
fn no_header_but_the_right_one_is_let_through() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(TestApp::new());
    let right = format!("Bearer {}", app.org_a.key).into_bytes();
    let refusal = runtime.block_on(app.anonymous().get("/v1/tenants"));
    let changed = (any::<Index>(), 0..3_usize, 0x20..=0xff_u8).prop_map(|(place, removed, byte)| {
        let mut header = right.clone();
        let place = place.index(header.len());
        header.splice(place..(place + removed).min(right.len()), [byte]);
        header
    });
    let header = prop_oneof![vec(0x20..=0xff_u8, 0..200), changed];
    let outcome = TestRunner::default().run(&header, |header| {
        if HeaderValue::from_bytes(&header).is_ok() && header != right {
            prop_assert_eq!(&runtime.block_on(ask(&app, "/v1/tenants", &[&header])), &refusal);
        }
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test]
async fn a_deleted_key_fails_on_the_next_request_and_others_go_on() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let second = create(organization).await;
    for path in &app.paths {
        assert_ne!(app.org_a().get(path).await.status, 401);
    }
    app.org_a.writer().delete_key(&app.org_a.key_id).await.unwrap();
    for path in &app.paths {
        app.org_a().get(path).await.unauthorized();
    }
    app.with_key(second.key.reveal()).get("/v1/tenants").await.success();
    app.org_b().get("/v1/tenants").await.success();
}

#[tokio::test]
async fn a_thousand_keys_stop_working_when_they_are_deleted_and_leave_no_trace() {
    let app = TestApp::new().await;
    for batch in 0..BATCHES {
        // Logging at the SDK's finest level takes long, so only one key in ten is tested with it.
        let log = Log::capture(if batch % 10 == 0 { LevelFilter::TRACE } else { LevelFilter::INFO });
        let mut traces = Vec::new();
        let mut keys = Vec::new();
        for _ in 0..BATCH {
            let created = create(&app.org_a.organization).await;
            traces.push(format!("{created:?}"));
            keys.push(created);
        }
        use_all(&app, &keys, 400, &mut traces).await;
        let stored = format!("{:?}", app.items().await);
        delete_all(&app.org_a.organization, &keys, &mut traces).await;
        use_all(&app, &keys, 401, &mut traces).await;

        let logged = log.take();
        assert_eq!(logged.matches("http.route=").count(), 2 * BATCH, "the log is not captured");
        assert_eq!(logged.contains("TransactWriteItems"), batch % 10 == 0);
        assert!(keys.iter().all(|created| stored.contains(created.key.hash().as_str())), "the keys are not stored");
        for place in [logged, stored].iter().chain(&traces) {
            let secret = |created: &CreatedKey| created.key.reveal()["spk_".len()..].to_owned();
            assert!(!place.contains("spk_") && !keys.iter().any(|key| place.contains(&secret(key))), "{place}");
        }
    }
}

/// Uses keys for a request that fails with 400 if the key works, so nothing else is read for it.
async fn use_all(app: &TestApp, keys: &[CreatedKey], status: u16, traces: &mut Vec<String>) {
    for created in keys {
        let response = app.with_key(created.key.reveal()).get("/beta/billable-users").await;
        assert_eq!(response.status, status);
        traces.push(format!("{response:?}"));
    }
}

/// Deletes keys, and one of them twice.
async fn delete_all(organization: &Organization, keys: &[CreatedKey], traces: &mut Vec<String>) {
    let writer = by_operator(organization, time("2026-07-15T00:00:00Z"));
    for created in keys {
        writer.delete_key(&created.listing.key_id).await.unwrap();
    }
    let error = writer.delete_key(&keys[0].listing.key_id).await.unwrap_err();
    traces.push(format!("{error} {error:?}"));
}

#[tokio::test]
async fn a_use_of_a_key_is_noted_once_a_day() {
    let app = TestApp::new().await;
    let store = &app.app.store;
    let key = app.org_a.writer().create_key(None).await.unwrap().key;
    let days = ["2026-07-14", "2026-07-15", "2026-07-16"].map(|day| day.parse().unwrap());
    for (used_on, expected) in [(None, [true; 3]), (Some(days[1]), [false, false, true])] {
        if let Some(day) = used_on {
            store.note_use(&key, day).await.unwrap();
        }
        let access = store.access(&key).await.unwrap().unwrap();
        assert_eq!(days.map(|day| access.is_first_use(day)), expected);
    }
}
