//! The function that dispatches events.

// The layout of its nested futures is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;

use api::runtime::{Config, last_words, start};
use aws_lambda_events::event::dynamodb::Event;
use dispatch::Dispatcher;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use operations::Queue;
use operations::notifications::Bus;
use store::{Store, Timeouts, function_settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let dispatcher = start(connect)?;
    let handler = |LambdaEvent { payload, context }: LambdaEvent<Event>| {
        let store = dispatcher.store.until(last_words(&context));
        let dispatcher = Dispatcher { store, ..Dispatcher::clone(&dispatcher) };
        async move {
            let now = chrono::Utc::now().try_into()?;
            Ok::<_, Error>(dispatcher.handle(payload, now).await)
        }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn connect(config: &Config) -> Dispatcher {
    let settings = function_settings(Timeouts::REGIONAL);
    let variable = |name| env::var(name).unwrap_or_default();
    let client = aws_sdk_sqs::Client::new(&settings);
    let bus = |url: String| Bus {
        client: client.clone(),
        url: url.into(),
        dashboard_url: config.dashboard_url.trim_end_matches('/').into(),
    };
    Dispatcher {
        store: Store::connect(&settings, &config.table),
        bus: Some(variable("BUS_QUEUE_URL")).filter(|url| !url.is_empty()).map(bus),
        queue: Queue::Sqs { client, url: variable("NOTIFICATIONS_QUEUE_URL").into() },
    }
}
