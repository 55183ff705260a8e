//! `POST /v1/imports`, `GET /v1/imports` and `GET /v1/imports/{importId}`: files to import, and what became of them.
//!
//! A request keeps a job and returns addresses that the files are sent to, or brings a small file with it. Either way the
//! files arrive in a bucket, and whoever is told of them imports them.

mod asked;
mod bucket;

use std::sync::Arc;
use std::time::Duration;

use api::response::{List, Row};
use api::{ApiError, App, Importer, Query, Request, Response, cursor};
use futures_util::stream;
use lambda_http::RequestExt;
use lambda_http::http::{Method, StatusCode};
use model::{ImportFile, ImportHead, ImportId, ImportStatus, Timestamp};
use operations::import::jobs::{self, JobPlace};
use serde::Serialize;
use store::{ImportJob, ImportJobError, Organization, StoreError};

use asked::{Asked, CURSOR, Content, LIMIT};

pub use asked::{LIST_PARAMETERS, PARAMETERS};
pub use bucket::{Bucket, connect};

/// Time for which an address takes a file.
const VALID: Duration = Duration::from_secs(60 * 60);
/// Name of the path parameter.
const IMPORT_ID: &str = "importId";

const NO_IMPORT: ApiError =
    ApiError::NotFound("The key has requested no import with this id in the last 30 days. GET /v1/imports lists them.");
const OFF: ApiError = ApiError::NotFound("This service takes no imports. Ask its operator.");

/// Returns the response to a request about imports. Without a bucket, there are none.
///
/// # Errors
/// 400 for a bad request, 403 for a key that does not import, 404 for an unknown import, 5xx if the store or the bucket
/// fails.
pub async fn handle(app: App, bucket: Option<Arc<dyn Bucket>>, request: Request) -> Result<Response, ApiError> {
    let importer = api::importer(&request)?;
    let bucket = bucket.ok_or(OFF)?;
    let now = Timestamp::try_from((app.clock)()).map_err(|error| ApiError::Internal(error.into()))?;
    let caller = Caller { organization: app.store.organization(&importer.organization), importer, now };
    if request.method() == Method::POST {
        return caller.create(&*bucket, &request).await;
    }
    match request.path_parameters().first(IMPORT_ID) {
        Some(id) => caller.show(&app, &request, id).await,
        None => caller.list(&app, &request).await,
    }
}

/// A key that imports, with its organization and the time of the request.
struct Caller {
    organization: Organization,
    importer: Importer,
    now: Timestamp,
}

impl Caller {
    async fn create(&self, bucket: &dyn Bucket, request: &Request) -> Result<Response, ApiError> {
        let asked = Asked::of(request, &self.importer)?;
        let mut job = ImportJob::new(self.importer.key.clone(), self.now);
        job.files = asked.files();
        (job.tenant, job.completed_at, job.as_baseline) = (asked.tenant, asked.completed_at, asked.as_baseline);
        let writer = self.organization.by(&model::Actor::service(), self.now);
        let job = match writer.request_import(job, asked.same.as_ref()).await {
            Ok(job) => jobs::at(job, self.now),
            Err(ImportJobError::OtherRequest) => return Err(asked::OTHER_REQUEST),
            Err(ImportJobError::Store(error)) => return Err(error.into()),
        };
        let mut files = files(&job);
        if job.status == ImportStatus::Waiting {
            self.send_or_sign(bucket, &job, asked.content, &mut files).await.map_err(ApiError::Internal)?;
        }
        api::uncached(StatusCode::ACCEPTED, request, row(&job, files))
    }

    /// Sends the content to the bucket, or adds the addresses to which the client sends it.
    async fn send_or_sign(
        &self,
        bucket: &dyn Bucket,
        job: &ImportJob,
        content: Content,
        files: &mut [ImportFile],
    ) -> Result<(), lambda_http::Error> {
        let place = JobPlace {
            organization: self.importer.organization.clone(),
            key: job.key_id.clone(),
            import: job.import_id.clone(),
        };
        match content {
            Content::File(_, content) => bucket.put(place.object(0), content).await,
            Content::Announced(_) => {
                for (number, file) in files.iter_mut().enumerate() {
                    file.upload_url = Some(bucket.address(place.object(number), file.size, VALID).await?);
                }
                Ok(())
            }
        }
    }

    async fn show(&self, app: &App, request: &Request, id: &str) -> Result<Response, ApiError> {
        Query::of(request, &[])?;
        let id: ImportId = id.parse().map_err(|_| NO_IMPORT)?;
        let job = self.organization.import_job(&self.importer.key, &id, self.now).await?.ok_or(NO_IMPORT)?;
        let job = jobs::at(job, self.now);
        let tag = app.tag("import", self.organization.id()).with(state(&job));
        if let Some(response) = tag.not_modified(request) {
            return Ok(response);
        }
        api::one(request, &tag, row(&job, files(&job)))
    }

    async fn list(&self, app: &App, request: &Request) -> Result<Response, ApiError> {
        let query = Query::of(request, &LIST_PARAMETERS)?;
        let limit = query.limit(&LIMIT)?;
        let of = format!("{:?}", ("imports", self.organization.id().as_str(), self.importer.key.as_str()));
        let before: Option<ImportId> = query.cursor(&CURSOR, |text| cursor::read(&of, text)?.parse().ok())?;
        let key = &self.importer.key;
        let mut jobs = self.organization.import_jobs(key, before.as_ref(), limit + 1, self.now).await?;
        let is_last = jobs.len() <= limit;
        jobs.truncate(limit);
        let jobs: Vec<_> = jobs.into_iter().map(|job| jobs::at(job, self.now)).collect();
        let next = jobs.last().filter(|_| !is_last).map(|last| cursor::write(&of, last.import_id.as_str()));
        let states: Vec<_> = jobs.iter().map(state).collect();
        let tag = app.tag("imports", self.organization.id()).with(format!("{states:?} {next:?}"));
        if let Some(response) = tag.not_modified(request) {
            return Ok(response);
        }
        let rows = jobs.iter().map(|job| row(job, files(job))).collect();
        let rows = stream::iter([Ok::<_, StoreError>(rows)]);
        api::list(request, &tag, List::new("imports", "totalImports", rows).paged(move || next.clone())).await
    }
}

/// Returns what a response depends on.
fn state(job: &ImportJob) -> String {
    format!("{} {} {:?}", job.import_id, job.version, job.status)
}

fn files(job: &ImportJob) -> Vec<ImportFile> {
    let file = |file: &store::JobFile| ImportFile { name: file.name.clone(), size: file.size, upload_url: None };
    job.files.iter().map(file).collect()
}

/// Returns the JSON of an import: its head, then its result as it is stored.
fn row(job: &ImportJob, files: Vec<ImportFile>) -> Row {
    #[derive(Serialize)]
    struct Open {
        #[serde(flatten)]
        head: ImportHead,
        result: (),
    }
    let head = ImportHead { import_id: job.import_id.clone(), status: job.status, created_at: job.created_at, files };
    match job.result() {
        Some(result) => Row::continued(&head, result),
        None => Row::element(&Open { head, result: () }),
    }
}
