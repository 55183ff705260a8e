//! An organization that is written to under faults: every write of it, and whether it is done.

use std::ops::Deref;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt};
use model::{BillableUser, OrganizationId, ReportBody, UsageTenant};
use serde::Deserialize;
use serde_json::Value;
use store::{
    AdminWriter, AuditAction, EditError, KeyError, Moved, NewReport, Organization, OrganizationError,
    OrganizationRecord, ReportError, Store, StoreError, TenantError, TenantRecord, ToolTrend, WeekTrend,
};

use super::FaultyStore;
use crate::formats::Item;
use crate::support::{TODAY, TestApp, add_tenant, baseline_report, by_operator, follow_up_report, later, tenant, time};

/// The tenant that is written to; the service of the tests gives its first one this name.
pub(super) const TENANT: &str = "ten_a1";

/// The organization that is written to, and its store.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) store: Store,
    organization: Organization,
}

/// An organization, with everything that a write under faults needs.
pub(super) trait Subject: Clone {
    /// Whether the audit trail has every write of it.
    const IS_RECORDED: bool = false;

    /// Returns a new one.
    fn prepared(store: &Store) -> impl Future<Output = Self>;

    /// Returns the same one over another connection.
    fn over(&self, faulty: &FaultyStore) -> Self;

    /// Returns its organization.
    fn target(&self) -> &Target;
}

impl Subject for Target {
    /// Returns an organization with data of every kind.
    async fn prepared(store: &Store) -> Self {
        let id = OrganizationId::generate(time("2026-01-01T00:00:00Z"));
        let record = OrganizationRecord {
            organization_id: id.clone(),
            name: "Organization".to_owned(),
            usage_plan_key: "usage-plan-key".to_owned(),
            created_at: time("2026-01-01T00:00:00Z"),
        };
        store.as_operator().create_organization(&record).await.unwrap();
        let organization = store.organization(&id);
        by_operator(&organization, record.created_at).create_key(None).await.unwrap();
        for tenant in [tenant(&TENANT.parse().unwrap(), "First"), tenant(&"ten_2".parse().unwrap(), "Second")] {
            add(&organization, &tenant).await.unwrap();
        }
        let target = Self { store: store.clone(), organization };
        target.put_report("rpt_1", baseline_report("2026-06-01T00:00:00.000Z")).await.unwrap();
        target.put_report("rpt_2", follow_up_report("2026-06-02T00:00:00.000Z")).await.unwrap();
        target
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self { organization: faulty.store.organization(self.id()), store: faulty.store.clone() }
    }

    fn target(&self) -> &Target {
        self
    }
}

/// An organization with earlier recordings, which are others than those of the writes.
#[derive(Clone)]
pub(super) struct Recorded(pub(super) Target);

impl Subject for Recorded {
    async fn prepared(store: &Store) -> Self {
        let target = Target::prepared(store).await;
        record_usage_of(target.clone(), &[TENANT]).await.unwrap();
        record_so_many_users(target.clone(), 2).await.unwrap();
        Self(target)
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self(self.0.over(faulty))
    }

    fn target(&self) -> &Target {
        &self.0
    }
}

impl Target {
    /// Returns the items in the organization's partition.
    pub(super) async fn items(&self, app: &TestApp) -> Vec<Item> {
        let own = AttributeValue::S(format!("ORG#{}", self.id()));
        let query = app.engine.client().query().table_name("posture").key_condition_expression("pk = :own");
        let items = query.expression_attribute_values(":own", own).into_paginator().items().send();
        items.collect::<Result<Vec<_>, _>>().await.unwrap().into_iter().map(Item).collect()
    }

    pub(super) async fn put_report(&self, id: &str, body: Value) -> Result<(), StoreError> {
        let tenant = self.tenant(&TENANT.parse().unwrap()).await?.unwrap();
        let body = ReportBody::deserialize(body).unwrap();
        let id = id.parse().unwrap();
        let revisions = Default::default();
        let (tenant, body, revisions) = (&tenant, &body, &revisions);
        let writer = by_operator(self, body.figures.completed_at);
        match writer.add_report(NewReport { id: &id, tenant, tool: "ScubaGear", body, revisions, content: None }).await
        {
            Ok(()) | Err(ReportError::Exists) => Ok(()),
            Err(ReportError::TenantChanged) => Err(StoreError::Contended("adding a report")),
            Err(ReportError::Store(error)) => Err(error),
            Err(ReportError::NotFound(_)) => panic!("it is added"),
        }
    }
}

