//! Erasure of a tenant: nothing that the table has about it is left, also in the records of its organization.
//!
//! The tenant is removed first. What is about it alone is deleted: reports, users, kept edits. In records about the whole
//! organization, its part is deleted: its rows of recorded usage, the outcomes of imports and the events that name it, the
//! values in entries of the audit trail, and names of controls that only its reports have. The entries themselves stay, with
//! who did what and when, and identifiers, also those of controls.

use std::collections::HashSet;
use std::pin::pin;

use backon::Retryable;
use chrono::NaiveDate;
use futures_util::{Stream, TryStreamExt};
use model::{ReportId, ServiceTenantId, Timestamp};

use super::audit::{AuditAction, AuditEntry, Deed, StoredEntry};
use super::events::{EventContent, EventItem};
use super::imports::ImportItem;
use super::keys::{Key, Range};
use super::kinds::kinds_of_tenant;
use super::recording::between_others;
use super::stored::Stored;
use super::table::{AT_ONCE, CONTENDERS, Found, Order, Transaction, backoff, page_items};
use super::tenant_changes::came_between;
use super::tenants::{TenantError, TenantRecord};
use super::usage::UsageDay;
use super::{AdminWriter, Fragment, ImportJob, StoreError};

/// The kind of the item that says that an erasure is not complete.
const REMOVED: &str = "REMOVED";

/// What refers to a tenant.
struct References {
    tenant: ServiceTenantId,
    /// Its reports, also deleted ones.
    reports: HashSet<String>,
    /// Its identifiers and names, in lower case.
    words: HashSet<String>,
}

impl AdminWriter {
    /// Removes a tenant that is to be erased, unless it is removed already, and the sets of documents, and returns the tenant
    /// as it was. From then on, nothing is imported for it. Unlike a removal, this leaves its name out of the audit trail.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant or it is erased, or the store fails.
    pub async fn begin_erasure(&self, id: &ServiceTenantId) -> Result<TenantRecord, TenantError> {
        let attempt = || async {
            match self.tenant(id).await? {
                Some(tenant) => self.mark_removed(tenant, Deed::new(AuditAction::TenantRemoved, id)).await,
                None => self.removed(id).await?.ok_or_else(|| TenantError::NotFound(id.to_string())),
            }
        };
        let removed = attempt.retry(backoff(CONTENDERS)).when(came_between).await?;
        // Archives of documents may have some of any tenant. Without its item, nobody gets one, and a worker stops, so that
        // none is left of those whose files are deleted next.
        self.store.delete_range(self.partition.document_sets(), |_| false).await?;
        Ok(removed.tenant)
    }

    /// Erases a tenant, listed or removed, and returns it as it was.
    ///
    /// Works in steps, of which the removal is the first. Calling it again after an interruption completes them. The audit
    /// trail says that the tenant was erased, by its identifier alone.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant or it is erased, or the store fails.
    pub async fn erase_tenant(&self, id: &ServiceTenantId) -> Result<TenantRecord, TenantError> {
        let tenant = self.begin_erasure(id).await?;
        let references = self.references_to(&tenant).await?;
        // The audit trail has earlier names, so it is changed after the imports are found by them.
        self.erase_imports(&references).await?;
        self.erase_events(&references).await?;
        self.erase_from_audit_trail(&references).await?;
        // Files that wait for a day to be imported may be of any tenant.
        self.store.delete_range(self.partition.uploads(), |_| false).await?;
        self.erase_usage(id).await?;
        self.clear_history_of(id).await?;
        self.forget_in_trends(id).await?;
        self.erase_reports(id).await?;
        for kind in kinds_of_tenant().filter(|kind| *kind != REMOVED) {
            self.store.delete_range(self.partition.of_tenant(kind, id), |_| false).await?;
        }
        self.rename_controls().await?;
        let last = vec![self.store.erase_existing(self.partition.removed_tenant(id)), self.mark_tenants()?];
        match self
            .commit(last, || Deed::new(AuditAction::TenantErased, id).telling(EventContent::of_erased(id)))
            .await?
        {
            Transaction::Done => Ok(tenant),
            // Another call was faster.
            Transaction::Refused(_) => Err(TenantError::NotFound(id.to_string())),
        }
    }

    async fn references_to(&self, tenant: &TenantRecord) -> Result<References, StoreError> {
        let id = &tenant.service_tenant_id;
        let mut reports = HashSet::new();
        let mut keys = pin!(self.store.keys_of(self.partition.of_tenant("REPORT", id)));
        while let Some(key) = keys.try_next().await? {
            reports.extend(key.sk.rsplit('#').next().map(str::to_owned));
        }
        let mut words = HashSet::from([id.to_string(), tenant.provider_tenant_id.to_string(), tenant.name.clone()]);
        let mut entries = pin!(self.audit_rows());
        while let Some(Found { value: StoredEntry { entry, .. }, .. }) = entries.try_next().await? {
            if entry.is_of_a_report() && entry.names_tenant(id) {
                reports.insert(entry.subject.clone());
            }
            if entry.subject == id.as_str() {
                let names = entry.changes.into_iter().filter(|change| change.field == "name");
                words.extend(names.flat_map(|change| [change.before, change.after]).flatten());
            }
        }
        let words = words.into_iter().map(|word| word.to_lowercase()).collect();
        Ok(References { tenant: id.clone(), reports, words })
    }

