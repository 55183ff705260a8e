//! The file: header, responses, end.

use std::io::Write;

use assessments::{Unreadable, combine, read};
use flate2::Compression;
use flate2::write::GzEncoder;
use model::snapshot::endpoint as at;
use serde_json::json;

use super::snapshot::{ADMIN, MEMBER, NOW, OTHER_ADMIN, Snapshot, TENANT, page};

fn refusal(bytes: &[u8]) -> Unreadable {
    read(&bytes).unwrap_err()
}

fn without_line(snapshot: &Snapshot, line: usize) -> Vec<u8> {
    let text = String::from_utf8(snapshot.bytes()).unwrap();
    let kept = text.lines().enumerate().filter(|(number, _)| *number != line).map(|(_, line)| line);
    kept.collect::<Vec<_>>().join("\n").into_bytes()
}

#[test]
fn a_snapshot_that_was_cut_off_is_refused() {
    let snapshot = Snapshot::secure();
    let bytes = snapshot.bytes();
    let last = snapshot.responses.len() + 1;
    assert_eq!(refusal(&without_line(&snapshot, last)), Unreadable::SnapshotCutOff, "the last line");
    assert_eq!(refusal(&without_line(&snapshot, 3)), Unreadable::SnapshotCutOff, "a response");
    assert!(matches!(refusal(&bytes[..bytes.len() - 40]), Unreadable::CutOff { .. }), "within a line");
    let doubled = [bytes.as_slice(), b"\n", &bytes].concat();
    assert!(matches!(refusal(&doubled), Unreadable::Unexpected { .. }), "two snapshots");
}

#[test]
fn a_snapshot_of_another_version_or_tenant_is_refused() {
    let mut newer = Snapshot::secure();
    newer.header["snapshot"] = json!(2);
    assert_eq!(refusal(&newer.bytes()), Unreadable::SnapshotVersion(2));
    let other = "99999999-2222-3333-4444-555555555555";
    let foreign = Snapshot::secure().put(at::ORGANIZATION, "value/0/id", json!(other));
    assert_eq!(refusal(&foreign.bytes()), Unreadable::SnapshotOfOtherTenant);
    let foreign = Snapshot::secure().put(at::SUBSCRIBED_SKUS, "value/0/accountId", json!(other));
    assert_eq!(refusal(&foreign.bytes()), Unreadable::SnapshotOfOtherTenant);
}

#[test]
fn a_snapshot_may_be_compressed_in_pieces() {
    let bytes = Snapshot::secure().bytes();
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let packed = [first, second].map(|piece| {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(piece).unwrap();
        gzip.finish().unwrap()
    });
    let runs = combine([read(&packed.concat()).unwrap()]).runs;
    assert!(runs == combine([read(&bytes).unwrap()]).runs);
}

#[test]
fn a_run_names_its_tenant_and_times() {
    let run = Snapshot::secure().run();
    assert_eq!(run.tool.to_string(), "Built-in assessment");
    assert_eq!(run.tenant.as_ref().unwrap().as_str(), TENANT);
    assert_eq!(run.started.unwrap().to_string(), "2026-05-01T08:59:00.000Z");
    assert_eq!(run.completed.unwrap().to_string(), NOW);
    assert_eq!(run.lookback_days, Some(30));
    assert_eq!(run.run_id, format!("Built-in assessment/{TENANT}/{NOW}"));
    assert!(run.findings.iter().all(|it| it.check.why.is_some() && it.check.suggested_fix.is_some()));
    assert!(run.findings.iter().all(|it| it.check.severity.is_some()));
}

