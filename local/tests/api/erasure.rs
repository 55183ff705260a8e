//! Of 75 marks in everything that the service stores about a tenant, an erasure leaves none: not in the table, not in its
//! file, not in the log.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use aws_sdk_dynamodb::types::AttributeValue;
use local::Engine;
use model::{
    AcceptedRisk, BillableUser, ImportStatus, OrganizationId, ReportBody, ReportId, Role, ServiceTenantId, UsageTenant,
};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{
    Assignment, AuditAction, BrandRecord, Draft, ImportDetails, ImportJob, JobFile, Keep, Moved, NewReport,
    Organization, OrganizationRecord, Person, Store, StoreError, ToolTrend, WeekTrend,
};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tracing::level_filters::LevelFilter;

use crate::formats::Item;
use crate::support::{Log, TODAY, TestApp, baseline_report, by_operator, follow_up_report, later, provider_id, time};

/// Number of marks.
const MARKS: usize = 75;

/// Kinds of items that contain marks before the erasure.
const MARKED: [&str; 18] = [
    "AUDIT",
    "BILLABLE",
    "COMPLETED",
    "CORRECTION",
    "EVENT",
    "HISTORY",
    "IMPORT",
    "JOB",
    "KEPT",
    "KNOWN",
    "LATEST",
    "REPORT",
    "RESULTS",
    "TASK",
    "TENANT",
    "TOOL",
    "TREND",
    "USAGE",
];

/// Makes texts that occur nowhere else.
struct Marks(usize);

impl Marks {
    fn next(&mut self) -> String {
        self.0 += 1;
        mark(self.0)
    }

    /// Replaces the texts of a report until a number of marks is used.
    fn replace_texts(&mut self, value: &mut Value, until: usize) {
        const OPTIONAL: [&str; 3] = ["previousState", "why", "suggestedFix"];
        const TEXTS: [&str; 8] = [
            "name",
            "currentState",
            "previousState",
            "why",
            "suggestedFix",
            "observedUsage",
            "displayName",
            "userPrincipalName",
        ];
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match value {
                Value::String(text) if TEXTS.contains(&name.as_str()) && self.0 < until => *text = self.next(),
                Value::Null if OPTIONAL.contains(&name.as_str()) && self.0 < until => *value = self.next().into(),
                value => self.replace_texts(value, until),
            }),
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_texts(item, until)),
            _ => {}
        }
    }
}

fn mark(number: usize) -> String {
    format!("mark{number:02}erased")
}

/// An engine with its data in a file, and an organization with two tenants.
struct World {
    folder: TempDir,
    engine: Engine,
    store: Store,
    organization: Organization,
    /// The marked one, and another.
    tenants: [ServiceTenantId; 2],
}

async fn engine(folder: &Path) -> Engine {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Engine::file(&folder.join("posture.db"), listener).await.unwrap()
}

impl World {
    async fn new() -> Self {
        Log::prepare();
        let folder = TempDir::new().unwrap();
        let engine = engine(folder.path()).await;
        let store = engine.store("posture").await.unwrap();
        let id: OrganizationId = "org_1".parse().unwrap();
        let record = OrganizationRecord {
            organization_id: id.clone(),
            name: "Northwind".to_owned(),
            usage_plan_key: "usage-plan-key".to_owned(),
            created_at: time("2026-01-01T00:00:00Z"),
        };
        store.as_operator().create_organization(&record).await.unwrap();
        let organization = store.organization(&id);
        let tenants = ["ten_1", "ten_2"].map(|id| id.parse().unwrap());
        Self { folder, engine, store, organization, tenants }
    }

    async fn add_report(&self, tenant: &ServiceTenantId, id: &str, body: Value) {
        let tenant = self.organization.tenant(tenant).await.unwrap().unwrap();
        let (id, body): (ReportId, _) = (id.parse().unwrap(), ReportBody::deserialize(body).unwrap());
        let revisions = BTreeMap::new();
        let (id, tenant, body, revisions) = (&id, &tenant, &body, &revisions);
        let new = NewReport { id, tenant, tool: "ScubaGear", body, revisions, content: None };
        by_operator(&self.organization, time("2026-07-02T00:00:00Z")).add_report(new).await.unwrap();
    }

