//! `kill -9` of the service while it makes reports on request: none is lost, doubled or made of two moments, and a run goes
//! on from its last step.

use std::collections::BTreeMap;
use std::time::Duration;
use std::{fs, thread};

use fastrand::Rng;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::number;
use crate::collecting::{TENANT, recorded};
use crate::support::{Service, text_of};

/// Default number of kills.
const KILLS: usize = 4;
/// Longer than a report takes, so that kills hit every part of it and the time after it.
const LONGEST: u64 = 3_500;

const REQUEST: [&str; 6] = ["report", "request", "--org", "org_recorded", "--tenant", TENANT];

fn start(folder: &TempDir, data: &TempDir) -> Service {
    let data = data.path().join("posture.db");
    Service::start_with(&["--graph-folder", folder.path().to_str().unwrap(), "--data", data.to_str().unwrap()])
}

/// Returns the request that is open, or a new one.
fn request(service: &Service) -> Value {
    let output = service.run(&[&REQUEST[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn after_a_kill_at_any_moment_every_requested_report_comes_once() {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    let kills = number("CRASH_KILLS").map_or(KILLS, |kills| kills as usize);
    eprintln!("CRASH_SEED={seed} CRASH_KILLS={kills}");
    let (mut random, folder, data) = (Rng::with_seed(seed), recorded(), TempDir::new().unwrap());
    let mut service = start(&folder, &data);
    // Requests by their times, with the steps that were seen.
    let mut requests: BTreeMap<String, u64> = BTreeMap::new();
    let (mut taken_up, mut undisturbed) = (0, 0);
    for _ in 0..kills {
        let before = request(&service);
        let (made, steps) = (text_of(&before, "requestedAt"), before["stepsDone"].as_u64().unwrap());
        match requests.insert(made, steps) {
            Some(earlier) if steps > 0 => {
                assert!(steps >= earlier, "a step was lost");
                taken_up += 1;
            }
            _ => undisturbed += 1,
        }
        thread::sleep(Duration::from_millis(random.u64(..LONGEST)));
        drop(service);
        service = start(&folder, &data);
    }
    let last: Value = {
        let output = service.run(&[&REQUEST[..], &["--wait", "--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    assert_eq!(last["state"], "COMPLETED", "{last}");
    requests.insert(text_of(&last, "requestedAt"), 14);
    let reports = service.json(&["report", "list", "--org", "org_recorded"]);
    let reports: Vec<String> = reports.as_array().unwrap().iter().map(|report| text_of(report, "reportId")).collect();
    let begun = |id: &String| text_of(&service.json(&["report", "show", "--org", "org_recorded", id]), "createdAt");
    let mut times: Vec<_> = reports.iter().map(begun).collect();
    times.sort();
    assert_eq!(times, requests.keys().cloned().collect::<Vec<_>>(), "one report of each request");
    let kept = snapshots(&data);
    assert_eq!(kept.len(), reports.len());
    for snapshot in &kept {
        let imported = service.json(&["report", "import", "--org", "org_recorded", snapshot]);
        assert_eq!(imported["reports"][0]["outcome"], json!("ALREADY_THERE"), "{imported}");
    }
    assert_eq!(service.json(&["check"])[0]["discrepancies"], json!([]));
    eprintln!("{} reports; {taken_up} runs were taken up again, {undisturbed} began", reports.len());
}

/// Returns the snapshots that are whole, without parts of any.
fn snapshots(data: &TempDir) -> Vec<String> {
    let files = fs::read_dir(data.path().join("posture.db.snapshots")).unwrap();
    let files = files.map(|file| file.unwrap().path().to_str().unwrap().to_owned());
    files.filter(|name| name.ends_with(".jsonl.gz")).collect()
}
