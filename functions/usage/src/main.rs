//! The function behind the `usage` endpoint.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(usage::handle).await
}