    /// Edits the first check and keeps the edit.
    async fn edit(&self, report: &str, why: String, fix: String) {
        let report = report.parse().unwrap();
        let stored = self.organization.report(&report).await.unwrap().unwrap();
        let control = stored.open().unwrap().body.checks[0].control_id.to_string();
        let edit = |draft: &mut Draft<'_>| {
            let check = &mut draft.body.checks[0];
            (check.why, check.suggested_fix) = (Some(why.clone()), Some(fix.clone()));
            let until = "2027-06-30".parse().unwrap();
            check.accepted_risk = Some(AcceptedRisk { reason: why.clone(), until });
            Ok::<_, StoreError>(Keep { fields: Some(true), risk: true })
        };
        let writer = by_operator(&self.organization, time("2026-07-03T00:00:00Z"));
        writer.edit_and_keep(&report, Some(&control), edit).await.unwrap();
    }

    /// Writes everything about a tenant, with marks or without.
    async fn fill(&self, tenant: &ServiceTenantId, marks: &mut Marks) {
        let writer = by_operator(&self.organization, time("2026-07-01T00:00:00Z"));
        let added = crate::support::tenant(tenant, &marks.next());
        crate::support::add_tenant(&writer, &added).await.unwrap();
        let report = |number: usize| format!("rpt_{tenant}_{number}");
        let (mut first, mut second) =
            (baseline_report("2026-06-01T00:00:00.000Z"), follow_up_report("2026-07-01T00:00:00.000Z"));
        marks.replace_texts(&mut first, 22);
        marks.replace_texts(&mut second, 44);
        self.add_report(tenant, &report(1), first).await;
        self.add_report(tenant, &report(2), second).await;
        writer.rename_tenant(tenant, &marks.next().parse().unwrap()).await.unwrap();
        self.edit(&report(2), marks.next(), marks.next()).await;
        // Its texts are in the audit trail alone.
        self.add_report(tenant, &report(3), baseline_report("2026-06-02T00:00:00.000Z")).await;
        self.edit(&report(3), marks.next(), marks.next()).await;
        self.edit(&report(3), marks.next(), marks.next()).await;
        writer.delete_report(&report(3).parse().unwrap()).await.unwrap();
        self.edit(&report(1), marks.next(), marks.next()).await;
        writer.end_kept_edit(tenant, &"X.1".parse().unwrap()).await.unwrap();
        self.edit(&report(2), marks.next(), marks.next()).await;
        let assignment = Assignment { owner: Some(marks.next()), due: None, note: Some(marks.next()) };
        writer.set_task(&report(2).parse().unwrap(), "Y.1", &assignment, None).await.unwrap();
        writer.pause_tenant(tenant, true).await.unwrap();
        let user = json!({
            "id": marks.next(), "displayName": marks.next(), "userPrincipalName": marks.next(), "mail": marks.next(),
            "accountEnabled": true, "assignedLicenseSkuIds": [marks.next()],
        });
        writer.record_billable_users(tenant, &[BillableUser::deserialize(user).unwrap()]).await.unwrap();
        writer.record_import(1, &import(tenant, &report(2), marks)).await.unwrap();
        let mut job = ImportJob::new("key_1".parse().unwrap(), later());
        job.files = vec![JobFile { name: marks.next(), size: 1 }];
        let job = writer.request_import(job, None).await.unwrap();
        let result = format!("\"result\":{{\"serviceTenantId\":\"{tenant}\"}}}}");
        writer.continue_import(job.ended(ImportStatus::Completed, result.as_bytes())).await.unwrap();
        // It names the tenant only in a reason.
        let refused = (marks.next(), format!("{} has no tenant {}", marks.next(), provider_id(tenant)));
        writer.record_import(1, &ImportDetails { failures: vec![refused], ..Default::default() }).await.unwrap();
    }

    async fn record_usage(&self, names: [String; 2]) {
        let row = |(tenant, name): (&ServiceTenantId, String)| {
            let row = json!({
                "serviceTenantId": tenant, "providerTenantId": provider_id(tenant), "onboardingDate": "2026-01-01",
                "displayName": name, "service": "Monitoring", "isPaused": false, "firstBillableDate": "2026-01-01",
                "billableStatus": "Active", "totalLicensedUsers": 1, "billableUsersThisMonth": 1,
                "proratingPercentageThisMonth": 100.0,
            });
            UsageTenant::deserialize(row).unwrap()
        };
        let rows: Vec<_> = self.tenants.iter().zip(names).map(row).collect();
        by_operator(&self.organization, time("2026-07-15T00:00:00Z")).record_usage(TODAY, &rows).await.unwrap();
    }

    /// Adds the rows of two recordings of the day that never became the current one.
    async fn add_interrupted_recordings(&self) {
        for Item(mut row) in self.items().await.into_iter().filter(|item| item.kind() == "USAGE") {
            let (day, tenant) = (TODAY, row["serviceTenantId"].as_s().unwrap().clone());
            for recording in ["0000000000-interrupted", "9999999999-in-progress"] {
                row.insert("sk".to_owned(), AttributeValue::S(format!("USAGE#{day}#{recording}#{tenant}")));
                let put = self.engine.client().put_item().table_name("posture");
                put.set_item(Some(row.clone())).send().await.unwrap();
            }
        }
    }

    /// Adds a trend that names both tenants.
    async fn add_trend(&self, names: [String; 2]) {
        let moved = |(tenant, tenant_name): (&ServiceTenantId, String)| Moved {
            service_tenant_id: tenant.clone(),
            tenant_name,
            before: 42,
            after: 91,
        };
        let moved = self.tenants.iter().zip(names).map(moved).collect();
        let tools = BTreeMap::from([("ScubaGear".to_owned(), ToolTrend { moved, ..ToolTrend::default() })]);
        let trend = WeekTrend { week: "2026-W27".parse().unwrap(), tools, version: 0 };
        assert!(by_operator(&self.organization, time("2026-07-15T00:00:00Z")).add_trend(&trend).await.unwrap());
    }

    /// Writes both tenants. Returns the number of marks of the first.
    async fn fill_both(&self) -> usize {
        let mut marks = Marks(0);
        self.fill(&self.tenants[0], &mut marks).await;
        let name = marks.next();
        // The other tenant's texts are marks that nobody looks for.
        self.fill(&self.tenants[1], &mut Marks(900)).await;
        self.record_usage([name, mark(999)]).await;
        self.add_trend([mark(1), mark(999)]).await;
        marks.0
    }

    async fn items(&self) -> Vec<Item> {
        let pages = self.engine.client().scan().table_name("posture").into_paginator().items().send();
        let items: Vec<HashMap<String, AttributeValue>> = pages.collect::<Result<_, _>>().await.unwrap();
        items.into_iter().map(Item).collect()
    }

    /// Returns the marks that the table contains, and the kinds of items that contain them.
    async fn found(&self) -> (BTreeSet<usize>, BTreeSet<String>) {
        let (mut marks, mut kinds) = (BTreeSet::new(), BTreeSet::new());
        for item in self.items().await {
            let text = format!("{:?}{:?}", item.key(), item.values()).to_lowercase();
            let in_item: Vec<_> = (1..=MARKS).filter(|number| text.contains(&mark(*number))).collect();
            if !in_item.is_empty() {
                kinds.insert(item.kind());
            }
            marks.extend(in_item);
        }
        (marks, kinds)
    }

    /// Returns the marks in the file with the data, after the engine was started once more and stopped.
    async fn in_file(self) -> Vec<usize> {
        let Self { folder, engine, store, organization, .. } = self;
        drop((store, organization));
        engine.stop().await.unwrap();
        self::engine(folder.path()).await.stop().await.unwrap();
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| std::fs::read(file.unwrap().path()).unwrap());
        let bytes = files.collect::<Vec<_>>().concat();
        let text = String::from_utf8_lossy(&bytes);
        (1..=MARKS).filter(|number| text.contains(&mark(*number))).collect()
    }
}

