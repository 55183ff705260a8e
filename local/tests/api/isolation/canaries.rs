//! Organizations in which every text that can be chosen contains a canary, which identifies its owner wherever it
//! appears.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    AcceptedRisk, Actor, BillableUser, ReportBody, ReportId, Role, ServiceTenantId, Severity, Timestamp, UsageTenant,
};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{
    AdminWriter, Assignment, Draft, Keep, Moved, NewReport, Organization, OrganizationRecord, StoreError, Texts,
    ToolTrend, WeekTrend, Writer,
};

use crate::support::{TODAY, TestApp, baseline_report, follow_up_report, time};

/// The beginning of every canary; the organization's letter and the name of the thing follow.
const CANARY: &str = "canary-";

/// The beginning of every provider identifier that only one organization has, before the organization's letter.
const PROVIDER_CANARY: &str = "ca7a12";

/// The provider identifier of a tenant that is in several organizations.
const SHARED_PROVIDER_ID: &str = "5a5ed000-0000-4000-8000-000000000000";

/// The history of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Active,
    /// Paused, and renamed after its reports.
    Paused,
    Removed,
    /// Removed, then added again as [`Kind::Again`]: a new tenant with the same provider identifier.
    Former,
    Again,
    /// With the same provider identifier as a tenant of another organization; removed in one of the three.
    Shared,
}

impl Kind {
    /// All kinds, in the order in which they are added.
    const ALL: [Self; 6] = [Self::Active, Self::Paused, Self::Removed, Self::Former, Self::Again, Self::Shared];
}

/// An organization whose every text contains a canary.
pub(crate) struct Canaries {
    pub(super) letter: char,
    pub(crate) organization: Organization,
    /// Text of its key.
    pub(super) key: String,
    pub(super) tenants: Vec<CanaryTenant>,
}

/// A tenant whose every text contains its identifier, which is a canary.
pub(super) struct CanaryTenant {
    pub(super) kind: Kind,
    pub(super) id: ServiceTenantId,
    pub(super) provider_id: String,
    pub(super) is_removed: bool,
}

impl Canaries {
    /// Creates an organization with a key, a text and a tenant of every kind, with reports, tasks, usage and users.
    pub(crate) async fn create(app: &TestApp, letter: char) -> Self {
        let canary = organization_canary(letter);
        let created_at = time("2026-01-01T00:00:00Z");
        let record = OrganizationRecord {
            organization_id: canary.parse().unwrap(),
            name: format!("{canary} name"),
            usage_plan_key: format!("{canary}-usage-plan-key"),
            created_at,
        };
        app.app.store.as_operator().create_organization(&record).await.unwrap();
        let organization = app.app.store.organization(&record.organization_id);
        let description = format!("{canary} key").parse().unwrap();
        let created = by_canary(&organization, created_at).create_key(Some(description)).await.unwrap();
        let mut made = Self { letter, organization, key: created.key.reveal().to_owned(), tenants: Vec::new() };
        for kind in Kind::ALL {
            made.add(kind).await;
        }
        made.record_usage().await;
        made.add_trend().await;
        made.set_text().await;
        made
    }

    /// Returns the canaries that responses about the organization itself may contain.
    pub(super) fn canary(&self) -> String {
        organization_canary(self.letter)
    }

    /// Returns the beginning of all provider identifiers that only this organization has.
    pub(super) fn provider_canary(&self) -> String {
        format!("{PROVIDER_CANARY}{letter}{letter}-", letter = self.letter)
    }

    /// Returns the tenant that a text names for the organization's own clients.
    pub(super) fn find(&self, reference: &str) -> Option<&CanaryTenant> {
        let named = |tenant: &&CanaryTenant| {
            tenant.id.as_str() == reference || tenant.provider_id == reference.to_ascii_lowercase()
        };
        self.tenants.iter().filter(|tenant| !tenant.is_removed).find(named)
    }

    /// Returns the canaries of the tenants that are not removed.
    pub(super) fn visible(&self) -> BTreeSet<String> {
        self.tenants.iter().filter(|tenant| !tenant.is_removed).map(CanaryTenant::canary).collect()
    }

