//! `kill -9` during the renaming of a tenant with many reports: every report has the old name, or every report has the
//! new one.
//!
//! `CRASH_RENAMES` sets the number of kills, `CRASH_REPORTS` that of reports; `CRASH_SEED` repeats the times of an
//! earlier run.

use std::time::Instant;

use fastrand::Rng;

use super::{PROVIDER_ID, VICTIMS, World, number};
use crate::support::text_of;

/// Default number of kills: each victim once.
const KILLS: u64 = 3;
/// Default number of reports: more than a page of the API has by default.
const REPORTS: u64 = 120;

#[tokio::test]
async fn after_a_kill_during_a_rename_every_report_has_the_same_name_and_another_run_completes_it() {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    let (kills, reports) =
        (number("CRASH_RENAMES").unwrap_or(KILLS), number("CRASH_REPORTS").unwrap_or(REPORTS) as usize);
    eprintln!("CRASH_SEED={seed} CRASH_RENAMES={kills} CRASH_REPORTS={reports}");
    let mut world = World::new(Rng::with_seed(seed));
    world.import_until_there_are(reports);
    let tenant = text_of(&world.get("/v1/tenants").1["tenants"][0], "serviceTenantId");
    let rename_to = |name: &str| {
        let arguments = ["tenant", "rename", "--org", &world.member.id, &tenant, "--name", name];
        arguments.map(str::to_owned).to_vec()
    };
    let commands: Vec<_> = (0..=kills).map(|kill| rename_to(&format!("Name {kill}"))).collect();
    let began = Instant::now();
    world.run(&commands[0]);
    let duration = began.elapsed();

    let mut done = 0;
    for kill in 1..=kills {
        let (before, after) = (format!("Name {}", kill - 1), format!("Name {kill}"));
        let (command, victim) = (&commands[kill as usize], VICTIMS[kill as usize % 3]);
        let moment = world.kill_during(command, duration, victim);
        let case = format!("kill {kill}: {victim:?}, {moment:?} into the rename");
        world.assert_agreement(&case).await;
        let name = world.only_name(reports);
        assert!(name == before || name == after, "{case}: {name}");
        done += usize::from(name == after);
        world.run(command);
        world.assert_agreement(&case).await;
        assert_eq!(world.only_name(reports), after, "{case}");
    }
    eprintln!("{reports} reports, {kills} kills: {done} renames were complete, the others had no effect");
}

impl World {
    /// Imports runs in one command.
    fn import_until_there_are(&mut self, reports: usize) {
        let minutes = (0..).map(|run| run * 7_919 % (24 * 60));
        let mut files = Vec::new();
        for minute in minutes {
            if self.imported.len() == reports {
                break;
            }
            files.push(self.file(PROVIDER_ID, &format!("{:02}:{:02}:30", minute / 60, minute % 60)));
        }
        let import = ["report", "import", "--org", &self.member.id].map(str::to_owned);
        self.run(&import.into_iter().chain(files).collect::<Vec<_>>());
    }

    fn run(&self, command: &[String]) {
        self.service().text(&command.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Returns the name that the tenant has in the list of tenants, in every report, and in every summary.
    fn only_name(&self, reports: usize) -> String {
        let tenants = self.get("/v1/tenants").1;
        let name = text_of(&tenants["tenants"][0], "name");
        for list in
            ["/v1/posture-reports?latestOnly=false&limit=500", "/v1/report-summaries?latestOnly=false&limit=500"]
        {
            let (mut names, mut path) = (Vec::new(), list.to_owned());
            loop {
                let page = self.get(&path).1;
                names.extend(
                    page["reports"].as_array().unwrap().iter().map(|report| text_of(&report["tenant"], "name")),
                );
                let Some(cursor) = page["nextCursor"].as_str() else { break };
                path = format!("{list}&cursor={cursor}");
            }
            assert_eq!(names.len(), reports, "{list}");
            assert!(names.iter().all(|shown| *shown == name), "{list}: not all have the name {name}");
        }
        name
    }
}
