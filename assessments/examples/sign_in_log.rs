//! Reads a generated sign-in log of many pages, and prints the time and memory that it needed.
//!
//! `cargo run --release -p assessments --example sign_in_log -- 1000` makes 1,000 MB of pages with 1,000 sign-ins each.
//! The pages are made as they are read, so only what the reader keeps is in memory.

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use assessments::{combine, read};

/// Sign-ins of a page, as many as Microsoft Graph returns.
const ROWS: usize = 1_000;

/// Users of the tenant.
const USERS: usize = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let megabytes: usize = env::args().nth(1).map_or(Ok(100), |text| text.parse())?;
    let (mut bytes, mut pages, mut contents) = (0, 0, Vec::new());
    let started = Instant::now();
    let mut making = started.elapsed();
    while bytes < megabytes * 1_000_000 {
        let before = Instant::now();
        let page = page(pages);
        making += before.elapsed();
        contents.push(read(&page.as_bytes())?);
        bytes += page.len();
        pages += 1;
    }
    let combined = combine(contents);
    let reading = started.elapsed() - making;
    let rows = pages * ROWS;
    eprintln!("{rows} sign-ins in {pages} pages, {} MB, in {:.1} s", bytes / 1_000_000, reading.as_secs_f64());
    eprintln!("peak memory: {} MB; issues: {}", peak()?, combined.issues.len());
    Ok(())
}

/// Returns a page of the log.
fn page(number: usize) -> String {
    let rows: Vec<String> = (0..ROWS).map(|row| sign_in(number * ROWS + row)).collect();
    let next = format!("https://graph.example/beta/auditLogs/signIns?$skiptoken={number}");
    format!(
        r#"{{"@odata.context":"https://graph.example/beta/$metadata#auditLogs/signIns","@odata.nextLink":"{next}","value":[{}]}}"#,
        rows.join(",")
    )
}

/// Returns a sign-in with the fields that Microsoft Graph writes.
fn sign_in(number: usize) -> String {
    let (user, minute) = (number * 7_919 % USERS, number % 43_200);
    let (day, hour, minute) = (minute / 1_440 + 1, minute / 60 % 24, minute % 60);
    let error = if number.is_multiple_of(20) { 50_126 } else { 0 };
    format!(
        r#"{{"id":"00000000-0000-4000-8000-{number:012}","createdDateTime":"2026-01-{day:02}T{hour:02}:{minute:02}:00Z","userDisplayName":"Person {user}","userPrincipalName":"person.{user}@alder.example","userId":"10000000-0000-4000-8000-{user:012}","appId":"20000000-0000-4000-8000-000000000001","appDisplayName":"Office 365 Exchange Online","ipAddress":"192.0.2.{}","clientAppUsed":"Browser","correlationId":"30000000-0000-4000-8000-{number:012}","conditionalAccessStatus":"success","isInteractive":true,"authenticationRequirement":"multiFactorAuthentication","riskDetail":"none","riskLevelAggregated":"none","riskState":"none","status":{{"errorCode":{error},"failureReason":"Other.","additionalDetails":"MFA requirement satisfied by claim in the token"}},"deviceDetail":{{"deviceId":"40000000-0000-4000-8000-{user:012}","displayName":"PC-{user}","operatingSystem":"Windows 11","browser":"Edge 131.0.0","isCompliant":true,"isManaged":true,"trustType":"Azure AD joined"}},"location":{{"city":"Oslo","state":"Oslo","countryOrRegion":"NO","geoCoordinates":{{"latitude":59.9,"longitude":10.7}}}},"appliedConditionalAccessPolicies":[{{"id":"50000000-0000-4000-8000-000000000001","displayName":"Require a second factor","enforcedGrantControls":["Mfa"],"enforcedSessionControls":[],"result":"success"}}]}}"#,
        number % 250,
    )
}

/// Returns the peak memory of the process in megabytes, or 0 outside of Linux.
fn peak() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    Ok(line.split_whitespace().next().unwrap_or("0").parse::<u64>()? / 1024)
}