    async fn add(&mut self, kind: Kind) {
        let id: ServiceTenantId =
            format!("{CANARY}{}-{}", self.letter, format!("{kind:?}").to_lowercase()).parse().unwrap();
        let provider_id = match kind {
            Kind::Shared => SHARED_PROVIDER_ID.to_owned(),
            Kind::Again => self.provider_id(Kind::Former),
            _ => self.provider_id(kind),
        };
        let name = format!("{id} name");
        let is_renamed = kind == Kind::Paused;
        let first_name = if is_renamed { format!("{id} earlier name") } else { name.clone() };
        let writer = by_canary(&self.organization, time("2026-02-03T04:05:06.789Z"));
        writer.add_tenant(id.clone(), first_name.parse().unwrap(), provider_id.parse().unwrap()).await.unwrap();
        if kind == Kind::Paused {
            writer.pause_tenant(&id, true).await.unwrap();
        }
        self.add_report(&id, 1, baseline_report("2026-06-01T00:00:00.000Z")).await;
        self.add_report(&id, 2, follow_up_report("2026-07-01T00:00:00.000Z")).await;
        self.set_task(&id).await;
        if is_renamed {
            writer.rename_tenant(&id, &name.parse().unwrap()).await.unwrap();
        }
        let users = [BillableUser::deserialize(user(id.as_str())).unwrap()];
        let writer = by_canary(&self.organization, time("2026-07-15T03:00:00.000Z"));
        writer.record_billable_users(&id, &users).await.unwrap();
        let is_removed = matches!(kind, Kind::Removed | Kind::Former) || (kind == Kind::Shared && self.letter == 'c');
        if is_removed {
            by_canary(&self.organization, time("2026-07-02T00:00:00Z")).remove_tenant(&id).await.unwrap();
        }
        self.tenants.push(CanaryTenant { kind, id, provider_id, is_removed });
    }

    async fn add_report(&self, tenant: &ServiceTenantId, number: usize, mut body: Value) {
        let canary = tenant.to_string();
        canary_texts(&mut body, &canary);
        let tenant = self.organization.tenant(tenant).await.unwrap().unwrap();
        let id: ReportId = format!("{canary}-report-{number}").parse().unwrap();
        let new = NewReport {
            id: &id,
            tenant: &tenant,
            tool: "ScubaGear",
            body: &ReportBody::deserialize(body).unwrap(),
            revisions: &BTreeMap::from([(format!("{canary} control").parse().unwrap(), 2)]),
            content: None,
        };
        let writer = by_canary(&self.organization, time("2026-07-02T00:00:00Z"));
        writer.add_report(new).await.unwrap();
        self.keep_an_edit(&writer, &id).await;
    }

    /// Edits a check and keeps the edit. Its only new text is the reason of an accepted risk, the canary of its name.
    async fn keep_an_edit(&self, writer: &Writer, report: &ReportId) {
        let stored = self.organization.report(report).await.unwrap().unwrap();
        let control = stored.open().unwrap().body.checks[0].control_id.to_string();
        let rate = |draft: &mut Draft<'_>| {
            let check = &mut draft.body.checks[0];
            check.severity = Some(Severity::Low);
            let until = "2027-06-30".parse().unwrap();
            check.accepted_risk = Some(AcceptedRisk { reason: check.name.clone(), until });
            Ok::<_, StoreError>(Keep { fields: Some(true), risk: true })
        };
        writer.edit_and_keep(report, Some(&control), rate).await.unwrap();
    }

    /// Sets a task for a check of the newest report.
    async fn set_task(&self, tenant: &ServiceTenantId) {
        let writer = by_canary(&self.organization, time("2026-07-02T00:00:00Z"));
        let report = format!("{tenant}-report-2").parse().unwrap();
        let text = |what| Some(format!("{tenant} {what}"));
        let assignment = Assignment { owner: text("owner"), due: None, note: text("note") };
        writer.set_task(&report, &format!("{tenant}-controlId"), &assignment, None).await.unwrap();
    }

    /// Sets a text for a control of a tenant.
    async fn set_text(&self) {
        let writer = by_canary(&self.organization, time("2026-07-02T00:00:00Z"));
        let control = format!("{}-controlId", self.tenants[0].id).parse().unwrap();
        let text = |what| Some(format!("{} {what}", self.canary()));
        let texts = Texts { why: text("reason"), suggested_fix: text("fix") };
        writer.set_text((Some("ScubaGear"), &control), &texts, None).await.unwrap();
    }

    /// Records usage of all tenants, including those that are now removed: they existed on the day.
    async fn record_usage(&self) {
        let rows: Vec<_> = self.tenants.iter().map(|tenant| UsageTenant::deserialize(usage(tenant)).unwrap()).collect();
        let writer = by_canary(&self.organization, time("2026-07-15T03:00:00.000Z"));
        writer.record_usage(TODAY, &rows).await.unwrap();
    }

    /// Adds a trend that names all tenants.
    async fn add_trend(&self) {
        let moved = self.tenants.iter().filter(|tenant| !tenant.is_removed).map(|tenant| Moved {
            service_tenant_id: tenant.id.clone(),
            tenant_name: format!("{} earlier name", tenant.id),
            before: 42,
            after: 91,
        });
        let of_tool = ToolTrend { tenants: 1, scores: 91, moved: moved.collect(), ..ToolTrend::default() };
        let tools = BTreeMap::from([("ScubaGear".to_owned(), of_tool)]);
        let trend = WeekTrend { week: "2026-W27".parse().unwrap(), tools, version: 0 };
        let writer = by_canary(&self.organization, time("2026-07-06T00:00:00Z"));
        assert!(writer.add_trend(&trend).await.unwrap());
    }

    fn provider_id(&self, kind: Kind) -> String {
        format!("{}0000-4000-8000-{:012}", self.provider_canary(), kind as usize)
    }
}

