//! Reading the results of all tenants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use model::{ControlId, ControlsRollup, Label, ProviderTenantId, ReportId, ServiceTenantId, Status, Timestamp};

use super::item::Results;
use super::{Control, Controls, ControlsItem, ResultsItem};
use crate::table::{Found, Order};
use crate::{ListedReport, Organization, StoreError, TenantRecord};

/// Number of tools whose results are read concurrently.
const TOOLS_AT_ONCE: usize = 4;

/// A control of a tool, with the number of tenants by the status that their newest reports of the tool give it.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetControl {
    /// Name of the tool.
    pub tool: String,
    /// The control.
    pub control: Control,
    /// The tenants by status.
    pub tenants: ControlsRollup,
    /// The number of tenants for which the risk is accepted.
    pub accepted: u32,
}

/// The controls of all tools, and what they can be counted by.
#[derive(Debug, Default)]
pub struct FleetControls {
    /// The controls.
    pub controls: Vec<FleetControl>,
    /// The labels of the tenants that have reports.
    pub labels: BTreeSet<Label>,
}

/// The result of a control in the newest report of a tool of a tenant.
#[derive(Clone, PartialEq)]
pub struct ControlResult {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The tenant's identifier at the provider.
    pub provider_tenant_id: ProviderTenantId,
    /// Current name of the tenant.
    pub tenant_name: String,
    /// Labels of the tenant.
    pub labels: Vec<Label>,
    /// The report.
    pub report_id: ReportId,
    /// When the report was completed.
    pub completed_at: Timestamp,
    /// The result.
    pub status: Status,
    /// The date of the first report since which the control has been secure, not secure or not assessed.
    pub since: NaiveDate,
    /// The day on which the acceptance of the risk ends; `None` if it is not accepted.
    pub accepted_until: Option<NaiveDate>,
}

/// The place of a control.
#[derive(Debug, Clone, PartialEq)]
pub enum Located {
    /// A tool has it.
    In {
        /// Name of the tool.
        tool: String,
        /// The control.
        control: Control,
    },
    /// Several tools have a control with this identifier.
    Several,
    /// No report has had it.
    Nowhere,
}

/// The results of all tenants of an organization, none of which is read yet, with the list of their controls.
pub struct Fleet {
    organization: Organization,
    controls: Controls,
    names: HashMap<ServiceTenantId, Option<String>>,
    /// The results as taken from the reports, if not all of them are stored.
    taken: Option<BTreeMap<String, Vec<ResultsItem>>>,
}

type Pages = BoxStream<'static, Result<Vec<Found<ResultsItem>>, StoreError>>;

impl Organization {
    /// Returns the results of all tenants. Reads the list of controls and the names of renamed tenants.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn fleet(&self) -> Result<Fleet, StoreError> {
        let names = self.corrections().await?;
        let fleet = |controls, taken| Fleet { organization: self.clone(), controls, names, taken };
        match self.complete_controls().await? {
            Some(controls) => Ok(fleet(controls, None)),
            None => {
                let (controls, taken) = self.take_results().await?;
                Ok(fleet(controls, Some(taken)))
            }
        }
    }

    /// Returns a text that changes with every change of what [`fleet`](Self::fleet) returns.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn fleet_state(&self) -> Result<String, StoreError> {
        self.reports_state().await
    }

    /// Returns the list of controls, if all results are stored.
    async fn complete_controls(&self) -> Result<Option<Controls>, StoreError> {
        let key = self.partition.controls();
        let item: Option<ControlsItem> = self.store.get(key.clone()).await?;
        item.filter(|item| item.is_complete).map(|item| item.open(key)).transpose()
    }

    /// Takes the results from the newest reports, by tool.
    async fn take_results(&self) -> Result<(Controls, BTreeMap<String, Vec<ResultsItem>>), StoreError> {
        let listed: Vec<ListedReport> = self.store.all(self.partition.all_newest_of_tools()).await?;
        let tenants: Vec<TenantRecord> = self.tenants().try_concat().await?;
        let tenants: HashMap<_, _> = tenants.iter().map(|tenant| (&tenant.service_tenant_id, tenant)).collect();
        let mut reports = self.reports_at(stream::iter([Ok(listed)]).boxed());
        let mut controls = Controls::default();
        let mut taken: BTreeMap<String, Vec<ResultsItem>> = BTreeMap::new();
        while let Some(batch) = reports.try_next().await? {
            for report in batch {
                let (summary, edits) = (report.summary.clone(), report.edits.clone());
                let body = report.open()?.body;
                controls.learn(&summary.tool, &body, &edits, summary.updated_at.date());
                // Without the tenant, it was removed meanwhile.
                let Some(tenant) = tenants.get(&summary.service_tenant_id) else { continue };
                let results = ResultsItem::new((tenant, &summary), &body, &controls, None)?;
                taken.entry(summary.tool).or_default().push(results);
            }
        }
        for items in taken.values_mut() {
            items.sort_by(|one, other| one.service_tenant_id.cmp(&other.service_tenant_id));
        }
        Ok((controls, taken))
    }
}

