//! An organization on the embedded engine, and runs to import into it.

use assessments::{AdminReview, Finding, RowCount, Run, Tool};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use futures_util::TryStreamExt;
use local::Engine;
use model::{
    Actor, Admin, Category, Check, NotAssessedReason, OrganizationId, ServiceTenantId, Severity, Status, Timestamp,
};
use operations::import::{BaselineChoice, ImportError, Imported, Options, import_run};
use store::{AdminWriter, Organization, OrganizationRecord, Selection, Store, StoredReport};

pub(crate) const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) organization: Organization,
    pub(crate) tenant: ServiceTenantId,
    /// Stops when it is dropped.
    engine: Engine,
}

impl World {
    /// Returns an organization with one tenant.
    pub(crate) async fn new() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let engine = Engine::memory(listener).await.unwrap();
        let store = engine.store("posture").await.unwrap();
        let organization = new_organization(&store).await;
        let tenant = add_tenant(&organization, PROVIDER_ID).await;
        Self { store, organization, tenant, engine }
    }

    pub(crate) async fn import(&self, run: &Run) -> Result<Imported, ImportError> {
        import_run(&self.organization, &Actor::operator(), run, &options()).await
    }

    pub(crate) async fn import_against(&self, run: &Run, baseline: BaselineChoice) -> Result<Imported, ImportError> {
        import_run(&self.organization, &Actor::operator(), run, &Options { baseline, ..options() }).await
    }

    /// Deletes the last known results, which no release before 1.1 stored.
    pub(crate) async fn forget_known_results(&self) {
        let pk = AttributeValue::S(format!("ORG#{}", self.organization.id()));
        let sk = AttributeValue::S(format!("KNOWN#{}#ScubaGear", self.tenant));
        let delete = self.engine.client().delete_item().table_name("posture").key("pk", pk).key("sk", sk);
        let old = delete.return_values(ReturnValue::AllOld).send().await.unwrap();
        assert!(old.attributes.is_some(), "results were known");
    }

    pub(crate) fn writer(&self) -> AdminWriter {
        self.organization.by_admin(&Admin::operator(), options().imported_at)
    }

    pub(crate) async fn reports(&self) -> Vec<StoredReport> {
        let tenant = self.organization.tenant(&self.tenant).await.unwrap().unwrap();
        self.organization.select(Selection::history(500).of(tenant)).reports().try_concat().await.unwrap()
    }
}

pub(crate) async fn new_organization(store: &Store) -> Organization {
    let id = OrganizationId::generate(at("2026-01-01T00:00:00Z"));
    let record = OrganizationRecord {
        organization_id: id.clone(),
        name: "Northwind Managed Services".into(),
        usage_plan_key: "u".repeat(40),
        created_at: at("2026-01-01T00:00:00Z"),
    };
    store.as_operator().create_organization(&record).await.unwrap();
    store.organization(&id)
}

pub(crate) async fn add_tenant(organization: &Organization, provider_id: &str) -> ServiceTenantId {
    let now = at("2026-01-01T00:00:00Z");
    let id = ServiceTenantId::generate(now);
    let writer = organization.by(&Actor::operator(), now);
    writer.add_tenant(id.clone(), "Harbour Dental".parse().unwrap(), provider_id.parse().unwrap()).await.unwrap();
    id
}

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn options() -> Options {
    Options::at(at("2026-06-01T00:00:00Z"))
}

/// Returns a run of that month, in which the control has the given results, in order.
pub(crate) fn run(month: u32, results: &[Status]) -> Run {
    let findings = results.iter().enumerate().map(|(number, status)| finding(number, *status)).collect();
    Run {
        is_part: false,
        tool: Tool::ScubaGear,
        tool_version: Some("1.8.0".into()),
        tenant: Some(PROVIDER_ID.parse().unwrap()),
        run_id: format!("run of month {month}"),
        started: None,
        completed: Some(at(&format!("2026-{month:02}-01T00:00:00Z"))),
        lookback_days: None,
        rows: RowCount::default(),
        findings,
        left_out: Vec::new(),
        admins: AdminReview::default(),
        issues: Vec::new(),
    }
}

pub(crate) fn finding(number: usize, status: Status) -> Finding {
    let check = Check {
        control_id: format!("MS.AAD.1.{number}").parse().unwrap(),
        category: Category::Accounts,
        name: "A control".into(),
        status,
        severity: Some(Severity::High),
        current_state: format!("It is {status:?}."),
        previous_state: None,
        why: None,
        suggested_fix: None,
        observed_usage: None,
        references: Vec::new(),
        accepted_risk: None,
        proposed_risk: None,
    };
    Finding { check, revision: 1, reason: (status == Status::NotAssessed).then_some(NotAssessedReason::Error) }
}
