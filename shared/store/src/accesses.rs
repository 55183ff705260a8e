//! Accesses that change no data, and are in the audit trail nevertheless: who took data along, and who was refused.

use super::audit::{AuditAction, Deed};
use super::{StoreError, Writer};

impl Writer {
    /// Records that the actor downloads a file. `subject` is the identifier of the report, tenant or organization that
    /// the file is about.
    ///
    /// # Errors
    /// If the store fails: then the file must not be sent.
    pub async fn record_download(&self, subject: &str, file: &str) -> Result<(), StoreError> {
        let deed = || Deed::new(AuditAction::DataDownloaded, subject).with("file", None, Some(file.to_owned()));
        self.commit(Vec::new(), deed).await.map(drop)
    }

    /// Records that the actor may not use an address, given by the pattern of its route.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_refusal(&self, route: &str) -> Result<(), StoreError> {
        let deed = || Deed::new(AuditAction::AccessRefused, &self.id).with("address", None, Some(route.to_owned()));
        self.commit(Vec::new(), deed).await.map(drop)
    }

    /// Records that the actor exports everything of the organization.
    ///
    /// # Errors
    /// If the store fails: then nothing must be exported.
    pub async fn record_export(&self) -> Result<(), StoreError> {
        self.commit(Vec::new(), || Deed::new(AuditAction::OrganizationExported, &self.id)).await.map(drop)
    }
}
