//! `kill -9` during exports and imports: repeating them completes them, and nothing is lost or twice.
//!
//! `MOVED_REPORTS` sets the number of reports: 10,000 were moved by hand (docs/RELIABILITY.md).

use std::collections::{BTreeMap, HashMap};
use std::process::Child;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use aws_sdk_dynamodb::types::AttributeValue;
use chrono::Utc;
use fastrand::Rng;
use model::{Admin, OrganizationId, ReportBody, ReportId, ServiceTenantId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{NewReport, Organization, Store};

use super::{UNLIMITED, assert_equal, parts};
use crate::support::{Service, failed, text_of};

const KILLS: usize = 10;
/// Default number of reports: several parts of an archive.
const REPORTS: usize = 80;
const TENANTS: usize = 10;
/// Most memory of the command, whatever the number of reports, in KB.
const MEMORY: u64 = 200 * 1024;

/// Returns a report whose text hardly compresses.
fn body(random: &mut Rng, number: usize, size: usize) -> ReportBody {
    let text: String = (0..size).map(|_| random.alphanumeric()).collect();
    let minute = Timestamp::try_from(chrono::DateTime::from_timestamp(1_700_000_000 + 60 * number as i64, 0).unwrap());
    let at = minute.unwrap();
    let body = json!({
        "reportType": "BASELINE", "baseline": null, "createdAt": at, "completedAt": at, "activityLookbackDays": 30,
        "score": 42, "grade": "F", "previousScore": null, "previousGrade": null,
        "controls": {
            "assessed": 1, "secure": 0, "fixed": 0, "inProgress": 0, "open": 1, "drifted": 0, "notAssessed": 0,
        },
        "globalAdmins": {
            "count": 1, "previousCount": null, "bestPracticeMax": 4, "strongMfaCount": 0, "dataComplete": false,
            "admins": [],
        },
        "topRisks": [],
        "checks": [{
            "controlId": "X.1", "category": "ACCOUNTS", "name": "A control", "status": "OPEN", "severity": null,
            "currentState": text, "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
        }],
    });
    ReportBody::deserialize(body).unwrap()
}

async fn add_report(organization: &Organization, tenant: &ServiceTenantId, number: usize, body: &ReportBody) {
    let tenant = organization.tenant(tenant).await.unwrap().unwrap();
    let id: ReportId = format!("rpt_{number:06}").parse().unwrap();
    let revisions = BTreeMap::new();
    let new = NewReport { id: &id, tenant: &tenant, tool: "ScubaGear", body, revisions: &revisions, content: None };
    organization.by_admin(&Admin::operator(), body.figures.completed_at).add_report(new).await.unwrap();
}

/// Returns a service with an organization and its reports.
pub(crate) async fn filled(reports: usize) -> (Service, String) {
    let service = Service::start_with(&[UNLIMITED]);
    let member = service.organization("Northwind");
    let id: OrganizationId = member.id.parse().unwrap();
    let organization = Store::new(service.client(), "posture").organization(&id);
    let tenants: Vec<ServiceTenantId> = (0..TENANTS)
        .map(|number| format!("11111111-2222-3333-4444-{number:012}"))
        .map(|provider| service.tenant(&member, "Harbour Dental", &provider).parse().unwrap())
        .collect();
    let mut random = Rng::with_seed(7);
    // 16 KB is the usual size of a report; few reports are larger, so that they make several parts.
    let size = (6_000_000 / reports).clamp(16_000, 100_000);
    for number in 0..reports {
        let body = body(&mut random, number, size);
        add_report(&organization, &tenants[number % TENANTS], number, &body).await;
    }
    (service, member.id)
}

/// Runs a command to its end, and returns its duration and the most memory that it used, in KB.
fn measured(service: &Service, arguments: &[&str]) -> (Duration, u64) {
    let begin = Instant::now();
    let mut running = service.spawn(arguments);
    let mut peak = 0;
    while running.try_wait().unwrap().is_none() {
        peak = peak.max(memory(&running).unwrap_or_default());
        thread::sleep(Duration::from_millis(5));
    }
    assert!(running.wait().unwrap().success(), "{arguments:?}");
    (begin.elapsed(), peak)
}

/// Returns the most memory that a running process has used, in KB, where the system says so.
fn memory(process: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Starts a command ten times and kills it, each time when it is further than the last time. `progress` is from 0 to 1.
/// Returns how often it was still running.
pub(crate) async fn killed(
    start: impl Fn(usize) -> Child,
    progress: impl AsyncFn() -> f64,
    after_each: impl Fn(),
) -> usize {
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let until = (kill + 1) as f64 / (KILLS + 2) as f64;
        let mut running = start(kill);
        while running.try_wait().unwrap().is_none() && progress().await < until {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        interrupted += usize::from(running.try_wait().unwrap().is_none());
        // It may have ended already.
        let _ = running.kill();
        running.wait().unwrap();
        after_each();
    }
    interrupted
}

/// Returns the number of parts of an archive that have arrived.
async fn arrived(service: &Service, organization: &str) -> f64 {
    let key = [("pk", format!("ORG#{organization}")), ("sk", "ARRIVING".to_owned())];
    let key = key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value)));
    let item = service.client().get_item().table_name("posture").set_key(Some(key.into())).send().await.unwrap().item;
    item.map_or(0.0, |item| item["parts"].as_n().unwrap().parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_exports_and_imports_are_completed_by_another_run() {
    let reports = env::var("MOVED_REPORTS").map_or(REPORTS, |reports| reports.parse().unwrap());
    let (here, organization) = filled(reports).await;
    let path = |name: &str| here.folder.path().join(name).display().to_string();
    let (undisturbed, archive) = (path("undisturbed.tar.gz"), path("northwind.tar.gz"));
    let (exporting, export_memory) = measured(&here, &["org", "export", &undisturbed, "--org", &organization]);
    let other = Service::start_with(&[UNLIMITED]);
    let (importing, import_memory) = measured(&other, &["org", "import", &undisturbed]);
    eprintln!(
        "{reports} reports, {} bytes: exported in {exporting:?} with {export_memory} KB, imported in {importing:?} with \
         {import_memory} KB",
        fs::metadata(&undisturbed).unwrap().len()
    );
    assert!(export_memory < MEMORY && import_memory < MEMORY);

    let export = ["org", "export", &archive, "--org", &organization];
    let size = fs::metadata(&undisturbed).unwrap().len() as f64;
    let written = async || fs::metadata(format!("{archive}.part")).map_or(0.0, |file| file.len() as f64 / size);
    let interrupted = killed(|_| here.spawn(&export), written, || {}).await;
    eprintln!("the export was interrupted {interrupted} times");
    if !fs::exists(&archive).unwrap() {
        here.text(&export);
    }
    let there = Service::start_with(&[UNLIMITED]);
    let import = ["org", "import", &archive];
    let listed = || there.json(&["org", "list"]);
    let parts = parts(&archive) as f64;
    let progress = async || arrived(&there, &organization).await / parts;
    let interrupted = killed(
        |_| there.spawn(&import),
        progress,
        || {
            if listed() != json!([]) {
                assert_eq!(there.json(&["check"])[0]["reports"], reports, "it is visible before all of it has arrived");
            }
        },
    )
    .await;
    eprintln!("the import was interrupted {interrupted} times");
    let last = there.run(&import);
    if last.status.code() != Some(0) {
        assert!(failed(1, &last).contains("exists already"), "{last:?}");
    }
    assert_eq!(text_of(&listed()[0], "organizationId"), organization);
    let checked: Value = there.json(&["check"]);
    assert_eq!((&checked[0]["reports"], &checked[0]["discrepancies"]), (&json!(reports), &json!([])));
    let compared = assert_equal(&here, &there, &organization);
    eprintln!("{compared} responses are equal");
    let moved = |service: &Service| {
        let client = service.client();
        async move {
            let scan = client.scan().table_name("posture").into_paginator().items().send();
            let items = scan.collect::<Result<Vec<_>, _>>().await.unwrap();
            let left_behind = ["ORG", "APIKEY#", "KEY"];
            let key = |item: &HashMap<String, AttributeValue>| {
                (item["pk"].as_s().unwrap().clone(), item["sk"].as_s().unwrap().clone())
            };
            // What has expired stays behind.
            let ends = |item: &HashMap<String, AttributeValue>| item.get("expiresAt")?.as_n().ok()?.parse().ok();
            let items = items.into_iter().filter(|item| ends(item).is_none_or(|end: i64| end > Utc::now().timestamp()));
            let items = items.map(|item| (key(&item), item));
            // The keys were made for the comparison, and are in the audit trail of each table.
            let items = items.filter(|((_, sk), _)| !left_behind.iter().any(|kind| sk.starts_with(kind)));
            // The rounds of each service write when they look again.
            let items = items.filter(|((pk, sk), _)| pk != "DUE" && sk != "SCHEDULES");
            items.filter(|((pk, sk), _)| pk != "DATA" && !sk.starts_with("AUDIT#2026")).collect::<BTreeMap<_, _>>()
        }
    };
    let (here, there) = (moved(&here).await, moved(&there).await);
    let mut keys = here.keys().chain(there.keys());
    assert_eq!(keys.find(|key| here.get(*key) != there.get(*key)), None, "a stored item differs");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_erasure_leaves_nothing_after_another_run() {
    let (service, organization) = filled(KILLS * TENANTS).await;
    let org = ["--org", &organization];
    let tenants = service.json(&[&["tenant", "list"], &org[..]].concat());
    let ids: Vec<_> = tenants.as_array().unwrap().iter().map(|tenant| text_of(tenant, "serviceTenantId")).collect();
    let about = async |id: &str| service.items().await.iter().filter(|(_, sk)| sk.contains(id)).count();
    let (mut duration, mut interrupted) = (Duration::ZERO, 0);
    for (kill, id) in ids.iter().enumerate() {
        let erase = [&["tenant", "erase", id, "--yes"], &org[..]].concat();
        assert!(about(id).await > KILLS);
        // The first one is not disturbed, and each of the others is further than the one before.
        let (begin, until) = (Instant::now(), duration.mul_f64(kill as f64 / KILLS as f64));
        let mut running = service.spawn(&erase);
        while running.try_wait().unwrap().is_none() && (kill == 0 || begin.elapsed() < until) {
            thread::sleep(Duration::from_millis(1));
        }
        duration = if kill == 0 { begin.elapsed() } else { duration };
        interrupted += usize::from(running.try_wait().unwrap().is_none());
        // It may have ended already.
        let _ = running.kill();
        running.wait().unwrap();
        let last = service.run(&erase);
        if last.status.code() != Some(0) {
            assert!(failed(1, &last).contains("has no tenant"), "{last:?}");
        }
        assert_eq!(about(id).await, 0, "something is left of {id} after kill {kill}");
        assert_eq!(service.json(&["check"])[0]["discrepancies"], json!([]), "after kill {kill}");
    }
    eprintln!("{interrupted} erasures were interrupted");
    let listed = service.json(&[&["tenant", "list"], &org[..]].concat());
    assert_eq!(listed, json!([]));
}