impl Target {
    /// Returns whether the audit trail has exactly one entry of an action.
    async fn has_recorded_once(&self, action: AuditAction) -> bool {
        let (entries, _) = self.audit_trail(None, 1_000, later()).await.unwrap();
        entries.iter().filter(|entry| entry.action == action).count() == 1
    }

    pub(super) fn writer(&self) -> AdminWriter {
        by_operator(self, time("2026-07-01T00:00:00Z"))
    }
}

impl Deref for Target {
    type Target = Organization;

    fn deref(&self) -> &Organization {
        &self.organization
    }
}

/// Records data for the responses of two endpoints.
pub(super) async fn record_usage_and_users(app: &TestApp) {
    let target = Target { store: app.app.store.clone(), organization: app.org_a.organization.clone() };
    record_usage(target.clone()).await.unwrap();
    record_users(target).await.unwrap();
}

pub(super) async fn create_key(org: Target) -> Result<(), StoreError> {
    // A key whose creation was not confirmed exists completely or not at all; it is not created again here.
    if has_two_keys(org.clone()).await {
        return Ok(());
    }
    org.writer().create_key(None).await.map(drop).map_err(store_error)
}

pub(super) async fn has_two_keys(org: Target) -> bool {
    org.keys().await.is_ok_and(|keys| keys.len() == 2)
}

pub(super) async fn delete_key(org: Target) -> Result<(), StoreError> {
    for key in org.keys().await? {
        match org.writer().delete_key(&key.key_id).await {
            Err(KeyError::NotFound) => {}
            deleted => deleted.map_err(store_error)?,
        }
    }
    Ok(())
}

pub(super) async fn has_no_key(org: Target) -> bool {
    org.keys().await.unwrap().is_empty()
}

pub(super) async fn add_third_tenant(org: Target) -> Result<(), StoreError> {
    let third = tenant(&"ten_3".parse().unwrap(), "Third");
    done(add(&org, &third).await)
}

pub(super) async fn has_third_tenant(org: Target) -> bool {
    org.tenant(&"ten_3".parse().unwrap()).await.unwrap().is_some()
}

pub(super) async fn pause(org: Target) -> Result<(), StoreError> {
    done(org.writer().pause_tenant(&TENANT.parse().unwrap(), true).await)
}

pub(super) async fn is_paused(org: Target) -> bool {
    org.tenant(&TENANT.parse().unwrap()).await.unwrap().unwrap().is_paused
}

pub(super) async fn rename(org: Target) -> Result<(), StoreError> {
    done(org.writer().rename_tenant(&TENANT.parse().unwrap(), &"New name".parse().unwrap()).await)
}

pub(super) async fn is_renamed(org: Target) -> bool {
    let report = org.report(&"rpt_1".parse().unwrap()).await.unwrap().unwrap();
    let tenant = org.tenant(&TENANT.parse().unwrap()).await.unwrap().unwrap();
    report.tenant_name == "New name" && tenant.name == "New name"
}

pub(super) async fn remove(org: Target) -> Result<(), StoreError> {
    done(org.writer().remove_tenant(&TENANT.parse().unwrap()).await)
}

/// Returns whether the tenant is neither listed nor has anything that the steps of a removal delete.
pub(super) async fn is_removed(org: Target) -> bool {
    let items: Vec<_> = org.store.as_operator().items(org.id(), None, later()).try_concat().await.unwrap();
    let deleted = ["CORRECTION", "HISTORY", "TENANT"].map(|kind| format!("{kind}#{TENANT}"));
    let is_left = |position: &str| deleted.iter().any(|deleted| position.starts_with(deleted));
    !items.iter().any(|item| is_left(&item.position().unwrap()))
}

/// Erases a tenant with usage and a few users: many would only repeat the same calls.
pub(super) async fn erase(org: Target) -> Result<(), StoreError> {
    if org.tenant(&TENANT.parse().unwrap()).await?.is_some() {
        record_usage(org.clone()).await?;
        record_so_many_users(org.clone(), 2).await?;
    }
    done(org.writer().erase_tenant(&TENANT.parse().unwrap()).await)
}