impl CanaryTenant {
    /// Returns the canary in all data of the tenant.
    pub(super) fn canary(&self) -> String {
        self.id.to_string()
    }
}

fn organization_canary(letter: char) -> String {
    format!("{CANARY}{letter}-organization")
}

fn user(canary: &str) -> Value {
    json!({
        "id": format!("{canary} id"),
        "displayName": format!("{canary} display name"),
        "userPrincipalName": format!("{canary}@example.org"),
        "mail": format!("{canary}.mail@example.org"),
        "accountEnabled": true,
        "assignedLicenseSkuIds": [format!("{canary} sku")],
    })
}

fn usage(tenant: &CanaryTenant) -> Value {
    json!({
        "serviceTenantId": tenant.id,
        "providerTenantId": tenant.provider_id,
        "onboardingDate": "2026-01-01",
        "displayName": format!("{} display name", tenant.id),
        "service": "Monitoring",
        "isPaused": tenant.kind == Kind::Paused,
        "firstBillableDate": "2026-01-01",
        "billableStatus": "Active",
        "totalLicensedUsers": 1,
        "billableUsersThisMonth": 1,
        "proratingPercentageThisMonth": 100.0,
    })
}

/// Fields whose texts have a fixed form: times, enumerations, and random values of the service.
const OF_FIXED_FORM: [&str; 42] = [
    "acceptedUntil",
    "asOf",
    "at",
    "billableStatus",
    "category",
    "completedAt",
    "controls",
    "createdAt",
    "dates",
    "fields",
    "firstBillableDate",
    "generatedAt",
    "grade",
    "hash",
    "keyId",
    "mark",
    "mfaEnforcement",
    "mfaMethod",
    "nextAt",
    "onboardingDate",
    "openSince",
    "pk",
    "previousGrade",
    "providerTenantId",
    "recording",
    "refreshed",
    "kind",
    "eventId",
    "driftId",
    "removedAt",
    "reportType",
    "requestedUntil",
    "scope",
    "service",
    "severity",
    "since",
    "sk",
    "status",
    "tool",
    "until",
    "updatedAt",
    "week",
];

/// Returns whether the texts of a field can be chosen.
pub(super) fn is_free(field: &str) -> bool {
    !OF_FIXED_FORM.contains(&field)
}

/// Returns the changes of an organization, by an Admin whose identifier and name are canaries.
fn by_canary(organization: &Organization, at: Timestamp) -> AdminWriter {
    let (id, name) = (format!("{}-admin", organization.id()), format!("{} Admin", organization.id()));
    let actor = Actor::member(&id.parse().unwrap(), name, Role::Admin);
    organization.by_admin(&actor.admin().unwrap(), at)
}

/// Replaces every text that can be chosen by a canary.
fn canary_texts(value: &mut Value, canary: &str) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value {
            Value::String(text) if is_free(name) => *text = format!("{canary}-{name}"),
            value => canary_texts(value, canary),
        }),
        Value::Array(items) => items.iter_mut().for_each(|item| canary_texts(item, canary)),
        _ => {}
    }
}

/// Returns the canaries in a text.
pub(super) fn canaries_in(text: &str) -> BTreeSet<String> {
    let canary = |(start, _): (usize, &str)| {
        let of_canary = |c: &char| c.is_ascii_lowercase() || *c == '-';
        let words = text[start..].chars().take_while(of_canary).collect::<String>();
        words.splitn(4, '-').take(3).collect::<Vec<_>>().join("-")
    };
    text.match_indices(CANARY).map(canary).collect()
}
