//! Many files put into the bucket at once, for one organization, on a table with limits.
//!
//! The function's handler runs as the platform invokes it: a number of invocations at once, each with a time limit; an
//! event whose invocation fails is tried again a minute later, then two minutes later, and then moved to the queue of
//! failed imports. The figures are the template's.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::config::{AsyncSleep, Region, SharedCredentialsProvider};
use aws_sdk_s3::config::{BehaviorVersion, Credentials, RequestChecksumCalculation};
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use futures_util::future::{Either, join_all, select};
use import_assessment::Importer;
use local::TEMPLATE;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::limits::LimitedStore;
use super::throttling::{moment, number};
use crate::samples::results;
use crate::support::{TestApp, provider_id, tenant};

/// An event of a file.
const EVENT: &str = include_str!("../../../../events/import-assessment/file.json");
/// Waits of the platform before the second and the third invocation of an event.
const WAITS: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(120)];

/// The objects of a bucket, by key.
#[derive(Debug, Clone, Default)]
struct Bucket(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Bucket {
    fn client(&self) -> aws_sdk_s3::Client {
        let connector = SharedHttpConnector::new(self.clone());
        let settings = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(http_client_fn(move |_, _| connector.clone()))
            .endpoint_url("http://bucket.invalid")
            .force_path_style(true)
            .region(Region::from_static("local"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::for_tests()))
            // Sends objects as they are, not in chunks.
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
        aws_sdk_s3::Client::from_conf(settings.build())
    }

    fn put(&self, key: &str, content: Vec<u8>) {
        self.0.lock().unwrap().insert(key.to_owned(), content);
    }

    /// Returns the results that the function put beside the files.
    fn results(&self) -> Vec<Value> {
        let objects = self.0.lock().unwrap();
        let results = objects.iter().filter(|(key, _)| key.ends_with(".import.json"));
        results.map(|(_, json)| serde_json::from_slice(json).unwrap()).collect()
    }
}

impl HttpConnector for Bucket {
    /// Responds at once, so no time passes on the table's clock.
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let path =
            request.uri().split('?').next().unwrap().trim_start_matches("http://bucket.invalid/drop/").to_owned();
        let (status, body) = match request.method() {
            "PUT" => {
                self.put(&path, request.body().bytes().unwrap().to_vec());
                (200, Vec::new())
            }
            "GET" => self.0.lock().unwrap().get(&path).map_or((404, Vec::new()), |content| (200, content.clone())),
            other => panic!("{other} is not expected"),
        };
        let status = aws_smithy_runtime_api::http::StatusCode::try_from(status).unwrap();
        HttpConnectorFuture::new(ready(Ok(HttpResponse::new(status, SdkBody::from(body)))))
    }
}

/// Returns a result file whose report is about 47 KB when deflated.
fn heavy_results(provider_id: &str, number: usize) -> Vec<u8> {
    let controls: Vec<_> =
        (0..200).map(|control| format!("MS.AAD.{}.{}v1", control / 20 + 1, control % 20 + 1)).collect();
    let controls: Vec<_> = controls.iter().map(|control| (control.as_str(), "Fail")).collect();
    let mut file: Value = serde_json::from_str(&results(provider_id, 6, &controls)).unwrap();
    file["MetaData"]["TimestampZulu"] = moment(number).into();
    let mut random = fastrand::Rng::with_seed(number as u64);
    for control in file["Results"]["AAD"][0]["Controls"].as_array_mut().unwrap() {
        control["Details"] = (0..300).map(|_| random.alphanumeric()).collect::<String>().into();
    }
    file.to_string().into_bytes()
}

/// Returns the number that follows a word in a part of the template.
fn of_template(part: &str, word: &str) -> usize {
    let (_, rest) = TEMPLATE.split_once(part).unwrap();
    let (_, rest) = rest.split_once(word).unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

/// Returns the size of all bodies of reports in the table.
async fn bytes_of_reports(app: &TestApp) -> usize {
    let items = app.items().await;
    let reports = items.iter().filter(|item| item["sk"].as_s().unwrap().starts_with("REPORT#"));
    reports.flat_map(|item| item.values()).filter_map(|value| value.as_b().ok()).map(|body| body.as_ref().len()).sum()
}

#[tokio::test]
async fn a_drop_of_many_files_ends_with_a_report_for_each() {
    let (files, tenants) = (number("LIMITED_DROP", 40), number("LIMITED_TENANTS", 10));
    let concurrency = of_template("\n  ImportConcurrency:", "Default:");
    let time_limit = Duration::from_secs(of_template("\n  ImportAssessmentFunction:", "Timeout:") as u64);
    let retries = of_template("\n  ImportAssessmentFunction:", "MaximumRetryAttempts:");
    assert_eq!(retries, WAITS.len());

    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let tenants: Vec<_> = (0..tenants).map(|number| format!("ten_{number:0>32}").parse().unwrap()).collect();
    for id in &tenants {
        app.org_a.add_tenant(&tenant(id, "Tenant")).await;
    }
    let bucket = Bucket::default();
    let keys: Vec<_> = (0..files)
        .map(|number| {
            let tenant = &tenants[number % tenants.len()];
            let key = format!("assessments/{}/{tenant}/{number}.json", organization.id());
            bucket.put(&key, heavy_results(&provider_id(tenant), number));
            key
        })
        .collect();

    let limited = LimitedStore::over(&app.engine).await;
    let importer = Importer::new(limited.store.clone(), bucket.client());
    let (places, failed) = (Semaphore::new(concurrency), Mutex::new(Vec::new()));
    let invocations = Mutex::new(0);
    let events = keys.iter().map(async |key| {
        let mut event: Value = serde_json::from_str(EVENT).unwrap();
        let object = &mut event["Records"][0]["s3"];
        (object["bucket"]["name"], object["object"]["key"]) = ("drop".into(), key.as_str().into());
        for attempt in 0..=retries {
            let place = places.acquire().await.unwrap();
            *invocations.lock().unwrap() += 1;
            let invocation = Box::pin(importer.handle(serde_json::from_value(event.clone()).unwrap()));
            let ended = match select(invocation, limited.clock.sleep(time_limit)).await {
                Either::Left((outcome, _)) => outcome.map_err(|error| error.to_string()),
                Either::Right(_) => Err("the invocation took too long".to_owned()),
            };
            drop(place);
            match (ended, WAITS.get(attempt)) {
                (Ok(()), _) => return,
                (Err(_), Some(wait)) => limited.clock.sleep(*wait).await,
                (Err(error), None) => failed.lock().unwrap().push((key, error)),
            }
        }
    });
    join_all(events).await;

    assert_eq!(*failed.lock().unwrap(), [], "the queue of failed imports");
    let results = bucket.results();
    assert_eq!(results.len(), files);
    // An invocation that was cut off may have added the report.
    let has_report = |result: &&Value| matches!(result["status"].as_str(), Some("IMPORTED" | "ALREADY_THERE"));
    assert_eq!(results.iter().filter(has_report).count(), files);
    let inspection = organization.inspect().await.unwrap();
    assert_eq!((inspection.reports, inspection.discrepancies), (files, vec![]));
    let (time, refused, invocations) = (limited.clock.now(), limited.refused(), invocations.into_inner().unwrap());
    eprintln!(
        "{files} files, {concurrency} at once: all have a report of {} KB after {time:?} of the table's time, {refused} \
         refusals, {invocations} invocations",
        bytes_of_reports(&app).await / files / 1024
    );
}