impl Fleet {
    /// Returns the controls that newest reports have, by tool and identifier: of all tools, or of one; counted over all
    /// tenants, or those with a label.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn controls(self, tool: Option<&str>, label: Option<&Label>) -> Result<FleetControls, StoreError> {
        let tools = self.tools(tool).into_iter();
        let counts: Vec<Counts> =
            stream::iter(tools).map(|tool| self.count(tool, label)).buffered(TOOLS_AT_ONCE).try_collect().await?;
        let is_short = |of: &Counts| of.listed.len() > self.controls.of_tool(&of.tool).len();
        // Reports that were added meanwhile can have new controls.
        let extended = if counts.iter().any(is_short) { self.organization.complete_controls().await? } else { None };
        let controls = extended.as_ref().unwrap_or(&self.controls);
        let mut fleet = FleetControls::default();
        for of in counts {
            fleet.labels.extend(of.labels.iter().cloned());
            fleet.controls.extend(of.named(controls)?);
        }
        Ok(fleet)
    }

    /// Returns where a control is found. Reads results only if a list of controls is full.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn locate(&self, id: &ControlId, tool: Option<&str>) -> Result<Located, StoreError> {
        let mut found = Vec::new();
        for tool in self.tools(tool) {
            let listed = self.controls.of_tool(&tool).iter().find(|control| control.control_id == *id);
            let listed = listed.map(Control::shown);
            let control = match listed {
                None if self.controls.is_full(&tool) => self.other(&tool, id).await?,
                listed => listed,
            };
            found.extend(control.map(|control| Located::In { tool, control }));
        }
        let first = found.pop();
        Ok(if found.is_empty() { first.unwrap_or(Located::Nowhere) } else { Located::Several })
    }

    /// Returns the results of a control of a tool, by tenant, a page at a time: all, or those after a tenant. `first` is
    /// how many are expected to be needed.
    pub fn results(
        self,
        tool: &str,
        id: &ControlId,
        after: Option<&ServiceTenantId>,
        first: Option<usize>,
    ) -> BoxStream<'static, Result<Vec<ControlResult>, StoreError>> {
        let place = self.controls.of_tool(tool).iter().position(|control| control.control_id == *id);
        let (pages, names, id) = (self.pages(tool, after, first), self.names, id.clone());
        let result = move |Found { key, value: item }: Found<ResultsItem>| {
            let results = item.open(key)?;
            let Some((status, since)) = results.find(place, &id) else { return Ok(None) };
            let accepted_until = results.accepted().find(|(of, _)| **of == id).map(|(_, until)| until);
            let tenant_name = match names.get(&item.service_tenant_id) {
                Some(None) => return Ok(None),
                Some(Some(name)) => name.clone(),
                None => item.tenant_name,
            };
            let ResultsItem { service_tenant_id, provider_tenant_id, labels, report_id, completed_at, .. } = item;
            Ok(Some(ControlResult {
                service_tenant_id,
                provider_tenant_id,
                tenant_name,
                labels,
                report_id,
                completed_at,
                status,
                since,
                accepted_until,
            }))
        };
        pages.map(move |page| page?.into_iter().filter_map(|item| result(item).transpose()).collect()).boxed()
    }

    fn tools(&self, tool: Option<&str>) -> Vec<String> {
        let tools = self.controls.tools().filter(|known| tool.is_none_or(|tool| *known == tool));
        tools.map(str::to_owned).collect()
    }

    fn pages(&self, tool: &str, after: Option<&ServiceTenantId>, first: Option<usize>) -> Pages {
        let partition = &self.organization.partition;
        match &self.taken {
            Some(taken) => {
                let items = taken.get(tool).into_iter().flatten();
                let items = items.filter(|item| after.is_none_or(|after| item.service_tenant_id > *after));
                let found = |item: &ResultsItem| Found {
                    key: partition.results(tool, &item.service_tenant_id),
                    value: item.clone(),
                };
                stream::iter([Ok(items.map(found).collect())]).boxed()
            }
            None => {
                let range = partition.results_after(tool, after);
                self.organization.store.query(range, Order::OldestFirst, first.as_slice()).boxed()
            }
        }
    }

    async fn count(&self, tool: String, label: Option<&Label>) -> Result<Counts, StoreError> {
        let mut pages = self.pages(&tool, None, None);
        let mut counts = Counts { tool, ..Counts::default() };
        while let Some(page) = pages.try_next().await? {
            for Found { key, value: item } in page {
                if self.names.get(&item.service_tenant_id) == Some(&None) {
                    continue;
                }
                if label.is_none_or(|label| item.labels.contains(label)) {
                    counts.add(&item.open(key)?);
                }
                counts.labels.extend(item.labels);
            }
        }
        Ok(counts)
    }

    /// Returns a control that a full list does not contain.
    async fn other(&self, tool: &str, id: &ControlId) -> Result<Option<Control>, StoreError> {
        let mut pages = self.pages(tool, None, None);
        while let Some(page) = pages.try_next().await? {
            for Found { key, value: item } in page {
                let results = item.open(key)?;
                if let Some((control, _)) = results.others().find(|(control, _)| control.control_id == *id) {
                    return Ok(Some(control.clone()));
                }
            }
        }
        Ok(None)
    }
}

