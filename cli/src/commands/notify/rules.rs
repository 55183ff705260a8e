//! The options for the rules of a target.

use std::collections::BTreeSet;

use clap::Args;
use model::{Choice, EventKind, EventRules, Label, QuietTimes, Severity, Wire};
use store::Organization;

use crate::lookup;

#[derive(Debug, Args)]
pub(super) struct Rules {
    /// Only events of these kinds, such as control.drifted
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = choice::<EventKind>)]
    kinds: Vec<EventKind>,
    /// Of events about a control, only those of this severity and above
    #[arg(long, value_name = "SEVERITY", value_parser = choice::<Severity>)]
    severity: Option<Severity>,
    /// Of events about a report, only those of these tools, such as ScubaGear
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    tools: Vec<String>,
    /// Only events of these tenants, each by its identifier, its provider identifier or its name
    #[arg(long = "tenant", value_name = "TENANT")]
    tenants: Vec<String>,
    /// Only events of tenants with one of these labels
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<Label>,
    /// Hours (UTC) and days of the week in which nothing is sent, such as 20-07,sat,sun; it is sent afterwards
    #[arg(long, value_name = "TIMES")]
    quiet: Option<QuietTimes>,
}

impl Rules {
    pub(super) fn are_given(&self) -> bool {
        let Self { kinds, severity, tools, tenants, labels, quiet } = self;
        let is_limited = severity.is_some() || quiet.is_some();
        is_limited || !(kinds.is_empty() && tools.is_empty() && tenants.is_empty() && labels.is_empty())
    }

    /// Returns the rules.
    ///
    /// # Errors
    /// If there is no such tenant, or the store fails.
    pub(super) async fn of(self, organization: &Organization) -> anyhow::Result<EventRules> {
        let Self { kinds, severity, tools, tenants: named, labels, quiet } = self;
        let mut tenants = BTreeSet::new();
        for name in named {
            tenants.insert(lookup::tenant(organization, &name).await?.service_tenant_id);
        }
        let (kinds, tools, labels) =
            (kinds.into_iter().collect(), tools.into_iter().collect(), labels.into_iter().collect());
        Ok(EventRules { kinds, severity, tools, tenants, labels, quiet: quiet.unwrap_or_default() })
    }
}

/// Returns the known value with a name on the wire, in any case.
pub(super) fn choice<T: Choice>(name: &str) -> Result<T, String> {
    let known = T::KNOWN.iter().find(|value| Wire(**value).to_string().eq_ignore_ascii_case(name));
    known.copied().ok_or_else(|| {
        let names: Vec<_> = T::KNOWN.iter().map(|value| Wire(*value).to_string()).collect();
        format!("must be one of {}", names.join(", "))
    })
}
