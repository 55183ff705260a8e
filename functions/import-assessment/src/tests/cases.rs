//! Real-world files, put into a bucket.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use model::ServiceTenantId;
use serde_json::json;
use store::Selection;
// For the cases, which are outside of this crate.
use zip as _;

use super::intake_cases::{Case, Expected, TENANT, cases};
use super::second_cases;
use super::*;

/// The objects of a bucket by key: their bytes, and their metadata `completed-at`.
type Objects = Arc<Mutex<BTreeMap<String, (Bytes, Option<String>)>>>;

/// The operation that fails, if one does, and its response.
type Fault = Arc<Mutex<Option<(&'static str, (StatusCode, &'static str))>>>;

/// A bucket, and an organization with one tenant.
pub(super) struct World {
    pub(super) importer: Importer,
    pub(super) objects: Objects,
    pub(super) fault: Fault,
    /// The tenant's folder.
    folder: String,
    pub(super) organization: OrganizationId,
    _engine: Engine,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::of(TENANT).await
    }

    /// Returns a world whose tenant has this identifier at the provider.
    async fn of(provider_id: &str) -> Self {
        let (objects, fault) = (Objects::default(), Fault::default());
        let router = Router::new().fallback(respond).with_state((Arc::clone(&objects), Arc::clone(&fault)));
        let listener = listener().await;
        let client = client_of(&listener);
        tokio::spawn(async { axum::serve(listener, router).await.unwrap() });

        let engine = Engine::memory(super::listener().await).await.unwrap();
        let store = engine.store("posture").await.unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let id = OrganizationId::generate(now);
        let organization = OrganizationRecord {
            organization_id: id.clone(),
            name: "Northwind Managed Services".into(),
            usage_plan_key: "u".repeat(40),
            created_at: now,
        };
        store.as_operator().create_organization(&organization).await.unwrap();
        let writer = store.organization(&id).by(&Actor::operator(), now);
        let (tenant, name) = (ServiceTenantId::generate(now), "Harbour Dental".parse().unwrap());
        writer.add_tenant(tenant.clone(), name, provider_id.parse().unwrap()).await.unwrap();
        let folder = format!("assessments/{id}/{tenant}");
        Self { importer: Importer::new(store, client), objects, fault, folder, organization: id, _engine: engine }
    }

    fn put(&self, path: &str, content: &[u8], completed_at: Option<&str>) {
        let object = (Bytes::copy_from_slice(content), completed_at.map(str::to_owned));
        self.objects.lock().unwrap().insert(format!("{}/{path}", self.folder), object);
    }

    /// Handles the event of an object, and returns its result and whether the invocation succeeded.
    async fn handled(&self, path: &str) -> (Value, bool) {
        let key = format!("{}/{path}", self.folder);
        let succeeded = self.importer.handle(event(&key)).await.is_ok();
        let objects = self.objects.lock().unwrap();
        let (result, _) = &objects[&key::result_of(&key)];
        (serde_json::from_slice(result).unwrap(), succeeded)
    }

    /// Puts the files of a case, and returns the path of the object that starts the import.
    fn put_case(&self, number: usize, case: &Case) -> String {
        match case.files.as_slice() {
            [(path, content)] if !case.is_folder() => {
                self.put(path, content, case.completed_at);
                (*path).to_owned()
            }
            files => self.put_folder(number, files, case.completed_at),
        }
    }

    /// Puts files into a folder, and returns the path of the object that completes it.
    fn put_folder(&self, number: usize, files: &[(impl AsRef<str>, Vec<u8>)], completed_at: Option<&str>) -> String {
        files.iter().for_each(|(path, content)| self.put(&format!("{number}/{}", path.as_ref()), content, None));
        let marker = format!("{number}/_COMPLETE");
        self.put(&marker, b"", completed_at);
        marker
    }

    /// Returns the newest report.
    async fn newest(&self) -> Option<Value> {
        let organization = self.importer.store.organization(&self.organization);
        let reports: Vec<_> = organization.select(Selection::history(1)).reports().try_concat().await.unwrap();
        reports.into_iter().next().map(|report| serde_json::to_value(report.open().unwrap().body).unwrap())
    }
}

