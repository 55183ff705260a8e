//! The embedded DynamoDB engine, behind the same protocol as the real one.

use std::net::SocketAddr;
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region};
use aws_sdk_dynamodb::types::{AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType};
use dynoxide::Database;
use store::{Store, Timeouts, aws_settings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The table's key attributes, as the deployed table has them.
const KEYS: [(&str, KeyType); 2] = [("pk", KeyType::Hash), ("sk", KeyType::Range)];

/// A running engine. Dropping it stops it.
pub struct Engine {
    address: SocketAddr,
    client: Client,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), String>>,
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
    /// The table cannot be made.
    #[error("the table cannot be made: {0}")]
    Table(#[source] Box<aws_sdk_dynamodb::Error>),
    /// The engine ended by itself.
    #[error("the engine stopped: {0}")]
    Stopped(String),
}

impl Engine {
    /// An engine whose data is gone when it stops.
    ///
    /// # Errors
    /// When the listener is not usable.
    pub async fn memory(listener: TcpListener) -> Result<Self, EngineError> {
        Self::start(Database::memory(), listener).await
    }

    /// An engine that keeps its data in a file, which is made where it is missing.
    ///
    /// # Errors
    /// When the file cannot be opened or the listener is not usable.
    pub async fn file(path: &Path, listener: TcpListener) -> Result<Self, EngineError> {
        let path = path.to_str().ok_or_else(|| EngineError::Data("its path is no UTF-8".into()))?;
        Self::start(Database::new(path), listener).await
    }

    async fn start(
        database: Result<Database, dynoxide::DynoxideError>,
        listener: TcpListener,
    ) -> Result<Self, EngineError> {
        let database = database.map_err(|error| EngineError::Data(error.to_string()))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(dynoxide::server::serve_with_shutdown(listener, database, async {
            // A dropped sender stops the engine too.
            let _ = stopped.await;
        }));
        Ok(Self { address, client: Self::client_at(address).await, stop, server })
    }

    /// Address of the engine's HTTP interface, for the tools of the real one.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A client of the engine, for what a store does not do.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A client of the engine at an address. The engine takes any credentials, but they have to be there.
    pub async fn client_at(address: SocketAddr) -> Client {
        let settings = aws_settings(Timeouts::PATIENT)
            .endpoint_url(format!("http://{address}"))
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"));
        Client::new(&settings.load().await)
    }

    /// A store on a table, which is made where it is missing.
    ///
    /// # Errors
    /// When the table can neither be found nor made.
    pub async fn store(&self, table: &str) -> Result<Store, EngineError> {
        match self.create_table(table).await.map_err(aws_sdk_dynamodb::Error::from) {
            Ok(_) | Err(aws_sdk_dynamodb::Error::ResourceInUseException(_)) => {
                Ok(Store::new(self.client.clone(), table))
            }
            Err(error) => Err(EngineError::Table(Box::new(error))),
        }
    }

    /// Lets running requests finish, then stops.
    ///
    /// # Errors
    /// When the engine failed before.
    pub async fn stop(self) -> Result<(), EngineError> {
        let _ = self.stop.send(());
        self.server.await.map_err(|error| error.to_string()).flatten().map_err(EngineError::Stopped)
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
