//! Sends mail: by Amazon SES, or as files on this machine.

use std::io;
use std::path::Path;
use std::sync::Arc;

use aws_sdk_sqs::config::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, StatusCode};
use model::{MailAddress, TargetUrl, Timestamp};
use serde_json::json;

use crate::client::{Client, Unsent, request_to};
use crate::letter::Letter;

/// The mail that the service sends.
#[derive(Debug, Clone)]
pub struct Mail {
    /// Its sender.
    pub from: MailAddress,
    /// Its way out of the service.
    pub outlet: Outlet,
}

/// The way of mail out of the service.
#[derive(Debug, Clone)]
pub enum Outlet {
    /// As a file in a folder: the service on one machine sends none.
    Folder(Arc<Path>),
    /// By Amazon SES.
    Ses(Ses),
}

/// The API of Amazon SES.
#[derive(Debug, Clone)]
pub struct Ses {
    /// Address of its operation `SendEmail`.
    pub endpoint: TargetUrl,
    /// Region.
    pub region: Arc<str>,
    /// Credentials, which hide themselves.
    pub credentials: Credentials,
}

/// Sender of the mail that is written on one machine.
const LOCAL: &str = "posture@localhost";

impl Mail {
    /// Returns the mail that is written into a folder.
    pub fn written_to(folder: &Path) -> Self {
        Self { from: LOCAL.parse().expect("an address"), outlet: Outlet::Folder(folder.into()) }
    }

    /// Sends a letter, and returns the status of the response.
    pub(crate) async fn send(
        &self,
        client: &Client,
        letter: &Letter,
        to: &MailAddress,
        now: Timestamp,
    ) -> Result<StatusCode, Unsent> {
        let message = letter.message(&self.from, to, now);
        match &self.outlet {
            Outlet::Folder(folder) => {
                write(folder, &letter.id, &message).map_err(|_| Unsent::Unwritten)?;
                Ok(StatusCode::OK)
            }
            Outlet::Ses(ses) => match client.post(&ses.endpoint, ses.request(&self.from, to, &message, now)).await {
                Ok(status) if status.is_success() => Ok(status),
                refused => Err(Unsent::MailRefused(refused.ok())),
            },
        }
    }
}

impl Ses {
    /// Returns the signed request that sends a message.
    fn request(&self, from: &MailAddress, to: &MailAddress, message: &[u8], now: Timestamp) -> Request<Full<Bytes>> {
        const JSON: &str = "application/json";
        let body = json!({
            "FromEmailAddress": from.as_str(),
            "Destination": { "ToAddresses": [to.as_str()] },
            "Content": { "Raw": { "Data": STANDARD.encode(message) } },
        })
        .to_string();
        let identity = self.credentials.clone().into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name("ses")
            .time(now.to_datetime().into())
            .settings(SigningSettings::default())
            .build()
            .expect("all of it is set")
            .into();
        let headers = [(CONTENT_TYPE.as_str(), JSON)].into_iter();
        let signed =
            SignableRequest::new("POST", self.endpoint.as_str(), headers, SignableBody::Bytes(body.as_bytes()))
                .and_then(|request| sign(request, &parameters))
                .expect("an address, a header and a body can be signed");
        let (instructions, _) = signed.into_parts();
        let (headers, _) = instructions.into_parts();
        let request = request_to(&self.endpoint).header(CONTENT_TYPE, JSON);
        let request = headers.iter().fold(request, |request, header| request.header(header.name(), header.value()));
        request.body(Full::new(body.into())).expect("all of it is visible ASCII")
    }
}

/// Writes a message to a file of its own, which a repeated message writes over.
fn write(folder: &Path, id: &str, message: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{id}.eml")), message)
}
