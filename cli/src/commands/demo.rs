//! `posture serve --demo`: a sample organization, created by the same operations as a real one.

use std::fmt::Write;
use std::net::SocketAddr;

use anyhow::Context;
use assessments::{TRIAL_DAYS, Terms};
use chrono::TimeDelta;
use futures_util::TryStreamExt;
use local::stand_in::Tenant;
use local::{LOCAL_IDENTITIES, LocalPerson, PEOPLE};
use model::{
    Actor, ApiKey, Every, Hours, IdentityHash, OrganizationId, ProviderTenantId, Role, Schedule, ServiceTenantId,
    Timestamp,
};
use operations::import::{Options, import_run};
use operations::usage::{self, Figures};
use operations::{billable_users, organizations, rows};
use store::{Organization, OrganizationError, Person, Store, TenantRecord};

use super::demo_exports;
use crate::arguments::now;
use crate::connection::by_operator;

pub(super) const ORGANIZATION_ID: &str = "org_demo";
const ORGANIZATION_NAME: &str = "Demo Managed Services";
const SECOND_ID: &str = "org_demo_2";
const SECOND_NAME: &str = "Second Demo Services";
const KEY_DESCRIPTION: &str = "posture serve --demo";

/// A tenant of the demo.
struct DemoTenant {
    name: &'static str,
    provider_id: &'static str,
    onboarded_days_ago: i64,
    paused: bool,
    runs: &'static [DemoRun],
    licensed_users: u32,
    billable_users: u32,
    /// All users, in the form that `posture billable-users record` reads.
    users: Option<&'static str>,
}

/// A run of a tool.
struct DemoRun {
    /// The tool's result file.
    file: &'static str,
    days_ago: i64,
    /// The tenant's exports at its end, as [`demo_exports`] reads them.
    exports: Option<&'static str>,
}

const TENANTS: [DemoTenant; 3] = [
    DemoTenant {
        name: "Harbour Dental Group",
        provider_id: "3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411",
        onboarded_days_ago: 120,
        paused: false,
        runs: &[
            DemoRun { file: include_str!("../../demo/harbour-dental-baseline.json"), days_ago: 110, exports: None },
            DemoRun {
                file: include_str!("../../demo/harbour-dental-follow-up.json"),
                days_ago: 9,
                exports: Some(include_str!("../../demo/harbour-dental-exports.json")),
            },
        ],
        licensed_users: 4,
        billable_users: 4,
        users: Some(include_str!("../../demo/harbour-dental-users.json")),
    },
    DemoTenant {
        name: "Lindqvist Architects",
        provider_id: "8c1d2f7a-0e43-4b6f-a1f9-5b3e64d2c822",
        onboarded_days_ago: 95,
        paused: false,
        runs: &[
            DemoRun {
                file: include_str!("../../demo/lindqvist-architects-baseline.json"),
                days_ago: 90,
                exports: None,
            },
            DemoRun {
                file: include_str!("../../demo/lindqvist-architects-follow-up.json"),
                days_ago: 6,
                exports: Some(include_str!("../../demo/lindqvist-architects-exports.json")),
            },
        ],
        licensed_users: 3,
        billable_users: 3,
        users: Some(include_str!("../../demo/lindqvist-architects-users.json")),
    },
    DemoTenant {
        name: "Oakfield Community Trust",
        provider_id: "d94e8a35-7b10-4f2d-8e6c-19a05c7f3d33",
        onboarded_days_ago: 60,
        paused: true,
        runs: &[DemoRun {
            file: include_str!("../../demo/oakfield-trust-baseline.json"),
            days_ago: 55,
            exports: Some(include_str!("../../demo/oakfield-trust-exports.json")),
        }],
        licensed_users: 12,
        billable_users: 0,
        users: None,
    },
];

/// Returns the demo's tenants as the stand-in for Microsoft Graph has them.
pub(super) fn collectable() -> anyhow::Result<Vec<Tenant>> {
    let tenants = TENANTS.iter().map(|demo| {
        let users = usize::try_from(demo.licensed_users)?;
        Ok(Tenant::new(demo.provider_id.parse()?, demo.name, users))
    });
    tenants.collect()
}

