//! Generated reports, and an organization that has them.

mod report;

use std::collections::BTreeMap;
use std::error::Error;

use chrono::TimeDelta;
use model::{
    Admin, OrganizationId, PostureReport, ReportBody, ReportHead, ReportId, ReportTenant, ServiceTenantId, Timestamp,
};
use serde_json::{Value, json};
use store::{AdminWriter, NewReport, Organization, OrganizationRecord, Store};

pub(crate) use report::body;

/// Name of the table.
pub(crate) const TABLE: &str = "posture";
/// Number of reports in the large response.
pub(crate) const REPORTS: u64 = 500;
/// Address of the dashboard.
pub(crate) const DASHBOARD: &str = "https://dashboard.example.com";

/// A request of the reports that accepts gzip.
const EVENT: &str = include_str!("../../../../events/posture-reports/gzip.json");

/// Any failure ends a benchmark.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

/// Makes an organization.
pub(crate) async fn add_organization(store: &Store, id: &OrganizationId) -> Result<Organization, BoxError> {
    let record = OrganizationRecord {
        organization_id: id.clone(),
        name: "Organization".to_owned(),
        usage_plan_key: format!("usage-plan-key-of-{id}"),
        created_at: minute(0),
    };
    store.as_operator().create_organization(&record).await?;
    Ok(store.organization(id))
}

/// Returns an organization's changes, by the operator.
pub(crate) fn by_operator(organization: &Organization, at: Timestamp) -> AdminWriter {
    organization.by_admin(&Admin::operator(), at)
}

/// Adds a tenant that has the report of its number.
pub(crate) async fn add_tenant(organization: &Organization, number: u64) -> Result<(), BoxError> {
    add_bare_tenant(organization, number).await?;
    add_report(organization, &tenant_id(number), number).await
}

/// Adds a tenant without reports.
pub(crate) async fn add_bare_tenant(organization: &Organization, number: u64) -> Result<(), BoxError> {
    let (name, provider_id) = (tenant_name(number).parse()?, provider_id(number).parse()?);
    by_operator(organization, minute(0)).add_tenant(tenant_id(number), name, provider_id).await?;
    Ok(())
}

/// Adds the report of a number to a tenant.
pub(crate) async fn add_report(
    organization: &Organization,
    tenant: &ServiceTenantId,
    number: u64,
) -> Result<(), BoxError> {
    add_body(organization, tenant, number, &body(number, minute(number))).await
}

/// Adds a report to a tenant, with the identifier of a number.
pub(crate) async fn add_body(
    organization: &Organization,
    tenant: &ServiceTenantId,
    number: u64,
    body: &ReportBody,
) -> Result<(), BoxError> {
    let tenant = organization.tenant(tenant).await?.ok_or("the tenant was just added")?;
    let report = NewReport {
        id: &report_id(number),
        tenant: &tenant,
        tool: "bench",
        body,
        revisions: &BTreeMap::new(),
        content: None,
    };
    by_operator(organization, body.figures.completed_at).add_report(report).await?;
    Ok(())
}

/// Returns the report of a number, as the API returns it.
pub(crate) fn report(number: u64) -> PostureReport {
    let (id, tenant) = (report_id(number), tenant_id(number));
    let head = ReportHead {
        url: format!("{DASHBOARD}/tenants/{tenant}/reports/{id}"),
        id,
        tenant: ReportTenant {
            service_tenant_id: tenant,
            name: tenant_name(number),
            provider_tenant_id: provider_id(number).parse().expect("a provider id"),
        },
    };
    PostureReport { head, body: body(number, minute(number)) }
}

/// Returns an event that asks for an organization's reports in gzip.
pub(crate) fn event(organization: &OrganizationId, query: &[(&str, &str)]) -> Result<String, BoxError> {
    let mut event: Value = serde_json::from_str(EVENT)?;
    event["requestContext"]["authorizer"]["organizationId"] = json!(organization);
    event["queryStringParameters"] = query.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    event["multiValueQueryStringParameters"] =
        query.iter().map(|(name, value)| ((*name).to_owned(), json!([value]))).collect();
    Ok(event.to_string())
}

/// Returns the identifier of a tenant. All are equally long.
pub(crate) fn tenant_id(number: u64) -> ServiceTenantId {
    format!("ten_{number:08}").parse().expect("a tenant id")
}

/// Returns the name of a tenant. All are equally long.
pub(crate) fn tenant_name(number: u64) -> String {
    format!("Tenant {number:08}")
}

/// Returns the identifier of a tenant with its provider.
pub(crate) fn provider_id(number: u64) -> String {
    format!("ca08493a-c9c8-4db0-a9e8-{number:012}")
}

/// Returns the identifier of a report. All are equally long.
pub(crate) fn report_id(number: u64) -> ReportId {
    format!("rpt_{number:08}").parse().expect("a report id")
}

/// Returns when the report of a number was completed: one per minute.
pub(crate) fn minute(number: u64) -> Timestamp {
    let first: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a moment");
    let moment = first.to_datetime() + TimeDelta::minutes(i64::try_from(number).expect("a number of minutes"));
    moment.try_into().expect("a moment")
}
