//! Connects the PDF of a report to Lambda: the dashboard's own route, with the typesetter that the dashboard lacks.

use api::App;
use api::runtime::start;
use dashboard::routes::PDF;
use dashboard::sign_in::Settings;
use dashboard::{Dashboard, run};
use lambda_http::Error;

/// Largest document, in bytes: a response of 6 MB as base64, minus the rest of the response.
const LARGEST: usize = 4_600_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let dashboard = Dashboard::new(App::clone(&app), "", Settings::from_env()?);
    run(dashboard.with_documents(report_pdf::documents(LARGEST)), &[PDF]).await
}
