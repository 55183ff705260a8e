//! Concurrent writers and readers: every read is one complete version, and the remaining data is consistent.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{join, join_all};
use model::{BillableUser, ReportBody, ReportId, Role, Secret, Status, UsageTenant};
use serde::Deserialize;
use serde_json::Value;
use store::{
    Assignment, Attempt, CreatedKey, ImportJob, KeyError, Moved, NewReport, Organization, OrganizationError,
    ReportError, ReportRequest, RequestState, Sighting, StoreError, TenantError, TextError, Texts, ToolTrend,
    WeekTrend,
};

use crate::dashboard;
use crate::faults::FaultyStore;
use crate::support::{Client, TODAY, TestApp, by_operator, large_report, provider_id, time};
use crate::usage::usage;

/// Number of edits by each editor.
const EDITS: u32 = 15;

/// Increments the report's version, and writes it everywhere.
fn next_version(body: &mut ReportBody) -> Result<(), StoreError> {
    body.figures.activity_lookback_days += 1;
    let version = body.figures.activity_lookback_days;
    body.figures.score = (version % 100) as u8;
    for check in &mut body.checks {
        // Of a different length each time.
        check.current_state = format!("{version} {}", "x".repeat(version as usize));
    }
    Ok(())
}

async fn edit(organization: Organization, report: ReportId) {
    for _ in 0..EDITS {
        by_operator(&organization, time("2026-07-15T00:00:00Z")).edit_report(&report, next_version).await.unwrap();
    }
}

/// Returns the version of a report, which must be the same from beginning to end.
fn version(response: &[u8]) -> u64 {
    let response: Value = serde_json::from_slice(response).unwrap();
    assert_eq!(response["totalReports"], 1);
    let report = &response["reports"][0];
    let version = report["activityLookbackDays"].as_u64().unwrap();
    let state = format!("{version} {}", "x".repeat(version as usize));
    assert_eq!(report["score"], version % 100);
    assert!(report["checks"].as_array().unwrap().iter().all(|check| check["currentState"] == state));
    version
}

