//! Reports, and the pointers that are derived from them.

use std::collections::{BTreeMap, BTreeSet};

use model::{ReportType, ServiceTenantId};
use serde::Serialize;

use super::Plan;
use super::contents::State;
use super::tenants::Tenants;
use crate::keys::Key;
use crate::reports::{Place, ReportItem};
use crate::tenants::LatestReport;
use crate::{ListedReport, ReportSummary, StoreError};

/// The pointers to reports, while they are derived.
#[derive(Default)]
struct Pointers {
    /// Those that should exist, or may.
    expected: BTreeSet<Key>,
    /// Identifiers of reports whose pointers stay as they are.
    unreadable: BTreeSet<String>,
    /// The newest report of each tenant, and of each of its tools.
    newest: BTreeMap<(ServiceTenantId, Option<String>), ReportSummary>,
}

impl Pointers {
    fn add_newest(&mut self, tool: Option<&str>, summary: &ReportSummary) {
        let of = (summary.service_tenant_id.clone(), tool.map(str::to_owned));
        let newest = self.newest.entry(of).or_insert_with(|| summary.clone());
        if newest.position() < summary.position() {
            newest.clone_from(summary);
        }
    }
}

impl Plan<'_> {
    /// Lets every report be found and listed by its pointers, and nothing else. Sets the newest report of each tenant, and
    /// returns those of its tools.
    pub(super) fn reports(&mut self, tenants: &mut Tenants) -> Result<Vec<ReportSummary>, StoreError> {
        let mut pointers = Pointers::default();
        for key in self.contents.keys(self.organization.partition.all_reports()) {
            let Some(place) = Place::of_report(&key) else { continue };
            if tenants.is_unreadable(&place.service_tenant_id) {
                pointers.unreadable.insert(place.report_id.to_string());
            } else if let Some(summary) = self.report(&key, &place, tenants)? {
                self.place(&summary, tenants, &mut pointers)?;
            } else {
                self.set_aside(&key, tenants.of(&key));
            }
        }
        let newest = self.newest(tenants, &mut pointers)?;
        self.stray_pointers(tenants, &pointers);
        Ok(newest)
    }

    /// Returns the summary of a report of a known tenant. It is rebuilt if the body is intact. Otherwise, returns `None`.
    fn report(&mut self, key: &Key, place: &Place, tenants: &Tenants) -> Result<Option<ReportSummary>, StoreError> {
        let Some(read) = self.contents.get(key).filter(|_| tenants.is_known(&place.service_tenant_id)) else {
            return Ok(None);
        };
        if read.state == State::Intact {
            let summary = read.part::<ReportSummary>("summary");
            return Ok(summary.filter(|summary| self.has_shared_body(summary)));
        }
        let partition = &self.organization.partition;
        let Place { service_tenant_id: tenant, completed_at, report_id } = place;
        let pointers =
            [partition.completed(*completed_at, report_id), partition.history_item(tenant, *completed_at, report_id)];
        let pointer = pointers.iter().find_map(|pointer| self.contents.value::<ListedReport>(pointer));
        let Some(item) = ReportItem::rebuilt(&read.item, place, pointer.map(|pointer| pointer.summary)) else {
            return Ok(None);
        };
        self.expect(key.clone(), &item, Some(tenant))?;
        Ok(Some(item.summary))
    }

    /// Returns whether a report has the part of its body that it may share.
    fn has_shared_body(&self, summary: &ReportSummary) -> bool {
        let partition = &self.organization.partition;
        summary.shared_body.as_ref().is_none_or(|digest| {
            let shared = self.contents.get(&partition.shared_body(&summary.service_tenant_id, digest));
            shared.is_some_and(|shared| shared.state != State::Damaged)
        })
    }

    /// Lets the pointers to a report exist, except those to the newest ones.
    fn place(
        &mut self,
        summary: &ReportSummary,
        tenants: &mut Tenants,
        pointers: &mut Pointers,
    ) -> Result<(), StoreError> {
        let partition = self.organization.partition.clone();
        let place = summary.place();
        let Place { service_tenant_id: tenant, completed_at, report_id } = &place;
        self.expect_mark(self.organization.reports_changed(tenant))?;
        self.point(partition.report_place(report_id), &place, summary, pointers)?;
        let baseline = partition.baseline(tenant, &summary.tool, *completed_at, report_id);
        match summary.figures.report_type {
            ReportType::Baseline => self.point(baseline, &place, summary, pointers)?,
            ReportType::FollowUp => {}
            ReportType::Unknown => pointers.expected.extend([baseline]),
        }
        let histories =
            [partition.completed(*completed_at, report_id), partition.history_item(tenant, *completed_at, report_id)];
        if tenants.listed.contains_key(tenant) {
            pointers.add_newest(None, summary);
            pointers.add_newest(Some(&summary.tool), summary);
            for key in histories {
                self.list(key, summary, tenants, pointers)?;
            }
        } else if tenants.is_in_removal(tenant) {
            pointers.expected.extend(histories);
        }
        Ok(())
    }

    /// Lets the newest reports be listed as that, and tenants name theirs. Returns those of tools.
    fn newest(&mut self, tenants: &mut Tenants, pointers: &mut Pointers) -> Result<Vec<ReportSummary>, StoreError> {
        let mut of_tools = Vec::new();
        for listed in tenants.listed.values_mut() {
            listed.record.latest = None;
        }
        for ((tenant, tool), summary) in std::mem::take(&mut pointers.newest) {
            let Place { completed_at, report_id, .. } = summary.place();
            if tool.is_some() {
                self.list(self.organization.key_of_newest(&summary), &summary, tenants, pointers)?;
                of_tools.push(summary);
                continue;
            }
            let key = self.organization.partition.latest(completed_at, &report_id);
            self.list(key, &summary, tenants, pointers)?;
            if let Some(listed) = tenants.listed.get_mut(&tenant) {
                listed.record.latest = Some(LatestReport { completed_at, report_id });
            }
        }
        Ok(of_tools)
    }

    /// Lets a pointer list a report. It keeps the name that its tenant had, which a correction replaces.
    fn list(
        &mut self,
        key: Key,
        summary: &ReportSummary,
        tenants: &mut Tenants,
        pointers: &mut Pointers,
    ) -> Result<(), StoreError> {
        let tenant = &summary.service_tenant_id;
        let Some(listed) = tenants.listed.get(tenant) else { return Ok(()) };
        let name = listed.record.name.clone();
        let stored = self.contents.value(&key).map(|pointer: ListedReport| pointer.tenant_name);
        let tenant_name = stored.unwrap_or_else(|| name.clone());
        if tenant_name != name {
            tenants.renamed.insert(tenant.clone());
        }
        self.point(key, &ListedReport { tenant_name, summary: summary.clone() }, summary, pointers)
    }

    fn point<T: Serialize>(
        &mut self,
        key: Key,
        pointer: &T,
        summary: &ReportSummary,
        pointers: &mut Pointers,
    ) -> Result<(), StoreError> {
        pointers.expected.insert(key.clone());
        self.expect_of_report(key, pointer, summary)
    }

    /// Lets an item have a value that is derived from a report.
    pub(super) fn expect_of_report<T: Serialize>(
        &mut self,
        key: Key,
        value: &T,
        summary: &ReportSummary,
    ) -> Result<(), StoreError> {
        self.expect(key.clone(), value, Some(&summary.service_tenant_id))?;
        if let Some(change) = self.changes.get_mut(&key) {
            change.report = Some((self.organization.key_of(&summary.place()), summary.revision));
        }
        Ok(())
    }

    /// Sets aside pointers to reports that do not exist, or are not what the pointer says.
    fn stray_pointers(&mut self, tenants: &Tenants, pointers: &Pointers) {
        let partition = &self.organization.partition;
        let ranges = [
            partition.report_places(),
            partition.history(None),
            partition.all_histories(),
            partition.all_latest(None),
            partition.all_newest_of_tools(),
            partition.all_baselines(),
        ];
        for key in ranges.into_iter().flat_map(|range| self.contents.keys(range)).collect::<Vec<_>>() {
            let is_unreadable = key.sk.rsplit('#').next().is_some_and(|id| pointers.unreadable.contains(id));
            if is_unreadable || pointers.expected.contains(&key) {
                continue;
            }
            let named = self.contents.get(&key).and_then(|read| read.part("serviceTenantId"));
            let tenant = named.filter(|tenant| tenants.is_known(tenant)).or_else(|| tenants.of(&key));
            self.set_aside(&key, tenant);
        }
    }
}
