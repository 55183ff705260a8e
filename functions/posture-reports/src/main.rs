//! The function behind the `posture-reports` endpoint.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(posture_reports::handle).await
}
