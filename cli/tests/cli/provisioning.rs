//! Organizations in a usage plan of API Gateway, which moto emulates.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};

use aws_sdk_apigateway::Client;
use aws_sdk_apigateway::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_apigateway::types::ApiKey;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{BucketVersioningStatus, VersioningConfiguration};
use model::Admin;
use serde_json::{Value, json};
use store::{Sighting, Store};

use crate::moto::Moto;
use crate::support::{Service, failed, posture, succeeded, text_of};

/// A service for the data, and an emulated API Gateway.
pub(crate) struct Deployment {
    service: Service,
    gateway: Client,
    files: aws_sdk_s3::Client,
    usage_plan: String,
    moto: Moto,
}

/// The bucket of uploaded files.
const BUCKET: &str = "files";
/// The bucket of snapshots.
const SNAPSHOTS: &str = "snapshots";

impl Deployment {
    /// Returns `None` if moto is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let moto = Moto::start()?;
        let config = aws_sdk_apigateway::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .region(Region::from_static("eu-west-1"))
            .endpoint_url(moto.address());
        let gateway = Client::from_conf(config.build());
        let usage_plan = gateway.create_usage_plan().name("posture").send().await.unwrap().id.unwrap();
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .region(Region::from_static("us-east-1"))
            .force_path_style(true)
            .endpoint_url(moto.address());
        let files = aws_sdk_s3::Client::from_conf(config.build());
        for bucket in [BUCKET, SNAPSHOTS] {
            // A server that runs for several tests may have it.
            let _ = files.create_bucket().bucket(bucket).send().await;
            let versioning = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
            files.put_bucket_versioning().bucket(bucket).versioning_configuration(versioning).send().await.unwrap();
        }
        Some(Self { service: Service::start(), gateway, files, usage_plan, moto })
    }

    pub(crate) fn run_in(&self, usage_plan: Option<&str>, arguments: &[&str]) -> Output {
        self.command(usage_plan, arguments).output().unwrap()
    }

    fn command(&self, usage_plan: Option<&str>, arguments: &[&str]) -> Command {
        let mut command = posture();
        command.args(arguments).args(["--endpoint-url", &self.service.endpoint()]);
        if let Some(id) = usage_plan {
            command.env("USAGE_PLAN_ID", id);
        }
        let settings = [
            ("AWS_ENDPOINT_URL", self.moto.address()),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_REGION", "eu-west-1"),
            ("ASSESSMENTS_BUCKET", BUCKET),
            ("SNAPSHOTS_BUCKET", SNAPSHOTS),
        ];
        command.envs(settings);
        command
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run_in(Some(&self.usage_plan), &[arguments, &["--json"]].concat());
        serde_json::from_str(&succeeded(&output)).unwrap()
    }

    pub(crate) fn queues(&self) -> aws_sdk_sqs::Client {
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .region(Region::from_static("eu-west-1"))
            .endpoint_url(self.moto.address());
        aws_sdk_sqs::Client::from_conf(config.build())
    }

    /// Returns the gateway's keys of an organization.
    async fn keys_of(&self, organization: &str) -> Vec<ApiKey> {
        let keys = self.gateway.get_api_keys().include_values(true).limit(500).send().await.unwrap().items.unwrap();
        let name = format!("posture-{organization}");
        keys.into_iter().filter(|key| key.name() == Some(&name)).collect()
    }

    /// Returns the value of the organization's only key, which is in the usage plan.
    async fn admitted(&self, organization: &str) -> String {
        let keys = self.keys_of(organization).await;
        let [key] = keys.as_slice() else { panic!("{} keys", keys.len()) };
        let (plan, id) = (&self.usage_plan, key.id().unwrap());
        self.gateway.get_usage_plan_key().usage_plan_id(plan).key_id(id).send().await.unwrap();
        assert!(key.enabled);
        key.value().unwrap().to_owned()
    }

    /// Puts a file with an earlier version, and a deleted one, below a prefix of a bucket.
    async fn put_files(&self, (bucket, prefix): (&str, &str)) {
        for (name, text) in [("a.json", "first"), ("a.json", "second"), ("june/_COMPLETE", ""), ("gone.json", "gone")] {
            let body = ByteStream::from_static(text.as_bytes());
            self.files.put_object().bucket(bucket).key(format!("{prefix}{name}")).body(body).send().await.unwrap();
        }
        self.files.delete_object().bucket(bucket).key(format!("{prefix}gone.json")).send().await.unwrap();
    }

    /// Returns the number of versions and of marks of deletions below a prefix of a bucket.
    async fn versions(&self, (bucket, prefix): (&str, &str)) -> (usize, usize) {
        let found = self.files.list_object_versions().bucket(bucket).prefix(prefix).send().await.unwrap();
        (found.versions().len(), found.delete_markers().len())
    }

    async fn delete_key_of(&self, organization: &str) {
        for key in self.keys_of(organization).await {
            self.gateway.delete_api_key().api_key(key.id().unwrap()).send().await.unwrap();
        }
    }
}

