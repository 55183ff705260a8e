//! The function behind the `posture-report` endpoint.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(posture_report::handle).await
}
