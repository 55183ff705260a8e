//! A small invented organization with every kind of item.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    AcceptedRisk, BillableUser, Check, EventKind, EventRules, Every, ImportStatus, MemberId, OrganizationId, Pace,
    ReportBody, ReportId, Role, Schedule, Secret, ServiceTenantId, Severity, Status, TargetShape, Timestamp,
    UsageTenant, Week,
};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{
    AdminWriter, AppliedEdits, AppliedText, Assignment, Attempt, BrandRecord, Delivery, DeliveryState,
    DocumentSchedule, DocumentSet, Draft, EditMark, EditedField, EditedPart, Fixed, FoundValues, ImportDetails,
    ImportJob, ImportedReport, JobFile, Keep, KeyRights, LogoRecord, Moved, NewReport, Organization, ReportRequest,
    RequestState, SameRequest, Schedules, Sighting, Store, StoreError, Texts, ToolTrend, UploadedFile, WeekTrend,
    Which,
};

use super::Item;
use crate::dashboard::{join, sign_in};
use crate::support::{
    TODAY, TestApp, TestOrganization, baseline_report, by_operator, follow_up_report, provider_id, time,
};

/// Identifies the sample from outside.
pub(super) struct Sample {
    pub(super) organization: OrganizationId,
    /// Text of its key.
    pub(super) key: String,
    /// The first is renamed and has reports; the second is removed.
    pub(super) tenants: [ServiceTenantId; 2],
}

impl Sample {
    pub(super) fn new(key: String) -> Self {
        let tenants = [1, 2].map(|number| format!("ten_golden{number}").parse().unwrap());
        Self { organization: organization(), key, tenants }
    }
}

pub(super) fn organization() -> OrganizationId {
    "org_golden".parse().unwrap()
}

/// Returns whether an item belongs to the sample: by its key, or as a look-up of its organization.
pub(super) fn owns(item: &Item) -> bool {
    let (pk, sk) = item.key();
    let names = |text: &str| text.split('#').any(|part| part == "org_golden");
    let organization = item.0.get("organizationId").or(item.0.get("importsInto")).and_then(|value| value.as_s().ok());
    pk == "DATA" || names(&pk) || names(&sk) || organization.is_some_and(|id| id == "org_golden")
}

