//! `kill -9` at random times: the stored data is always consistent, and running the command again completes it.
//!
//! `CRASH_KILLS` sets the number of kills; `CRASH_SEED` repeats the times of an earlier run.

mod notifications;
mod renames;
mod requests;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use fastrand::Rng;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::samples::results;
use crate::support::{Member, Service, text_of};

/// Default number of kills: each command and each victim once.
const KILLS: usize = 12;

/// Number of runs in one import.
const RUNS: usize = 3;

/// The tenant that reports are imported for; others are added and removed.
const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

/// A command that is interrupted.
#[derive(Debug, Clone, Copy)]
enum Interrupted {
    Import,
    KeyCreation,
    TenantRemoval,
    ReportDeletion,
}

/// The process that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Command,
    Service,
    Both,
}

const INTERRUPTED: [Interrupted; 4] =
    [Interrupted::Import, Interrupted::KeyCreation, Interrupted::TenantRemoval, Interrupted::ReportDeletion];
const VICTIMS: [Victim; 3] = [Victim::Command, Victim::Service, Victim::Both];

/// A service with its data in a file, and the data that it must contain.
struct World {
    random: Rng,
    folder: TempDir,
    /// `None` while it is not running.
    service: Option<Service>,
    member: Member,
    /// Number of commands begun so far.
    begun: usize,
    /// Duration of each command without an interruption.
    durations: [Duration; 4],
    /// Completion of every run that is imported.
    imported: BTreeSet<String>,
}

#[tokio::test]
async fn after_a_kill_at_any_moment_the_data_agree_and_another_run_completes_the_command() {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    let kills = number("CRASH_KILLS").map_or(KILLS, |kills| kills as usize);
    eprintln!("CRASH_SEED={seed} CRASH_KILLS={kills}");
    let mut world = World::new(Rng::with_seed(seed));
    for kill in 0..kills {
        let (interrupted, victim) = (INTERRUPTED[kill % 4], VICTIMS[kill / 4 % 3]);
        let command = world.begin(interrupted);
        let moment = world.kill_during(&command, world.durations[interrupted as usize], victim);
        let case = format!("kill {kill}: {victim:?}, {moment:?} into {interrupted:?}");
        world.assert_agreement(&case).await;
        world.complete(interrupted, &command, &case);
        world.assert_agreement(&case).await;
        if matches!(interrupted, Interrupted::TenantRemoval) {
            world.assert_removed(&command[4], &case).await;
        }
    }
}

/// Returns a number from the environment.
fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// Starts a service on the data in a folder.
pub(crate) fn start(folder: &TempDir) -> Service {
    let data = folder.path().join("posture.db");
    Service::start_with(&["--no-rate-limit", "--data", data.to_str().unwrap()])
}

impl World {
    /// Returns an organization in which each command was run once.
    fn new(random: Rng) -> Self {
        let folder = TempDir::new().unwrap();
        let service = start(&folder);
        let member = service.organization("Northwind");
        service.tenant(&member, "Harbour Dental", PROVIDER_ID);
        let (durations, imported) = ([Duration::ZERO; 4], BTreeSet::new());
        let mut world = Self { random, folder, service: Some(service), member, begun: 0, durations, imported };
        for interrupted in INTERRUPTED {
            let command = world.begin(interrupted);
            let begin = Instant::now();
            world.complete(interrupted, &command, "undisturbed");
            world.durations[interrupted as usize] = begin.elapsed();
        }
        world
    }

    fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    /// Prepares a command, and returns its arguments.
    fn begin(&mut self, interrupted: Interrupted) -> Vec<String> {
        self.begun += 1;
        let (command, others) = match interrupted {
            Interrupted::Import => (["report", "import"], self.new_files()),
            Interrupted::KeyCreation => (["key", "create"], Vec::new()),
            Interrupted::TenantRemoval => (["tenant", "remove"], vec![self.new_tenant(), "--yes".to_owned()]),
            Interrupted::ReportDeletion => (["report", "delete"], vec![self.newest_report(), "--yes".to_owned()]),
        };
        let arguments = [command[0], command[1], "--org", &self.member.id].map(str::to_owned);
        arguments.into_iter().chain(others).collect()
    }

    /// Returns files of runs that are not imported yet, before and after those that are.
    fn new_files(&mut self) -> Vec<String> {
        let runs = (self.begun * RUNS)..(self.begun + 1) * RUNS;
        let minutes = runs.map(|run| run * 7_919 % (24 * 60));
        minutes.map(|minute| self.file(PROVIDER_ID, &format!("{:02}:{:02}:00", minute / 60, minute % 60))).collect()
    }

    /// Returns a file of a run on the first of January, at a given time.
    fn file(&mut self, provider_id: &str, time: &str) -> String {
        let run = results(provider_id, 1, &[("MS.AAD.1.1v1", "Pass")]).replace("06:00:00", time);
        let path = self.folder.path().join(format!("{provider_id}-{}.json", time.replace(':', "-")));
        fs::write(&path, run).unwrap();
        if provider_id == PROVIDER_ID {
            self.imported.insert(format!("2026-01-01T{time}.000Z"));
        }
        path.to_str().unwrap().to_owned()
    }