fn import(tenant: &ServiceTenantId, report: &str, marks: &mut Marks) -> ImportDetails {
    let imported = json!({
        "files": [marks.next()], "alreadyThere": false, "reportId": report, "serviceTenantId": tenant,
        "tool": "ScubaGear", "reportType": "FOLLOW_UP", "completedAt": "2026-07-01T00:00:00.000Z", "score": 91,
        "grade": "A", "previousScore": 42, "controls": follow_up_report("2026-07-01T00:00:00.000Z")["controls"],
        "issues": [marks.next(), marks.next()], "leftOut": [["Z.1", marks.next(), marks.next()]],
    });
    ImportDetails {
        reports: vec![Deserialize::deserialize(imported).unwrap()],
        failures: vec![(marks.next(), marks.next())],
        issues: vec![marks.next()],
        skipped: vec![(marks.next(), marks.next())],
        ..Default::default()
    }
}

#[tokio::test]
async fn after_an_erasure_no_mark_is_left_and_the_other_tenant_is_as_before() {
    let world = World::new().await;
    assert_eq!(world.fill_both().await, MARKS);
    world.add_interrupted_recordings().await;
    let (marks, kinds) = world.found().await;
    assert_eq!(marks.len(), MARKS, "they are found before");
    assert_eq!(kinds, MARKED.map(str::to_owned).into());
    let (erased, other) = (world.tenants[0].clone(), world.tenants[1].clone());
    let of_other = |items: Vec<Item>| {
        let names = |item: &Item| item.key().1.contains(other.as_str()) || item.kind() == "AUDIT";
        let items = items.into_iter().filter(names).filter(|item| {
            let text = format!("{:?}", item.values());
            text.contains(other.as_str()) || item.key().1.contains(other.as_str())
        });
        items.map(|item| (item.key(), item)).collect::<BTreeMap<_, _>>()
    };
    let before = of_other(world.items().await);
    let day = world.organization.usage(TODAY).await.unwrap().unwrap().version;

    let log = Log::capture(LevelFilter::INFO);
    let writer = by_operator(&world.organization, time("2026-07-16T00:00:00Z"));
    writer.erase_tenant(&erased).await.unwrap();
    let log = log.take().to_lowercase();

    assert_eq!(world.found().await, (BTreeSet::new(), BTreeSet::new()));
    assert!((1..=MARKS).all(|number| !log.contains(&mark(number))));
    assert!(before == of_other(world.items().await), "the other tenant's items changed");
    assert_eq!(world.organization.inspect().await.unwrap().discrepancies, []);
    assert_eq!(world.organization.imports(10, later()).await.unwrap().len(), 2, "the other tenant's two are left");
    assert_eq!(world.organization.usage(TODAY).await.unwrap().unwrap().version, day + 1, "the response has a new tag");
    let provider = provider_id(&erased);
    let items = world.items().await;
    let naming = items.iter().filter(|item| format!("{:?}{:?}", item.key(), item.values()).contains(&provider));
    assert_eq!(naming.count(), 0, "its provider's identifier");
    let naming = items.iter().filter(|item| format!("{:?}{:?}", item.key(), item.values()).contains(erased.as_str()));
    let kinds: BTreeSet<_> = naming.map(Item::kind).collect();
    let expected = ["AUDIT", "EVENT"].map(str::to_owned);
    assert_eq!(kinds, expected.into(), "the identifier is in the audit trail and in the event of the erasure alone");
    let (entries, _) = world.organization.audit_trail(None, 1_000, later()).await.unwrap();
    let about = entries.iter().filter(|entry| entry.subject == erased.as_str());
    assert!(about.clone().all(|entry| entry.changes.is_empty()));
    let acts: Vec<_> = about.filter(|entry| entry.action == AuditAction::TenantErased).collect();
    assert_eq!((acts.len(), acts[0].author_id.as_str()), (1, "operator"));
    assert_eq!(world.in_file().await, [] as [usize; 0]);
}