/// Writes the sample with this release.
pub(super) async fn write(app: &TestApp) -> Sample {
    let created = TestOrganization::create(&app.app, "golden").await;
    let (organization, [tenant, removed]) = (&created.organization, &created.tenants);
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let described = writer.create_key(Some("A key".parse().unwrap())).await.unwrap();
    assert!(described.listing.description.is_some());
    app.app.store.note_use(&described.key, TODAY).await.unwrap();
    writer.create_key_for(None, KeyRights::Import(Some(tenant.clone()))).await.unwrap();
    let amara = join(app, organization, Role::Admin, "amara").await;
    join(app, organization, Role::FullMember, "ben").await;
    writer.invite(Role::FullMember, Some("For Chika".parse().unwrap())).await.unwrap();
    sign_in(app, &amara).await;
    let logo = LogoRecord { media_type: "image/png".to_owned(), width: 3, height: 2, bytes: vec![1, 2, 3] };
    let text = |text: &str| Some(text.to_owned());
    let brand = BrandRecord {
        version: 0,
        name: text("Golden"),
        accent: text("#336699"),
        footer: text("Foot"),
        logo: Some(logo),
    };
    assert!(writer.set_brand(&BrandRecord::default(), &brand).await.unwrap());
    add_report(app, tenant, 1, baseline_report("2026-06-01T00:00:00.000Z")).await;
    share_report(app, tenant, 5, baseline_report("2026-06-08T00:00:00.000Z")).await;
    add_report(app, tenant, 2, follow_up_report("2026-07-01T00:00:00.000Z")).await;
    add_report(app, removed, 3, baseline_report("2026-06-01T00:00:00.000Z")).await;
    edit(app).await;
    write_text(app).await;
    writer.rename_tenant(tenant, &"Renamed".parse().unwrap()).await.unwrap();
    writer.clone().once("form_golden".parse().unwrap()).pause_tenant(tenant, true).await.unwrap();
    writer.lead_tenant(tenant, Some("ScubaGear")).await.unwrap();
    writer.label_tenant(tenant, &BTreeSet::from(["Gold".parse().unwrap()])).await.unwrap();
    let emergency_access = "01234567-89ab-4def-8123-456789abcdef".parse().unwrap();
    writer.declare_emergency_access(tenant, &[emergency_access]).await.unwrap();
    let schedule = schedule();
    writer.schedule_tenant(tenant, Some(schedule)).await.unwrap();
    writer.set_schedule(None, Some(Schedule { every: Every::Day, ..schedule })).await.unwrap();
    writer.set_schedule(Some(&"Gold".parse().unwrap()), Some(schedule)).await.unwrap();
    writer.set_stale_after(14.try_into().unwrap()).await.unwrap();
    add_trend(organization, tenant).await;
    writer.pause_tenant(tenant, false).await.unwrap();
    let resumed = organization.tenant(tenant).await.unwrap().unwrap();
    assert!(writer.tell_stale(&resumed).await.unwrap());
    writer.pause_tenant(tenant, true).await.unwrap();
    let rows: Vec<_> = created.tenants.iter().map(usage).collect();
    writer.record_usage(TODAY, &rows).await.unwrap();
    let user = json!({
        "id": "1", "displayName": "Chika", "userPrincipalName": "chika@example.org", "mail": "chika@example.org",
        "accountEnabled": true, "assignedLicenseSkuIds": ["sku"],
    });
    writer.record_billable_users(tenant, &[BillableUser::deserialize(user).unwrap()]).await.unwrap();
    writer.record_import(3, &import(tenant)).await.unwrap();
    import_by_key(organization, tenant).await;
    request(organization, tenant).await;
    connect(organization, tenant, amara.member_id.clone()).await;
    notify(organization).await;
    receive_mail(organization, &amara.member_id).await;
    request_documents(organization).await;
    let file = UploadedFile { name: "results.json".to_owned(), content: b"{}".to_vec() };
    writer.keep_file(&"upl_golden".parse().unwrap(), 0, &file).await.unwrap();
    writer.remove_tenant(removed).await.unwrap();
    app.app.store.as_operator().take_over("1.0.0").await.unwrap();
    Sample::new(created.key)
}

/// Adds the trend of a week, after which the organization is looked at again.
async fn add_trend(organization: &Organization, tenant: &ServiceTenantId) {
    let week: Week = "2026-W27".parse().unwrap();
    let writer = by_operator(organization, week.ends());
    let moved = Moved { service_tenant_id: tenant.clone(), tenant_name: "Renamed".to_owned(), before: 42, after: 91 };
    let fixed = Fixed { severity: Some(Severity::High), days: vec![(3, 1), (7, 2)] };
    let of_tool = ToolTrend { tenants: 1, scores: 91, open: 2, fixed: Some(vec![fixed]), moved: vec![moved] };
    let tools = BTreeMap::from([("ScubaGear".to_owned(), of_tool)]);
    assert!(writer.add_trend(&WeekTrend { week, tools, version: 0 }).await.unwrap());
    let schedules = organization.schedules().await.unwrap().unwrap();
    let schedules = Schedules { trends_from: Some(week.next()), ..schedules };
    assert!(writer.settle_schedules(&schedules, week.next().ends()).await.unwrap());
}

/// Adds a report with a reference and a revision, which not every report has.
pub(super) async fn add_report(app: &TestApp, tenant: &ServiceTenantId, number: u32, body: Value) {
    add_to(&app.app.store, tenant, number, body).await;
}