impl Control {
    /// Returns the control with its identifier in place of a name that was forgotten.
    fn shown(&self) -> Self {
        let name = if self.name.is_empty() { self.control_id.to_string() } else { self.name.clone() };
        Self { name, ..self.clone() }
    }
}

/// Tenants by status, for each control of a tool.
#[derive(Default)]
struct Counts {
    tool: String,
    labels: BTreeSet<Label>,
    /// By position in the list of controls.
    listed: Vec<ControlsRollup>,
    others: BTreeMap<ControlId, (Control, ControlsRollup)>,
    /// Tenants for which the risk is accepted.
    accepted: HashMap<ControlId, u32>,
}

impl Counts {
    fn add(&mut self, results: &Results) {
        for (place, status) in results.statuses() {
            if self.listed.len() <= place {
                self.listed.resize(place + 1, ControlsRollup::default());
            }
            self.listed[place].add(status);
        }
        for (control, status) in results.others() {
            let new = || (control.clone(), ControlsRollup::default());
            self.others.entry(control.control_id.clone()).or_insert_with(new).1.add(status);
        }
        for (control, _) in results.accepted() {
            *self.accepted.entry(control.clone()).or_default() += 1;
        }
    }

    /// Returns the counted controls by their names in a list, in the order of their identifiers.
    fn named(self, controls: &Controls) -> Result<Vec<FleetControl>, StoreError> {
        let Self { tool, listed, others, accepted, .. } = self;
        let names = controls.of_tool(&tool);
        if listed.len() > names.len() {
            return Err(StoreError::Corrupt("results name a control that is not listed"));
        }
        let listed = names.iter().map(Control::shown).zip(listed);
        let mut all: BTreeMap<ControlId, (Control, ControlsRollup)> = others;
        for (control, tenants) in listed.filter(|(_, tenants)| *tenants != ControlsRollup::default()) {
            // A control can be in older results by name, and in newer ones by its position.
            all.entry(control.control_id.clone()).or_insert((control, ControlsRollup::default())).1 += tenants;
        }
        let counted = |(id, (control, tenants))| {
            let accepted = accepted.get(&id).copied().unwrap_or_default();
            FleetControl { tool: tool.clone(), control, tenants, accepted }
        };
        Ok(all.into_iter().map(counted).collect())
    }
}
