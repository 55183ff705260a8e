//! Wires the dashboard to Lambda.

use std::env;

use api::App;
use api::runtime::start;
use dashboard::sign_in::Settings;
use dashboard::{Dashboard, Documents, run};
use lambda_http::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let api_url = env::var("BASE_URL").unwrap_or_default();
    let dashboard = Dashboard::new(App::clone(&app), &api_url, Settings::from_env()?);
    run(dashboard.with_documents(Documents::Elsewhere), |_| true).await
}