/// Adds a report that shares a part of its body with the newest one, which is equal. Releases before 1.1 cannot read it.
async fn share_report(app: &TestApp, tenant: &ServiceTenantId, number: u32, body: Value) {
    add_to(&app.app.store.clone().sharing_equal_bodies(true), tenant, number, body).await;
}

async fn add_to(store: &Store, tenant: &ServiceTenantId, number: u32, mut body: Value) {
    body["checks"][0]["references"] = json!([{ "framework": "CIS", "version": "7.0", "id": "5.2" }]);
    body["checks"][1]["references"] = json!([{ "framework": "SCuBA", "version": null, "id": "MS.AAD.1.1" }]);
    body["checks"][1]["proposedRisk"] = json!({ "reason": "It is planned.", "until": "2026-12-31" });
    let control = body["checks"][0]["controlId"].as_str().unwrap().parse().unwrap();
    let organization = store.organization(&organization());
    let tenant = organization.tenant(tenant).await.unwrap().unwrap();
    let id: ReportId = format!("rpt_golden_{number}").parse().unwrap();
    let new = NewReport {
        id: &id,
        tenant: &tenant,
        tool: "ScubaGear",
        body: &ReportBody::deserialize(body).unwrap(),
        revisions: &BTreeMap::from([(control, 2)]),
        content: None,
    };
    let edits = AppliedEdits { marks: vec![text_mark(&new.body.checks[1])], ended: Vec::new() };
    by_operator(&organization, time("2026-07-02T00:00:00Z")).add_report_with(new, edits).await.unwrap();
}

/// Returns the mark of a text of the organization.
fn text_mark(check: &Check) -> EditMark {
    let (by, at, fields) = ("Amara".to_owned(), time("2026-06-01T00:00:00Z"), vec![EditedField::SuggestedFix]);
    EditMark {
        part: EditedPart::Check(check.control_id.clone()),
        fields: fields.clone(),
        by: by.clone(),
        at,
        kept: true,
        found: FoundValues::of(check, &fields),
        text: Some(AppliedText { fields, by, at }),
    }
}

/// Edits a check, which is kept, and an administrator.
async fn edit(app: &TestApp) {
    let report: ReportId = "rpt_golden_2".parse().unwrap();
    let writer = by_operator(&app.app.store.organization(&organization()), time("2026-07-03T00:00:00Z"));
    let edit = |draft: &mut Draft<'_>| {
        let check = &mut draft.body.checks[0];
        (check.status, check.severity) = (Status::Open, Some(Severity::Low));
        (check.why, check.suggested_fix) = (Some("A reason".to_owned()), None);
        let until = "2026-07-20".parse().unwrap();
        check.accepted_risk = Some(AcceptedRisk { reason: "A reason".to_owned(), until });
        Ok::<_, StoreError>(Keep { fields: Some(true), risk: true })
    };
    finish_task(&writer, &report).await;
    let edited = writer.edit_and_keep(&report, Some("Y.1"), edit).await.unwrap();
    let of = &edited.report.summary.service_tenant_id;
    let kept = writer.kept_edit(of, &"Y.1".parse().unwrap()).await.unwrap().unwrap();
    assert!(by_operator(&writer, time("2026-07-07T00:00:00Z")).tell_expiring(&kept).await.unwrap());
    let edit = |body: &mut ReportBody| {
        body.global_admins.admins[0].status = Status::Open;
        Ok::<_, StoreError>(())
    };
    writer.edit_report(&report, edit).await.unwrap();
}

/// Sets a task, which an edit of its check then finishes.
async fn finish_task(writer: &AdminWriter, report: &ReportId) {
    let (owner, note) = (Some("Amara".to_owned()), Some("A note".to_owned()));
    let assignment = Assignment { owner, due: Some("2026-07-31".parse().unwrap()), note };
    writer.set_task(report, "Y.1", &assignment, None).await.unwrap();
    let secure = |body: &mut ReportBody| {
        body.checks[0].status = Status::Secure;
        Ok::<_, StoreError>(())
    };
    writer.edit_report(report, secure).await.unwrap();
}

