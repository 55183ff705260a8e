//! A separate service for each test, and the command against it.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The last line that the service prints when it is ready.
const READY: &str = "Ctrl-C stops it.";

/// A running service; stops at the end of the test.
pub(crate) struct Service {
    process: Child,
    pub(crate) greeting: Vec<String>,
    /// For the test's files.
    pub(crate) folder: TempDir,
}

impl Service {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts `posture serve` on free ports.
    pub(crate) fn start_with(options: &[&str]) -> Self {
        let mut process = posture()
            .args(["serve", "--port", "0", "--db-port", "0", "--dashboard-port", "0"])
            // Tags depend on the address in links, and tests compare those of two services.
            .env("DASHBOARD_URL", "http://localhost:9001")
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let greeting: Vec<String> = lines.take_while(|line| line != READY).collect();
        assert!(process.try_wait().unwrap().is_none(), "the service did not start: {greeting:?}");
        Self { process, greeting, folder: TempDir::new().unwrap() }
    }

    /// Asks the service to stop, and waits for it.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let asked = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(asked.success());
        self.process.wait().unwrap().code()
    }

    /// Returns the address of the API.
    pub(crate) fn api(&self) -> String {
        self.address("The API listens on ")
    }

    /// Returns the address of the dashboard.
    pub(crate) fn dashboard(&self) -> String {
        self.address("The dashboard is at ")
    }

    /// Returns the address of the data.
    pub(crate) fn endpoint(&self) -> String {
        self.address("DynamoDB endpoint: ")
    }

    /// Returns the address that a line of the greeting begins with.
    fn address(&self, introduction: &str) -> String {
        let line = self.greeting.iter().find_map(|line| line.strip_prefix(introduction)).unwrap();
        line.split_whitespace().next().unwrap().to_owned()
    }

    /// Returns the command's exit status and output.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        posture().args(arguments).args(["--local", "--endpoint-url", &self.endpoint()]).output().unwrap()
    }

    /// Starts the command and ignores its output.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = posture();
        command.args(arguments).args(["--local", "--endpoint-url", &self.endpoint()]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Returns the command's output for people.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        succeeded(&self.run(arguments))
    }

    /// Returns the result of the command for scripts.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&succeeded(&output)).unwrap()
    }

    /// Returns the error output of a command that must fail with an exit code.
    pub(crate) fn failure(&self, code: i32, arguments: &[&str]) -> String {
        failed(code, &self.run(arguments))
    }

    /// Returns the response of the API: its status and body.
    pub(crate) fn get(&self, key: &str, path: &str) -> (u16, Value) {
        let url = format!("{}{path}", self.api());
        let request = ureq::get(url).config().http_status_as_error(false).build();
        let mut response = request.header("Authorization", format!("Bearer {key}")).call().unwrap();
        let body = response.body_mut().read_to_string().unwrap();
        (response.status().as_u16(), serde_json::from_str(&body).unwrap())
    }

    /// Returns a client of the data, for operations that no command has.
    pub(crate) fn client(&self) -> Client {
        client_at(&self.endpoint(), "local")
    }

    /// Creates a second table, as a restore does, with a copy of the items.
    pub(crate) async fn restore(&self, table: &str) {
        let client = self.client();
        create_table(&client, table).await;
        let items = client.scan().table_name("posture").into_paginator().items().send();
        for item in items.collect::<Result<Vec<_>, _>>().await.unwrap() {
            client.put_item().table_name(table).set_item(Some(item)).send().await.unwrap();
        }
    }

    /// Returns the keys of all items in the table, as `pk` and `sk`.
    pub(crate) async fn items(&self) -> Vec<(String, String)> {
        let scan = self.client().scan().table_name("posture").into_paginator().items().send();
        let items = scan.collect::<Result<Vec<_>, _>>().await.unwrap();
        let key = |item: &HashMap<String, AttributeValue>, name| item[name].as_s().unwrap().clone();
        items.iter().map(|item| (key(item, "pk"), key(item, "sk"))).collect()
    }

    /// Returns a new file of the test; its name may begin with folders.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns a new organization with a key.
    pub(crate) fn organization(&self, name: &str) -> Member {
        let id = text_of(&self.json(&["org", "create", "--name", name]), "organizationId");
        let key = text_of(&self.json(&["key", "create", "--org", &id]), "key");
        Member { id, key }
    }

    /// Returns a new tenant of an organization: its service identifier.
    pub(crate) fn tenant(&self, of: &Member, name: &str, provider_id: &str) -> String {
        let arguments = ["tenant", "add", "--org", &of.id, "--name", name, "--provider-tenant-id", provider_id];
        text_of(&self.json(&arguments), "serviceTenantId")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Creates a table with the template's keys.
pub(crate) async fn create_table(client: &Client, name: &str) {
    let attribute =
        |name| AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build();
    let key = |name, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build();
    let create = client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    let create = create.attribute_definitions(attribute("pk").unwrap()).attribute_definitions(attribute("sk").unwrap());
    let create = create.key_schema(key("pk", KeyType::Hash).unwrap()).key_schema(key("sk", KeyType::Range).unwrap());
    create.send().await.unwrap();
}

/// Returns a client of DynamoDB at an address.
pub(crate) fn client_at(address: &str, region: &'static str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .region(Region::from_static(region))
        .endpoint_url(address);
    Client::from_conf(config.build())
}

/// An organization and one of its keys.
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) key: String,
}

/// Returns the command, in an environment that is independent of the machine.
pub(crate) fn posture() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posture"));
    let settings = ["TABLE_NAME", "USAGE_PLAN_ID", "DASHBOARD_URL", "POSTURE_ORG", "AWS_ENDPOINT_URL"];
    for variable in settings.into_iter().chain(["SIGN_IN_ISSUER", "SIGN_IN_CLIENT_ID", "SIGN_IN_CLIENT_SECRET"]) {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn text_of(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap().to_owned()
}

/// Returns the output of a command that must have succeeded.
pub(crate) fn succeeded(output: &Output) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    assert_eq!(complaint, "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Returns the error output of a command that must have failed.
pub(crate) fn failed(code: i32, output: &Output) -> String {
    let complaint = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{complaint}");
    complaint
}

/// Returns a page of a list of the provider's directory interface, with these rows.
pub(crate) fn page(list: &str, rows: &[Value]) -> String {
    json!({ "@odata.context": format!("https://graph.example/v1.0/$metadata#{list}"), "value": rows }).to_string()
}
