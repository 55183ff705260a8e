//! Tenants, and what is derived from them: the tenants of provider identifiers, corrections of names, and marks.

use std::collections::{BTreeMap, BTreeSet};

use model::{ProviderTenantId, ServiceTenantId};

use super::Plan;
use super::contents::{Read, State};
use crate::changes::Mark;
use crate::keys::{Key, Partition};
use crate::reports::Correction;
use crate::table::Found;
use crate::tenant_changes::RemovedTenant;
use crate::tenants::ProviderPointer;
use crate::{Connection, KeptEdit, ListedReport, Organization, ReportSummary, StoreError, TenantRecord};

/// The tenants as they should be.
#[derive(Default)]
pub(super) struct Tenants {
    pub(super) listed: BTreeMap<ServiceTenantId, Listed>,
    pub(super) removed: BTreeMap<ServiceTenantId, RemovedTenant>,
    /// Those about which nothing changes, because a later release wrote them or a report of theirs.
    unreadable: BTreeSet<ServiceTenantId>,
    /// Those whose pointers have another name.
    pub(super) renamed: BTreeSet<ServiceTenantId>,
}

/// A tenant that is not removed.
pub(super) struct Listed {
    pub(super) record: TenantRecord,
    /// The version that is stored; `None` if the item is damaged or missing.
    pub(super) version: Option<u64>,
}

impl Organization {
    /// Returns the versions of all tenants that can be read.
    pub(super) async fn tenant_versions(&self) -> Result<BTreeMap<ServiceTenantId, u64>, StoreError> {
        let tenants: Vec<TenantRecord> = self.store.intact(self.partition.tenants()).await?;
        Ok(tenants.into_iter().map(|tenant| (tenant.service_tenant_id, tenant.version)).collect())
    }
}

impl Tenants {
    pub(super) fn is_unreadable(&self, id: &ServiceTenantId) -> bool {
        self.unreadable.contains(id)
    }

    /// Returns whether the tenant is listed or removed, and everything about it can be derived.
    pub(super) fn is_known(&self, id: &ServiceTenantId) -> bool {
        self.listed.contains_key(id) || self.removed.contains_key(id)
    }

    /// Returns whether reports of a removed tenant may still be listed.
    pub(super) fn is_in_removal(&self, id: &ServiceTenantId) -> bool {
        self.removed.get(id).is_some_and(|removed| removed.in_history)
    }

    /// Returns the tenant that a key names, if it is known.
    pub(super) fn of(&self, key: &Key) -> Option<ServiceTenantId> {
        key.tenant().filter(|tenant| self.is_known(tenant))
    }
}