/// Sets a text of the organization, which a report then has.
async fn write_text(app: &TestApp) {
    let organization = app.app.store.organization(&organization());
    let writer = by_operator(&organization, time("2026-07-03T00:00:00Z"));
    let texts = Texts { why: Some("A reason".to_owned()), suggested_fix: Some("A fix".to_owned()) };
    writer.set_text((Some("ScubaGear"), &"Y.1".parse().unwrap()), &texts, None).await.unwrap();
}

pub(super) fn usage(tenant: &ServiceTenantId) -> UsageTenant {
    let row = json!({
        "serviceTenantId": tenant, "providerTenantId": provider_id(tenant), "onboardingDate": "2026-01-01",
        "displayName": "Renamed", "service": "Monitoring", "isPaused": false, "firstBillableDate": "2026-01-01",
        "billableStatus": "Active", "totalLicensedUsers": 1, "billableUsersThisMonth": 1,
        "proratingPercentageThisMonth": 99.5,
    });
    UsageTenant::deserialize(row).unwrap()
}

fn schedule() -> Schedule {
    let (every, between) = ("weekly:mon".parse().unwrap(), "22-04".parse().unwrap());
    Schedule { every, between, since: time("2026-07-02T00:00:00Z") }
}

/// Requests a report, with a value for everything that becomes of a request.
async fn request(organization: &Organization, tenant: &ServiceTenantId) {
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let (request, _) = writer.request_due_report(tenant, time("2026-07-01T22:00:00Z")).await.unwrap();
    let report_id = Some("rpt_golden_2".parse().unwrap());
    let (state, failure, position) = (RequestState::Running, Some("A reason".to_owned()), vec![1]);
    let (attempts, refusals) = (1, 2);
    let request =
        ReportRequest { state, done: 13, steps: 14, report_id, failure, attempts, refusals, position, ..request };
    writer.continue_request(request).await.unwrap().unwrap();
}

/// Connects a tenant, which then lets the service in no longer, and begins to connect it again.
async fn connect(organization: &Organization, tenant: &ServiceTenantId, member: MemberId) {
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let permissions = Some(["User.Read.All".to_owned()].into());
    let provider = provider_id(tenant).parse().unwrap();
    let connection = writer.connect_tenant(tenant, &provider, Sighting::Open(permissions)).await.unwrap();
    writer.sight_connection(connection, Sighting::Refused("AADSTS700016".to_owned())).await.unwrap();
    let secret = || Secret::generate().unwrap();
    let attempt = Attempt { tenant: tenant.clone(), member, session: secret().hash() };
    writer.begin_connecting(&attempt, &secret()).await.unwrap();
}

/// Returns what makes requests for the import by the API the same.
pub(super) fn same_request() -> SameRequest {
    SameRequest { key: "digest".to_owned(), request: "digest of the rest".to_owned() }
}

/// Returns an import that is requested by the API.
pub(super) fn import_job(now: Timestamp) -> ImportJob {
    let mut job = ImportJob::new("key_golden".parse().unwrap(), now);
    job.files = vec![JobFile { name: "results.json".to_owned(), size: 2 }];
    job
}

async fn import_by_key(organization: &Organization, tenant: &ServiceTenantId) {
    let at = time("2026-07-02T00:00:00Z");
    let writer = by_operator(organization, at);
    let mut job = import_job(at);
    (job.tenant, job.completed_at, job.worker) = (Some(tenant.to_string()), Some(at), Some("delivery".to_owned()));
    let job = writer.request_import(job, Some(&same_request())).await.unwrap();
    writer.continue_import(job.ended(ImportStatus::Failed, b"\"result\":{}}")).await.unwrap().unwrap();
}

