//! The most recent imports of files, with the outcome of each file.

use std::fmt;

use futures_util::TryStreamExt;
use model::{
    ControlId, ControlsRollup, Coverage, EventFailure, Grade, ImportId, ProviderTenantId, ReportId, ReportType,
    ServiceTenantId, Timestamp, UploadId,
};
use serde::{Deserialize, Serialize};

use super::audit::{self, AuditAction, Deed};
use super::events::EventContent;
use super::keys::Key;
use super::table::{Found, Order, first_items};
use super::{Fragment, Organization, StoreError, TenantRecord, Writer};

/// Maximum size of the deflated details in an item, in bytes, which leaves room for its other attributes.
const DETAILS_LIMIT: usize = 380 * 1024;
/// Maximum number of issues of a report and of entries of other lists that are recorded: all, or fewer if they do not
/// fit.
const MOST_ENTRIES: [usize; 4] = [usize::MAX, 1_000, 100, 10];

/// An import, as recorded.
#[derive(Clone, PartialEq)]
pub struct ImportRecord {
    /// Identifier.
    pub import_id: ImportId,
    /// When it was imported.
    pub at: Timestamp,
    /// Name of the importer.
    pub by: String,
    /// Number of files that were submitted.
    pub files: usize,
    /// Their outcome.
    pub details: ImportDetails,
}

/// The outcome of the files of an import.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportDetails {
    /// Runs that have a report.
    pub reports: Vec<ImportedReport>,
    /// Files and runs without a report: name and reason.
    pub failures: Vec<(String, String)>,
    /// Issues that belong to no report.
    pub issues: Vec<String>,
    /// Files that were not needed: name and reason.
    pub skipped: Vec<(String, String)>,
    /// The files, while runs have no tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
}

/// Files that are kept until their runs have a tenant, with the options of their import.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// The files.
    pub upload: UploadId,
    /// The tenants that the organization lacks, each once; `None` for files that do not name theirs.
    pub tenants: Vec<Option<ProviderTenantId>>,
    /// End of the runs whose files do not contain it.
    pub completed_at: Option<Timestamp>,
    /// Whether the reports are baselines.
    pub as_baseline: bool,
}

/// A run that has a report.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedReport {
    /// Names of the files that contain the run.
    pub files: Vec<String>,
    /// Whether the report existed already.
    pub already_there: bool,
    /// Whether it replaced the report of another copy of the run.
    #[serde(default)]
    pub replaced: bool,
    /// The report.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Name of the tool.
    pub tool: String,
    /// Baseline or follow-up.
    pub report_type: ReportType,
    /// When the run ended.
    pub completed_at: Timestamp,
    /// 0 to 100.
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Score at the baseline.
    pub previous_score: Option<u8>,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Parts of the files that could not be used.
    pub issues: Vec<String>,
    /// Controls that fit no section of a report: identifier, name and subject.
    pub left_out: Vec<(ControlId, String, String)>,
}

/// The item of an import.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportItem {
    pub(crate) import_id: ImportId,
    at: Timestamp,
    by: String,
    files: usize,
    /// CRC-32 of the details' JSON.
    crc32: u32,
    /// Length of the details' JSON, in bytes.
    length: u64,
    /// The details' JSON, deflated.
    #[serde(with = "serde_bytes")]
    details: Vec<u8>,
    /// When DynamoDB deletes the item, in seconds since 1970.
    expires_at: i64,
}

impl Organization {
    /// Returns a recorded import, unless it has expired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn import(&self, id: &ImportId, now: Timestamp) -> Result<Option<ImportRecord>, StoreError> {
        let key = self.partition.import(id);
        let item: Option<ImportItem> = self.store.get_unexpired(key.clone(), now).await?;
        item.map(|item| item.open(key)).transpose()
    }

    /// Returns the most recent imports, newest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn imports(&self, limit: usize, now: Timestamp) -> Result<Vec<ImportRecord>, StoreError> {
        let range = self.partition.imports();
        let pages = self.store.query_unexpired(range, Order::NewestFirst, &[limit], now);
        let items: Vec<Found<ImportItem>> = first_items(pages, limit).try_concat().await?;
        items.into_iter().map(|Found { key, value }| value.open(key)).collect()
    }
}

