//! Files that are sent for an import.

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use model::UploadId;
use operations::import::Upload;
use operations::{RESULT_SUFFIX, is_omitted};
use store::{StoreError, UploadedFile};
use web::failure::Failure;
use web::sent;
use web::session::Viewer;
use web::view::text;

use crate::view::imports::Form;

/// Maximum size of the files of an upload in bytes, which are sent one by one.
pub(super) const LIMIT_IN_TOTAL: usize = 20_000_000;

/// The form of an upload as it was sent.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) form: Form,
    pub(crate) files: Files,
}

/// Files of an upload that came with a form.
#[derive(Clone, Default)]
pub(crate) struct Files {
    upload: Option<UploadId>,
    sent: Vec<UploadedFile>,
}

impl Files {
    /// Returns the upload: the files that are kept, then those that were sent.
    pub(crate) async fn upload(self, viewer: &Viewer) -> Result<Upload, Failure> {
        let id = self.upload.unwrap_or_else(|| UploadId::generate(viewer.now));
        let mut upload = Upload::read(&viewer.organization, id, viewer.now).await?;
        self.sent.into_iter().for_each(|file| upload.add(file));
        Ok(upload)
    }
}

impl<S: Sync + Send> FromRequest<S> for Sent {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let mut fields = Multipart::from_request(request, state).await.map_err(|_| unreadable())?;
        let mut sent = Self::default();
        while let Some(field) = fields.next_field().await.map_err(refused)? {
            sent.add(field).await.map_err(refused)?;
        }
        sent.files.upload = sent.form.upload.parse().ok();
        Ok(sent)
    }
}

impl Sent {
    async fn add(&mut self, field: Field<'_>) -> Result<(), MultipartError> {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "files" => {
                let name = field.file_name().unwrap_or_default().to_owned();
                let content = field.bytes().await?;
                // Browsers send a nameless file if none is chosen.
                if !name.is_empty() && !comes_along(&name) {
                    self.files.sent.push(UploadedFile { name, content: content.into() });
                }
            }
            "upload" => self.form.upload = field.text().await?,
            "tenant" => self.form.tenant = field.text().await?,
            "completedAt" => self.form.completed_at = field.text().await?,
            "asBaseline" => self.form.as_baseline = true,
            _ => {}
        }
        Ok(())
    }
}

/// Returns whether a file comes along with others: the result of an earlier import, or a hidden file of a chosen folder.
fn comes_along(file: &str) -> bool {
    file.ends_with(RESULT_SUFFIX) || file.split('/').skip(1).any(is_omitted)
}

fn unreadable() -> Failure {
    Failure::Invalid {
        happened: "The upload cannot be read, so nothing was imported.".to_owned(),
        advice: "Go back and send the files again.",
    }
}

fn refused(error: MultipartError) -> Failure {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => sent::too_large(),
        _ => unreadable(),
    }
}

/// Returns the failure of an upload whose files are too large together.
pub(super) fn too_large(error: StoreError) -> Failure {
    match error {
        StoreError::TooLarge { .. } => Failure::Invalid {
            happened: format!("The files have more than {} together.", text::megabytes(LIMIT_IN_TOTAL as u64)),
            advice: "Send fewer files, put them into the deployment's import bucket, or import them with the posture command.",
        },
        error => error.into(),
    }
}
