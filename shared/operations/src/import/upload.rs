//! Files that were uploaded: kept while they arrive one by one, and while their runs have no tenant.

use model::{ProviderTenantId, Timestamp, UploadId};
use store::{Organization, StoreError, UploadedFile, Waiting, Writer};

use super::error::ImportError;
use super::options::{BaselineChoice, Options};
use super::result::{Cause, ImportResult};
use crate::files::InputFile;

/// The files of an upload.
pub struct Upload {
    id: UploadId,
    files: Vec<UploadedFile>,
    /// Number of the files that are kept already; they come first.
    kept: usize,
}

impl Upload {
    /// Returns the upload with the files that are kept of it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn read(organization: &Organization, id: UploadId, now: Timestamp) -> Result<Self, StoreError> {
        let files = organization.upload(&id, now).await?;
        Ok(Self { id, kept: files.len(), files })
    }

    /// Adds a file that was sent.
    pub fn add(&mut self, file: UploadedFile) {
        self.files.push(file);
    }

    /// Returns the identifier.
    pub fn id(&self) -> &UploadId {
        &self.id
    }

    /// Returns the names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| &*file.name)
    }

    /// Keeps all files for a day.
    ///
    /// # Errors
    /// As [`Writer::keep_file`].
    pub async fn keep(&mut self, writer: &Writer) -> Result<(), StoreError> {
        while let Some(file) = self.files.get(self.kept) {
            let number = u32::try_from(self.kept).unwrap_or(u32::MAX);
            writer.keep_file(&self.id, number, file).await?;
            self.kept += 1;
        }
        Ok(())
    }

    /// Returns the files to import. In a folder, a file of another kind is skipped.
    pub(super) fn inputs(&self) -> impl Iterator<Item = InputFile<'_>> {
        self.files.iter().map(|UploadedFile { name, content }| InputFile::new(name, content.as_slice()).sent())
    }

    /// Keeps the files if runs have no tenant, and forgets them otherwise.
    pub(super) async fn settle(
        &mut self,
        writer: &Writer,
        result: &ImportResult,
        options: &Options,
    ) -> Result<Option<Waiting>, StoreError> {
        let tenants = result.tenants_missing();
        if tenants.is_empty() {
            if self.kept > 0 {
                writer.forget_upload(&self.id).await?;
            }
            return Ok(None);
        }
        self.keep(writer).await?;
        Ok(Some(Waiting {
            upload: self.id.clone(),
            tenants,
            completed_at: options.completed_at,
            as_baseline: options.baseline == BaselineChoice::AsBaseline,
        }))
    }
}

impl ImportResult {
    /// Returns the tenants that runs lack, each once; `None` for files that do not name theirs.
    fn tenants_missing(&self) -> Vec<Option<ProviderTenantId>> {
        let mut missing = Vec::new();
        for failure in &self.failures {
            let tenant = match &failure.cause {
                Cause::Run(ImportError::TenantUnnamed) => None,
                Cause::Run(ImportError::NoSuchTenant(reference)) => match reference.parse() {
                    Ok(id) => Some(id),
                    Err(_) => continue,
                },
                _ => continue,
            };
            if !missing.contains(&tenant) {
                missing.push(tenant);
            }
        }
        missing
    }
}
