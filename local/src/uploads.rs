//! Files of imports on this machine: the addresses that take them, and the imports that begin with the last one.
//!
//! They behave like those of S3: an address is signed, takes one object of one length for an hour, and needs no key.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use api::App;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::put;
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use imports::Bucket;
use lambda_http::Error;
use lambda_http::http::{StatusCode, header::CONTENT_LENGTH};
use model::{ErrorBody, ErrorCode, ErrorDetail, Timestamp};
use operations::InputFile;
use operations::import::jobs::{self, Claim, JobPlace};
use operations::retention::Retention;
use ring::hmac;
use ring::rand::SystemRandom;
use tempfile::TempDir;
use tokio::sync::Notify;

use crate::folders::beside;

/// Path below which files are sent.
const PATH: &str = "/uploads/";
/// Imports that are worked on at once.
const AT_ONCE: usize = 8;
/// Time after which an import that failed is tried again.
const AGAIN: Duration = Duration::from_secs(20);

/// The files of imports, in a folder.
pub struct Uploads {
    folder: PathBuf,
    /// Kept only as long as the service runs, if the data are.
    _temporary: Option<TempDir>,
    secret: hmac::Key,
    arrived: Notify,
}

impl Uploads {
    /// Returns the files beside those of a data file, or in memory's place a folder that is deleted at the end.
    ///
    /// # Errors
    /// If the folder cannot be created, or the system has no random source.
    pub fn new(data: Option<&Path>) -> io::Result<Arc<Self>> {
        let (folder, temporary) = beside(data, "uploads")?;
        let secret = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        let secret = secret.map_err(|_| io::Error::other("the system's random source failed"))?;
        Ok(Arc::new(Self { folder, _temporary: temporary, secret, arrived: Notify::new() }))
    }

    /// Returns the place that files are sent to by a client that calls this machine by a name, with a port if need be.
    pub fn called(self: &Arc<Self>, host: &str) -> Arc<dyn Bucket> {
        Arc::new(Called { uploads: Arc::clone(self), host: host.to_owned() })
    }

    /// Returns the addresses that take files.
    pub fn router(self: &Arc<Self>) -> Router {
        let take = |State(uploads): State<Arc<Self>>, request: Request| async move { uploads.take(request).await };
        Router::new().route(&format!("{PATH}{{*object}}"), put(take)).with_state(Arc::clone(self))
    }