/// Returns the address of a gateway that refuses everyone.
fn refusing_gateway() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut connection in listener.incoming().map(Result::unwrap) {
            let _request = connection.read(&mut [0; 8192]);
            let response =
                "HTTP/1.1 403 Forbidden\r\nx-amzn-errortype: AccessDeniedException\r\ncontent-length: 2\r\n\r\n{}";
            connection.write_all(response.as_bytes()).unwrap();
        }
    });
    address
}

#[tokio::test]
async fn an_organization_has_a_gateway_key_as_long_as_it_is_there() {
    let Some(deployment) = Deployment::start().await else { return };
    let created = deployment.json(&["org", "create", "--name", "Northwind"]);
    let id = text_of(&created, "organizationId");
    let value = deployment.admitted(&id).await;
    assert!(value.len() >= 40 && value.chars().all(|c| c.is_ascii_alphanumeric()));
    assert!(!created.to_string().contains(&value), "the value must not be shown");

    deployment.json(&["org", "delete", &id, "--yes"]);
    assert_eq!(deployment.keys_of(&id).await.len(), 0);
    let again = deployment.run_in(Some(&deployment.usage_plan), &["org", "delete", &id, "--yes"]);
    assert!(failed(1, &again).contains("does not exist"));
}

#[tokio::test]
async fn an_interrupted_creation_is_repaired() {
    let Some(deployment) = Deployment::start().await else { return };
    let mut create = deployment.command(Some(&deployment.usage_plan), &["org", "create", "--name", "Northwind"]);
    let complaint = failed(1, &create.env("AWS_ENDPOINT_URL", refusing_gateway()).output().unwrap());
    assert!(complaint.contains("posture org repair org_"), "{complaint}");
    let id = text_of(&deployment.json(&["org", "list"])[0], "organizationId");

    let expected = |repaired: bool| json!([{ "organizationId": id, "repaired": repaired }]);
    assert_eq!(deployment.json(&["org", "repair", &id]), expected(true));
    let value = deployment.admitted(&id).await;
    assert_eq!(deployment.json(&["org", "repair"]), expected(false), "what is in order is left as it is");

    deployment.delete_key_of(&id).await;
    assert_eq!(deployment.json(&["org", "repair"]), expected(true));
    assert_eq!(deployment.admitted(&id).await, value, "the organization's own value, since its API keys refer to it");
}

#[tokio::test]
async fn a_key_of_an_earlier_organization_with_the_same_name_is_replaced() {
    let Some(deployment) = Deployment::start().await else { return };
    let id = text_of(&deployment.json(&["org", "create", "--name", "Northwind"]), "organizationId");
    let value = deployment.admitted(&id).await;
    deployment.delete_key_of(&id).await;
    let impostor = deployment.gateway.create_api_key().name(format!("posture-{id}")).value("x".repeat(40));
    impostor.enabled(true).send().await.unwrap();

    deployment.json(&["org", "repair", &id]);
    assert_eq!(deployment.admitted(&id).await, value);
}

