//! The service's own way to the engine: calls within the process.
//!
//! Over the engine's port, the service's connections would count among those of all programs, and would be closed like
//! theirs when too many are open.

use std::sync::{Arc, Weak};

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use dynoxide::Database;

use super::protocol;

/// Returns the connection of a client to a database. Calls fail once the database is closed.
pub(super) fn to(database: &Arc<Database>) -> SharedHttpClient {
    let connector = SharedHttpConnector::new(Connection(Arc::downgrade(database)));
    http_client_fn(move |_, _| connector.clone())
}

struct Connection(Weak<Database>);

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl HttpConnector for Connection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Some(database) = self.0.upgrade() else {
            return HttpConnectorFuture::ready(Err(ConnectorError::io("the engine has stopped".into())));
        };
        HttpConnectorFuture::new(async move {
            // A separate task, so that the calls of one request run in parallel.
            let response = tokio::spawn(async move { respond(&database, &request) }).await;
            response.map_err(|error| ConnectorError::io(error.into()))
        })
    }
}

fn respond(database: &Database, request: &HttpRequest) -> HttpResponse {
    let target = request.headers().get(protocol::TARGET);
    // The client's requests are never streams.
    let output = protocol::run(database, target, request.body().bytes().unwrap_or_default());
    let headers = output.headers();
    let mut response = HttpResponse::new(output.status.into(), SdkBody::from(output.json));
    for (name, value) in headers {
        response.headers_mut().insert(name, value);
    }
    response
}