    /// Returns the newest report of the tenant that reports are imported for, and removes it from the expected data.
    fn newest_report(&mut self) -> String {
        let newest = self.get(&format!("/v1/posture-reports?tenantId={PROVIDER_ID}")).1["reports"][0].clone();
        self.imported.remove(newest["completedAt"].as_str().unwrap());
        text_of(&newest, "id")
    }

    /// Returns a tenant with a report: its service identifier.
    fn new_tenant(&mut self) -> String {
        let provider_id = format!("22222222-2222-4444-8888-{:012}", self.begun);
        let file = self.file(&provider_id, "23:59:59");
        let tenant = self.service().tenant(&self.member, "Northgate Joinery", &provider_id);
        self.service().text(&["report", "import", "--org", &self.member.id, &file]);
        tenant
    }

    /// Starts a command, kills at a random time within its duration, and restarts the service. Returns the time.
    fn kill_during(&mut self, command: &[String], duration: Duration, victim: Victim) -> Duration {
        let command: Vec<_> = command.iter().map(String::as_str).collect();
        let moment = duration.mul_f64(self.random.f64());
        let mut running = self.service().spawn(&command);
        thread::sleep(moment);
        if victim != Victim::Service {
            // It may have ended already.
            let _ = running.kill();
        }
        if victim != Victim::Command {
            // Dropping a service kills it.
            self.service = None;
            self.service = Some(start(&self.folder));
        }
        // Its service is gone, so it would keep retrying.
        let _ = running.kill();
        running.wait().unwrap();
        moment
    }

    /// Runs a command again, and checks that its work is done.
    fn complete(&self, interrupted: Interrupted, command: &[String], case: &str) {
        let command: Vec<_> = command.iter().map(String::as_str).collect();
        let tenant = match interrupted {
            Interrupted::Import => return self.complete_import(&command, case),
            Interrupted::KeyCreation => {
                let key = text_of(&self.service().json(&command), "key");
                return assert_eq!(self.service().get(&key, "/v1/tenants").0, 200, "{case}");
            }
            Interrupted::ReportDeletion => return self.complete_deletion(&command, case),
            Interrupted::TenantRemoval => command[4],
        };
        let output = self.service().run(&command);
        let found_done = String::from_utf8_lossy(&output.stderr).contains("posture tenant list");
        assert!(output.status.success() || found_done, "{case}: {output:?}");
        assert_eq!(self.get(&format!("/v1/posture-reports?tenantId={tenant}")).0, 404, "{case}");
    }

    fn complete_import(&self, command: &[&str], case: &str) {
        self.service().text(command);
        self.assert_imported(case);
    }

    fn complete_deletion(&self, command: &[&str], case: &str) {
        let output = self.service().run(command);
        let found_done = String::from_utf8_lossy(&output.stderr).contains("posture report list");
        assert!(output.status.success() || found_done, "{case}: {output:?}");
        self.assert_imported(case);
    }

    fn assert_imported(&self, case: &str) {
        let path = format!("/v1/posture-reports?limit=500&tenantId={PROVIDER_ID}");
        let latest = &self.get(&path).1["reports"];
        assert_eq!(latest[0]["completedAt"], json!(self.imported.last()), "{case}: the latest is not the newest");
        let all = &self.get(&format!("{path}&latestOnly=false")).1["reports"];
        let all: Vec<_> = all.as_array().unwrap().iter().map(|report| text_of(report, "completedAt")).collect();
        assert!(all.iter().eq(self.imported.iter().rev()), "{case}: {all:?}");
    }

    fn get(&self, path: &str) -> (u16, Value) {
        self.service().get(&self.member.key, path)
    }

    /// Asserts that a tenant has nothing that the steps of its removal delete.
    async fn assert_removed(&self, tenant: &str, case: &str) {
        let deleted = ["CORRECTION", "HISTORY", "TENANT"].map(|kind| format!("{kind}#{tenant}"));
        let mut items = self.service().items().await.into_iter();
        let left = items.find(|(_, sk)| deleted.iter().any(|deleted| sk.starts_with(deleted)));
        assert_eq!(left, None, "{case}");
    }

    /// Asserts that the data is consistent, and that every key has its look-up and its listing.
    async fn assert_agreement(&self, case: &str) {
        // Not only by exit code, so that a failure shows the discrepancies.
        let checked: Value = serde_json::from_slice(&self.service().run(&["check", "--json"]).stdout).unwrap();
        assert_eq!(checked[0]["discrepancies"], json!([]), "{case}");
        let items = self.service().items().await;
        let lookups = items.iter().filter(|(pk, _)| pk.starts_with("KEY#")).count();
        assert_eq!(checked[0]["keys"], lookups, "{case}");
    }
}