    async fn erase_imports(&self, references: &References) -> Result<(), StoreError> {
        let may_name = |import: &ImportItem, key| references.may_be_in(&import.fragment(key));
        self.erase_if(self.partition.imports(), may_name).await?;
        // The files of a job without a result may be of any tenant. They are deleted when somebody comes to import them.
        let may_name = |job: &ImportJob, _| {
            let names = job.files.iter().any(|file| references.are_in(&file.name));
            names || job.result().is_none_or(|result| references.may_be_in(&result))
        };
        self.erase_if(self.partition.all_import_jobs(), may_name).await
    }

    async fn erase_events(&self, references: &References) -> Result<(), StoreError> {
        let may_name = |event: &EventItem, key: Key| match event.content(key.clone()) {
            // The provider's identifier may be that of another tenant now.
            Ok(content) if content.is_about_another(&references.tenant) => false,
            _ => references.may_be_in(&event.fragment(key)),
        };
        self.erase_if(self.partition.events_from(None), may_name).await
    }

    async fn erase_if<T: Stored + Send + 'static>(
        &self,
        range: Range,
        is_erased: impl Fn(&T, Key) -> bool,
    ) -> Result<(), StoreError> {
        let items = self.store.query::<Found<T>>(range, Order::OldestFirst, &[]).map_ok(page_items).try_flatten();
        items
            .try_for_each_concurrent(AT_ONCE, async |Found { key, value }| {
                if is_erased(&value, key.clone()) { self.store.delete(key).await } else { Ok(()) }
            })
            .await
    }

    /// Deletes the values in those entries of the audit trail that are about the tenant.
    async fn erase_from_audit_trail(&self, references: &References) -> Result<(), StoreError> {
        self.audit_rows()
            .try_for_each_concurrent(AT_ONCE, async |Found { key, value: stored }| {
                if stored.entry.changes.is_empty() || !references.are_of(&stored.entry) {
                    return Ok(());
                }
                // What this release does not know of the entry may be about the tenant, too.
                self.store.put(key, &stored.without_changes()).await
            })
            .await
    }

    fn audit_rows(&self) -> impl Stream<Item = Result<Found<StoredEntry>, StoreError>> + use<> {
        let range = self.partition.audit_trail(None);
        self.store.query(range, Order::OldestFirst, &[]).map_ok(page_items).try_flatten()
    }

    async fn erase_usage(&self, id: &ServiceTenantId) -> Result<(), StoreError> {
        let days = self.store.query::<UsageDay>(self.partition.all_usage_days(), Order::OldestFirst, &[]);
        let days = days.map_ok(page_items).try_flatten();
        days.try_for_each_concurrent(AT_ONCE, async |day| {
            between_others(|| self.erase_usage_of_day(day.as_of, id)).await
        })
        .await
    }

    /// Deletes the usage of a tenant on a day. The day has a new version, so its response has a new tag.
    async fn erase_usage_of_day(&self, date: NaiveDate, id: &ServiceTenantId) -> Result<(), StoreError> {
        let Some(day): Option<UsageDay> = self.store.get(self.partition.usage_day(date)).await? else { return Ok(()) };
        let row = self.partition.usage(date, &day.recording, id);
        if self.store.get_item(row.clone()).await?.is_some() {
            let actions = vec![
                self.store.replace(self.partition.usage_day(date), &day.without_one(), day.version)?,
                self.store.erase_existing(row),
            ];
            if self.store.transact(actions).await? != Transaction::Done {
                return Err(StoreError::Contended("erasing usage"));
            }
        }
        // Recordings that were interrupted, or are in progress.
        let (all, own) = (self.partition.usage_recordings(date), self.partition.usage_rows(date, &day.recording));
        let is_of_another = |key: &Key| !key.sk.ends_with(&format!("#{id}"));
        let after = Range { first: own.last.clone(), ..all.clone() };
        self.store.delete_range(all.before(&own), is_of_another).await?;
        self.store.delete_range(after, is_of_another).await.map(drop)
    }

    /// Deletes the reports of a removed tenant, each with everything outside of the tenant's items that leads to it.
    async fn erase_reports(&self, id: &ServiceTenantId) -> Result<(), StoreError> {
        let keys = self.store.keys_of(self.partition.of_tenant("REPORT", id));
        keys.try_for_each_concurrent(AT_ONCE, async |key| {
            let mut actions = vec![self.store.erase(key.clone())];
            let mut parts = key.sk.rsplit('#');
            let (report, at) = (parts.next().map(str::parse::<ReportId>), parts.next().map(str::parse::<Timestamp>));
            if let (Some(Ok(report)), Some(Ok(at))) = (report, at) {
                actions.push(self.store.erase(self.partition.report_place(&report)));
                actions.push(self.store.erase(self.partition.completed(at, &report)));
                actions.push(self.store.erase(self.partition.latest(at, &report)));
            }
            self.store.transact(actions).await.map(drop)
        })
        .await
    }
}

impl References {
    /// Returns whether an entry of the audit trail is about the tenant.
    fn are_of(&self, entry: &AuditEntry) -> bool {
        entry.subject == self.tenant.as_str()
            || entry.names_tenant(&self.tenant)
            || (entry.is_of_a_report() && self.reports.contains(&entry.subject))
    }

    /// Returns whether a text names the tenant, or cannot be read: it may.
    fn may_be_in(&self, text: &Fragment) -> bool {
        text.inflate().map_or(true, |text| self.are_in(&String::from_utf8_lossy(&text)))
    }

    /// Returns whether a text contains an identifier or a name of the tenant, as a whole word.
    fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let ends = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        let is_word = |(place, word): (usize, &str)| {
            ends(text[..place].chars().next_back()) && ends(text[place + word.len()..].chars().next())
        };
        self.words.iter().any(|word| text.match_indices(word.as_str()).any(is_word))
    }
}