impl Plan<'_> {
    /// Returns the tenants. A damaged one is rebuilt from its readable attributes and from what points to it.
    pub(super) fn tenants(&self, versions: BTreeMap<ServiceTenantId, u64>) -> Result<Tenants, StoreError> {
        let partition = &self.organization.partition;
        let mut tenants = Tenants::default();
        for report in self.contents.keys(partition.all_reports()).into_iter().filter(|key| self.contents.is_later(key))
        {
            tenants.unreadable.extend(report.tenant());
        }
        let all = [partition.tenants(), partition.removed_tenants(), partition.all_reports()];
        let ids = all.into_iter().flat_map(|range| self.contents.keys(range));
        for id in ids.filter_map(|key| key.tenant()).collect::<BTreeSet<_>>() {
            let keys = [partition.tenant(&id), partition.removed_tenant(&id)];
            let [listed, removed] = keys.each_ref().map(|key| self.contents.get(key));
            let is_later = keys.iter().any(|key| self.contents.is_later(key));
            let version = versions.get(&id).copied();
            let is_new = is_intact(listed) && version.is_none();
            if is_later || is_new || tenants.is_unreadable(&id) {
                tenants.unreadable.insert(id);
            } else if self.is_removed(&id, listed, removed) {
                tenants.removed.extend(self.removed(&id, removed).map(|removed| (id, removed)));
            } else if let Some(record) = self.listed(&id, listed) {
                tenants.listed.insert(id, Listed { record, version });
            }
        }
        Ok(tenants)
    }

    /// Returns whether a tenant is a removed one. If both items are missing, only the provider's identifier of a listed one
    /// points to it: a removed tenant must not come back.
    fn is_removed(&self, id: &ServiceTenantId, listed: Option<&Read>, removed: Option<&Read>) -> bool {
        match (listed, removed) {
            (None, None) => self.provider_of(id).is_none(),
            (None, Some(_)) => true,
            (Some(_), _) => is_intact(removed) && !is_intact(listed),
        }
    }

    fn removed(&self, id: &ServiceTenantId, read: Option<&Read>) -> Option<RemovedTenant> {
        if let Some(removed) = read.and_then(Read::value) {
            return Some(removed);
        }
        let mut history = self.contents.range(self.organization.partition.history_of(id, None));
        let in_history = read.and_then(|read| read.part("inHistory"));
        Some(RemovedTenant {
            tenant: self.listed(id, read)?,
            removed_at: read.and_then(|read| read.part("removedAt")).unwrap_or(self.now),
            in_history: in_history.unwrap_or_else(|| history.next().is_some()),
        })
    }

    /// Returns the provider's identifier that points to a tenant.
    fn provider_of(&self, id: &ServiceTenantId) -> Option<ProviderTenantId> {
        let pointers = self.organization.partition.provider_tenants();
        let pointers = self.contents.intact::<Found<ProviderPointer>>(pointers).into_iter();
        pointers
            .filter(|pointer| pointer.value.service_tenant_id == *id)
            .find_map(|pointer| pointer.key.part(1)?.parse().ok())
    }

    /// Returns a tenant, or `None` if nothing says which identifier it has at the provider.
    fn listed(&self, id: &ServiceTenantId, read: Option<&Read>) -> Option<TenantRecord> {
        if let Some(record) = read.and_then(Read::value) {
            return Some(record);
        }
        let partition = &self.organization.partition;
        let histories = [partition.history_of(id, None), partition.newest_of(id, None), partition.history(None)];
        let mut pointers = histories.into_iter().flat_map(|range| self.contents.intact::<ListedReport>(range));
        let pointer = pointers.rfind(|pointer| pointer.summary.service_tenant_id == *id);
        let part = |name| read.and_then(|read| read.part::<String>(name));
        let of_pointer = || pointer.as_ref().map(|pointer| pointer.summary.provider_tenant_id.clone());
        let mut reports = self.contents.range(partition.of_tenant("REPORT", id));
        let of_report =
            || reports.find_map(|(_, read)| Some(read.part::<ReportSummary>("summary")?.provider_tenant_id));
        let own = || part("providerTenantId")?.parse().ok();
        let correction: Option<Correction> = self.contents.value(&partition.correction(id));
        let name = part("name").or_else(|| correction?.name);
        Some(TenantRecord {
            service_tenant_id: id.clone(),
            provider_tenant_id: self.provider_of(id).or_else(of_pointer).or_else(of_report).or_else(own)?,
            name: name
                .or_else(|| pointer.as_ref().map(|pointer| pointer.tenant_name.clone()))
                .unwrap_or(id.to_string()),
            is_paused: read.and_then(|read| read.part("isPaused")).unwrap_or_default(),
            onboarding_date: read.and_then(|read| read.part("onboardingDate")).unwrap_or(self.now),
            service: read.and_then(|read| read.part("service")).unwrap_or_default(),
            latest: None,
            leading_tool: part("leadingTool"),
            emergency_access: read.and_then(|read| read.part("emergencyAccess")).unwrap_or_default(),
            schedule: read.and_then(|read| read.part("schedule")),
            labels: read.and_then(|read| read.part("labels")).unwrap_or_default(),
            resumed_at: read.and_then(|read| read.part("resumedAt")),
            stale_since: read.and_then(|read| read.part("staleSince")),
            version: read.and_then(|read| read.part("version")).unwrap_or_default(),
        })
    }

    /// Lets tenants, and the items that are derived from them alone, be as they should.
    pub(super) fn tenant_items(&mut self, tenants: &Tenants) -> Result<(), StoreError> {
        let partition = self.organization.partition.clone();
        let mut pointers = BTreeSet::new();
        for (id, Listed { record, .. }) in &tenants.listed {
            self.expect(partition.tenant(id), record, Some(id))?;
            let pointer = partition.provider_tenant(&record.provider_tenant_id);
            self.expect(pointer.clone(), &ProviderPointer { service_tenant_id: id.clone() }, Some(id))?;
            pointers.insert(pointer);
            let correction = partition.correction(id);
            if self.contents.get(&correction).is_some() || tenants.renamed.contains(id) {
                let name = Some(record.name.clone());
                self.expect(correction, &Correction { service_tenant_id: id.clone(), name }, Some(id))?;
            }
        }
        for (id, removed) in &tenants.removed {
            self.expect(partition.removed_tenant(id), removed, Some(id))?;
            if removed.in_history {
                let correction = Correction { service_tenant_id: id.clone(), name: None };
                self.expect(partition.correction(id), &correction, Some(id))?;
            }
        }
        if tenants.listed.len() + tenants.removed.len() > 0 {
            self.expect_mark(partition.tenants_changed())?;
        }
        for key in self.contents.keys(partition.provider_tenants()) {
            let pointed: Option<ServiceTenantId> =
                self.contents.get(&key).and_then(|read| read.part("serviceTenantId"));
            if !pointers.contains(&key) && !pointed.is_some_and(|tenant| tenants.is_unreadable(&tenant)) {
                self.set_aside(&key, None);
            }
        }
        self.strays(&partition, tenants);
        Ok(())
    }

    /// Sets aside what is left of tenants that do not exist or are removed.
    fn strays(&mut self, partition: &Partition, tenants: &Tenants) {
        let stays = |id: &ServiceTenantId| {
            tenants.listed.contains_key(id) || tenants.is_in_removal(id) || tenants.is_unreadable(id)
        };
        let of_tenants = [
            partition.corrections(),
            partition.all_kept_edits(),
            partition.all_tasks(),
            partition.report_requests(),
            partition.all_known_results(),
            partition.connections(),
        ];
        for range in of_tenants {
            for key in self.contents.keys(range) {
                let is_empty = self.contents.value(&key).is_some_and(|kept: KeptEdit| kept.values.is_empty());
                let is_others = self.contents.value(&key).is_some_and(|connection: Connection| {
                    let listed = tenants.listed.get(&connection.service_tenant_id);
                    listed.is_some_and(|listed| !connection.is_of(&listed.record.provider_tenant_id))
                });
                if is_empty || is_others || !key.tenant().is_some_and(|tenant| stays(&tenant)) {
                    self.set_aside(&key, tenants.of(&key));
                }
            }
        }
    }

    /// Lets a mark exist. A new one says that everything has changed.
    pub(super) fn expect_mark(&mut self, key: Key) -> Result<(), StoreError> {
        match self.contents.value::<Mark>(&key) {
            Some(_) => Ok(()),
            None => self.expect(key, &Mark::new(), None),
        }
    }
}

fn is_intact(read: Option<&Read>) -> bool {
    read.is_some_and(|read| read.state == State::Intact)
}
