//! The function behind the `controls` endpoints.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(controls::handle).await
}
