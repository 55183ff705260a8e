//! The function that sends events to targets.

// The layout of its nested futures is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;
use std::sync::Arc;

use api::runtime::{Config, last_words, start};
use aws_lambda_events::sqs::SqsEvent;
use deliver::{Client, Deliverer, Internet, Reach};
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use operations::Queue;
use store::{Store, Timeouts, function_settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let deliverer = start(connect)?;
    let handler = |LambdaEvent { payload, context }: LambdaEvent<SqsEvent>| {
        let store = deliverer.store.until(last_words(&context));
        let deliverer = Deliverer { store, ..Deliverer::clone(&deliverer) };
        async move {
            let now = chrono::Utc::now().try_into()?;
            Ok::<_, Error>(deliverer.handle(payload, now).await)
        }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn connect(config: &Config) -> Deliverer {
    let settings = function_settings(Timeouts::REGIONAL);
    let variable = |name| env::var(name).unwrap_or_default();
    Deliverer {
        store: Store::connect(&settings, &config.table),
        queue: Queue::Sqs {
            client: aws_sdk_sqs::Client::new(&settings),
            url: variable("NOTIFICATIONS_QUEUE_URL").into(),
        },
        client: Client::new(Arc::new(Internet), Reach::Public).expect("the system's certificates can be read"),
        dashboard_url: config.dashboard_url.trim_end_matches('/').into(),
        api_url: variable("BASE_URL").trim_end_matches('/').into(),
    }
}