/// Reads the report in both codings while it is edited.
async fn read_during(client: Client, edited: Arc<AtomicBool>) {
    while !edited.load(Ordering::Relaxed) {
        version(&client.get("/v1/posture-reports").await.body);
        // The decoder checks the checksum.
        version(&client.get_gzip("/v1/posture-reports").await.gunzipped());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_during_edits_returns_one_version_and_no_edit_is_lost() {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &large_report("2026-06-01T00:00:00.000Z", 1)).await;
    let (organization, report) = (&app.org_a.organization, "rpt_1".parse::<ReportId>().unwrap());
    by_operator(organization, time("2026-07-15T00:00:00Z")).edit_report(&report, next_version).await.unwrap();
    let first = version(&app.org_a().get("/v1/posture-reports").await.body);

    let edited = Arc::new(AtomicBool::new(false));
    let readers = [0; 2].map(|_| tokio::spawn(read_during(app.org_a(), Arc::clone(&edited))));
    let editors = [0; 2].map(|_| tokio::spawn(edit(organization.clone(), report.clone())));
    for editor in editors {
        editor.await.unwrap();
    }
    edited.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    let last = version(&app.org_a().get("/v1/posture-reports").await.body);
    assert_eq!(last, first + u64::from(2 * EDITS));
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

/// Returns usage of this many tenants, with the same number for all figures.
fn usage_of(tenants: usize, users: u32) -> Vec<UsageTenant> {
    let row = |number| UsageTenant::deserialize(usage(&format!("ten_{number}"), "Active", users)).unwrap();
    (0..tenants).map(row).collect()
}

/// Returns the number of items of a kind in the table.
async fn items_of_kind(app: &TestApp, prefix: &str) -> usize {
    app.items().await.iter().filter(|item| item["sk"].as_s().unwrap().starts_with(prefix)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_snapshots_recorded_at_once_one_is_complete_and_the_others_leave_nothing() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let writer = by_operator(organization, time("2026-07-15T03:00:00Z"));
    // Every snapshot has as many rows as its number.
    let snapshots: Vec<_> = (1..=10).map(|number| usage_of(number, number as u32)).collect();
    let recorded = snapshots.iter().map(|tenants| writer.record_usage(TODAY, tenants));
    for outcome in join_all(recorded).await {
        outcome.unwrap();
    }
    let response = app.org_a().get("/v1/usage").await.success();
    let rows = response["tenants"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["totalLicensedUsers"] == rows.len()), "{rows:?}");
    assert_eq!(items_of_kind(&app, "USAGE#").await, rows.len());
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_that_is_continued_by_many_at_once_loses_no_row() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let rows = usage_of(10, 1);
    let writer = by_operator(organization, time("2026-07-15T03:00:00Z"));
    let continued = rows.iter().map(|row| {
        writer.continue_usage(TODAY, |_, mut all| {
            all.push(row.clone());
            all
        })
    });
    for outcome in join_all(continued).await {
        assert!(outcome.unwrap().len() <= rows.len());
    }
    assert_eq!(app.org_a().get("/v1/usage").await.success()["totalTenants"], rows.len());
    assert_eq!(items_of_kind(&app, "USAGE#").await, rows.len());
}

fn user(name: &str) -> BillableUser {
    BillableUser {
        id: "1".to_owned(),
        display_name: name.to_owned(),
        user_principal_name: "name@example.com".to_owned(),
        mail: String::new(),
        account_enabled: true,
        assigned_license_sku_ids: vec!["sku".to_owned()],
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_users_recorded_at_once_one_recording_is_complete() {
    let app = TestApp::new().await;
    let (organization, tenant) = (&app.org_a.organization, &app.org_a.tenants[0]);
    let users = |number: usize| vec![user(&number.to_string()); number];
    // From less than one chunk to three chunks.
    let recordings: Vec<_> = (1..=8).map(|number| users(number * 180)).collect();
    let writer = by_operator(organization, time("2026-07-15T03:00:00Z"));
    let recorded = recordings.iter().map(|users| writer.record_billable_users(tenant, users));
    for outcome in join_all(recorded).await {
        outcome.unwrap();
    }
    let response = app.org_a().get(&format!("/beta/billable-users?tenantId={tenant}")).await.success();
    let found = response["users"].as_array().unwrap();
    let count = found.len().to_string();
    assert!(!found.is_empty() && found.iter().all(|user| user["displayName"] == *count));
    assert_eq!(items_of_kind(&app, "BILLABLE#").await, found.len().div_ceil(500));
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn no_users_that_are_recorded_during_an_erasure_survive_it() {
    let app = TestApp::new().await;
    let (organization, tenant) = (&app.org_a.organization, &app.org_a.tenants[0]);
    let faulty = FaultyStore::over(&app.engine).await;
    let writer = by_operator(&faulty.store.organization(organization.id()), time("2026-07-15T03:00:00Z"));
    let users = vec![user("Name"); 1_000];
    let mut recording = pin!(writer.record_billable_users(tenant, &users));
    // It has found the tenant, and begins to write. It goes on after the erasure.
    assert!(faulty.until_made(3, recording.as_mut()).await.is_none());
    assert_eq!(faulty.made().last().unwrap(), "PutItem");
    app.org_a.writer().erase_tenant(tenant).await.unwrap();
    assert!(matches!(recording.await, Err(TenantError::NotFound(_))));
    assert_eq!(items_of_kind(&app, "BILLABLE").await, 0);
}

async fn create(organization: &Organization) -> Result<CreatedKey, KeyError> {
    by_operator(organization, time("2026-07-15T00:00:00Z")).create_key(None).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_created_and_deleted_at_once_work_or_fail_completely() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let doomed = join_all((0..10).map(|_| create(organization))).await.into_iter().map(Result::unwrap);
    let doomed: Vec<_> = doomed.collect();
    // Each is deleted by two callers at once.
    let writer = app.org_a.writer();
    let deletions = doomed.iter().chain(&doomed).map(|key| writer.delete_key(&key.listing.key_id));
    let (created, deleted) = join(join_all((0..10).map(|_| create(organization))), join_all(deletions)).await;

    // One of the two deletes it, and the other finds nothing.
    let (done, none): (Vec<_>, Vec<_>) = deleted.into_iter().partition(Result::is_ok);
    assert!(done.len() == doomed.len() && none.iter().all(|it| matches!(it, Err(KeyError::NotFound))), "{none:?}");
    for key in &doomed {
        app.with_key(key.key.reveal()).get("/v1/tenants").await.unauthorized();
    }
    for key in created {
        app.with_key(key.unwrap().key.reveal()).get("/v1/tenants").await.success();
    }
    let inspection = organization.inspect().await.unwrap();
    assert_eq!((inspection.keys, inspection.discrepancies), (11, vec![]));
    assert_eq!(app.app.store.inspect_outside().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_key_outlives_its_organization() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let operator = app.app.store.as_operator();
    let creations = join_all((0..20).map(|_| create(organization)));
    let (created, deleted) = join(creations, operator.delete_organization(organization.id())).await;
    deleted.unwrap();
    for outcome in created {
        match outcome {
            Ok(key) => app.with_key(key.key.reveal()).get("/v1/tenants").await.unauthorized(),
            Err(error) => assert!(matches!(error, KeyError::NoOrganization), "{error:?}"),
        }
    }
    app.org_a().get("/v1/tenants").await.unauthorized();
    let left = app.items().await.into_iter().filter(|item| format!("{item:?}").contains(organization.id().as_str()));
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn a_deletion_completes_another_and_finds_nothing_after_it() {
    let app = TestApp::new().await;
    let (operator, organization) = (app.app.store.as_operator(), &app.org_a.organization);
    operator.delete_organization(organization.id()).await.unwrap();
    let again = operator.delete_organization(organization.id()).await;
    assert!(matches!(again, Err(OrganizationError::NotFound(_))), "{again:?}");
    // Whoever had read the organization before may have written an item after the deletion.
    app.org_a.writer().queue_message("1".to_owned(), String::new(), String::new()).await.unwrap();
    operator.delete_organization(organization.id()).await.unwrap();
}

#[tokio::test]
async fn every_change_of_a_tenant_has_a_version_that_no_change_before_it_had() {
    let app = TestApp::new().await;
    let (writer, [tenant, _]) = (app.org_a.writer(), &app.org_a.tenants);
    app.org_a.add_report(tenant, "rpt_1", &large_report("2026-06-01T00:00:00.000Z", 1)).await;
    let version = async || app.org_a.organization.tenant(tenant).await.unwrap().unwrap().version;
    let before = version().await;
    let renamed = writer.rename_tenant(tenant, &"Fjord Line".parse().unwrap()).await.unwrap();
    let paused = writer.pause_tenant(tenant, true).await.unwrap();
    let led = writer.lead_tenant(tenant, Some("maester")).await.unwrap();
    assert_eq!([renamed, paused, led].map(|tenant| tenant.version - before), [1, 2, 3]);
    let assignment = Assignment { owner: Some("Amara".to_owned()), due: None, note: None };
    let (report, control) = ("rpt_1".parse().unwrap(), "L.0".parse().unwrap());
    let task = writer.set_task(&report, "L.0", &assignment, None).await.unwrap();
    assert_eq!(version().await - before, 4);
    let again = writer.set_task(&report, "L.0", &assignment, Some(task.version)).await.unwrap();
    assert_eq!(again.version - task.version, 1);
    let secure = |body: &mut ReportBody| {
        let check = body.checks.iter_mut().find(|check| check.control_id == control);
        check.unwrap().status = Status::Secure;
        Ok::<_, StoreError>(())
    };
    writer.edit_report(&report, secure).await.unwrap();
    let done = app.org_a.organization.task(tenant, &control).await.unwrap().unwrap();
    assert_eq!((done.version - again.version, done.is_open()), (1, false));
}

#[tokio::test]
async fn every_change_of_a_text_has_a_version_that_no_change_before_it_had() {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &large_report("2026-06-01T00:00:00.000Z", 1)).await;
    let (writer, control) = (app.org_a.writer(), "L.0".parse().unwrap());
    let set = async |why: &str, seen| {
        let texts = Texts { why: Some(why.to_owned()), suggested_fix: None };
        writer.set_text((None, &control), &texts, seen).await
    };
    let first = set("The first.", Some(0)).await.unwrap();
    let second = set("The second.", Some(first.version)).await.unwrap();
    assert_eq!(second.version - first.version, 1);
    assert!(matches!(set("Of an old form.", Some(first.version)).await, Err(TextError::ChangedMeanwhile)));
}

#[tokio::test]
async fn a_report_that_exists_is_not_added_again() {
    let app = TestApp::new().await;
    let tenant = &app.org_a.tenants[0];
    let body = large_report("2026-06-01T00:00:00.000Z", 1);
    app.org_a.add_report(tenant, "rpt_1", &body).await;
    let tenant = app.org_a.organization.tenant(tenant).await.unwrap().unwrap();
    let (id, body, revisions) = ("rpt_1".parse().unwrap(), ReportBody::deserialize(body).unwrap(), BTreeMap::new());
    let new =
        NewReport { id: &id, tenant: &tenant, tool: "scubagear", body: &body, revisions: &revisions, content: None };
    let again = app.org_a.writer().add_report(new).await;
    assert!(matches!(again, Err(ReportError::Exists)), "{again:?}");
}

#[tokio::test]
async fn every_change_of_a_connection_has_a_version_that_no_change_before_it_had() {
    let app = TestApp::new().await;
    let (organization, [tenant, _]) = (&app.org_a.organization, &app.org_a.tenants);
    let provider = provider_id(tenant).parse().unwrap();
    let days = ["2026-07-15", "2026-07-16", "2026-07-17"].map(|day| time(&format!("{day}T00:00:00Z")));
    let [first, second, third] = days.map(|day| by_operator(organization, day));
    let first = first.connect_tenant(tenant, &provider, Sighting::Open(None)).await.unwrap();
    let second = second.sight_connection(first.clone(), Sighting::Open(None)).await.unwrap();
    let third = third.connect_tenant(tenant, &provider, Sighting::Open(None)).await.unwrap();
    let seen = [first, second, third].map(|connection| (connection.version, connection.checked_at));
    assert_eq!(seen, [(1, days[0]), (2, days[1]), (3, days[2])]);
}

#[tokio::test]
async fn of_two_equal_answers_to_an_attempt_to_connect_one_counts() {
    let app = TestApp::new().await;
    let writer = app.org_a.writer();
    let secret = || Secret::generate().unwrap();
    let (session, states) = (secret().hash(), [secret(), secret(), secret()]);
    let attempt = Attempt { tenant: app.org_a.tenants[0].clone(), member: "mem_1".parse().unwrap(), session };
    writer.begin_connecting(&attempt, &states[0]).await.unwrap();
    let [one, other] = [1, 2].map(|next| writer.continue_connecting(&attempt, &states[0], &states[next]));
    let (one, other) = join(one, other).await;
    assert!(one.unwrap() != other.unwrap());
}

#[tokio::test]
async fn every_change_of_a_member_has_a_version_that_no_change_before_it_had() {
    let app = TestApp::new().await;
    let (organization, writer) = (&app.org_a.organization, app.org_a.writer());
    dashboard::join(&app, organization, Role::Admin, "stays").await;
    let member = dashboard::join(&app, organization, Role::FullMember, "member").await.member_id;
    let first = writer.change_role(&member, Role::Admin).await.unwrap();
    let second = writer.change_role(&member, Role::FullMember).await.unwrap();
    let third = organization.member(&member).await.unwrap().unwrap();
    let own = organization.by(&third.actor(), time("2026-07-15T00:00:00Z"));
    let fourth = own.note_address(Some("dana@client.example")).await.unwrap();
    assert_eq!([first, second, third, fourth].map(|member| member.version), [1, 2, 3, 4]);
}

#[tokio::test]
async fn of_two_admins_who_remove_each_other_one_stays() {
    let app = TestApp::new().await;
    let (organization, writer) = (&app.org_a.organization, app.org_a.writer());
    let admin = |name| dashboard::join(&app, organization, Role::Admin, name);
    let (one, other) = join(admin("one"), admin("other")).await;
    let (one, other) = join(writer.remove_member(&one.member_id), writer.remove_member(&other.member_id)).await;
    assert!(one.is_ok() != other.is_ok());
}

#[tokio::test]
async fn of_two_that_continue_the_same_state_of_work_one_succeeds() {
    let app = TestApp::new().await;
    let (organization, [tenant, _]) = (&app.org_a.organization, &app.org_a.tenants);
    let [at, then] = ["2026-07-15T00:00:00Z", "2026-07-15T00:10:00Z"].map(time);
    let (first, second) = (by_operator(organization, at), by_operator(organization, then));

    let job = first.request_import(ImportJob::new(app.org_a.key_id.clone(), at), None).await.unwrap();
    let continued = second.continue_import(job.clone()).await.unwrap().unwrap();
    assert_eq!((continued.version, continued.changed_at), (job.version + 1, then));
    assert!(second.continue_import(job).await.unwrap().is_none());

    let (request, _) = first.request_report(tenant).await.unwrap();
    let continued = second.continue_request(request.clone()).await.unwrap().unwrap();
    assert_eq!((continued.version, continued.changed_at), (request.version + 1, then));
    let failed = ReportRequest { state: RequestState::Failed, ..request };
    // A form that comes too late is not one that was sent before.
    let by_form = second.clone().once("form_1".parse().unwrap());
    assert!(by_form.continue_request(failed).await.unwrap().is_none());

    let seen = organization.schedules().await.unwrap().unwrap();
    assert!(second.settle_schedules(&seen, then).await.unwrap());
    assert!(!second.settle_schedules(&seen, then).await.unwrap());
}

#[tokio::test]
async fn a_trend_is_added_once_and_names_no_tenant_that_was_erased_meanwhile() {
    let app = TestApp::new().await;
    let (writer, tenants) = (app.org_a.writer(), &app.org_a.tenants);
    let moved = tenants.each_ref().map(|tenant| Moved {
        service_tenant_id: tenant.clone(),
        tenant_name: "A name".to_owned(),
        before: 42,
        after: 91,
    });
    let of_tool = ToolTrend { tenants: 2, moved: moved.to_vec(), ..ToolTrend::default() };
    let trend = |week: &str| WeekTrend {
        week: week.parse().unwrap(),
        tools: [("ScubaGear".to_owned(), of_tool.clone())].into(),
        version: 0,
    };
    assert!(writer.add_trend(&trend("2026-W27")).await.unwrap());
    assert!(!writer.add_trend(&trend("2026-W27")).await.unwrap());
    for (erased, tenant) in (1..).zip(tenants) {
        writer.erase_tenant(tenant).await.unwrap();
        let late = writer.add_trend(&trend("2026-W28")).await;
        assert!(matches!(late, Err(StoreError::Contended(_))), "{late:?}");
        let [stored] = app.org_a.organization.trends("2026-W01".parse().unwrap()).await.unwrap().try_into().unwrap();
        let left = stored.tools["ScubaGear"].moved.len();
        assert_eq!((stored.version, left), (erased, 2 - erased as usize));
    }
}
