//! Inspects whether the items of an organization are consistent. For the operator, after a restore or in case of doubt.
//!
//! Every write keeps these invariants, so a discrepancy is a fault of the service, or was written by other means.

mod items;
mod outside;
mod people;
mod reports;
mod results;

use std::collections::HashMap;

use futures_util::TryStreamExt;
pub(crate) use items::{LATER, damage_of, examine};
use model::ServiceTenantId;
use serde::Serialize;

use super::api_keys::{Access, StoredKey};
use super::events::KnownItem;
use super::keys;
use super::reports::Correction;
use super::results::ControlsItem;
use super::schedules::{Due, Schedules, is_followed};
use super::tenant_changes::RemovedTenant;
use super::tenants::{ProviderPointer, TenantRecord};
use super::usage::UsageDay;
use super::{Connection, Damage, KeptEdit, ListedReport, Organization, ReportRequest, StoreError, Task};

pub use outside::OutsideDiscrepancy;
pub(crate) use outside::owner;

/// Result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// Tenants that are not removed.
    pub tenants: usize,
    /// Reports, including those of removed tenants.
    pub reports: usize,
    /// API keys.
    pub keys: usize,
    /// Everything that is inconsistent with the rest.
    pub discrepancies: Vec<Discrepancy>,
}

/// An item that is inconsistent with the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{subject}: {what}")]
#[serde(rename_all = "camelCase")]
pub struct Discrepancy {
    /// Identifier of the tenant, report, key, member, invitation or import, a date, or the key of an item.
    pub subject: String,
    /// Description of the discrepancy.
    pub what: &'static str,
}

impl Inspection {
    /// Adds an item that cannot be used, by its key and never by its content.
    fn damaged(&mut self, damage: &Damage) {
        self.discrepancies.push(Discrepancy { subject: damage.item(), what: damage.what });
    }

    fn expect(&mut self, holds: bool, subject: impl ToString, what: &'static str) {
        if !holds {
            self.discrepancies.push(Discrepancy { subject: subject.to_string(), what });
        }
    }
}

/// The tenants of the organization.
struct Tenants {
    listed: HashMap<ServiceTenantId, TenantRecord>,
    /// Whether the reports of each removed tenant may still be in a history.
    removed: HashMap<ServiceTenantId, bool>,
    /// The corrections of names in pointers.
    corrections: HashMap<ServiceTenantId, Option<String>>,
}

impl Tenants {
    /// Returns whether a list shows the current name of a pointer's tenant, and no pointers of removed tenants.
    fn show_correctly(&self, pointer: &ListedReport) -> bool {
        self.show(&pointer.summary.service_tenant_id, &pointer.tenant_name)
    }

    /// Returns whether a list shows the current name of a tenant for an item with this name.
    fn show(&self, id: &ServiceTenantId, name: &String) -> bool {
        let shown = self.corrections.get(id).map_or(Some(name), Option::as_ref);
        shown == self.listed.get(id).map(|tenant| &tenant.name)
    }
}

