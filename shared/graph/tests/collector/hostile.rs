//! Responses that nobody should send: each ends in a named reason, within bounds, and without a call to another host.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use chrono::TimeDelta;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt, StreamExt, stream};
use graph::{Body, Broken, Transport};
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::{Request, Response};
use model::snapshot::endpoint;
use serde_json::{Value, json};

use crate::support::{Bench, id, start, tenant};

const MEGABYTE: usize = 1024 * 1024;

/// A response to the request of this number.
type Make = Box<dyn Fn(usize) -> Option<Response<Body>> + Send + Sync>;

/// Answers requests to one path itself. Without a response, it never answers.
struct Hostile {
    inner: Arc<dyn Transport>,
    path: &'static str,
    make: Make,
    requests: AtomicUsize,
}

impl Transport for Hostile {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        if request.uri().path() != self.path {
            return self.inner.send(request);
        }
        match (self.make)(self.requests.fetch_add(1, Ordering::SeqCst)) {
            Some(response) => async { Ok(response) }.boxed(),
            None => pending().boxed(),
        }
    }
}

fn respond(status: u16, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Response<Body> {
    let body = Full::new(body.into()).map_err(|never| match never {}).boxed_unsync();
    let builder = Response::builder().status(status);
    headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, *value)).body(body).unwrap()
}

fn always(status: u16, headers: &'static [(&str, &str)], body: impl Into<Bytes>) -> Make {
    let body = body.into();
    Box::new(move |_| Some(respond(status, headers, body.clone())))
}

fn ok(body: impl Into<Bytes>) -> Make {
    always(200, &[], body)
}

/// Returns a page that links to an address.
fn linked(link: impl Into<Value>) -> Make {
    ok(json!({ "value": [{ "id": "a" }], "@odata.nextLink": link.into() }).to_string())
}

/// Returns a body of pieces, with the number of those that were taken.
fn pieces(piece: usize, number: usize, every: Duration, taken: Arc<AtomicUsize>) -> Response<Body> {
    let bytes = Bytes::from(vec![b' '; piece]);
    let stream = stream::iter(0..number).then(move |_| {
        let (bytes, taken) = (bytes.clone(), Arc::clone(&taken));
        async move {
            tokio::time::sleep(every).await;
            taken.fetch_add(1, Ordering::SeqCst);
            Ok(Frame::data(bytes))
        }
    });
    respond(200, &[], "").map(|_| StreamBody::new(stream.boxed()).boxed_unsync())
}

fn cut_off() -> Response<Body> {
    let frames = [Ok(Frame::data(Bytes::from_static(b"{\"value\":["))), Err(Broken("reset".to_owned()))];
    respond(200, &[], "").map(|_| StreamBody::new(stream::iter(frames)).boxed_unsync())
}

fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![0; MEGABYTE];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap()
}

/// Runs with a hostile response at a path, and returns the outcomes of an endpoint. All others are undisturbed.
async fn outcomes(path: &'static str, endpoint: &str, make: Make) -> Vec<String> {
    let hostile =
        |inner| -> Arc<dyn Transport> { Arc::new(Hostile { inner, path, make, requests: AtomicUsize::new(0) }) };
    let bench = Bench::new(vec![tenant(1, 20)]).through(hostile);
    let run = bench.run(&id(1)).await;
    assert_eq!(bench.stand_in.counts().elsewhere, 0, "a call to another host");
    let others: Vec<_> = run.refused().into_keys().filter(|other| other != endpoint).collect();
    assert!(others.is_empty() || path == "/v1.0/$batch", "{others:?}");
    run.outcomes(endpoint)
}

