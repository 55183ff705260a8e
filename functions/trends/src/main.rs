//! The function behind `GET /v1/trends`.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(trends::handle).await
}
