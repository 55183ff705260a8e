//! An emulated bucket: it has one file under every name, and accepts the result that is put next to it.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::process::ANY_PORT;
use crate::support::BoxError;

/// A tool's results, assigned to the sample events' tenant.
pub(crate) const SAMPLE: &str = include_str!("../../../assessments/tests/fixtures/maester.json");
/// Identifier of that tenant with its provider.
pub(crate) const SAMPLE_TENANT: &str = "9c858901-8a57-4791-81fe-4c455b099bc9";
/// The identifier in the file.
const TENANT: &str = "11111111-2222-3333-4444-555555555555";

/// Serves a file as long as this program runs.
pub(crate) async fn serve(file: impl Into<String>) -> Result<SocketAddr, BoxError> {
    let listener = TcpListener::bind(ANY_PORT).await?;
    let address = listener.local_addr()?;
    let file = Bytes::from(file.into().replace(TENANT, SAMPLE_TENANT));
    let router = Router::new().fallback(get(async move || file.clone()).put(async || ()));
    let router = router.layer(DefaultBodyLimit::disable());
    tokio::spawn(async { axum::serve(listener, router).await.expect("the listener works") });
    Ok(address)
}
