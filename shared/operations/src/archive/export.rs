//! Writes the archive of an organization.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::pin::pin;

use chrono::TimeDelta;
use futures_util::TryStreamExt;
use model::{Actor, OrganizationId, ServiceTenantId, Timestamp, time_ordered_id};
use serde::Serialize;
use store::{Organization, Store, StoreError, StoredItem, StoredReport, StoredText};

use super::member::{Members, NewMember};
use super::{ArchiveError, End, FORMAT, Manifest};
use crate::private::private_file;

/// Attempts to read an organization that changes meanwhile.
const ATTEMPTS: usize = 3;

/// Age of the oldest entries of the audit trail that count for the state of an organization, in days. Older ones may
/// expire while it is read.
const COUNTED_DAYS: i64 = 390;

/// What is exported, and how.
pub struct Export<'a> {
    /// The table.
    pub store: &'a Store,
    /// The organization.
    pub organization: &'a OrganizationId,
    /// The present time.
    pub now: Timestamp,
    /// The release that writes the archive.
    pub release: &'a str,
    /// Returns a report as the API returns it.
    pub as_returned: &'a dyn Fn(&StoredReport) -> Result<Vec<u8>, StoreError>,
}

/// An organization that was exported.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Its name.
    pub name: String,
    /// When the export began. The archive has everything that was done before.
    pub exported_at: Timestamp,
    /// Number of items in the archive.
    pub items: usize,
}

/// Writes the archive of an organization to a new file. Calls `progress` with the number of items that are written.
///
/// An interrupted export leaves a file that ends in `.part`; another call continues it.
///
/// # Errors
/// If the organization does not exist or keeps changing, the file exists or cannot be written, or the store fails.
pub async fn export(export: &Export<'_>, path: &Path, progress: impl Fn(usize)) -> Result<Exported, ArchiveError> {
    if path.exists() {
        return Err(ArchiveError::FileExists(path.to_owned()));
    }
    let part = path.with_added_extension("part");
    for _ in 0..ATTEMPTS {
        let mut draft = match Draft::continued(&part, export)? {
            Some(draft) => draft,
            None => Draft::new(&part, manifest(export).await?)?,
        };
        if draft.write_all(export, &progress).await? {
            fs::rename(&part, path)?;
            let Manifest { organization_id, name, exported_at, .. } = draft.manifest;
            return Ok(Exported { organization_id, name, exported_at, items: draft.items });
        }
        fs::remove_file(&part)?;
    }
    Err(ArchiveError::Changing(ATTEMPTS))
}

async fn manifest(export: &Export<'_>) -> Result<Manifest, ArchiveError> {
    let organization = export.store.organization(export.organization);
    let missing = || ArchiveError::NoOrganization(export.organization.clone());
    organization.record().await?.ok_or_else(missing)?;
    organization.by(&Actor::operator(), export.now).record_export().await?;
    let state = state(export, export.now).await?;
    let record = organization.record().await?.ok_or_else(missing)?;
    Ok(Manifest {
        format: FORMAT,
        data_format: store::FORMAT,
        release: export.release.to_owned(),
        archive_id: time_ordered_id(export.now),
        organization_id: record.organization_id,
        name: record.name,
        exported_at: export.now,
        state,
        api_keys: organization.keys().await?,
    })
}

async fn state(export: &Export<'_>, exported_at: Timestamp) -> Result<String, StoreError> {
    let since = exported_at.to_datetime() - TimeDelta::days(COUNTED_DAYS);
    export.store.as_operator().state(export.organization, since.try_into().unwrap_or(exported_at)).await
}

/// An archive that is not finished.
struct Draft {
    file: File,
    manifest: Manifest,
    parts: usize,
    items: usize,
    /// Position of the last item.
    after: Option<String>,
    is_finished: bool,
}

impl Draft {
    fn new(path: &Path, manifest: Manifest) -> Result<Self, ArchiveError> {
        let file = private_file(path)?;
        let mut member = NewMember::new(&file, manifest.exported_at);
        member.add_manifest(&manifest)?;
        member.close()?;
        Ok(Self { file, manifest, parts: 0, items: 0, after: None, is_finished: false })
    }

