//! The filter of controls and of a control's tenants, read from the address.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use axum::extract::Query;
use model::{Category, Choice, ServiceTenantId, Severity, Status, Timestamp};
use serde::Deserialize;
use store::{ControlResult, FleetControl, Task};
use web::view::text;

use super::ADDRESS;
use crate::view::{search, tasks, tenants, words};

/// Parameters of the address. A value that is not one of the choices does not filter.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    /// The control of a page about one.
    pub(crate) control: String,
    /// Name of a tool.
    pub(crate) tool: String,
    /// A state, as on the wire.
    pub(crate) status: String,
    /// A severity, as on the wire.
    pub(crate) severity: String,
    /// A report section, as on the wire.
    pub(crate) category: String,
    /// A label of tenants.
    pub(crate) label: String,
    /// The tasks that are shown: `set`, `overdue` or `none`.
    pub(crate) task: String,
    /// Words that are all in the texts.
    pub(crate) q: String,
    /// `all` to choose all tenants of a control that are shown and do not meet it.
    pub(crate) chosen: String,
}

impl Filter {
    /// Returns the state to show alone.
    pub(super) fn status(&self) -> Option<Status> {
        words::chosen(words::STATUSES, &self.status)
    }

    /// Returns the filter as the query of an address.
    pub(crate) fn query(&self) -> String {
        let Self { control, tool, status, severity, category, label, task, q, chosen: _ } = self;
        let fields = [
            ("control", control),
            ("tool", tool),
            ("status", status),
            ("severity", severity),
            ("category", category),
            ("label", label),
            ("task", task),
            ("q", q),
        ];
        let fields = fields.into_iter().filter(|(_, value)| !value.trim().is_empty());
        let pairs: Vec<_> = fields.map(|(name, value)| format!("{name}={}", text::encoded(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// Reads a filter from the query of an address.
    pub(crate) fn of_query(query: &str) -> Option<Self> {
        let address = format!("{ADDRESS}{query}").parse().ok()?;
        Query::try_from_uri(&address).ok().map(|Query(filter)| filter)
    }

    fn matches(&self, FleetControl { tool, control, tenants, .. }: &FleetControl) -> bool {
        let severity: Option<Severity> = words::chosen(words::SEVERITIES, &self.severity);
        let category: Option<Category> = words::chosen(Category::KNOWN.iter().copied(), &self.category);
        (self.tool.is_empty() || *tool == self.tool)
            && self.status().is_none_or(|status| tenants.count(status) > 0)
            && severity.is_none_or(|severity| control.severity == Some(severity))
            && category.is_none_or(|category| control.category == category)
            && search::finds(&self.q, [control.control_id.as_str(), &*control.name])
    }
}

/// Returns the controls that a filter shows. Worst first: where most tenants have the state that is filtered for, or need
/// action; then the most severe.
pub(crate) fn arranged<'a>(controls: &'a [FleetControl], filter: &Filter) -> Vec<&'a FleetControl> {
    let mut rows: Vec<_> = controls.iter().filter(|control| filter.matches(control)).collect();
    let status = filter.status();
    rows.sort_by_key(|FleetControl { control, tenants, accepted, .. }| {
        let worst = match status {
            Some(status) => tenants.count(status),
            None => (tenants.open + tenants.drifted + tenants.in_progress).saturating_sub(*accepted),
        };
        let severity = words::SEVERITIES.iter().position(|severity| control.severity == Some(*severity));
        (u32::MAX - worst, severity.unwrap_or(words::SEVERITIES.len()))
    });
    rows
}

/// Returns the tenants of a control that a filter shows: worst first, then by name. If it shows tasks, those that are due
/// first come first.
pub(crate) fn arranged_results<'a>(
    results: &'a [ControlResult],
    (tasks, now): (&BTreeMap<ServiceTenantId, Task>, Timestamp),
    filter: &Filter,
) -> Vec<&'a ControlResult> {
    let status = filter.status();
    let is_shown = |result: &&ControlResult| {
        status.is_none_or(|status| result.status == status)
            && search::finds(&filter.q, [&*result.tenant_name])
            && tenants::has_label(&result.labels, &filter.label)
            && tasks::matches(&filter.task, tasks.get(&result.service_tenant_id), now)
    };
    let mut rows: Vec<_> = results.iter().filter(is_shown).collect();
    let due = |result: &ControlResult| {
        let due = tasks
            .get(&result.service_tenant_id)
            .filter(|task| task.is_open() && !filter.task.is_empty())?
            .assignment
            .due;
        due.map(Reverse)
    };
    rows.sort_by_cached_key(|result| (Reverse(due(result)), place(result.status), result.tenant_name.to_lowercase()));
    rows
}

fn place(status: Status) -> usize {
    let worst_first = [Status::Drifted, Status::Open, Status::InProgress, Status::NotAssessed];
    worst_first.iter().position(|worse| status == *worse).unwrap_or(worst_first.len())
}

#[cfg(test)]
mod tests {
    use model::ControlsRollup;

    use super::*;

    fn control(id: &str, severity: Option<Severity>, open: u32, not_assessed: u32) -> FleetControl {
        let control = store::Control {
            control_id: id.parse().unwrap(),
            name: format!("Name of {id}"),
            category: Category::Accounts,
            severity,
        };
        let tenants = ControlsRollup { open, not_assessed, ..ControlsRollup::default() };
        FleetControl { tool: "ScubaGear".to_owned(), control, tenants, accepted: 0 }
    }

    fn shown(query: &[(&str, &str)]) -> String {
        let accepted = FleetControl { accepted: 3, ..control("e", None, 3, 0) };
        let controls = [
            accepted,
            control("a", Some(Severity::Low), 2, 0),
            control("b", None, 3, 0),
            control("c", Some(Severity::High), 2, 9),
            control("d", Some(Severity::High), 0, 1),
        ];
        let mut filter = Filter::default();
        for (name, value) in query {
            match *name {
                "status" => filter.status = (*value).to_owned(),
                "severity" => filter.severity = (*value).to_owned(),
                "category" => filter.category = (*value).to_owned(),
                "tool" => filter.tool = (*value).to_owned(),
                _ => filter.q = (*value).to_owned(),
            }
        }
        arranged(&controls, &filter).iter().map(|row| row.control.control_id.as_str()).collect()
    }

    #[test]
    fn the_worst_control_comes_first_among_those_of_the_filter() {
        assert_eq!(shown(&[]), "bcade", "an accepted risk needs no action");
        assert_eq!(shown(&[("status", "NOT_ASSESSED")]), "cd");
        assert_eq!(shown(&[("severity", "HIGH"), ("status", "OPEN")]), "c");
        assert_eq!(shown(&[("category", "EXCHANGE")]), "");
        assert_eq!(shown(&[("category", "nonsense")]), "bcade");
        assert_eq!((shown(&[("tool", "Maester")]), shown(&[("q", "OF d")])), (String::new(), "d".to_owned()));
    }

    #[test]
    fn a_filter_stays_in_the_address() {
        let filter = Filter { tool: "A&B".to_owned(), q: "x y".to_owned(), ..Filter::default() };
        assert_eq!(filter.query(), "?tool=A%26B&q=x%20y");
        assert_eq!(Filter::of_query(&filter.query()).unwrap().query(), filter.query());
        assert_eq!(Filter::default().query(), "");
    }
}