/// Responds like S3 to the requests of the function.
async fn respond(
    State((objects, fault)): State<(Objects, Fault)>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut objects = objects.lock().unwrap();
    let path = percent_encoding::percent_decode_str(uri.path()).decode_utf8().unwrap();
    let key = path.trim_start_matches("/bucket").trim_start_matches('/').to_owned();
    let operation = match (method.as_str(), key.is_empty()) {
        ("GET", true) => "ListObjectsV2",
        ("GET", false) => "GetObject",
        ("DELETE", _) => "DeleteObject",
        _ => "",
    };
    if let Some((_, response)) = fault.lock().unwrap().filter(|(failing, _)| *failing == operation) {
        return told(response).into_response();
    }
    if method == Method::DELETE {
        objects.remove(&key);
        return StatusCode::NO_CONTENT.into_response();
    }
    if method == Method::PUT {
        // The client sends the body in chunks with checksums, of which the first chunk is all.
        let chunked =
            headers.get("content-encoding").is_some_and(|encoding| encoding.to_str().unwrap().contains("aws-chunked"));
        let content = if chunked { first_chunk(&body) } else { body };
        objects.insert(key, (content, None));
        return StatusCode::OK.into_response();
    }
    if key.is_empty() {
        let query = uri.query().unwrap_or_default();
        let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
        let prefix = percent_encoding::percent_decode_str(prefix).decode_utf8().unwrap();
        let keys = objects.keys().filter(|key| key.starts_with(prefix.as_ref()));
        let keys: String = keys.map(|key| format!("<Contents><Key>{key}</Key></Contents>")).collect();
        let list = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>");
        return list.into_response();
    }
    let Some((content, completed_at)) = objects.get(&key) else { return StatusCode::NOT_FOUND.into_response() };
    let mut response = content.clone().into_response();
    if let Some(time) = completed_at {
        response.headers_mut().insert("x-amz-meta-completed-at", time.parse().unwrap());
    }
    response
}

/// Returns the data of the first chunk of a body in chunks.
fn first_chunk(body: &Bytes) -> Bytes {
    let end = body.windows(2).position(|bytes| bytes == b"\r\n").unwrap();
    let head = std::str::from_utf8(&body[..end]).unwrap();
    let length = usize::from_str_radix(head.split(';').next().unwrap(), 16).unwrap();
    body.slice(end + 2..end + 2 + length)
}

#[tokio::test]
async fn every_kind_of_file_is_recognized() {
    for (number, case) in cases().iter().enumerate() {
        let world = World::new().await;
        let path = world.put_case(number, case);
        let (result, succeeded) = world.handled(&path).await;
        case.assert_result(&result);
        let is_report = matches!(case.expected, Expected::Report { .. });
        assert_eq!(succeeded, is_report, "{}", case.name);
        if is_report {
            let (again, succeeded) = world.handled(&path).await;
            assert_eq!((&again["status"], succeeded), (&json!("ALREADY_THERE"), true), "{}", case.name);
        }
    }
}

#[tokio::test]
async fn each_file_of_the_second_set_has_its_right_result() {
    let Some(folder) = second_cases::folder() else { return };
    for case in second_cases::cases() {
        let world = World::of(second_cases::TENANT).await;
        let mut last = String::new();
        for (number, step) in case.steps.iter().enumerate() {
            let path = match second_cases::files(&folder, step).as_slice() {
                [(name, content)] => {
                    world.put(name, content, case.completed_at);
                    name.clone()
                }
                files => world.put_folder(number, files, case.completed_at),
            };
            last = world.handled(&path).await.0.to_string();
        }
        case.assert_result(&last, world.newest().await.as_ref());
    }
}

#[tokio::test]
async fn a_misplaced_marker_and_a_hidden_file_have_a_clear_result() {
    let world = World::new().await;
    world.put("_COMPLETE", b"", None);
    let (result, succeeded) = world.handled("_COMPLETE").await;
    assert!(!succeeded);
    let error = result["failures"][0]["error"].as_str().unwrap();
    assert!(error.contains("put _COMPLETE in a subfolder"), "{error}");

    world.put(".DS_Store", b"\0\0\0\x01Bud1", None);
    let (result, succeeded) = world.handled(".DS_Store").await;
    assert_eq!((&result["status"], succeeded), (&json!("SKIPPED"), true));
    assert!(result["skipped"][0]["reason"].as_str().unwrap().starts_with("the file is hidden"), "{result}");
}

#[tokio::test]
async fn metadata_that_is_not_a_time_is_reported_in_the_result() {
    let world = World::new().await;
    let all = cases();
    let case = all.iter().find(|case| case.name == "a table without a time").unwrap();
    world.put("results.csv", &case.files[0].1, Some("yesterday"));
    let (result, succeeded) = world.handled("results.csv").await;
    assert!(!succeeded);
    let error = result["failures"][0]["error"].as_str().unwrap();
    assert!(error.starts_with("the metadata completed-at of the object is not a time such as"), "{error}");
}
