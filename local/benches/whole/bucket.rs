//! A stand-in for a bucket: it has one file under every name, and takes the result that is put beside it.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

use crate::process::ANY_PORT;
use crate::support::Failure;

/// A tool's results, and the tenant that they are said to be of.
const RESULTS: &str = include_str!("../../../assessments/tests/fixtures/maester.json");
const TENANT: &str = "11111111-2222-3333-4444-555555555555";
/// Identifier of the sample events' tenant with its provider.
const SAMPLE_TENANT: &str = "9c858901-8a57-4791-81fe-4c455b099bc9";

/// Serves as long as this program runs.
///
/// # Errors
/// When it cannot listen.
pub(crate) async fn serve() -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind(ANY_PORT).await?;
    let address = listener.local_addr()?;
    let file = RESULTS.replace(TENANT, SAMPLE_TENANT);
    let router = Router::new().fallback(get(async move || file.clone()).put(async || ()));
    tokio::spawn(async { axum::serve(listener, router).await.expect("the listener works") });
    Ok(address)
}