impl Writer {
    /// Records an import of a number of files. If the details do not fit into an item, only the first entries of each
    /// list are recorded. The reports are in the audit trail already, so the record itself is not.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn record_import(&self, files: usize, details: &ImportDetails) -> Result<ImportId, StoreError> {
        let Fragment { deflated, crc32, length, .. } = details.fitted()?;
        let import_id = ImportId::generate(self.at);
        let item = ImportItem {
            import_id: import_id.clone(),
            at: self.at,
            by: self.actor.name().to_owned(),
            files,
            crc32,
            length,
            details: deflated.into(),
            expires_at: audit::expiry(self.at),
        };
        self.store.put(self.partition.import(&import_id), &item).await?;
        Ok(import_id)
    }

    /// Tells that files or runs were not imported: for a tenant, if the import names one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tell_failed_import(
        &self,
        tenant: Option<&TenantRecord>,
        failures: impl IntoIterator<Item = EventFailure>,
    ) -> Result<(), StoreError> {
        let content = tenant.map(EventContent::of_tenant).unwrap_or_default().with_failures(failures);
        let (mark, subject) = match tenant.map(|tenant| &tenant.service_tenant_id) {
            Some(tenant) => (self.mark_reports(tenant)?, tenant.to_string()),
            None => (self.mark_tenants()?, self.id.to_string()),
        };
        self.commit(vec![mark], || Deed::new(AuditAction::ImportFailed, subject).telling(content)).await.map(drop)
    }
}

impl ImportItem {
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        self.open(key).map(drop)
    }

    /// Returns the import of the item with a key.
    pub(crate) fn open(self, key: Key) -> Result<ImportRecord, StoreError> {
        let fragment = self.fragment(key);
        let Self { import_id, at, by, files, .. } = self;
        let details = serde_json::from_slice(&fragment.inflate()?);
        let details = details.map_err(|_| fragment.unexpected("an import has an unexpected shape"))?;
        Ok(ImportRecord { import_id, at, by, files, details })
    }

    /// Returns the JSON of the details of the item with a key.
    pub(crate) fn fragment(&self, key: Key) -> Fragment {
        Fragment::of_item(key, self.details.clone(), self.crc32, self.length)
    }
}

impl ImportDetails {
    /// Returns the details as stored, with as many entries as fit.
    fn fitted(&self) -> Result<Fragment, StoreError> {
        let mut size = 0;
        for most in MOST_ENTRIES {
            let text = serde_json::to_vec(&self.cut_to(most));
            let fragment = Fragment::stored(&text.map_err(|_| StoreError::Corrupt("an import cannot be written"))?);
            size = fragment.deflated.len();
            if size <= DETAILS_LIMIT {
                return Ok(fragment);
            }
        }
        Err(StoreError::TooLarge { what: "the record of the import", size })
    }

    fn cut_to(&self, most: usize) -> Self {
        let report = |report: &ImportedReport| ImportedReport {
            issues: first(&report.issues, most),
            left_out: first(&report.left_out, most),
            files: first(&report.files, most),
            ..report.clone()
        };
        // Reports and failures are the most important.
        let of_files = most.saturating_mul(10);
        Self {
            reports: self.reports.iter().take(of_files).map(report).collect(),
            failures: first(&self.failures, of_files),
            issues: first(&self.issues, most),
            skipped: first(&self.skipped, most),
            waiting: self.waiting.clone(),
        }
    }
}

fn first<T: Clone>(entries: &[T], most: usize) -> Vec<T> {
    entries.iter().take(most).cloned().collect()
}

impl fmt::Debug for ImportRecord {
    /// Leaves out names, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportRecord").field("import_id", &self.import_id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_of_any_size_fit_into_an_item() {
        let hash = |number: u32| format!("{number:x} {:x}", crc32fast::hash(&number.to_be_bytes())).repeat(3);
        let issues: Vec<_> = (0..200_000).map(hash).collect();
        let details = ImportDetails { issues: issues.clone(), ..Default::default() };
        let fragment = details.fitted().unwrap();
        assert!(fragment.deflated.len() <= DETAILS_LIMIT);
        let read: ImportDetails = serde_json::from_slice(&fragment.inflate().unwrap()).unwrap();
        assert_eq!(read.issues, issues[..1_000]);
        let small = ImportDetails { issues: issues[..5_000].to_vec(), ..Default::default() };
        let read: ImportDetails = serde_json::from_slice(&small.fitted().unwrap().inflate().unwrap()).unwrap();
        assert_eq!(read.issues.len(), 5_000);
    }
}