impl Organization {
    /// Inspects all data of the organization. Reads all of it, and is meant for a quiet period: a write during the
    /// inspection can appear as a discrepancy. A damaged item is a discrepancy and does not end the inspection.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn inspect(&self) -> Result<Inspection, StoreError> {
        let mut inspection = Inspection::default();
        let tenants = self.all_tenants().await?;
        let mut pointers = self.pointers(&tenants).await?;
        self.inspect_items(&mut inspection, |report| pointers.inspect(self, &report, &tenants)).await?;
        self.inspect_tenants(&tenants, &mut inspection).await?;
        self.inspect_results(&tenants, &mut inspection).await?;
        let of_reports = pointers.complete(self, inspection.reports, &tenants);
        inspection.discrepancies.extend(of_reports.discrepancies);
        self.inspect_keys(&mut inspection).await?;
        self.inspect_usage(&mut inspection).await?;
        self.inspect_billable_users(&tenants, &mut inspection).await?;
        self.inspect_kept_edits(&tenants, &mut inspection).await?;
        self.inspect_tasks(&tenants, &mut inspection).await?;
        self.inspect_requests(&tenants, &mut inspection).await?;
        self.inspect_schedules(&tenants, &mut inspection).await?;
        self.inspect_connections(&tenants, &mut inspection).await?;
        self.inspect_known_results(&tenants, &mut inspection).await?;
        self.inspect_people(&mut inspection).await?;
        let holds_nothing = (inspection.tenants, inspection.reports, inspection.keys) == (0, 0, 0);
        let exists = self.store.get_item(self.partition.organization()).await?.is_some();
        inspection.expect(exists || holds_nothing, self.id(), "the organization itself is missing");
        let registered = self.store.get_item(keys::registered(self.id())).await?.is_some();
        inspection.expect(registered || !exists, self.id(), "the organization is not in the register");
        Ok(inspection)
    }

    async fn all_tenants(&self) -> Result<Tenants, StoreError> {
        let listed: Vec<TenantRecord> = self.store.intact(self.partition.tenants()).await?;
        let listed = listed.into_iter().map(|tenant| (tenant.service_tenant_id.clone(), tenant)).collect();
        let removed: Vec<RemovedTenant> = self.store.intact(self.partition.removed_tenants()).await?;
        let removed =
            removed.into_iter().map(|removed| (removed.tenant.service_tenant_id, removed.in_history)).collect();
        let corrections: Vec<Correction> = self.store.intact(self.partition.corrections()).await?;
        let corrections = corrections.into_iter().map(|correction| (correction.service_tenant_id, correction.name));
        Ok(Tenants { listed, removed, corrections: corrections.collect() })
    }

    async fn inspect_tenants(
        &self,
        Tenants { listed: tenants, removed, corrections }: &Tenants,
        found: &mut Inspection,
    ) -> Result<(), StoreError> {
        found.tenants = tenants.len();
        let mark = self.store.get_item(self.partition.tenants_changed()).await?;
        let is_marked = tenants.len() + removed.len() == 0 || mark.is_some();
        found.expect(is_marked, self.id(), "the last change of the tenant list is not marked");
        for removed in removed.keys() {
            found.expect(!tenants.contains_key(removed), removed, "the tenant is both listed and removed");
        }
        for (id, name) in corrections {
            let agrees = match tenants.get(id) {
                Some(tenant) => name.as_ref() == Some(&tenant.name),
                None => name.is_none() && removed.get(id) == Some(&true),
            };
            found.expect(agrees, id, "the correction of the tenant's name does not agree with the tenant");
        }
        let pointed: Vec<ProviderPointer> = self.store.intact(self.partition.provider_tenants()).await?;
        for ProviderPointer { service_tenant_id } in &pointed {
            let known = tenants.contains_key(service_tenant_id);
            found.expect(known, service_tenant_id, "a provider identifier points to the tenant, which does not exist");
        }
        found.expect(
            pointed.len() == tenants.len(),
            self.id(),
            "the numbers of tenants and provider identifiers differ",
        );
        for tenant in tenants.values() {
            let pointer = self.partition.provider_tenant(&tenant.provider_tenant_id);
            let pointer: Option<ProviderPointer> = self.store.get_intact(pointer).await?;
            let same = pointer.is_some_and(|pointer| pointer.service_tenant_id == tenant.service_tenant_id);
            found.expect(same, &tenant.service_tenant_id, "the provider identifier of the tenant does not point to it");
        }
        Ok(())
    }

    async fn inspect_keys(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let listed: Vec<StoredKey> = self.store.intact(self.partition.api_keys()).await?;
        found.keys = listed.len();
        for StoredKey { listing, hash } in listed {
            let access: Option<Access> = self.store.get_intact(keys::key_lookup(&hash)).await?;
            let leads_here =
                access.is_some_and(|access| access.organization_id == *self.id() && access.key_id == listing.key_id);
            found.expect(leads_here, &listing.key_id, "the key is listed but does not give access");
        }
        Ok(())
    }

    async fn inspect_usage(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let days: Vec<UsageDay> = self.store.intact(self.partition.all_usage_days()).await?;
        for day in days {
            let rows = self.store.keys_of(self.partition.usage_rows(day.as_of, &day.recording));
            let rows: Vec<_> = rows.try_collect().await?;
            found.expect(rows.len() == day.tenants, day.as_of, "the usage of the day is incomplete");
        }
        Ok(())
    }

    async fn inspect_kept_edits(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let kept: Vec<KeptEdit> = self.store.intact(self.partition.all_kept_edits()).await?;
        for kept in kept {
            let tenant = &kept.service_tenant_id;
            let in_removal = tenants.removed.get(tenant) == Some(&true);
            let known = tenants.listed.contains_key(tenant) || in_removal;
            found.expect(known, tenant, "an edit is kept for the tenant, which does not exist");
            found.expect(!kept.values.is_empty(), tenant, "a kept edit of the tenant has no values");
        }
        Ok(())
    }

    async fn inspect_tasks(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let tasks: Vec<Task> = self.store.intact(self.partition.all_tasks()).await?;
        for tenant in tasks.iter().map(|task| &task.service_tenant_id) {
            let known = tenants.listed.contains_key(tenant) || tenants.removed.get(tenant) == Some(&true);
            found.expect(known, tenant, "a control of the tenant has a task, which does not exist");
        }
        Ok(())
    }

    async fn inspect_requests(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let requests: Vec<ReportRequest> = self.store.intact(self.partition.report_requests()).await?;
        for request in requests {
            let tenant = &request.service_tenant_id;
            let known = tenants.listed.contains_key(tenant) || tenants.removed.get(tenant) == Some(&true);
            found.expect(known, tenant, "a report of the tenant is requested, which does not exist");
            let is_forgotten = request.is_open() || request.position.is_empty();
            found.expect(is_forgotten, tenant, "a request for a report has ended, but its position is kept");
        }
        Ok(())
    }

    /// The service looks at any time, also during an inspection: then both are read again.
    async fn inspect_schedules(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let mut seen = None;
        let is_listed = loop {
            let schedules: Option<Schedules> = self.store.get_intact(self.partition.schedules()).await?;
            let is_listed = self.is_listed(schedules.as_ref(), tenants).await?;
            if is_listed || seen.replace(schedules.clone()) == Some(schedules) {
                break is_listed;
            }
        };
        found.expect(
            is_listed,
            self.id(),
            "the organization is not looked at: no reports are made when they are due, and no trend",
        );
        Ok(())
    }

    /// Returns whether a look-up leads to the schedules, or none has to.
    async fn is_listed(&self, schedules: Option<&Schedules>, tenants: &Tenants) -> Result<bool, StoreError> {
        if let Some(at) = schedules.and_then(|schedules| schedules.next_at) {
            return Ok(self.store.get_intact::<Due>(keys::due(at, self.id())).await?.is_some());
        }
        let controls: Option<ControlsItem> = self.store.get_intact(self.partition.controls()).await?;
        Ok(!is_followed(schedules, controls.as_ref(), tenants.listed.values()))
    }

    async fn inspect_connections(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let connections: Vec<Connection> = self.store.intact(self.partition.connections()).await?;
        for connection in connections {
            let id = &connection.service_tenant_id;
            let in_removal = tenants.removed.get(id) == Some(&true);
            let is_its = tenants.listed.get(id).is_some_and(|tenant| connection.is_of(&tenant.provider_tenant_id));
            found.expect(is_its || in_removal, id, "a tenant is connected that does not exist or is another");
        }
        Ok(())
    }

    async fn inspect_known_results(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        let known: Vec<KnownItem> = self.store.intact(self.partition.all_known_results()).await?;
        for KnownItem { service_tenant_id: tenant, .. } in &known {
            let exists = tenants.listed.contains_key(tenant) || tenants.removed.get(tenant) == Some(&true);
            found.expect(exists, tenant, "results of the tenant are known, which does not exist");
        }
        Ok(())
    }

    async fn inspect_billable_users(&self, tenants: &Tenants, found: &mut Inspection) -> Result<(), StoreError> {
        for tenant in tenants.listed.keys().chain(tenants.removed.keys()) {
            let whole = self.has_whole_billable_users(tenant).await?;
            found.expect(whole, tenant, "the billable users of the tenant are incomplete");
        }
        Ok(())
    }
}