/// Number of days before today with a usage snapshot.
const SNAPSHOTS: [i64; 2] = [30, 0];

/// The demo organization with its data.
pub(super) struct Demo {
    key: ApiKey,
    tenant: Option<ServiceTenantId>,
}

impl Demo {
    /// Returns the key, and requests to paste into a shell.
    pub(super) fn invitation(&self, api: SocketAddr) -> String {
        let key = self.key.reveal();
        let mut text =
            format!("\nOrganization {ORGANIZATION_ID} is ready to try. Every start creates a new key.\nkey: {key}\n\n");
        let lists = ["/v1/tenants", "/v1/posture-reports", "/v1/report-summaries", "/v1/usage"];
        let mut paths = lists.map(str::to_owned).to_vec();
        if let Some(tenant) = &self.tenant {
            paths.push(format!("/v1/posture-reports?tenantId={tenant}&latestOnly=false"));
            paths.push(format!("/beta/billable-users?tenantId={tenant}"));
        }
        // Writing to a string cannot fail.
        for path in &paths {
            // The shells of Windows understand only double quotes.
            let _ = writeln!(text, "curl -sS -H \"Authorization: Bearer {key}\" \"http://{api}{path}\"");
        }
        let _ = writeln!(text, "\nFor the examples of the guides:\nexport BASE_URL=http://{api} API_KEY={key}");
        let _ = writeln!(text, "\nIn PowerShell:\n$headers = @{{ Authorization = \"Bearer {key}\" }}");
        for path in &paths {
            let _ = writeln!(text, "Invoke-RestMethod -Headers $headers \"http://{api}{path}\"");
        }
        text
    }
}

/// Creates the demo organizations and their members unless they exist, and creates a key for the first one.
pub(super) async fn ready(store: &Store) -> anyhow::Result<Demo> {
    let id: OrganizationId = ORGANIZATION_ID.parse()?;
    let organization = store.organization(&id);
    if organization.record().await?.is_none() {
        // An interrupted start can leave data without the organization itself.
        if let Err(OrganizationError::Store(error)) = store.as_operator().delete_organization(&id).await {
            return Err(error.into());
        }
        seed(&organization).await.context("the demo organization is not complete")?;
        organizations::create(store, id.clone(), ORGANIZATION_NAME.parse()?, now()).await?;
        store.as_operator().collect_results(&id).await?;
    }
    let tenants: Vec<_> = organization.tenants().try_concat().await?;
    let tenant = tenants.into_iter().next().map(|tenant| tenant.service_tenant_id);
    let second: OrganizationId = SECOND_ID.parse()?;
    if store.organization(&second).record().await?.is_none() {
        organizations::create(store, second.clone(), SECOND_NAME.parse()?, now()).await?;
    }
    let members = [(organization.clone(), Role::Admin), (organization.clone(), Role::FullMember)];
    let members = members.into_iter().chain([(store.organization(&second), Role::Admin)]);
    for (person, (organization, role)) in PEOPLE.into_iter().zip(members) {
        join(store, &organization, role, person).await?;
    }
    Ok(Demo { key: fresh_key(&organization).await?, tenant })
}

/// Makes a person of the local issuer a member, as if they had accepted an invitation.
pub(super) async fn join(
    store: &Store,
    organization: &Organization,
    role: Role,
    person: LocalPerson,
) -> anyhow::Result<()> {
    let identity = IdentityHash::of(LOCAL_IDENTITIES, person.subject);
    if !store.memberships(&identity).await?.is_empty() {
        return Ok(());
    }
    let (secret, _) = by_operator(organization).invite(role, None).await?;
    let person = Person { identity, name: person.name.to_owned(), email: Some(person.email.to_owned()) };
    store.accept_invitation(&secret, person, now()).await?;
    Ok(())
}