#[tokio::test]
async fn an_interrupted_deletion_is_completed() {
    let Some(deployment) = Deployment::start().await else { return };
    let id = text_of(&deployment.json(&["org", "create", "--name", "Northwind"]), "organizationId");
    // With a local service, the gateway does not change.
    deployment.service.text(&["org", "delete", &id, "--yes"]);
    assert_eq!(deployment.keys_of(&id).await.len(), 1);
    deployment.json(&["org", "delete", &id, "--yes"]);
    assert_eq!(deployment.keys_of(&id).await.len(), 0);
}

#[tokio::test]
async fn only_the_organizations_own_key_is_touched() {
    let Some(deployment) = Deployment::start().await else { return };
    let ids =
        ["Kept", "Gone"].map(|name| text_of(&deployment.json(&["org", "create", "--name", name]), "organizationId"));
    deployment.json(&["org", "delete", &ids[1], "--yes"]);
    deployment.admitted(&ids[0]).await;
}

#[tokio::test]
async fn a_usage_plan_is_named_by_option_or_variable() {
    let Some(deployment) = Deployment::start().await else { return };
    let other = deployment.gateway.create_usage_plan().name("other").send().await.unwrap().id.unwrap();
    let created = deployment.json(&["org", "create", "--name", "Northwind", "--usage-plan", &other]);
    let key = deployment.keys_of(&text_of(&created, "organizationId")).await.remove(0).id.unwrap();
    let plan = |id: &str| deployment.gateway.get_usage_plan_key().usage_plan_id(id).key_id(&key).send();
    assert_eq!((plan(&other).await.is_ok(), plan(&deployment.usage_plan).await.is_ok()), (true, false));
}

#[tokio::test]
async fn requests_go_to_the_named_queue() {
    let Some(deployment) = Deployment::start().await else { return };
    let queues = deployment.queues();
    let queue = queues.create_queue().queue_name("requests").send().await.unwrap().queue_url.unwrap();
    let own = text_of(&deployment.json(&["org", "create", "--name", "Northwind"]), "organizationId");
    let provider_id = "11111111-2222-3333-4444-555555555555";
    let tenant = ["tenant", "add", "--org", &own, "--name", "Alder", "--provider-tenant-id", provider_id];
    let tenant = text_of(&deployment.json(&tenant), "serviceTenantId");
    let request = ["report", "request", "--org", &own, "--tenant", "Alder"];
    let complaint = failed(1, &deployment.run_in(None, &request));
    assert!(complaint.contains("set --queue or REQUESTS_QUEUE_URL"), "{complaint}");
    let in_queue = [&request[..], &["--queue", &queue]].concat();
    let complaint = failed(1, &deployment.run_in(None, &in_queue));
    assert!(complaint.contains("The tenant is not connected"), "{complaint}");
    let organization = Store::new(deployment.service.client(), "posture").organization(&own.parse().unwrap());
    let writer = organization.by_admin(&Admin::operator(), chrono::Utc::now().try_into().unwrap());
    let (tenant, provider) = (tenant.parse().unwrap(), provider_id.parse().unwrap());
    writer.connect_tenant(&tenant, &provider, Sighting::Open(None)).await.unwrap();
    let requested = deployment.json(&in_queue);
    let messages = queues.receive_message().queue_url(&queue).send().await.unwrap().messages.unwrap();
    let bodies: Vec<Value> =
        messages.iter().map(|message| serde_json::from_str(message.body().unwrap()).unwrap()).collect();
    let expected = json!({
        "organizationId": own,
        "serviceTenantId": requested["serviceTenantId"],
        "requestId": requested["requestId"],
    });
    assert_eq!(bodies, [expected]);
}

