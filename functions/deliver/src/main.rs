//! The function that sends events to targets.

// The layout of its nested futures is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use std::env;
use std::sync::Arc;

use api::runtime::{Config, last_words, start};
use aws_lambda_events::sqs::SqsEvent;
use aws_sdk_sqs::config::Credentials;
use deliver::{Client, Deliverer, Internet, Mail, Outlet, Reach, Ses};
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
    let variable = |name: &str| env::var(name).unwrap_or_default();
    Deliverer {
        store: Store::connect(&settings, &config.table),
        queue: Queue::Sqs {
            client: aws_sdk_sqs::Client::new(&settings),
            url: variable("NOTIFICATIONS_QUEUE_URL").into(),
        },
        mail: mail(variable),
        client: Client::new(Arc::new(Internet), Reach::Public).expect("the system's certificates can be read"),
        dashboard_url: config.dashboard_url.trim_end_matches('/').into(),
        api_url: variable("BASE_URL").trim_end_matches('/').into(),
    }
}

/// Returns the mail that the operator has set up, if any.
fn mail(variable: impl Fn(&str) -> String) -> Option<Mail> {
    let from = variable("MAIL_FROM").parse().ok()?;
    let token = env::var("AWS_SESSION_TOKEN").ok();
    let credentials =
        Credentials::new(variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"), token, None, "environment");
    let (endpoint, region) = (variable("MAIL_ENDPOINT").parse().ok()?, variable("AWS_REGION").into());
    Some(Mail { from, outlet: Outlet::Ses(Ses { endpoint, region, credentials }) })
}
