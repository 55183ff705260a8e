//! The function behind the `imports` endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint_with(imports::connect, imports::handle).await
}