async fn of_users(make: Make) -> Vec<String> {
    outcomes(endpoint::USERS, endpoint::USERS, make).await
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_none_is_malformed() {
    let deep = "[".repeat(100_000);
    for (case, make) in [
        ("a list", ok("[]")),
        ("a text", ok("\"users\"")),
        ("a number", ok("5")),
        ("nothing", ok("")),
        ("half of it", ok("{\"value\":[{\"id\":")),
        ("not UTF-8", ok(vec![b'{', b'"', 0xff, b'"', b':', b'1', b'}'])),
        ("deep", ok(format!("{{\"value\":{deep}"))),
        ("an error", ok(json!({ "error": { "code": "UnknownError", "message": "" } }).to_string())),
        ("a web page", always(200, &[("content-type", "text/html")], "<html>Sign in</html>")),
        ("half a compressed one", always(200, &[("content-encoding", "gzip")], bomb()[..1_000].to_vec())),
        ("another compression", always(200, &[("content-encoding", "br")], "{}")),
    ] {
        assert_eq!(of_users(make).await, ["Malformed"], "{case}");
    }
    assert_eq!(of_users(Box::new(|_| Some(cut_off()))).await, ["Unreachable"]);
}

/// The rows are the judge's to refuse.
#[tokio::test(start_paused = true)]
async fn rows_of_wrong_types_are_kept_as_they_came() {
    for body in [json!({ "value": "x" }), json!({ "value": null }), json!({ "value": [1, null, "x", []] }), json!({})] {
        assert_eq!(of_users(ok(body.to_string())).await, ["200"]);
    }
    for endpoint in [endpoint::CONDITIONAL_ACCESS_POLICIES, endpoint::SECURE_SCORES] {
        let body = json!({ "value": [{ "conditions": { "users": { "includeUsers": { "a": 1 } } } }, 5] });
        let path = if endpoint == endpoint::SECURE_SCORES {
            endpoint::SECURE_SCORES
        } else {
            endpoint::CONDITIONAL_ACCESS_POLICIES
        };
        assert_eq!(outcomes(path, endpoint, ok(body.to_string())).await, ["200"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_to_another_host_is_not_followed() {
    for link in [
        json!("https://evil.example/v1.0/users"),
        json!("http://graph.example/v1.0/users"),
        json!("https://graph.example:8443/v1.0/users"),
        json!("https://graph.example@evil.example/v1.0/users"),
        json!("https://graph.example.evil.example/v1.0/users"),
        json!("//evil.example/v1.0/users"),
        json!("/v1.0/users"),
        json!("https://graph.example/beta/users"),
        json!("javascript:alert(1)"),
        json!("\u{0}"),
        json!(5),
        json!(["https://graph.example/v1.0/users"]),
    ] {
        assert_eq!(of_users(linked(link.clone())).await, ["200", "OtherHost"], "{link}");
    }
    let redirect = || always(302, &[("location", "https://evil.example/v1.0/users")], "");
    assert_eq!(of_users(redirect()).await, ["302"]);
    let report = "/v1.0/reports/getEmailAppUsageUserDetail(period='D30')";
    assert_eq!(outcomes(report, report, redirect()).await, ["OtherHost"]);
    let inner = always(302, &[("location", "http://169.254.169.254/latest/meta-data")], "");
    assert_eq!(outcomes(report, report, inner).await, ["OtherHost"]);
}

#[tokio::test(start_paused = true)]
async fn endless_pages_end() {
    let itself = linked("https://graph.example/v1.0/users?$skiptoken=a");
    assert_eq!(of_users(itself).await, ["200", "200", "EndlessPages"]);
    let next = |number: usize| {
        let link = format!("https://graph.example/v1.0/users?$skiptoken={number}");
        Some(respond(200, &[], json!({ "value": [], "@odata.nextLink": link }).to_string()))
    };
    let outcomes = of_users(Box::new(next)).await;
    assert_eq!((outcomes.len(), outcomes.last().unwrap().as_str()), (2_001, "EndlessPages"));
}

#[tokio::test(start_paused = true)]
async fn endless_large_pages_end_sooner() {
    let text = "x".repeat(12 * MEGABYTE);
    let next = move |number: usize| {
        let link = format!("https://graph.example/v1.0/users?$skiptoken={number}");
        let body = format!("{{\"value\":[],\"text\":\"{text}\",\"@odata.nextLink\":\"{link}\"}}");
        Some(respond(200, &[], body))
    };
    let outcomes = of_users(Box::new(next)).await;
    assert_eq!((outcomes.len(), outcomes.last().unwrap().as_str()), (23, "TooLarge"));
}

#[tokio::test(start_paused = true)]
async fn a_response_is_read_up_to_a_bound() {
    let taken = Arc::new(AtomicUsize::new(0));
    let gigabyte = Arc::clone(&taken);
    let stream = Box::new(move |_| Some(pieces(MEGABYTE, 1_024, Duration::ZERO, Arc::clone(&gigabyte))));
    assert_eq!(of_users(stream).await, ["TooLarge"]);
    assert_eq!(taken.load(Ordering::SeqCst), 17, "16 megabytes and the one that is too much");
    let announced = Arc::clone(&taken);
    let announcing = Box::new(move |_| {
        let mut response = pieces(MEGABYTE, 1_024, Duration::ZERO, Arc::clone(&announced));
        response.headers_mut().insert("content-length", "1073741824".parse().unwrap());
        Some(response)
    });
    assert_eq!(of_users(announcing).await, ["TooLarge"]);
    assert_eq!(taken.load(Ordering::SeqCst), 17, "nothing is read of a length that is too much");
    let bomb = bomb();
    assert!(bomb.len() < MEGABYTE);
    assert_eq!(of_users(always(200, &[("content-encoding", "gzip")], bomb)).await, ["TooLarge"]);
}

#[tokio::test(start_paused = true)]
async fn silence_ends() {
    assert_eq!(of_users(Box::new(|_| None)).await, ["TimedOut"]);
    let slow = |_| Some(pieces(1, 10_000, Duration::from_secs(1), Arc::default()));
    assert_eq!(of_users(Box::new(slow)).await, ["TimedOut"]);
}

#[tokio::test(start_paused = true)]
async fn refusals_end_with_their_status() {
    for (case, make, outcome) in [
        ("throttled for ever", always(429, &[], ""), "429"),
        ("throttled for days", always(429, &[("retry-after", "999999")], "{}"), "429"),
        ("throttled for no number", always(429, &[("retry-after", "soon")], "{}"), "429"),
        ("a failing server", always(500, &[], "<html>"), "500"),
        ("a server that is down for days", always(503, &[("retry-after", "999999")], ""), "503"),
        ("a token that is never accepted", always(401, &[], "{}"), "401"),
        ("a bad request", always(400, &[], "{\"error\":5}"), "400"),
        ("no content", always(204, &[], ""), "204"),
        ("not found", always(404, &[("content-length", "1073741824")], ""), "404"),
        ("no status that is known", always(299, &[], "{}"), "299"),
    ] {
        assert_eq!(of_users(make).await, [outcome], "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_batch_is_made_again_part_by_part() {
    let part = |id: &str| json!({ "id": id, "status": 200, "body": { "value": [] } });
    for (case, make, outcome) in [
        ("no JSON", ok("<html>"), "Malformed"),
        ("a failing server", always(500, &[], ""), "500"),
        ("refused", always(400, &[], "{}"), "200"),
        ("without parts", ok("{}"), "200"),
        ("parts of another type", ok(json!({ "responses": [5, null, {}, { "id": 0 }] }).to_string()), "200"),
        ("a part twice", ok(json!({ "responses": [part("0"), part("0")] }).to_string()), "200"),
        ("a part that nobody asked for", ok(json!({ "responses": [part("77")] }).to_string()), "200"),
        ("a status of another type", ok(json!({ "responses": [{ "id": "0", "status": "200" }] }).to_string()), "200"),
        (
            "a part that is an error",
            ok(json!({ "responses": [{ "id": "0", "status": 200, "body": { "error": {} } }] }).to_string()),
            "200",
        ),
        (
            "a throttled part",
            ok(json!({ "responses": [{ "id": "0", "status": 429, "headers": { "Retry-After": "2" } }] }).to_string()),
            "200",
        ),
    ] {
        let outcomes = outcomes("/v1.0/$batch", endpoint::ORGANIZATION, make).await;
        assert_eq!(outcomes, [outcome], "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn names_may_be_answered_by_anything() {
    let dns = |make| outcomes("/dns", endpoint::DNS, make);
    assert!(dns(ok("<html>")).await.iter().all(|outcome| outcome == "Malformed"));
    // Records that lead to ever more records.
    let chain = |number: usize| {
        let policy = format!("v=spf1 include:a{number}.example include:b{number}.example -all");
        Some(respond(200, &[], json!({ "Status": 0, "Answer": [{ "type": 16, "data": policy }] }).to_string()))
    };
    let outcomes = dns(Box::new(chain)).await;
    assert_eq!((outcomes.len(), outcomes.iter().all(|outcome| outcome == "200")), (1_000, true));
}

/// Answers the sign-ins with pages that never end, each half a day older.
pub(crate) fn with_endless_sign_ins(inner: Arc<dyn Transport>) -> Arc<dyn Transport> {
    let page = |number: usize| {
        let page = i32::try_from(number % 20).unwrap() + 1;
        let row = json!({ "id": "a", "createdDateTime": start() - TimeDelta::hours(12) * page });
        let link = format!("https://graph.example{}?$skiptoken={number}", endpoint::SIGN_INS);
        Some(respond(200, &[], json!({ "value": [row], "@odata.nextLink": link }).to_string()))
    };
    Arc::new(Hostile { inner, path: endpoint::SIGN_INS, make: Box::new(page), requests: AtomicUsize::new(0) })
}