#[tokio::test]
async fn files_go_with_their_tenant_and_their_organization() {
    let Some(deployment) = Deployment::start().await else { return };
    let create = |name: &'static str| text_of(&deployment.json(&["org", "create", "--name", name]), "organizationId");
    let (own, other) = (create("Northwind"), create("Other"));
    let add = |provider_id: &'static str| {
        let arguments = ["tenant", "add", "--org", &own, "--name", "Alder", "--provider-tenant-id", provider_id];
        text_of(&deployment.json(&arguments), "serviceTenantId")
    };
    let erased = add("11111111-2222-3333-4444-555555555555");
    let left = add("99999999-2222-3333-4444-555555555555");
    let prefixes = [(&own, erased.clone()), (&own, left), (&own, format!("{erased}2")), (&other, erased.clone())];
    let prefixes = prefixes.map(|(organization, tenant)| format!("{organization}/{tenant}/"));
    let uploads = prefixes.clone().map(|prefix| (BUCKET, format!("assessments/{prefix}")));
    let of_organizations = [("documents", &own), ("documents", &other), ("imports", &own), ("imports", &other)];
    let of_organizations = of_organizations.map(|(kind, organization)| (BUCKET, format!("{kind}/{organization}/")));
    let snapshots = prefixes.map(|prefix| (SNAPSHOTS, prefix));
    let places = uploads.into_iter().chain(snapshots).chain(of_organizations).collect::<Vec<_>>();
    let places: Vec<_> = places.iter().map(|(bucket, prefix)| (*bucket, &**prefix)).collect();
    for place in &places {
        deployment.put_files(*place).await;
        assert_eq!(deployment.versions(*place).await, (4, 1));
    }
    let erase = ["tenant", "erase", "--org", &own, &erased, "--yes"];
    for option in ["--bucket", "--snapshots"] {
        let refused = deployment.run_in(None, &[&erase[..], &[option, "no-such-bucket"]].concat());
        let complaint = failed(1, &refused);
        assert!(complaint.contains("the files of the tenant are not deleted"), "{complaint}");
        assert_eq!(deployment.versions(places[4]).await, (4, 1));
    }
    deployment.json(&[&erase[..], &["--bucket", BUCKET, "--snapshots", SNAPSHOTS]].concat());
    let mut found = Vec::new();
    for place in &places {
        found.push(deployment.versions(*place).await);
    }
    for (place, found) in found.into_iter().enumerate() {
        let is_erased = [0, 4, 8].contains(&place);
        assert_eq!(found, if is_erased { (0, 0) } else { (4, 1) }, "{:?}", places[place]);
    }

    // The erasure has deleted the documents, which are made again.
    deployment.put_files(places[8]).await;
    deployment.json(&["org", "delete", &own, "--yes"]);
    for (bucket, kind) in [(BUCKET, "assessments/"), (BUCKET, "documents/"), (BUCKET, "imports/"), (SNAPSHOTS, "")] {
        assert_eq!(deployment.versions((bucket, &format!("{kind}{own}/"))).await, (0, 0), "{kind}");
    }
    for place in [places[3], places[7], places[9], places[11]] {
        assert_eq!(deployment.versions(place).await, (4, 1), "of another organization");
    }
    for name in ["ASSESSMENTS_BUCKET", "SNAPSHOTS_BUCKET"] {
        let mut unnamed = deployment.command(Some(&deployment.usage_plan), &["org", "delete", &other, "--yes"]);
        let complaint = failed(1, &unnamed.env_remove(name).output().unwrap());
        assert!(complaint.contains(name), "{complaint}");
    }
}

#[tokio::test]
async fn an_organization_that_moves_has_another_key_of_the_gateway() {
    let Some(deployment) = Deployment::start().await else { return };
    let id = text_of(&deployment.json(&["org", "create", "--name", "Northwind"]), "organizationId");
    let value = deployment.admitted(&id).await;
    let archive = deployment.service.folder.path().join("northwind.tar.gz").display().to_string();
    deployment.json(&["org", "export", &archive, "--org", &id, "--dashboard-url", "https://dashboard.example"]);
    deployment.json(&["org", "delete", &id, "--yes"]);
    deployment.json(&["org", "import", &archive]);
    assert_ne!(deployment.admitted(&id).await, value);
}

