//! Wires the dashboard to Lambda.

use std::env;

use api::App;
use api::runtime::start;
use dashboard::{Connector, Pages};
use lambda_http::Error;
use operations::requests::Queue;
use store::{Timeouts, function_settings};
use web::Documents;
use web::sign_in::Settings;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let api_url = env::var("BASE_URL").unwrap_or_default();
    let pages = Pages::new(App::clone(&app), &api_url, Settings::from_env()?).with_queue(queue());
    let pages = match application::registered() {
        Some(application) => pages.with_connector(Connector { application }),
        None => pages,
    };
    lambda_http::run(pages.with_documents(Documents::Elsewhere).router()).await
}

/// Returns the queue of requests for reports.
fn queue() -> Queue {
    let client = aws_sdk_sqs::Client::new(&function_settings(Timeouts::REGIONAL));
    Queue::Sqs { client, url: env::var("REQUESTS_QUEUE_URL").unwrap_or_default().into() }
}
