//! Changes of a tenant, repeated on the new version if another writer was faster.

use std::collections::BTreeSet;

use backon::Retryable;
use futures_util::TryStreamExt;
use model::{DisplayName, Label, ObjectId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::events::EventContent;
use super::reports::Place;
use super::table::{AT_ONCE, CONTENDERS, Order, Transaction, backoff, page_items};
use super::tenants::{TenantError, TenantRecord};
use super::{AdminWriter, Organization, StoreError, Writer};

/// A removed tenant, as stored.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RemovedTenant {
    #[serde(flatten)]
    pub(super) tenant: TenantRecord,
    pub(super) removed_at: Timestamp,
    /// Whether its reports may still be listed in the history.
    pub(super) in_history: bool,
}

impl Organization {
    /// Returns a removed tenant as it was, or `None` if there is none with that identifier.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn removed_tenant(&self, id: &ServiceTenantId) -> Result<Option<TenantRecord>, StoreError> {
        Ok(self.removed(id).await?.map(|removed| removed.tenant))
    }

    /// Returns a tenant that can be removed: a listed one, or one whose removal was interrupted.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tenant_to_remove(&self, id: &ServiceTenantId) -> Result<Option<TenantRecord>, StoreError> {
        match self.tenant(id).await? {
            Some(tenant) => Ok(Some(tenant)),
            None => Ok(self.removed_in_part(id).await?.map(|removed| removed.tenant)),
        }
    }

    async fn removed_in_part(&self, id: &ServiceTenantId) -> Result<Option<RemovedTenant>, StoreError> {
        Ok(self.removed(id).await?.filter(|removed| removed.in_history))
    }

    pub(super) async fn removed(&self, id: &ServiceTenantId) -> Result<Option<RemovedTenant>, StoreError> {
        self.store.get(self.partition.removed_tenant(id)).await
    }
}

