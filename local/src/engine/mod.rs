//! The embedded DynamoDB engine, behind the same protocol as the real one.

mod connection;
mod protocol;

use std::fs::OpenOptions;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedHttpClient};
use aws_sdk_dynamodb::types::{AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType};
use dynoxide::Database;
use serde::{Deserialize, Serialize};
use store::{Store, Timeouts, aws_settings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

use crate::loopback::{self, Visitors};

/// The table's key attributes, as the deployed table has them.
const KEYS: [(&str, KeyType); 2] = [("pk", KeyType::Hash), ("sk", KeyType::Range)];

/// A running engine. Dropping it stops it.
pub struct Engine {
    address: SocketAddr,
    client: Client,
    addresses: Arc<OnceLock<Addresses>>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

/// Addresses of the service around the engine, without a slash at the end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Addresses {
    /// Address of the dashboard, where people accept invitations.
    pub dashboard: String,
    /// Address that links of reports lead to.
    pub report_links: String,
}

impl Addresses {
    /// Path at the engine's address.
    pub const PATH: &str = "/addresses";
}

/// Why the engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The data cannot be opened.
    #[error("the data cannot be opened: {0}")]
    Data(String),
    /// The engine's listener is not usable.
    #[error("the engine cannot listen: {0}")]
    Listener(#[from] std::io::Error),
    /// The table cannot be created.
    #[error("the table cannot be created: {0}")]
    Table(#[source] Box<aws_sdk_dynamodb::Error>),
    /// The engine ended unexpectedly.
    #[error("the engine stopped: {0}")]
    Stopped(#[from] JoinError),
}

impl Engine {
    /// Starts an engine whose data is lost when it stops.
    ///
    /// # Errors
    /// If the listener is not usable.
    pub async fn memory(listener: TcpListener) -> Result<Self, EngineError> {
        Self::start(Database::memory(), listener).await
    }

    /// Starts an engine that keeps its data in a file, which is created if it is missing. Only its owner may read it. The
    /// file is rewritten, so that it has nothing of what was deleted before.
    ///
    /// # Errors
    /// If the file cannot be opened or the listener is not usable.
    pub async fn file(path: &Path, listener: TcpListener) -> Result<Self, EngineError> {
        let name = path.to_str().ok_or_else(|| EngineError::Data("its path is not UTF-8".into()))?;
        keep_private(path).map_err(|error| EngineError::Data(error.to_string()))?;
        let compact = |database: Database| database.vacuum().map(|()| database);
        Self::start(Database::new(name).and_then(compact), listener).await
    }

    async fn start(
        database: Result<Database, dynoxide::DynoxideError>,
        listener: TcpListener,
    ) -> Result<Self, EngineError> {
        let database = Arc::new(database.map_err(|error| EngineError::Data(error.to_string()))?);
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let client = client(address, Some(connection::to(&database))).await;
        let addresses = Arc::new(OnceLock::new());
        let router = protocol::router(database, Arc::clone(&addresses));
        let server = tokio::spawn(async move {
            let stopped = async {
                // Dropping the sender also stops the engine.
                let _ = stopped.await;
            };
            loopback::serve(listener, router, Visitors::Programs, stopped).await;
        });
        Ok(Self { address, client, addresses, stop, server })
    }

    /// Returns the address of the engine's DynamoDB interface, for tools such as the AWS CLI.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the addresses that the engine gives to the command, once.
    pub(crate) fn announce(&self, addresses: Addresses) {
        self.addresses.get_or_init(|| addresses);
    }

    /// Returns a client of the engine, for operations that a store does not have.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Creates a client of the engine at an address.
    pub async fn client_at(address: SocketAddr) -> Client {
        client(address, None).await
    }

    /// Returns a store on a table, which is created if it is missing.
    ///
    /// # Errors
    /// If the table can neither be found nor created.
    pub async fn store(&self, table: &str) -> Result<Store, EngineError> {
        match self.create_table(table).await.map_err(aws_sdk_dynamodb::Error::from) {
            Ok(_) | Err(aws_sdk_dynamodb::Error::ResourceInUseException(_)) => {
                Ok(Store::new(self.client.clone(), table))
            }
            Err(error) => Err(EngineError::Table(Box::new(error))),
        }
    }

    /// Stops after running requests have finished.
    ///
    /// # Errors
    /// If the engine failed before.
    pub async fn stop(self) -> Result<(), EngineError> {
        let _ = self.stop.send(());
        Ok(self.server.await?)
    }

    async fn create_table(
        &self,
        name: &str,
    ) -> Result<
        aws_sdk_dynamodb::operation::create_table::CreateTableOutput,
        aws_sdk_dynamodb::error::SdkError<aws_sdk_dynamodb::operation::create_table::CreateTableError>,
    > {
        let mut request = self.client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
        for (attribute, kind) in KEYS {
            let definition = AttributeDefinition::builder().attribute_name(attribute);
            let definition = definition.attribute_type(ScalarAttributeType::S).build().expect("both fields are set");
            let key = KeySchemaElement::builder().attribute_name(attribute).key_type(kind);
            request = request.attribute_definitions(definition).key_schema(key.build().expect("both fields are set"));
        }
        request.send().await
    }
}

/// Creates a client that connects to the address, unless it has another connection. The engine accepts any credentials,
/// but the client requires some.
async fn client(address: SocketAddr, connection: Option<SharedHttpClient>) -> Client {
    let mut settings = aws_settings(Timeouts::PATIENT)
        .endpoint_url(format!("http://{address}"))
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"));
    if let Some(connection) = connection {
        settings = settings.http_client(connection);
    }
    Client::new(&settings.load().await)
}

/// Creates a file that only its owner may read and write, or changes the mode of an existing one. The engine gives its
/// other files, which are in the same folder, the same mode.
fn keep_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::fs::Permissions;
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

        let file = options.mode(0o600).open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))
    }
    #[cfg(not(unix))]
    options.open(path).map(drop)
}