#[test]
fn administrators_and_usage_are_those_of_the_exports() {
    let snapshot = Snapshot::secure();
    let of_snapshot = snapshot.combined();
    let context = |list: &str, endpoint: &str| {
        let response = snapshot.responses.iter().find(|it| it["endpoint"] == endpoint).unwrap();
        let mut page = response["body"].clone();
        page["@odata.context"] = json!(format!("https://graph.example/v1.0/$metadata#{list}"));
        page.to_string().into_bytes()
    };
    let exports = [
        context("users", at::USERS),
        context("subscribedSkus", at::SUBSCRIBED_SKUS),
        context("roleManagement/directory/roleAssignmentScheduleInstances", at::ROLE_ASSIGNMENT_INSTANCES),
        context("roleManagement/directory/roleEligibilityScheduleInstances", at::ROLE_ELIGIBILITY_INSTANCES),
        context("reports/authenticationMethods/userRegistrationDetails", at::REGISTRATIONS),
        context("identity/conditionalAccess/policies", at::CONDITIONAL_ACCESS_POLICIES),
    ];
    let sign_ins = snapshot.responses.iter().filter(|it| it["endpoint"] == at::SIGN_INS);
    let sign_ins: Vec<_> = sign_ins.flat_map(|it| it["body"]["value"].as_array().unwrap().clone()).collect();
    let mut log = page(&sign_ins);
    log["@odata.context"] = json!("https://graph.example/v1.0/$metadata#auditLogs/signIns");
    let exports = exports.into_iter().chain([log.to_string().into_bytes()]).map(|file| read(&file).unwrap());
    let of_exports = combine(exports).directory.unwrap();
    let directory = of_snapshot.directory.as_ref().unwrap();
    let at = NOW.parse().unwrap();
    let review = directory.admin_review(at, 30).unwrap();
    assert_eq!(Some(&review), of_exports.admin_review(at, 30).as_ref());
    assert_eq!(of_snapshot.runs[0].admins, review);
    assert_eq!((review.count, review.complete, review.admins.len()), (Some(2), true, 2));
    assert!(directory.users().unwrap() == of_exports.users().unwrap());
    assert_eq!(directory.users().unwrap().len(), 4);
}

#[test]
fn administrators_whose_sign_ins_are_missing_beside_those_of_others_are_incomplete() {
    let complete = |snapshot: Snapshot| snapshot.run().admins.complete;
    let secure = Snapshot::secure();
    assert!(complete(secure.clone()));
    for status in [403, 429, 503] {
        assert!(!complete(secure.clone().failing_query(at::SIGN_INS, OTHER_ADMIN, status)), "{status}");
    }
    // Without any of them, nothing is said about sign-ins.
    assert!(complete(secure.clone().without(at::SIGN_INS)));
    assert!(complete(secure.failing(at::SIGN_INS, 403, "Authentication_RequestFromNonPremiumTenantOrB2CTenant")));
}

#[test]
fn the_logs_in_a_snapshot_show_the_use_of_controls() {
    let usage = |snapshot: &Snapshot, id: &str| {
        let run = snapshot.run();
        run.findings.iter().find(|it| it.check.control_id.as_str() == id).unwrap().check.observed_usage.clone()
    };
    let secure = Snapshot::secure();
    assert_eq!(usage(&secure, "spr.ca.1").as_deref(), Some("No sign-in by a legacy protocol in the last 30 days."));
    assert_eq!(usage(&secure, "spr.ca.2"), None, "the sign-ins of some say nothing about all");
    let query = format!("$filter=userId eq '{ADMIN}' and createdDateTime ge 2026-04-01T00:00:00Z");
    let some = secure.clone().without_query(at::SIGN_INS, &query);
    assert_eq!(usage(&some, "spr.ca.1"), usage(&secure, "spr.ca.1"));
    let one_client = Snapshot::secure().without(at::SIGN_INS).with_query(
        at::SIGN_INS,
        "$filter=createdDateTime ge 2026-04-01T00:00:00Z and clientAppUsed eq 'IMAP4'",
        page(&[super::snapshot::sign_in(MEMBER, 0)]),
    );
    assert_eq!(
        usage(&one_client, "spr.ca.1").as_deref(),
        Some("Nobody used IMAP4, POP3 or SMTP for mail in the 30 days to 2026-04-29.")
    );
}
