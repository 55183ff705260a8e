//! Keys of reports, and of everything that points to them.

use model::{ReportId, ServiceTenantId, Timestamp, Week};

use super::{END, Key, Partition, Range};
use crate::BodyDigest;

impl Partition {
    /// Returns the mark of the last change of the tenant list.
    pub(crate) fn tenants_changed(&self) -> Key {
        self.key("CHANGED#TENANTS".to_owned())
    }

    /// Returns the mark of the last change of a report, among those of a group of tenants.
    pub(crate) fn reports_changed(&self, group: u32) -> Key {
        self.key(format!("CHANGED#{group:02}"))
    }

    /// Returns the marks of the last changes of the tenant list and of all reports.
    pub(crate) fn all_changes(&self) -> Range {
        self.below("CHANGED#")
    }

    /// Returns the key of a report.
    pub(crate) fn report(&self, tenant: &ServiceTenantId, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("REPORT#{tenant}#{completed_at}#{id}"))
    }

    /// Returns the keys of all reports, those of removed tenants included.
    pub(crate) fn all_reports(&self) -> Range {
        self.below("REPORT#")
    }

    /// Returns the key of the part of a body that equal reports of a tenant share.
    pub(crate) fn shared_body(&self, tenant: &ServiceTenantId, digest: &BodyDigest) -> Key {
        self.key(format!("SHARED#{tenant}#{}", digest.as_str()))
    }

    /// Returns the keys of all parts that reports share.
    pub(crate) fn all_shared_bodies(&self) -> Range {
        self.below("SHARED#")
    }

    /// Returns the keys of the locations of all reports.
    pub(crate) fn report_places(&self) -> Range {
        self.below("REPORTID#")
    }

    /// Returns the key of the location of a report, by its identifier.
    pub(crate) fn report_place(&self, id: &ReportId) -> Key {
        self.key(format!("REPORTID#{id}"))
    }

    /// Returns the key of a report in the organization's history.
    pub(crate) fn completed(&self, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("COMPLETED#{completed_at}#{id}"))
    }

    /// Returns the keys of the organization's history at or after a moment, oldest first.
    pub(crate) fn history(&self, since: Option<Timestamp>) -> Range {
        self.since("COMPLETED#", since)
    }

    /// Returns the key of a report in its tenant's history.
    pub(crate) fn history_item(&self, tenant: &ServiceTenantId, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("HISTORY#{tenant}#{completed_at}#{id}"))
    }

    /// Returns the keys of a tenant's history at or after a moment, oldest first.
    pub(crate) fn history_of(&self, tenant: &ServiceTenantId, since: Option<Timestamp>) -> Range {
        self.since(&format!("HISTORY#{tenant}#"), since)
    }

    /// Returns the keys of a tenant's history from one moment to another, without the latter, oldest first.
    pub(crate) fn history_between(&self, tenant: &ServiceTenantId, since: Timestamp, before: Timestamp) -> Range {
        let last = self.history_of(tenant, Some(before)).first;
        Range { last, ..self.history_of(tenant, Some(since)) }
    }

    /// Returns the keys of the histories of all tenants.
    pub(crate) fn all_histories(&self) -> Range {
        self.below("HISTORY#")
    }

    /// Returns the key of the newest report of a tenant.
    pub(crate) fn latest(&self, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("LATEST#{completed_at}#{id}"))
    }

    /// Returns the keys of the newest report of every tenant, of those at or after a moment, oldest first.
    pub(crate) fn all_latest(&self, since: Option<Timestamp>) -> Range {
        self.since("LATEST#", since)
    }

    /// Returns the key of the newest report of a tool for a tenant.
    pub(crate) fn newest_of_tool(
        &self,
        tenant: &ServiceTenantId,
        tool: &str,
        completed_at: Timestamp,
        id: &ReportId,
    ) -> Key {
        self.key(format!("TOOL#{tenant}#{tool}#{completed_at}#{id}"))
    }

    /// Returns the keys of the newest reports of a tenant: one for each tool, or that of one tool.
    pub(crate) fn newest_of(&self, tenant: &ServiceTenantId, tool: Option<&str>) -> Range {
        match tool {
            Some(tool) => self.below(&format!("TOOL#{tenant}#{tool}#")),
            None => self.below(&format!("TOOL#{tenant}#")),
        }
    }

    /// Returns the keys of the newest reports of all tenants and tools.
    pub(crate) fn all_newest_of_tools(&self) -> Range {
        self.below("TOOL#")
    }

    /// Returns the key of the list of controls that reports have had.
    pub(crate) fn controls(&self) -> Key {
        self.key("CONTROLS".to_owned())
    }

    /// Returns the key of the results of the newest report of a tool of a tenant.
    pub(crate) fn results(&self, tool: &str, tenant: &ServiceTenantId) -> Key {
        self.key(format!("RESULTS#{tool}#{tenant}"))
    }

    /// Returns the keys of the results of a tool: of all tenants, or of those after one.
    pub(crate) fn results_after(&self, tool: &str, after: Option<&ServiceTenantId>) -> Range {
        let range = self.below(&format!("RESULTS#{tool}#"));
        match after {
            Some(after) => range.after(&self.results(tool, after)),
            None => range,
        }
    }

    /// Returns the keys of the results of all tools and tenants.
    pub(crate) fn all_results(&self) -> Range {
        self.below("RESULTS#")
    }

    /// Returns the key of the trend of a week.
    pub(crate) fn trend(&self, week: Week) -> Key {
        self.key(format!("TREND#{week}"))
    }

    /// Returns the keys of the trends of all weeks, or of those from one on, oldest first.
    pub(crate) fn trends(&self, first: Option<Week>) -> Range {
        let all = self.below("TREND#");
        let first = first.map_or(all.first.clone(), |week| self.trend(week).sk);
        Range { first, ..all }
    }

    /// Returns the key of a baseline report of a tenant, among those of the same tool.
    pub(crate) fn baseline(&self, tenant: &ServiceTenantId, tool: &str, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("BASELINE#{tenant}#{tool}#{completed_at}#{id}"))
    }

    /// Returns whether a key is that of a baseline report, of any tool.
    pub(crate) fn is_baseline(
        &self,
        key: &Key,
        tenant: &ServiceTenantId,
        completed_at: Timestamp,
        id: &ReportId,
    ) -> bool {
        let of_tenant = self.below(&format!("BASELINE#{tenant}#"));
        of_tenant.contains(key) && key.sk.ends_with(&format!("#{completed_at}#{id}"))
    }

    /// Returns the keys of a tenant's baseline reports of one tool that completed at or before a moment, oldest first.
    pub(crate) fn baselines(&self, tenant: &ServiceTenantId, tool: &str, until: Timestamp) -> Range {
        let prefix = format!("BASELINE#{tenant}#{tool}#");
        Range { pk: self.0.clone(), last: format!("{prefix}{until}#{END}"), first: prefix }
    }

    /// Returns the keys of the baseline reports of all tenants and tools.
    pub(crate) fn all_baselines(&self) -> Range {
        self.below("BASELINE#")
    }
}
