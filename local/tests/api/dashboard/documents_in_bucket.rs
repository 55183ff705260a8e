//! The PDFs of many reports as deployed: messages in a queue, and a bucket, which moto emulates.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use model::Role;
use operations::documents::Message;
use report_pdf::bucket::Bucket;
use report_pdf::shelves::{Folder, Shelves};
use report_pdf::worker::Worker;
use store::{DocumentSet, RequestState};
use tempfile::TempDir;
use tokio::time::Instant;

use super::documents::World;
use super::{join, send, sign_in};
use crate::moto::Moto;
use crate::night::Messages;
use crate::support::{baseline_report, by_operator, later};

const DOCUMENTS: usize = 4;
/// Time that is left to an invocation.
const LONG: Duration = Duration::from_secs(600);

/// A service with a bucket and a queue.
struct Deployed {
    world: World,
    client: Client,
    bucket: String,
    messages: Messages,
    _moto: Moto,
}

impl Deployed {
    /// Returns `None` if moto is not installed.
    async fn start() -> Option<Self> {
        let moto = Moto::start()?;
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .region(Region::from_static("us-east-1"))
            .credentials_provider(Credentials::for_tests())
            .endpoint_url(moto.address())
            .force_path_style(true);
        let client = Client::from_conf(config.build());
        // A server that runs for several tests has other buckets.
        let bucket = format!("documents-{}", fastrand::u64(..));
        client.create_bucket().bucket(&bucket).send().await.unwrap();
        let shelves = Shelves::Bucket(Bucket { client: client.clone(), name: bucket.as_str().into() });
        let world = World::on(TempDir::new().unwrap(), shelves).await;
        Some(Self { world, client, bucket, messages: Messages::default(), _moto: moto })
    }

    fn worker(&self) -> Worker {
        Worker { queue: self.messages.queue(), at_once: 1, clock: later, ..self.world.worker() }
    }

    async fn keys(&self) -> Vec<String> {
        let listed = self.client.list_objects_v2().bucket(&self.bucket).send().await.unwrap();
        listed.contents().iter().map(|object| object.key().unwrap().to_owned()).collect()
    }

    async fn object(&self, key: &str) -> Vec<u8> {
        let object = self.client.get_object().bucket(&self.bucket).key(key).send().await.unwrap();
        object.body.collect().await.unwrap().to_vec()
    }

    /// Returns the event of a set's message.
    fn event(&self, set: &DocumentSet) -> SqsEvent {
        let mut message = SqsMessage::default();
        message.message_id = Some("message".to_owned());
        message.body = serde_json::to_string(&Message::of(&self.world.app.org_a.organization, set)).ok();
        let mut event = SqsEvent::default();
        event.records = vec![message];
        event
    }

    /// Delivers the message of a set, and returns whether it is to be delivered again.
    async fn deliver(&self, set: &DocumentSet, left: Duration) -> bool {
        let response = self.worker().handle(self.event(set), Instant::now() + left).await;
        !response.batch_item_failures.is_empty()
    }
}

/// Returns the head and the body of the response at an address without a key.
fn downloaded(address: &str) -> (String, Vec<u8>) {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    write!(connection, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
    let mut response = Vec::new();
    connection.read_to_end(&mut response).unwrap();
    let end = response.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&response[..end]).to_lowercase(), response.split_off(end + 4))
}