pub(super) async fn is_erased(org: Target) -> bool {
    let id = TENANT.parse().unwrap();
    let usage = org.usage(TODAY).await.unwrap().unwrap().tenants.try_concat().await.unwrap();
    usage.len() == 1
        && org.tenant(&id).await.unwrap().is_none()
        && org.removed_tenant(&id).await.unwrap().is_none()
        && org.billable_users(&id).await.unwrap().is_none()
        && org.report(&"rpt_1".parse().unwrap()).await.unwrap().is_none()
        && org.has_recorded_once(AuditAction::TenantErased).await
}

/// Deletes a report of a tenant that is removed.
pub(super) async fn delete_removed(org: Target) -> Result<(), StoreError> {
    remove(org.clone()).await?;
    delete_report(org).await
}

pub(super) async fn has_deleted_removed(org: Target) -> bool {
    org.removed_report(&"rpt_2".parse().unwrap()).await.unwrap().is_none()
        && org.removed_report(&"rpt_1".parse().unwrap()).await.unwrap().is_some()
}

pub(super) async fn add_report(org: Target) -> Result<(), StoreError> {
    org.put_report("rpt_3", baseline_report("2026-06-03T00:00:00.000Z")).await
}

pub(super) async fn has_report(org: Target) -> bool {
    let latest = org.tenant(&TENANT.parse().unwrap()).await.unwrap().unwrap().latest;
    latest.is_some_and(|latest| latest.report_id.as_str() == "rpt_3")
}

pub(super) async fn add_trend(org: Target) -> Result<(), StoreError> {
    let service_tenant_id = TENANT.parse().unwrap();
    let moved = Moved { service_tenant_id, tenant_name: "First".to_owned(), before: 42, after: 91 };
    let of_tool = ToolTrend { tenants: 1, scores: 91, moved: vec![moved], ..ToolTrend::default() };
    let tools = [("ScubaGear".to_owned(), of_tool)].into();
    org.writer().add_trend(&WeekTrend { week: "2026-W27".parse().unwrap(), tools, version: 0 }).await.map(drop)
}

pub(super) async fn has_trend(org: Target) -> bool {
    org.trends("2026-W01".parse().unwrap()).await.unwrap().len() == 1
}

pub(super) async fn edit_report(org: Target) -> Result<(), StoreError> {
    let id = "rpt_2".parse().unwrap();
    let edit = |body: &mut ReportBody| {
        body.figures.score = 99;
        Ok::<_, StoreError>(())
    };
    match org.writer().edit_report(&id, edit).await {
        Ok(_) => Ok(()),
        Err(EditError::Store(error) | EditError::Refused(error, _)) => Err(error),
        Err(EditError::NotFound(_) | EditError::NothingToKeep(_)) => panic!("the report exists, and nothing is kept"),
    }
}

pub(super) async fn is_edited(org: Target) -> bool {
    let report = org.report(&"rpt_2".parse().unwrap()).await.unwrap().unwrap();
    report.summary.figures.score == 99 && report.open().unwrap().body.figures.score == 99
}