#[tokio::test]
async fn results_of_imports_are_erased_that_have_an_earlier_name_as_whole_words() {
    let app = TestApp::new().await;
    let (organization, writer, tenant) = (&app.org_a.organization, app.org_a.writer(), &app.org_a.tenants[0]);
    writer.rename_tenant(tenant, &"Fjord Line".parse().unwrap()).await.unwrap();
    let mut imports = Vec::new();
    for name in ["Tenant a1", "Tenant a10", "Tenant a2"] {
        let failures = vec![("results.json".to_owned(), format!("{name} has no report"))];
        imports.push(writer.record_import(1, &ImportDetails { failures, ..Default::default() }).await.unwrap());
    }
    writer.erase_tenant(tenant).await.unwrap();
    for (import, is_left) in imports.iter().zip([false, true, true]) {
        assert_eq!(organization.import(import, later()).await.unwrap().is_some(), is_left);
    }
}

#[tokio::test]
async fn after_the_deletion_of_an_organization_no_mark_is_left() {
    let world = World::new().await;
    assert_eq!(world.fill_both().await, MARKS);
    let mut more = Marks(MARKS);
    add_people(&world, &mut more).await;
    let all = more.0;
    let log = Log::capture(LevelFilter::INFO);
    let id = world.organization.id().clone();
    world.store.as_operator().delete_organization(&id).await.unwrap();
    let log = log.take().to_lowercase();
    assert!((1..=all).all(|number| !log.contains(&mark(number))));
    assert_eq!(world.items().await, []);
    assert_eq!(world.in_file().await, [] as [usize; 0]);
}

/// Writes marks into what the organization has beside its tenants.
async fn add_people(world: &World, marks: &mut Marks) {
    let writer = by_operator(&world.organization, time("2026-07-01T00:00:00Z"));
    writer.create_key(Some(marks.next().parse().unwrap())).await.unwrap();
    let brand = BrandRecord { footer: Some(marks.next()), ..Default::default() };
    writer.set_brand(&BrandRecord::default(), &brand).await.unwrap();
    writer.invite(Role::FullMember, Some(marks.next().parse().unwrap())).await.unwrap();
    let (secret, _) = writer.invite(Role::Admin, None).await.unwrap();
    let person = Person {
        identity: model::IdentityHash::of("https://issuer.example", "1"),
        name: marks.next(),
        email: Some(marks.next()),
    };
    let joined = world.store.accept_invitation(&secret, person, time("2026-07-02T00:00:00Z")).await.unwrap();
    assert_eq!(joined.organization_id, *world.organization.id());
    let items = format!("{:?}", world.items().await.iter().map(Item::values).collect::<Vec<_>>());
    assert!((MARKS + 1..=marks.0).all(|number| items.contains(&mark(number))), "they are found before");
}