#[tokio::test]
async fn an_archive_in_the_bucket_is_that_of_one_machine_whoever_is_killed() {
    let Some(deployed) = Deployed::start().await else { return };
    let (world, own) = (&deployed.world, &deployed.world.app.org_a);
    for number in 0..DOCUMENTS {
        let (tenant, day) = (&own.tenants[number % 2], number + 1);
        let tool = ["scubagear", "maester"][number / 2];
        let report = baseline_report(&format!("2026-07-0{day}T00:00:00Z"));
        own.add_report_at(world.now(), tool, tenant, &format!("rpt_{number}"), &report).await;
    }
    world.request("kind=board").await;
    let set = world.open().await;
    let prefix = format!("documents/{}/", own.organization.id());

    // Nothing is begun, because the time has come; then a worker is killed at each document.
    assert!(!deployed.deliver(&set, Duration::ZERO).await);
    assert_eq!(deployed.messages.count(), 1, "it goes on by a message");
    assert_eq!(deployed.keys().await, [format!("{prefix}{}/plan.json", set.set_id)]);
    for made in 1..DOCUMENTS {
        let (worker, event) = (deployed.worker(), deployed.event(&set));
        let working = tokio::spawn(async move { worker.handle(event, Instant::now() + LONG).await });
        while deployed.keys().await.len() <= made {
            assert!(!working.is_finished());
        }
        working.abort();
        let _ = working.await;
    }
    assert!(!deployed.deliver(&set, LONG).await);
    let found = own.organization.document_set(&set.set_id, world.now()).await.unwrap().unwrap();
    assert_eq!((found.state, found.documents, found.missing), (RequestState::Completed, DOCUMENTS, 0));
    let key = format!("{prefix}{}.zip", set.set_id);
    assert_eq!(deployed.keys().await, [&*key], "the documents are deleted");
    assert_eq!(deployed.messages.count(), 1);

    world.request("kind=board").await;
    let here = Folder(world.folder.path().to_owned());
    let worker = Worker { shelves: Shelves::Folder(here.clone()), ..deployed.worker() };
    worker.work(&own.organization, world.open().await, None).await.unwrap();
    let second = world.sets().await.into_iter().find(|it| it.set_id != set.set_id).unwrap();
    let archive = deployed.object(&key).await;
    assert!(std::fs::read(here.place(own.organization.id(), &second)).unwrap() == archive);

    let path = format!("/documents/{}/documents.zip", set.set_id);
    let response = send(&world.router, "GET", &path, Some(&world.cookie), "").await;
    assert_eq!(response.status, 303);
    let address = response.location().to_owned();
    assert!(address.contains("X-Amz-Expires=60") && address.contains(&key), "{address}");
    let (head, body) = downloaded(&address);
    assert!(head.contains("content-disposition: attachment; filename=\"documents.zip\""), "{head}");
    assert!(body == archive);
    let (entries, _) = own.organization.audit_trail(None, 100, world.now()).await.unwrap();
    let downloads = entries.iter().filter(|entry| format!("{:?}", entry.action) == "DataDownloaded");
    assert_eq!(downloads.filter(|entry| entry.subject == set.set_id.as_str()).count(), 1);
    let foreign = join(&world.app, &world.app.org_b.organization, Role::Admin, "foreign").await;
    let foreign = sign_in(&world.app, &foreign).await;
    assert_eq!(send(&world.router, "GET", &path, Some(&foreign), "").await.status, 404);
    // The message is delivered again, and the lifecycle deletes the object before the item.
    assert!(!deployed.deliver(&set, LONG).await);
    assert_eq!(deployed.keys().await, [&*key]);
    deployed.client.delete_object().bucket(&deployed.bucket).key(&key).send().await.unwrap();
    assert_eq!(world.get(&path).await.0, 404);
}

#[tokio::test]
async fn after_an_erasure_a_worker_leaves_nothing_in_the_bucket() {
    let Some(deployed) = Deployed::start().await else { return };
    let (world, own) = (&deployed.world, &deployed.world.app.org_a);
    own.add_report(&own.tenants[0], "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    world.request("").await;
    let set = world.open().await;
    by_operator(&own.organization, world.now()).erase_tenant(&own.tenants[0]).await.unwrap();
    // This worker read the set before.
    deployed.worker().work(&own.organization, set.clone(), None).await.unwrap();
    assert_eq!(deployed.keys().await, [""; 0]);
    assert!(!deployed.deliver(&set, LONG).await);

    let mut other = deployed.event(&set);
    other.records[0].body = Some("{}".to_owned());
    let response = deployed.worker().handle(other, Instant::now() + LONG).await;
    assert_eq!(response.batch_item_failures[0].item_identifier, "message");
}