    /// Returns the archive of an earlier attempt, without the part that it did not complete. `None` if there is none.
    fn continued(path: &Path, export: &Export<'_>) -> Result<Option<Self>, ArchiveError> {
        match fs::metadata(path) {
            Err(_) => return Ok(None),
            // It was interrupted before it wrote anything.
            Ok(file) if file.len() == 0 => return Ok(fs::remove_file(path).map(|()| None)?),
            Ok(_) => {}
        }
        let (mut members, manifest) = match Members::open(path) {
            Ok(opened) => opened,
            Err(ArchiveError::File(error)) => return Err(error.into()),
            Err(_) => return Err(ArchiveError::OtherExport(path.to_owned())),
        };
        if manifest.organization_id != *export.organization || manifest.release != export.release {
            return Err(ArchiveError::OtherExport(path.to_owned()));
        }
        let (mut end, mut after, mut is_finished) = (members.position()?, None, false);
        while let Ok(Some(member)) = members.next() {
            end = members.position()?;
            after = member.items.last().map(StoredItem::position).transpose()?;
            is_finished = member.is_last;
        }
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Some(Self { file, manifest, parts: members.parts, items: members.items, after, is_finished }))
    }

    /// Writes the items that are missing. Returns whether the archive is of one state of the organization.
    async fn write_all(&mut self, export: &Export<'_>, progress: impl Fn(usize)) -> Result<bool, ArchiveError> {
        let operator = export.store.as_operator();
        if self.is_finished {
            return Ok(true);
        }
        let mut pages = pin!(operator.items(export.organization, self.after.as_deref(), self.manifest.exported_at));
        while let Some(items) = pages.try_next().await? {
            if !items.is_empty() {
                self.write_part(export, &items).await?;
                progress(self.items);
            }
        }
        let missing = || ArchiveError::NoOrganization(export.organization.clone());
        let last = operator.last_items(export.organization, self.manifest.exported_at).await?.ok_or_else(missing)?;
        if state(export, self.manifest.exported_at).await? != self.manifest.state {
            return Ok(false);
        }
        let end = End { parts: self.parts + 1, items: self.items + last.len() };
        let mut member = NewMember::new(&self.file, self.manifest.exported_at);
        member.add_items(end.parts, &last)?;
        member.add_end(end)?;
        member.close()?;
        self.file.sync_all()?;
        (self.parts, self.items) = (end.parts, end.items);
        Ok(true)
    }

    /// Writes items, and the texts in them.
    async fn write_part(&mut self, export: &Export<'_>, items: &[StoredItem]) -> Result<(), ArchiveError> {
        let mut names = Names { organization: export.store.organization(export.organization), last: None };
        let mut member = NewMember::new(&self.file, self.manifest.exported_at);
        for item in items {
            match item.text()? {
                Some(StoredText::Report(mut report)) => {
                    let (tenant, id) = (report.summary.service_tenant_id.clone(), report.summary.report_id.clone());
                    // Like the API, omits the reports of removed tenants.
                    if let Some(name) = names.of(&tenant).await? {
                        report.tenant_name = name;
                        member.add(&format!("reports/{tenant}/{id}.json"), &(export.as_returned)(&report)?)?;
                    }
                }
                Some(StoredText::BillableUsers { place, json }) => {
                    member.add(&format!("billable-users/{}.json", place.replace('#', "/")), &json)?;
                }
                Some(StoredText::Import(id, json)) => member.add(&format!("imports/{id}.json"), &json)?,
                None => {}
            }
        }
        member.add_items(self.parts + 1, items)?;
        member.close()?;
        self.parts += 1;
        self.items += items.len();
        Ok(())
    }
}

/// The names of tenants. Reports are in the order of their tenants, so the last name is enough.
struct Names {
    organization: Organization,
    last: Option<(ServiceTenantId, Option<String>)>,
}

impl Names {
    async fn of(&mut self, tenant: &ServiceTenantId) -> Result<Option<String>, StoreError> {
        match &self.last {
            Some((last, name)) if last == tenant => Ok(name.clone()),
            _ => {
                let name = self.organization.tenant(tenant).await?.map(|tenant| tenant.name);
                self.last = Some((tenant.clone(), name.clone()));
                Ok(name)
            }
        }
    }
}
