//! The documents of many reports: which they are, and what became of their reports while they were made.

use std::collections::{BTreeMap, HashMap};

use futures_util::TryStreamExt;
use model::{Label, OrganizationId, ReportId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Organization, StoreError, Which};

use super::Choice;
use super::names::FileName;

const REMOVED: &str = "The tenant was removed.";
const DELETED: &str = "The report was deleted.";

/// Documents that are made with the same choice. The list stays as it was at the beginning, however long they take.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The organization.
    pub organization_id: OrganizationId,
    /// Which reports have a document.
    pub which: Which,
    /// The options of all documents.
    pub choice: Choice,
    /// The documents, by tenant and tool.
    pub documents: Vec<Planned>,
}

/// A document that is to be made.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// Name of the file, unlike that of every other document.
    pub file: String,
    /// The report.
    pub report_id: ReportId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Name of the tenant.
    pub tenant_name: String,
    /// When the report was completed.
    pub completed_at: Timestamp,
    /// State of the report, which an edit changes.
    state: String,
}

/// A report, compared with its state when its document was planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nothing: the document is as it would be made now.
    Same,
    /// The report was edited, or the tenant renamed.
    Changed,
    /// There is none anymore, for this reason.
    Gone(&'static str),
}

impl Plan {
    /// Plans the documents of an organization's reports.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn of(organization: &Organization, which: Which, choice: Choice) -> Result<Self, StoreError> {
        let tenants = names(organization, which.label.as_ref()).await?;
        let newest = organization.newest_of_tools().await?.into_iter();
        let newest = newest.filter(|report| which.since.is_none_or(|since| report.figures.created_at > since));
        let planned = newest.filter_map(|report| {
            let tenant = tenants.get(&report.service_tenant_id)?;
            let (tool, completed) = (report.tool.as_str(), report.figures.completed_at);
            Some(Planned {
                file: FileName { tenant, tool, completed, kind: choice.kind }.in_own_script(),
                state: report.state(),
                completed_at: completed,
                report_id: report.report_id,
                service_tenant_id: report.service_tenant_id,
                tenant_name: tenant.clone(),
            })
        });
        let mut documents: Vec<_> = planned.collect();
        documents.sort_by(|a, b| (&a.file, &a.report_id).cmp(&(&b.file, &b.report_id)));
        distinguish(&mut documents);
        Ok(Self { organization_id: organization.id().clone(), which, choice, documents })
    }

    /// Returns what became of each document's report since it was planned, in the order of the documents.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn since(&self, organization: &Organization) -> Result<Vec<Since>, StoreError> {
        let tenants = names(organization, None).await?;
        let newest = organization.newest_of_tools().await?.into_iter();
        let newest: HashMap<_, _> = newest.map(|report| (report.report_id.clone(), report.state())).collect();
        let mut since = Vec::new();
        for planned in &self.documents {
            let state = match newest.get(&planned.report_id) {
                Some(state) => Some(state.clone()),
                // Not the newest of its tool anymore.
                None => organization.report(&planned.report_id).await?.map(|report| report.summary.state()),
            };
            since.push(match (tenants.get(&planned.service_tenant_id), state) {
                (None, _) => Since::Gone(REMOVED),
                (_, None) => Since::Gone(DELETED),
                (Some(name), Some(state)) if *name == planned.tenant_name && state == planned.state => Since::Same,
                _ => Since::Changed,
            });
        }
        Ok(since)
    }
}

/// Returns the names of tenants: all, or those with a label.
async fn names(
    organization: &Organization,
    label: Option<&Label>,
) -> Result<BTreeMap<ServiceTenantId, String>, StoreError> {
    let tenants: Vec<_> = organization.tenants().try_concat().await?;
    let chosen = tenants.into_iter().filter(|tenant| label.is_none_or(|label| tenant.labels.contains(label)));
    Ok(chosen.map(|tenant| (tenant.service_tenant_id, tenant.name)).collect())
}

/// Adds the report's identifier to names that several documents have. Other names contain no underscore.
fn distinguish(documents: &mut [Planned]) {
    for same in documents.chunk_by_mut(|a, b| a.file == b.file).filter(|same| same.len() > 1) {
        for planned in same {
            let name = planned.file.trim_end_matches(".pdf");
            planned.file = format!("{name}-{}.pdf", planned.report_id);
        }
    }
}
