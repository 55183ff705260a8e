//! `posture tenant show`.

use std::collections::HashSet;

use anyhow::Context;
use model::{Label, TenantListItem};
use serde::Serialize;
use store::Selection;

use super::one::OneTenant;
use crate::commands::report::{Listed, MOST, listing};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::plain;

/// A tenant with the newest report of each of its tools.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(flatten)]
    tenant: TenantListItem,
    /// Newest first.
    newest_reports: Vec<Listed>,
    total_reports: usize,
}

pub(super) async fn run(tenant: &OneTenant, session: &Session) -> anyhow::Result<Exit> {
    const NOT_SHOWN: &str = "the tenant cannot be shown";
    let (organization, tenant) = tenant.find(session).await.context(NOT_SHOWN)?;
    let history = organization.select(Selection::history(MOST).of(tenant.clone())).listed().await.context(NOT_SHOWN)?;
    let total_reports = history.len();
    let mut tools = HashSet::new();
    let newest = history.into_iter().filter(|report| tools.insert(report.summary.tool.clone()));
    let newest_reports = newest.map(Listed::from).collect();
    session.output.show(&Shown { tenant: tenant.into(), newest_reports, total_reports }, readable)?;
    Ok(Exit::Done)
}

fn readable(shown: &Shown) -> String {
    let tenant = &shown.tenant;
    let state = if tenant.is_paused { "paused, so it has no billable users" } else { "active" };
    let labels = match tenant.labels.as_slice() {
        [] => String::new(),
        labels => format!("\nLabels          {}", labels.iter().map(Label::as_str).collect::<Vec<_>>().join(", ")),
    };
    let reports = match shown.newest_reports.as_slice() {
        [] => "\nThe tenant has no report yet; `posture report import` creates one.".to_owned(),
        newest => format!(", the newest of each tool:\n{}", listing(newest)),
    };
    format!(
        "Tenant          {}\nName            {}\nProvider tenant {}\nOnboarded       {}\nState           {state}{labels}\nReports         {}{reports}",
        tenant.service_tenant_id,
        plain(&tenant.name),
        tenant.provider_tenant_id,
        tenant.onboarding_date,
        shown.total_reports,
    )
}