/// Replaces the previous start's key, whose text is not stored.
async fn fresh_key(organization: &Organization) -> anyhow::Result<ApiKey> {
    let writer = by_operator(organization);
    for earlier in organization.keys().await? {
        if earlier.description.as_deref() == Some(KEY_DESCRIPTION) {
            writer.delete_key(&earlier.key_id).await?;
        }
    }
    Ok(writer.create_key(Some(KEY_DESCRIPTION.parse()?)).await?.key)
}

async fn seed(organization: &Organization) -> anyhow::Result<()> {
    let schedule = Schedule { every: Every::Day, between: Hours::default(), since: now() };
    by_operator(organization).set_schedule(None, Some(schedule)).await?;
    let mut tenants = Vec::new();
    for demo in &TENANTS {
        tenants.push((demo, add(organization, demo).await?));
    }
    for days_ago in SNAPSHOTS {
        let as_of = days_before_now(days_ago).date();
        let rows = tenants.iter().map(|(demo, tenant)| usage::on_day(tenant, as_of, figures(demo, tenant)));
        by_operator(organization).record_usage(as_of, &rows.collect::<Vec<_>>()).await?;
    }
    Ok(())
}

async fn add(organization: &Organization, demo: &DemoTenant) -> anyhow::Result<TenantRecord> {
    let provider_id: ProviderTenantId = demo.provider_id.parse()?;
    let actor = Actor::operator();
    let onboarded = days_before_now(demo.onboarded_days_ago);
    let tenant = organization.by(&actor, onboarded);
    let tenant = tenant.add_tenant(ServiceTenantId::generate(onboarded), demo.name.parse()?, provider_id).await?;
    for run in demo.runs {
        import(organization, run).await?;
    }
    if let Some(users) = demo.users {
        let rows = rows::read([("the demo's users".to_owned(), users.as_bytes().to_vec())])?;
        billable_users::record(organization, &actor, &tenant, billable_users::of_rows(rows)?, now()).await?;
    }
    Ok(by_operator(organization).pause_tenant(&tenant.service_tenant_id, demo.paused).await?)
}

/// Imports a result file with the tenant's exports, as if its run had been some days ago.
async fn import(organization: &Organization, demo: &DemoRun) -> anyhow::Result<()> {
    let end = days_before_now(demo.days_ago);
    let exports = demo.exports.map(|exports| demo_exports::read(exports, end)).transpose()?;
    let result = assessments::read(&demo.file.as_bytes())?;
    let mut combined = assessments::combine([result].into_iter().chain(exports.unwrap_or_default()));
    for run in &mut combined.runs {
        run.started = Some(end);
        run.completed = Some(end);
    }
    combined.review_admins(None);
    for run in &combined.runs {
        import_run(organization, &Actor::operator(), run, &Options::at(now())).await?;
    }
    Ok(())
}

fn figures(demo: &DemoTenant, tenant: &TenantRecord) -> Figures {
    let terms = Terms {
        onboarding_date: tenant.onboarding_date.date(),
        trial_days: TRIAL_DAYS,
        is_paused: tenant.is_paused,
        is_not_for_resale: false,
    };
    Figures {
        total_licensed_users: demo.licensed_users,
        billable_users_this_month: demo.billable_users,
        prorating_percentage_this_month: if tenant.is_paused { 0.0 } else { 100.0 },
        first_billable_date: terms.first_billable_date(),
        billable_status: None,
    }
}

fn days_before_now(days: i64) -> Timestamp {
    let moment = now().to_datetime() - TimeDelta::days(days);
    moment.try_into().expect("a few days before now are within the years 0 to 9999")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Collects the names of controls in a result file.
    fn names(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| names(item, found)),
            Value::Object(fields) => {
                found.extend(fields.get("Requirement").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|field| names(field, found));
            }
            _ => {}
        }
    }

    #[test]
    fn names_of_controls_say_what_should_be_so_that_no_state_contradicts_them() {
        let mut found = Vec::new();
        for run in TENANTS.iter().flat_map(|tenant| tenant.runs) {
            names(&serde_json::from_str(run.file).unwrap(), &mut found);
        }
        let statements: Vec<_> = found.iter().filter(|name| !name.contains(" should ")).collect();
        assert_eq!((found.len(), statements), (122, vec![]));
    }
}
