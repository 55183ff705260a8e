//! Connects the PDF of a report to Lambda: the dashboard's route, with the typesetter that the dashboard lacks.

use api::App;
use api::runtime::start;
use lambda_http::Error;
use web::Dashboard;
use web::pdf::PDF;
use web::sign_in::Settings;

/// Largest document, in bytes: a response of 6 MB as base64, minus the rest of the response.
const LARGEST: usize = 4_600_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let sign_in = Settings::from_env()?;
    let dashboard = Dashboard::new(App::clone(&app), move || sign_in.origins());
    lambda_http::run(web::router(dashboard.with_documents(report_pdf::documents(LARGEST, None)), &[PDF])).await
}