impl Writer {
    /// Pauses or resumes a tenant and returns it.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn pause_tenant(&self, id: &ServiceTenantId, paused: bool) -> Result<TenantRecord, TenantError> {
        let action = if paused { AuditAction::TenantPaused } else { AuditAction::TenantResumed };
        let edit = |tenant: &mut TenantRecord| {
            if tenant.is_paused && !paused {
                tenant.resumed_at = Some(self.at);
            }
            tenant.is_paused = paused;
        };
        self.edit_tenant(id, edit, |_, _| Deed::new(action, id)).await
    }

    /// Renames a tenant and returns it. All its reports have the new name from then on.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn rename_tenant(&self, id: &ServiceTenantId, name: &DisplayName) -> Result<TenantRecord, TenantError> {
        let deed = |before: &TenantRecord, after: &TenantRecord| {
            let (before, after) = (Some(before.name.clone()), Some(after.name.clone()));
            Deed::new(AuditAction::TenantRenamed, id).with("name", before, after)
        };
        self.edit_tenant(id, |tenant| name.as_str().clone_into(&mut tenant.name), deed).await
    }

    /// Chooses the tool that leads among those of a tenant, or with `None` lets the rule decide, and returns the tenant.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn lead_tenant(&self, id: &ServiceTenantId, tool: Option<&str>) -> Result<TenantRecord, TenantError> {
        let deed = |before: &TenantRecord, after: &TenantRecord| {
            let (before, after) = (before.leading_tool.clone(), after.leading_tool.clone());
            Deed::new(AuditAction::LeadingToolChosen, id).with("leading tool", before, after)
        };
        self.edit_tenant(id, |tenant| tenant.leading_tool = tool.map(str::to_owned), deed).await
    }

    /// Declares which users and groups of a tenant are emergency access, in place of those declared before, and returns
    /// the tenant.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn declare_emergency_access(
        &self,
        id: &ServiceTenantId,
        objects: &[ObjectId],
    ) -> Result<TenantRecord, TenantError> {
        let listed = |tenant: &TenantRecord| {
            let objects: Vec<_> = tenant.emergency_access.iter().map(ObjectId::as_str).collect();
            (!objects.is_empty()).then(|| objects.join(", "))
        };
        let deed = |before: &TenantRecord, after: &TenantRecord| {
            Deed::new(AuditAction::EmergencyAccessDeclared, id).with("emergency access", listed(before), listed(after))
        };
        self.edit_tenant(id, |tenant| tenant.emergency_access = objects.to_vec(), deed).await
    }

    /// Gives a tenant labels, in place of those before, and returns it.
    ///
    /// # Errors
    /// If there is no such tenant or the store fails.
    pub async fn label_tenant(
        &self,
        id: &ServiceTenantId,
        labels: &BTreeSet<Label>,
    ) -> Result<TenantRecord, TenantError> {
        let listed = |tenant: &TenantRecord| {
            let labels: Vec<_> = tenant.labels.iter().map(Label::as_str).collect();
            (!labels.is_empty()).then(|| labels.join(", "))
        };
        let deed = |before: &TenantRecord, after: &TenantRecord| {
            Deed::new(AuditAction::TenantLabelled, id).with("labels", listed(before), listed(after))
        };
        self.edit_tenant(id, |tenant| tenant.labels = labels.iter().cloned().collect(), deed).await
    }

    pub(super) async fn edit_tenant(
        &self,
        id: &ServiceTenantId,
        edit: impl Fn(&mut TenantRecord),
        deed: impl Fn(&TenantRecord, &TenantRecord) -> Deed,
    ) -> Result<TenantRecord, TenantError> {
        let attempt = || async {
            let before = self.tenant(id).await?.ok_or_else(|| TenantError::NotFound(id.to_string()))?;
            let mut after = TenantRecord { version: before.version + 1, ..before.clone() };
            edit(&mut after);
            let mut actions =
                vec![self.store.replace(self.partition.tenant(id), &after, before.version)?, self.mark_tenants()?];
            if after.name != before.name {
                actions.push(self.correct(id, Some(&after.name))?);
            }
            if after.labels != before.labels {
                actions.extend(self.label_results(&after).await?);
            }
            actions.extend(self.reschedule_tenant(&before, &after).await?);
            match self.commit(actions, || deed(&before, &after).telling(EventContent::of_tenant(&after))).await? {
                Transaction::Done => Ok(after),
                Transaction::Refused(_) => Err(StoreError::Contended("changing a tenant").into()),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}

impl AdminWriter {
    /// Removes a tenant and returns it: it is no longer listed or found, and its reports are no longer returned.
    ///
    /// Works in steps: once the tenant is removed, its reports are removed from the history of the organization, and
    /// the tenant from trends; its kept edits, tasks, known results, last request for a report and connection are
    /// deleted. Calling it again after an interruption completes these steps.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant or its removal is complete, or the store fails.
    pub async fn remove_tenant(&self, id: &ServiceTenantId) -> Result<TenantRecord, TenantError> {
        let attempt = || async {
            match self.tenant(id).await? {
                Some(tenant) => {
                    let deed = Deed::new(AuditAction::TenantRemoved, id).with("name", Some(tenant.name.clone()), None);
                    self.mark_removed(tenant, deed).await
                }
                None => self.removed_in_part(id).await?.ok_or_else(|| TenantError::NotFound(id.to_string())),
            }
        };
        let removed = attempt.retry(backoff(CONTENDERS)).when(came_between).await?;
        self.clear_history_of(id).await?;
        self.forget_in_trends(id).await?;
        self.store.delete_range(self.partition.kept_edits(id), |_| false).await?;
        self.store.delete_range(self.partition.tasks(id), |_| false).await?;
        self.store.delete_range(self.partition.of_tenant("KNOWN", id), |_| false).await?;
        self.store.delete(self.partition.report_request(id)).await?;
        self.store.delete(self.partition.connection(id)).await?;
        self.store.delete(self.partition.connecting(id)).await?;
        self.store.delete(self.partition.correction(id)).await?;
        let complete = RemovedTenant { in_history: false, ..removed };
        self.store.transact(vec![self.store.write(self.partition.removed_tenant(id), &complete)?]).await?;
        Ok(complete.tenant)
    }

    pub(super) async fn mark_removed(&self, tenant: TenantRecord, deed: Deed) -> Result<RemovedTenant, TenantError> {
        let id = &tenant.service_tenant_id;
        let key = self.partition.tenant(id);
        let mut actions = vec![
            self.store.erase_version(key.clone(), tenant.version),
            self.store.erase(self.partition.provider_tenant(&tenant.provider_tenant_id)),
            self.mark_tenants()?,
            self.correct(id, None)?,
        ];
        if let Some(latest) = &tenant.latest {
            actions.push(self.store.erase(self.partition.latest(latest.completed_at, &latest.report_id)));
        }
        actions.extend(self.erase_newest(&tenant).await?);
        let content = EventContent::of_tenant(&tenant);
        let removed_key = self.partition.removed_tenant(id);
        let removed = RemovedTenant { tenant, removed_at: self.at, in_history: true };
        actions.push(self.store.create(removed_key, &removed)?.keeping::<TenantRecord>(key));
        match self.commit(actions, || deed.telling(content)).await? {
            Transaction::Done => Ok(removed),
            Transaction::Refused(_) => Err(StoreError::Contended("removing a tenant").into()),
        }
    }

    /// Removes a removed tenant's reports from the organization's history. The tenant's own list of them is the
    /// remaining work, so an interrupted run continues where it stopped.
    pub(super) async fn clear_history_of(&self, tenant: &ServiceTenantId) -> Result<(), StoreError> {
        let left = self.partition.history_of(tenant, None);
        let left = self.store.query::<Place>(left, Order::OldestFirst, &[]);
        let places = left.map_ok(page_items).try_flatten();
        places
            .try_for_each_concurrent(AT_ONCE, async |place| {
                self.store.delete(self.partition.completed(place.completed_at, &place.report_id)).await?;
                self.store.delete(self.partition.history_item(tenant, place.completed_at, &place.report_id)).await
            })
            .await
    }
}

pub(super) fn came_between(error: &TenantError) -> bool {
    matches!(error, TenantError::Store(StoreError::Contended(_)))
}
