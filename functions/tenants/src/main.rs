//! The function behind the `tenants` endpoint.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(tenants::handle).await
}