    /// Takes a file that is sent to an address.
    async fn take(&self, request: Request) -> Response {
        let Some((object, size)) = self.signed(&request) else { return refused() };
        let Ok(content) = to_bytes(request.into_body(), size).await else { return refused() };
        if content.len() != size {
            return refused();
        }
        match self.write(&object, &content) {
            Ok(()) => StatusCode::OK.into_response(),
            Err(error) => {
                tracing::error!(%error, "an upload cannot be kept");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }

    /// Returns the object and its length, if the address was made here, is still valid, and is of this length.
    fn signed(&self, request: &Request) -> Option<(String, usize)> {
        let object = request.uri().path().strip_prefix(PATH)?;
        let mut parts = request.uri().query()?.split('.');
        let (until, size, signature) = (parts.next()?, parts.next()?, parts.next()?);
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?;
        hmac::verify(&self.secret, text(object, until, size).as_bytes(), &signature).ok()?;
        let is_valid = Duration::from_secs(until.parse().ok()?) > since_1970(SystemTime::now());
        let length = request.headers().get(CONTENT_LENGTH)?.to_str().ok()?;
        (is_valid && length == size).then_some((object.to_owned(), size.parse().ok()?))
    }

    /// Writes an object whole, or not at all. Only its owner may read it.
    fn write(&self, object: &str, content: &[u8]) -> io::Result<()> {
        let place = JobPlace::of(object).ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(self.folder.join(place.prefix()))?;
        let part = self.folder.join(format!("{object}.part"));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(part, self.folder.join(object))?;
        self.arrived.notify_one();
        Ok(())
    }

    /// Imports what arrives, for ever, and first what arrived before.
    pub(crate) async fn run(&self, app: &App) {
        loop {
            if self.import_all(app).await {
                tokio::select! { () = self.arrived.notified() => {}, () = tokio::time::sleep(AGAIN) => {} }
            } else {
                self.arrived.notified().await;
            }
        }
    }

    /// Imports all files whose jobs are complete. Returns whether some have to be tried again.
    pub async fn import_all(&self, app: &App) -> bool {
        let jobs = stream::iter(self.jobs()).map(|place| self.import(app, place));
        jobs.buffer_unordered(AT_ONCE).fold(false, async |failed, of_job| failed || of_job).await
    }

    /// Imports the files of a job as the function does. Returns whether it has to be tried again.
    async fn import(&self, app: &App, place: JobPlace) -> bool {
        let outcome = self.work(app, &place).await;
        if let Err(error) = &outcome {
            tracing::warn!(%error, "files were not imported and are tried again");
        }
        outcome.is_err()
    }

    async fn work(&self, app: &App, place: &JobPlace) -> Result<(), Error> {
        let now = Timestamp::try_from((app.clock)())?;
        let organization = app.store.organization(&place.organization);
        let folder = self.folder.join(place.prefix());
        let arrived = fs::read_dir(&folder)?.flatten().filter(|file| !is_part(&file.path())).count();
        // One process works on all: what it had claimed before it was killed, it goes on with.
        match jobs::claim(&organization, place, arrived, "local", now).await? {
            Claim::Wait => return Ok(()),
            Claim::Delete => {}
            Claim::Import(job) => {
                let files = job.files.iter().enumerate().map(|(number, file)| {
                    let path = self.folder.join(place.object(number));
                    InputFile::new(file.name.clone(), move || File::open(&path)).sent()
                });
                let files: Vec<_> = files.collect();
                jobs::work(&organization, *job, stream::iter(files), Retention::All, now).await?;
            }
        }
        Ok(fs::remove_dir_all(folder)?)
    }

    /// Returns the jobs with files.
    fn jobs(&self) -> Vec<JobPlace> {
        let mut folders = vec![self.folder.join("imports")];
        for _ in 0..3 {
            let below = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
            folders = below.map(|entry| entry.path()).collect();
        }
        let place = |folder: PathBuf| {
            let object = folder.strip_prefix(&self.folder).ok()?.join("0");
            JobPlace::of(&object.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
        };
        folders.into_iter().filter_map(place).collect()
    }
}

/// The files of imports, for a client that calls this machine by a name: its own, one of a container, or that of a tunnel.
struct Called {
    uploads: Arc<Uploads>,
    host: String,
}

impl Bucket for Called {
    fn put(&self, key: String, content: Vec<u8>) -> BoxFuture<'_, Result<(), Error>> {
        async move { Ok(self.uploads.write(&key, &content)?) }.boxed()
    }

    fn address(&self, key: String, size: u64, valid: Duration) -> BoxFuture<'_, Result<String, Error>> {
        let (until, size) = ((since_1970(SystemTime::now()) + valid).as_secs().to_string(), size.to_string());
        let signature = hmac::sign(&self.uploads.secret, text(&key, &until, &size).as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        let address = format!("http://{}{PATH}{key}?{until}.{size}.{signature}", self.host);
        async { Ok(address) }.boxed()
    }
}

/// Returns the text that an address is signed for.
fn text(object: &str, until: &str, size: &str) -> String {
    format!("{until} {size} {object}")
}

fn is_part(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "part")
}

fn since_1970(time: SystemTime) -> Duration {
    time.duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Returns the response to whatever an address does not take, the same for every fault.
fn refused() -> Response {
    let details = "The address is not signed by this service, has expired, or takes a file of another length.";
    let message = "The file was refused.".to_owned();
    let error = ErrorDetail { code: ErrorCode::Forbidden, message, details: Some(details.to_owned()) };
    (StatusCode::FORBIDDEN, Json(ErrorBody { error })).into_response()
}
