//! The trend of an organization: an item for each week, with the figures of all tenants by tool.
//!
//! It is made once, after the end of the week, from the reports that exist then. If several make it at once, the first
//! one stays. Tenants are stored with their names at that time; corrections replace them when the trend is read. It is
//! written only as long as they are listed, and a removal takes them out.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join;
use futures_util::{Stream, TryStreamExt};
use model::{ServiceTenantId, Severity, Timestamp, Week};
use serde::{Deserialize, Serialize};

use super::recording::between_others;
use super::reports::ListedReport;
use super::table::{Order, Transaction};
use super::{AdminWriter, Organization, ReportSummary, StoreError, Writer};

/// Numbers of a tenant's reports that are read first: enough for weekly ones, then for daily ones.
const FIRST: [usize; 2] = [4, 8];

/// The figures of a week, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WeekTrend {
    /// The week.
    pub week: Week,
    /// The figures by tool.
    pub tools: BTreeMap<String, ToolTrend>,
    /// Incremented by every change.
    pub version: u64,
}

/// The figures of a tool, over each tenant's newest report of it at the end of a week.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolTrend {
    /// Number of tenants with a report.
    pub tenants: u32,
    /// Sum of their scores.
    pub scores: u64,
    /// Number of controls that are open, drifted or in progress.
    pub open: u64,
    /// The controls that were found fixed during the week, by severity; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Vec<Fixed>>,
    /// The tenants whose scores changed most since the end of the week before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
}

/// The controls of a severity that were found fixed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fixed {
    /// The severity.
    pub severity: Option<Severity>,
    /// Numbers of days for which controls were open, in ascending order, each with the number of controls.
    pub days: Vec<(u32, u32)>,
}

/// A tenant whose score changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Its name.
    pub tenant_name: String,
    /// Score at the end of the week before.
    pub before: u8,
    /// Score at the end of the week.
    pub after: u8,
}

impl ToolTrend {
    /// Returns the average score, to a tenth.
    pub fn average(&self) -> f64 {
        let tenants = u64::from(self.tenants.max(1));
        let tenths = (10 * self.scores + tenants / 2) / tenants;
        f64::from(u32::try_from(tenths).unwrap_or_default()) / 10.0
    }
}

impl Fixed {
    /// Returns the sum of others by severity, most severe first.
    pub fn all(others: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut counts: BTreeMap<_, BTreeMap<u32, u32>> = BTreeMap::new();
        for Self { severity, days } in others {
            let of_severity = counts.entry((severity.is_none(), severity)).or_default();
            for (days, controls) in days {
                *of_severity.entry(days).or_default() += controls;
            }
        }
        let fixed = |((_, severity), days): (_, BTreeMap<_, _>)| Self { severity, days: days.into_iter().collect() };
        counts.into_iter().map(fixed).collect()
    }

    /// Returns the number of controls.
    pub fn controls(&self) -> u32 {
        self.days.iter().map(|(_, controls)| controls).sum()
    }

    /// Returns the days within which half of the controls were fixed.
    pub fn median(&self) -> u32 {
        let half = self.controls().div_ceil(2);
        let mut counted = 0;
        let median = self.days.iter().find(|(_, controls)| {
            counted += controls;
            counted >= half
        });
        median.map_or(0, |(days, _)| *days)
    }
}

impl WeekTrend {
    fn names(&self) -> BTreeSet<&ServiceTenantId> {
        self.tools.values().flat_map(|of| &of.moved).map(|moved| &moved.service_tenant_id).collect()
    }
}

impl Organization {
    /// Returns the trends of the weeks from one on, oldest first, with current names.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn trends(&self, first: Week) -> Result<Vec<WeekTrend>, StoreError> {
        let trends = self.store.all::<WeekTrend>(self.partition.trends(Some(first)));
        let (mut trends, mut names) = try_join(trends, self.names()).await?;
        for of_tool in trends.iter_mut().flat_map(|trend| trend.tools.values_mut()) {
            of_tool.moved.retain_mut(|moved| names.correct_one(&moved.service_tenant_id, &mut moved.tenant_name));
        }
        Ok(trends)
    }

    /// Returns the reports of a tenant that completed from one moment to another, newest first, a page at a time. Reads
    /// no bodies.
    pub fn reports_between(
        &self,
        tenant: &ServiceTenantId,
        (since, before): (Timestamp, Timestamp),
    ) -> impl Stream<Item = Result<Vec<ReportSummary>, StoreError>> + use<> {
        let range = self.partition.history_between(tenant, since, before);
        let pages = self.store.query::<ListedReport>(range, Order::NewestFirst, &FIRST);
        pages.map_ok(|page| page.into_iter().map(|listed| listed.summary).collect())
    }
}

impl Writer {
    /// Adds the trend of a week, unless there is one. Returns whether it was added.
    ///
    /// It changes nothing for people, so it is not in the audit trail.
    ///
    /// # Errors
    /// [`StoreError::Contended`] if a tenant that it names was removed, or the store fails.
    pub async fn add_trend(&self, trend: &WeekTrend) -> Result<bool, StoreError> {
        let key = self.partition.trend(trend.week);
        let mut actions = vec![self.store.create(key, trend)?, self.mark_tenants()?];
        actions.extend(trend.names().into_iter().map(|tenant| self.store.require(self.partition.tenant(tenant))));
        match self.store.transact(actions).await? {
            Transaction::Done => Ok(true),
            Transaction::Refused(conditions) if conditions[0] => Ok(false),
            Transaction::Refused(_) => Err(StoreError::Contended("adding the trend of a week")),
        }
    }
}

impl AdminWriter {
    /// Takes a tenant out of the trends of all weeks. The figures of the weeks stay: they name nobody.
    pub(super) async fn forget_in_trends(&self, tenant: &ServiceTenantId) -> Result<(), StoreError> {
        let trends: Vec<WeekTrend> = self.store.all(self.partition.trends(None)).await?;
        for week in trends.iter().filter(|trend| trend.names().contains(tenant)).map(|trend| trend.week) {
            between_others(|| self.forget_in_trend(week, tenant)).await?;
        }
        Ok(())
    }

    async fn forget_in_trend(&self, week: Week, tenant: &ServiceTenantId) -> Result<(), StoreError> {
        let key = self.partition.trend(week);
        let Some(mut trend) = self.store.get::<WeekTrend>(key.clone()).await? else { return Ok(()) };
        let seen = trend.version;
        trend.version += 1;
        for of_tool in trend.tools.values_mut() {
            of_tool.moved.retain(|moved| moved.service_tenant_id != *tenant);
        }
        match self.store.transact(vec![self.store.replace(key, &trend, seen)?]).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(StoreError::Contended("taking a tenant out of a trend")),
        }
    }
}
