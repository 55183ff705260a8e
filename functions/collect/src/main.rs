//! The function that works on requested reports.

// The layout of the nested futures of an import is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;
use std::sync::Arc;
use std::time::Duration;

use api::runtime::{Config, last_words, start};
use chrono::Utc;
use collect::{Snapshots, Worker};
use graph::{Application, Clock, Collector, Pace};
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use operations::Queue;
use operations::retention::Retention;
use store::{Store, Timeouts, function_settings};
use tokio::time::Instant;

/// Time reserved for storing the position, judging the snapshot and writing the report. It depends on the tenant and not
/// on the invocation: all steps of one with 20,000 users take 2.3 s of CPU time, and the rest is for waits of the table
/// and the bucket. An invocation of less than twice this reserves half of its time, so that it makes progress too.
const LAST_STEPS: Duration = Duration::from_secs(60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let worker = start(connect)?;
    let handler = |LambdaEvent { payload, context }| {
        let store = worker.store.until(last_words(&context));
        let worker = Worker { store, ..Worker::clone(&worker) };
        let left = context.deadline().duration_since(std::time::SystemTime::now()).unwrap_or_default();
        let until = Instant::now() + left - LAST_STEPS.min(left / 2);
        async move { Ok::<_, Error>(worker.handle(payload, Some(until)).await) }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn connect(config: &Config) -> Worker {
    let settings = function_settings(Timeouts::REGIONAL);
    // A snapshot takes longer than an item.
    let of_files = aws_sdk_s3::config::Builder::from(&settings).timeout_config(Timeouts::PATIENT.into());
    let snapshots = Snapshots::Bucket {
        client: aws_sdk_s3::Client::from_conf(of_files.build()),
        name: variable("SNAPSHOTS_BUCKET").into(),
    };
    let queue = |name| Queue::Sqs { client: aws_sdk_sqs::Client::new(&settings), url: variable(name).into() };
    Worker {
        store: Store::connect(&settings, &config.table),
        queue: queue("REQUESTS_QUEUE_URL"),
        dead: queue("FAILED_REQUESTS_QUEUE_URL"),
        snapshots,
        retention: Retention::from_env(),
        needs_connection: true,
        collector: collectors(),
    }
}

/// Returns the collectors of all invocations of this process. They share its pace. Each has a clock and tokens of its own, because
/// timers may stand still while the function is frozen.
fn collectors() -> Arc<dyn Fn(chrono::DateTime<Utc>) -> Option<Collector> + Send + Sync> {
    let application = application::registered();
    // Invocations at the same time run in processes of their own. One that runs alone has all limits to itself.
    let processes = variable("COLLECT_CONCURRENCY").parse().unwrap_or(1);
    let pace = Arc::new(Pace::of_one_in(processes));
    Arc::new(move |now| {
        let application = application.clone()?;
        let (transport, hosts) = (Arc::clone(&application.transport), application.hosts.clone());
        let (pace, clock) = (Arc::clone(&pace), Clock::at(now));
        Some(Collector { transport, tokens: Arc::new(Application::new(application, clock)), pace, hosts, clock })
    })
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
