//! The data behind the sample events: `events/data.json`, written through the store.

use std::collections::BTreeMap;
use std::error::Error;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use chrono::NaiveDate;
use local::Engine;
use model::{Admin, ApiKey};
use model::{BillableUser, OrganizationId, ReportBody, ReportId, TenantListItem, Timestamp, UsageTenant};
use serde::Deserialize;
use store::{AdminWriter, NewReport, Organization, OrganizationRecord, Store, TenantRecord};

/// Name of the table.
pub(crate) const TABLE: &str = "posture";

const DATA: &str = include_str!("../../../events/data.json");
/// The tool of every sample report.
const TOOL: &str = "sample";

/// Any failure: the data is ours, so none is expected.
pub(crate) type BoxError = Box<dyn Error + Send + Sync>;

#[derive(Deserialize)]
struct Data {
    organizations: Vec<OrganizationData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationData {
    organization_id: OrganizationId,
    name: String,
    api_key: String,
    created_at: Timestamp,
    tenants: Vec<TenantData>,
    usage: Vec<UsageData>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TenantData {
    #[serde(flatten)]
    tenant: TenantListItem,
    removed_at: Option<Timestamp>,
    reports: Vec<ReportData>,
    billable_users: Option<UsersData>,
}

#[derive(Deserialize)]
struct ReportData {
    id: ReportId,
    #[serde(flatten)]
    body: ReportBody,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsersData {
    generated_at: Timestamp,
    users: Vec<BillableUser>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsageData {
    as_of: NaiveDate,
    generated_at: Timestamp,
    tenants: Vec<UsageTenant>,
}

/// Writes all data to an engine, and returns its store.
///
/// # Errors
/// If the data is malformed or the engine fails.
pub(crate) async fn write(engine: &Engine) -> Result<Store, BoxError> {
    let store = engine.store(TABLE).await?;
    let data: Data = serde_json::from_str(DATA)?;
    for organization in data.organizations {
        write_organization(&store, engine.client(), organization).await?;
    }
    Ok(store)
}

async fn write_organization(store: &Store, client: &Client, data: OrganizationData) -> Result<(), BoxError> {
    let record = OrganizationRecord {
        usage_plan_key: format!("sample-usage-plan-key-of-{}", data.organization_id),
        organization_id: data.organization_id,
        name: data.name,
        created_at: data.created_at,
    };
    store.as_operator().create_organization(&record).await?;
    write_key(client, &record, &data.api_key).await?;
    let organization = store.organization(&record.organization_id);
    for tenant in data.tenants {
        write_tenant(&organization, tenant).await?;
    }
    for day in data.usage {
        by_operator(&organization, day.generated_at).record_usage(day.as_of, &day.tenants).await?;
    }
    Ok(())
}

/// Writes the look-up of a key with a known text: the store creates only random ones.
async fn write_key(client: &Client, record: &OrganizationRecord, key: &str) -> Result<(), BoxError> {
    let key: ApiKey = key.parse()?;
    let id = format!("key_of_{}", record.organization_id);
    let item = [
        ("pk", format!("KEY#{}", key.hash().as_str())),
        ("sk", "KEY".to_owned()),
        ("organizationId", record.organization_id.to_string()),
        ("keyId", id),
        ("usagePlanKey", record.usage_plan_key.clone()),
    ];
    let mut request = client.put_item().table_name(TABLE);
    for (name, value) in item {
        request = request.item(name, AttributeValue::S(value));
    }
    request.send().await?;
    Ok(())
}

async fn write_tenant(organization: &Organization, data: TenantData) -> Result<(), BoxError> {
    let id = &data.tenant.service_tenant_id;
    let name = data.tenant.name.parse()?;
    let writer = by_operator(organization, data.tenant.onboarding_date);
    writer.add_tenant(id.clone(), name, data.tenant.provider_tenant_id).await?;
    writer.pause_tenant(id, data.tenant.is_paused).await?;
    for report in data.reports {
        let tenant = organization.tenant(id).await?.ok_or("the tenant was just added")?;
        add_report(organization, &tenant, report).await?;
    }
    if let Some(recorded) = data.billable_users {
        by_operator(organization, recorded.generated_at).record_billable_users(id, &recorded.users).await?;
    }
    if let Some(at) = data.removed_at {
        by_operator(organization, at).remove_tenant(id).await?;
    }
    Ok(())
}

async fn add_report(organization: &Organization, tenant: &TenantRecord, data: ReportData) -> Result<(), BoxError> {
    let ReportData { id, body } = &data;
    let new = NewReport { id, tenant, tool: TOOL, body, revisions: &BTreeMap::new(), content: None };
    by_operator(organization, body.figures.completed_at).add_report(new).await?;
    Ok(())
}

fn by_operator(organization: &Organization, at: Timestamp) -> AdminWriter {
    organization.by_admin(&Admin::operator(), at)
}