/// Deletes the newest report.
pub(super) async fn delete_report(org: Target) -> Result<(), StoreError> {
    match org.writer().delete_report(&"rpt_2".parse().unwrap()).await {
        Ok(()) | Err(ReportError::NotFound(_)) => Ok(()),
        Err(ReportError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

pub(super) async fn has_one_report(org: Target) -> bool {
    let latest = org.tenant(&TENANT.parse().unwrap()).await.unwrap().unwrap().latest;
    latest.is_some_and(|latest| latest.report_id.as_str() == "rpt_1")
        && org.report(&"rpt_2".parse().unwrap()).await.unwrap().is_none()
}

pub(super) async fn record_usage(org: Target) -> Result<(), StoreError> {
    record_usage_of(org, &[TENANT, "ten_2"]).await
}

async fn record_usage_of(org: Target, tenants: &[&str]) -> Result<(), StoreError> {
    let row = |id: &str| UsageTenant {
        service_tenant_id: id.parse().unwrap(),
        provider_tenant_id: "ca08493a-c9c8-4db0-a9e8-d3b4bafac269".parse().unwrap(),
        onboarding_date: TODAY,
        display_name: "Name".to_owned(),
        service: Default::default(),
        is_paused: false,
        first_billable_date: TODAY,
        billable_status: model::BillableStatus::Active,
        total_licensed_users: 2,
        billable_users_this_month: 1,
        prorating_percentage_this_month: 100.0,
    };
    let rows: Vec<_> = tenants.iter().copied().map(row).collect();
    org.writer().record_usage(TODAY, &rows).await
}

pub(super) async fn has_usage(org: Target) -> bool {
    let Some(usage) = org.usage(TODAY).await.unwrap() else { return false };
    usage.tenants.map(|page| page.unwrap().len()).fold(0, async |all, page| all + page).await == 2
}

pub(super) async fn record_users(org: Target) -> Result<(), StoreError> {
    record_so_many_users(org, 1_200).await
}

async fn record_so_many_users(org: Target, count: usize) -> Result<(), StoreError> {
    let user = BillableUser {
        id: "1".to_owned(),
        display_name: "Name".to_owned(),
        user_principal_name: "name@example.com".to_owned(),
        mail: String::new(),
        account_enabled: true,
        assigned_license_sku_ids: vec!["sku".to_owned()],
    };
    done(org.writer().record_billable_users(&TENANT.parse().unwrap(), &vec![user; count]).await)
}

pub(super) async fn has_users(org: Target) -> bool {
    let Some(users) = org.billable_users(&TENANT.parse().unwrap()).await.unwrap() else { return false };
    let count = |chunks: Vec<store::UsersChunk>| chunks.iter().map(|chunk| chunk.users).sum::<usize>();
    users.users.map(|page| count(page.unwrap())).fold(0, async |all, page| all + page).await == 1_200
}

/// Returns another organization, whose identifier is derived from the one that is written to.
fn other(org: &Target) -> OrganizationRecord {
    OrganizationRecord {
        organization_id: format!("{}_other", org.id()).parse().unwrap(),
        name: "Other".to_owned(),
        usage_plan_key: "other-usage-plan-key".to_owned(),
        created_at: time("2026-01-01T00:00:00Z"),
    }
}

pub(super) async fn create_other(org: Target) -> Result<(), StoreError> {
    match org.store.as_operator().create_organization(&other(&org)).await {
        Ok(()) | Err(OrganizationError::Exists(_)) => Ok(()),
        Err(OrganizationError::NotFound(_)) => panic!("it is created"),
        Err(OrganizationError::Store(error)) => Err(error),
    }
}

pub(super) async fn has_other(org: Target) -> bool {
    let record = org.store.organization(&other(&org).organization_id).record().await.unwrap();
    record.is_some() && org.store.as_operator().organizations().await.unwrap().contains(&other(&org))
}

pub(super) async fn delete(org: Target) -> Result<(), StoreError> {
    // As long as something is left, the organization is there, so that others find what is to be completed.
    if org.record().await?.is_none() {
        let left: Vec<_> = org.store.as_operator().items(org.id(), None, later()).try_concat().await?;
        assert_eq!(left, []);
    }
    match org.store.as_operator().delete_organization(org.id()).await {
        Ok(()) | Err(OrganizationError::NotFound(_)) => Ok(()),
        Err(OrganizationError::Exists(_)) => panic!("it is deleted"),
        Err(OrganizationError::Store(error)) => Err(error),
    }
}

pub(super) async fn is_deleted(org: Target) -> bool {
    let listed: Vec<OrganizationRecord> = org.store.as_operator().organizations().await.unwrap();
    listed.iter().all(|listed| listed.organization_id != *org.id())
        && org.record().await.unwrap().is_none()
        && org.keys().await.unwrap().is_empty()
        && org.store.inspect_outside().await.unwrap().is_empty()
}

async fn add(organization: &Organization, tenant: &TenantRecord) -> Result<TenantRecord, TenantError> {
    add_tenant(&by_operator(organization, tenant.onboarding_date), tenant).await
}

/// Accepts a change that was already made as done.
pub(super) fn done<T>(changed: Result<T, TenantError>) -> Result<(), StoreError> {
    match changed {
        Ok(_) | Err(TenantError::Exists | TenantError::NotFound(_)) => Ok(()),
        Err(TenantError::Store(error)) => Err(error),
    }
}

fn store_error(error: KeyError) -> StoreError {
    match error {
        KeyError::Store(error) => error,
        other => panic!("{other}"),
    }
}