/// Requests documents, half of which are made.
async fn request_documents(organization: &Organization) {
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let which = Which { label: Some("Gold".parse().unwrap()), since: Some(time("2026-07-01T00:00:00Z")) };
    let set = writer.request_documents(which, "{\"kind\":\"board\"}".to_owned()).await.unwrap();
    let running = DocumentSet { state: RequestState::Running, documents: 2, done: 1, missing: 0, ..set };
    let running = writer.continue_documents(running).await.unwrap().unwrap();
    let (label, choice) = (running.which.label, running.choice);
    let every_month = DocumentSchedule { label: label.clone(), schedule: schedule(), only_new: true, choice };
    writer.schedule_documents(label.as_ref(), Some(&every_month)).await.unwrap();
}

/// Adds a target with an old and a new secret, to which a delivery failed, and a message that waits on this machine.
async fn notify(organization: &Organization) {
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let rules = EventRules {
        kinds: [EventKind::ControlDrifted].into(),
        severity: Some(Severity::High),
        tools: ["ScubaGear".to_owned()].into(),
        tenants: ["ten_golden1".parse().unwrap()].into(),
        labels: ["Gold".parse().unwrap()].into(),
        quiet: "20-07,sat,sun".parse().unwrap(),
    };
    let url = "https://hooks.example/golden".parse().unwrap();
    let target = writer.add_target("Tickets".parse().unwrap(), url, TargetShape::Teams, rules).await.unwrap().target;
    let target = writer.rotate_secret(&target.target_id).await.unwrap().target;
    writer.note_target(&target, Some(time("2026-07-02T00:00:00Z"))).await.unwrap();
    let delivery = Delivery {
        target_id: target.target_id,
        event_id: "evt_golden".parse().unwrap(),
        kind: Some(EventKind::ControlDrifted),
        written_at: time("2026-07-02T00:00:00Z"),
        state: DeliveryState::Waiting,
        attempts: 1,
        attempted_at: time("2026-07-02T00:00:00Z"),
        status: Some(500),
        problem: Some("A reason".to_owned()),
        next_at: Some(time("2026-07-02T00:00:05Z")),
        events: None,
    };
    writer.record_delivery(delivery).await.unwrap();
    writer.queue_message("golden".to_owned(), "group".to_owned(), "{}".to_owned()).await.unwrap();
    writer.set_dispatched_until(time("2026-07-02T00:00:00Z")).await.unwrap();
}

/// Adds mail to a member who has confirmed an address, and asks for another confirmation.
async fn receive_mail(organization: &Organization, member: &MemberId) {
    let actor = organization.member(member).await.unwrap().unwrap().actor();
    let at = time("2026-07-02T00:00:00Z");
    let writer = organization.by(&actor, at);
    writer.note_address(Some("amara@example.org")).await.unwrap();
    writer.ask_confirmation().await.unwrap();
    let (_, secret) = writer.begin_confirmation(member, at).await.unwrap();
    writer.confirm_address(&secret).await.unwrap();
    writer.ask_confirmation().await.unwrap();
    writer.begin_confirmation(member, at).await.unwrap();
    writer.add_own_mail("Mine".parse().unwrap(), Pace::Week, EventRules::default()).await.unwrap();
}

fn import(tenant: &ServiceTenantId) -> ImportDetails {
    let report = json!({
        "files": ["results.json"], "alreadyThere": false, "reportId": "rpt_golden_2", "serviceTenantId": tenant,
        "tool": "ScubaGear", "reportType": "FOLLOW_UP", "completedAt": "2026-07-01T00:00:00.000Z", "score": 91,
        "grade": "A", "previousScore": 42, "controls": follow_up_report("2026-07-01T00:00:00.000Z")["controls"],
        "issues": ["An issue"], "leftOut": [["Z.1", "Left out", "Nowhere"]],
    });
    let pair = |first: &str, second: &str| vec![(first.to_owned(), second.to_owned())];
    ImportDetails {
        reports: vec![ImportedReport::deserialize(report).unwrap()],
        failures: pair("broken.json", "It is broken."),
        issues: vec!["Another issue".to_owned()],
        skipped: pair("notes.txt", "It has no results."),
        waiting: None,
    }
}
