//! The dashboard's secret at the issuer, kept in Secrets Manager and read when somebody signs in.

use std::time::Duration;

use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::DisplayErrorContext;
use aws_types::SdkConfig;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Mutex;
use tokio::time::Instant;
use web::sign_in::ClientSecret;

/// The time for which a text is used before it is read again: a new secret then takes effect without a deployment.
const LASTS: Duration = Duration::from_secs(5 * 60);

/// A secret in Secrets Manager.
pub struct KeptSecret {
    client: Client,
    arn: String,
    known: Mutex<Option<(Instant, String)>>,
}

impl KeptSecret {
    /// Returns the secret with an ARN. It is read on first use.
    pub fn new(settings: &SdkConfig, arn: String) -> Self {
        Self { client: Client::new(settings), arn, known: Mutex::new(None) }
    }

    async fn current(&self) -> Result<String, String> {
        let mut known = self.known.lock().await;
        if let Some((read, text)) = &*known
            && read.elapsed() < LASTS
        {
            return Ok(text.clone());
        }
        let read = self.client.get_secret_value().secret_id(&self.arn).send().await;
        let read =
            read.map_err(|error| format!("the client's secret cannot be read: {}", DisplayErrorContext(error)))?;
        let text = read.secret_string.ok_or("the client's secret has no text")?;
        *known = Some((Instant::now(), text.clone()));
        Ok(text)
    }
}

impl ClientSecret for KeptSecret {
    fn text(&self) -> BoxFuture<'_, Result<String, String>> {
        self.current().boxed()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use aws_sdk_secretsmanager::config::{Credentials, Region};
    use axum::Router;
    use axum::routing::post;
    use serde_json::json;
    use store::{Timeouts, aws_settings};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_secret_is_read_on_first_use_and_again_after_some_minutes() {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let keeper = post(async move |body: String| {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            assert_eq!(body, r#"{"SecretId":"arn:aws:secretsmanager:one"}"#);
            match number {
                2 => json!({ "Name": "binary" }).to_string(),
                number => json!({ "SecretString": format!("text {number}") }).to_string(),
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async { axum::serve(listener, Router::new().route("/", keeper)).await });
        let settings = aws_settings(Timeouts::PATIENT).endpoint_url(address).region(Region::from_static("local"));
        let settings = settings.credentials_provider(Credentials::new("local", "local", None, None, "local"));
        let secret = KeptSecret::new(&settings.load().await, "arn:aws:secretsmanager:one".to_owned());
        assert_eq!(reads.load(Ordering::Relaxed), 0);
        for _ in 0..2 {
            assert_eq!(secret.text().await.as_deref(), Ok("text 0"));
        }
        let expire = async || secret.known.lock().await.as_mut().unwrap().0 -= LASTS;
        expire().await;
        assert_eq!(secret.text().await.as_deref(), Ok("text 1"));
        expire().await;
        assert_eq!(secret.text().await, Err("the client's secret has no text".to_owned()));
    }
}
