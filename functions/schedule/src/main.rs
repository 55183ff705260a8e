//! The function that requests the reports that are due.

// The layout of the nested futures of a round is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;

use api::runtime::{Config, last_words, start};
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use operations::{Queue, Queues};
use schedule::Scheduler;
use serde_json::Value;
use store::{Store, Timeouts, function_settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let scheduler = start(connect)?;
    // The event says nothing: what is due depends on the time alone.
    let handler = |LambdaEvent { context, .. }: LambdaEvent<Value>| {
        let store = scheduler.store.until(last_words(&context));
        let scheduler = Scheduler { store, ..Scheduler::clone(&scheduler) };
        async move {
            let now = chrono::Utc::now().try_into()?;
            Ok::<_, Error>(scheduler.handle(now).await.map(|_| ())?)
        }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn connect(config: &Config) -> Scheduler {
    let settings = function_settings(Timeouts::REGIONAL);
    let client = aws_sdk_sqs::Client::new(&settings);
    let queue = |name| Queue::Sqs { client: client.clone(), url: env::var(name).unwrap_or_default().into() };
    let (requests, documents) = (queue("REQUESTS_QUEUE_URL"), queue("DOCUMENTS_QUEUE_URL"));
    let queues = Queues { requests, documents, ..Queues::default() };
    Scheduler { store: Store::connect(&settings, &config.table), queues }
}
