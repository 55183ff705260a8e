//! Wires the dashboard to Lambda.

use std::env;

use api::App;
use api::runtime::start;
use dashboard::routes::ROUTES;
use dashboard::sign_in::Settings;
use dashboard::{Dashboard, Documents, run};
use lambda_http::Error;
use operations::requests::Queue;
use store::{Timeouts, function_settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let api_url = env::var("BASE_URL").unwrap_or_default();
    let dashboard = Dashboard::new(App::clone(&app), &api_url, Settings::from_env()?).with_queue(queue());
    run(dashboard.with_documents(Documents::Elsewhere), ROUTES).await
}

/// Returns the queue of requests for reports.
fn queue() -> Queue {
    let client = aws_sdk_sqs::Client::new(&function_settings(Timeouts::REGIONAL));
    Queue::Sqs { client, url: env::var("REQUESTS_QUEUE_URL").unwrap_or_default().into() }
}