#[tokio::test]
async fn without_a_usage_plan_nothing_is_created() {
    let Some(deployment) = Deployment::start().await else { return };
    let complaint = failed(1, &deployment.run_in(None, &["org", "create", "--name", "Northwind"]));
    assert!(complaint.contains("USAGE_PLAN_ID"), "{complaint}");
    assert_eq!(deployment.json(&["org", "list"]), json!([]));
}

#[tokio::test]
async fn a_fresh_deployment_responds_after_the_bootstrap() {
    let Some(deployment) = Deployment::start().await else { return };
    let outputs = json!([
        { "OutputKey": "BaseUrl", "OutputValue": format!("{}/", deployment.service.api()) },
        { "OutputKey": "UsagePlanId", "OutputValue": deployment.usage_plan, "Description": "The usage plan" },
        { "OutputKey": "TableName", "OutputValue": "posture" },
        { "OutputKey": "DashboardUrl", "OutputValue": "https://dashboard.example" },
    ]);
    let outputs = deployment.service.file("outputs.json", outputs.to_string());
    let bootstrap = ["bootstrap", "--name", "Northwind", "--outputs", &outputs, "--json"];

    let output = deployment.run_in(None, &bootstrap);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let ready: Value = serde_json::from_slice(&output.stdout).unwrap();
    let id = text_of(&ready, "organizationId");
    assert!(text_of(&ready, "adminLink").starts_with("https://dashboard.example/invitations/"));
    deployment.admitted(&id).await;
    assert_eq!(deployment.service.get(&text_of(&ready, "key"), "/v1/tenants").0, 200);
    let dashboard = "DASHBOARD_URL=https://dashboard.example";
    let export =
        format!("export TABLE_NAME=posture USAGE_PLAN_ID={} {dashboard} POSTURE_ORG={id}", deployment.usage_plan);
    assert_eq!(ready["next"][0], export);
    let invite = ["member", "invite", "--org", &id, "--role", "admin"];
    let complaint = failed(1, &deployment.run_in(None, &invite));
    assert!(complaint.contains("set --dashboard-url or DASHBOARD_URL to the stack's output"), "{complaint}");
    let mut named = deployment.command(None, &invite);
    let link = succeeded(&named.env("DASHBOARD_URL", "https://dashboard.example/").output().unwrap());
    assert!(link.starts_with("https://dashboard.example/invitations/"), "{link}");

    let again: Value = serde_json::from_slice(&deployment.run_in(None, &bootstrap).stdout).unwrap();
    assert_eq!(text_of(&again, "organizationId"), id, "the organization is completed, not made twice");
    assert_eq!(deployment.json(&["org", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_bootstrap_says_what_it_needs_and_what_responds() {
    let service = Service::start();
    let complaint = service.failure(1, &["bootstrap", "--name", "Northwind"]);
    assert!(complaint.contains("--outputs or --base-url"), "{complaint}");
    let bad = service.file("outputs.json", "{}");
    let complaint = service.failure(1, &["bootstrap", "--name", "Northwind", "--outputs", &bad]);
    assert!(complaint.contains("OutputKey"), "{complaint}");

    let elsewhere = format!("{}/elsewhere", service.api());
    let complaint = service.failure(1, &["bootstrap", "--name", "Northwind", "--base-url", &elsewhere]);
    assert!(complaint.contains("is not the address of the API"), "{complaint}");
    let other = Service::start();
    let complaint = service.failure(1, &["bootstrap", "--name", "Northwind", "--base-url", &other.api()]);
    assert!(complaint.contains("does not know the key"), "{complaint}");

    let shown = service.run(&["bootstrap", "--name", "Northwind", "--base-url", &service.api()]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(String::from_utf8(shown.stdout).unwrap().contains("\nkey: spk_"));
}
