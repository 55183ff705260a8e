//! Connects the PDFs to Lambda: the dashboard's routes, with the typesetter that the dashboard lacks, and the queue of sets of
//! documents.

// The layout of its nested futures is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use api::App;
use api::runtime::{Config, last_words, start};
use aws_lambda_events::sqs::SqsEvent;
use lambda_http::{Adapter, Context, Error, LambdaEvent, Service, lambda_runtime, service_fn};
use operations::Queue;
use report_pdf::bucket::Bucket;
use report_pdf::shelves::Shelves;
use report_pdf::worker::Worker;
use serde_json::Value;
use serde_json::value::RawValue;
use store::{Timeouts, function_settings};
use tokio::time::Instant;
use web::Dashboard;
use web::archive::ARCHIVE;
use web::pdf::PDF;
use web::sign_in::Settings;

/// Largest document, in bytes: a response of 6 MB as base64, minus the rest of the response.
const LARGEST: usize = 4_600_000;
/// Time reserved for the archive of a set. An invocation of less than twice this reserves half of its time.
const LAST_STEPS: Duration = Duration::from_secs(300);
/// Time for a page, of the 30 seconds that API Gateway waits.
const PAGE: Duration = Duration::from_secs(25);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let parts = start(connect)?;
    let (app, worker) = &*parts;
    let sign_in = Settings::from_env()?;
    let dashboard = Dashboard::new(app.clone(), move || sign_in.origins());
    let documents = report_pdf::documents(LARGEST, Some(Arc::new(worker.shelves.clone())));
    let pages = Adapter::from(web::router(dashboard.with_documents(documents), &[PDF, ARCHIVE]));
    let handler = |LambdaEvent { payload, context }: LambdaEvent<Box<RawValue>>| {
        let mut pages = pages.clone();
        async move {
            // Requests of API Gateway have no records.
            if let Ok(messages) = serde_json::from_str::<SqsEvent>(payload.get()) {
                let worker = Worker { store: worker.store.until(last_words(&context)), ..worker.clone() };
                return Ok(serde_json::to_value(worker.handle(messages, until(&context)).await)?);
            }
            let request = LambdaEvent::new(serde_json::from_str(payload.get())?, for_page(context));
            Ok::<Value, Error>(serde_json::to_value(pages.call(request).await?)?)
        }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn connect(config: &Config) -> (App, Worker) {
    let app = App::connect(config);
    let settings = function_settings(Timeouts::REGIONAL);
    let variable = |name| env::var(name).unwrap_or_default().into();
    // A document takes longer than an item.
    let of_files = aws_sdk_s3::config::Builder::from(&settings).timeout_config(Timeouts::PATIENT.into());
    let client = aws_sdk_s3::Client::from_conf(of_files.build());
    let worker = Worker {
        store: app.store.clone(),
        links: app.dashboard_url.clone(),
        shelves: Shelves::Bucket(Bucket { client, name: variable("ASSESSMENTS_BUCKET") }),
        queue: Queue::Sqs { client: aws_sdk_sqs::Client::new(&settings), url: variable("DOCUMENTS_QUEUE_URL") },
        // The function has one core.
        at_once: 2,
        clock: || chrono::Utc::now().try_into().expect("the clock is within the years 0 to 9999"),
    };
    (app, worker)
}

/// Returns the context of an invocation with the deadline of a page: its own is that of a set of documents.
fn for_page(mut context: Context) -> Context {
    let latest = (SystemTime::now() + PAGE).duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    context.deadline = context.deadline.min(u64::try_from(latest.as_millis()).unwrap_or(u64::MAX));
    context
}

/// Returns the time from which no document of an invocation is begun.
fn until(context: &Context) -> Instant {
    let left = context.deadline().duration_since(SystemTime::now()).unwrap_or_default();
    Instant::now() + left - LAST_STEPS.min(left / 2)
}
