//! The function behind the `billable-users` endpoint.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    api::runtime::run_endpoint(billable_users::handle).await
}
