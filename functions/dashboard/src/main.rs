//! Wires the dashboard to Lambda.

use std::env;
use std::sync::Arc;

use api::App;
use api::runtime::start;
use dashboard::{Connector, KeptSecret, Pages};
use lambda_http::Error;
use model::MailAddress;
use operations::{Queue, Queues};
use store::{Timeouts, function_settings};
use web::Documents;
use web::sign_in::{SettingError, Settings};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let api_url = env::var("BASE_URL").unwrap_or_default();
    let pages = Pages::new(App::clone(&app), &api_url, sign_in()?).with_queues(queues());
    let pages = match application::registered() {
        Some(application) => pages.with_connector(Connector { application }),
        None => pages,
    };
    // The same address as that of the function that sends.
    let sends_mail = env::var("MAIL_FROM").is_ok_and(|from| from.parse::<MailAddress>().is_ok());
    let pages = if sends_mail { pages.with_mail() } else { pages };
    lambda_http::run(pages.with_documents(Documents::Elsewhere).router()).await
}

/// Returns how people sign in, with the secret that `SIGN_IN_CLIENT_SECRET_ARN` names, if the dashboard has one.
fn sign_in() -> Result<Settings, SettingError> {
    let settings = Settings::from_env()?;
    let arn = env::var("SIGN_IN_CLIENT_SECRET_ARN").ok().filter(|arn| !arn.is_empty());
    let secret = arn.map(|arn| KeptSecret::new(&function_settings(Timeouts::REGIONAL), arn));
    Ok(Settings { client_secret: secret.map(|secret| Arc::new(secret) as _), ..settings })
}

fn queues() -> Queues {
    let client = aws_sdk_sqs::Client::new(&function_settings(Timeouts::REGIONAL));
    let queue = |name| Queue::Sqs { client: client.clone(), url: env::var(name).unwrap_or_default().into() };
    Queues {
        requests: queue("REQUESTS_QUEUE_URL"),
        documents: queue("DOCUMENTS_QUEUE_URL"),
        notifications: queue("NOTIFICATIONS_QUEUE_URL"),
    }
}
