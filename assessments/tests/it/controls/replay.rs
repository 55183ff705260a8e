//! The two recorded tenants, if `collect` is among the real data: our verdict beside ScubaGear's.

use std::path::Path;

use model::Status;
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::same::{DIFFERENT, DIFFERENT_IN_2024, NOT_IN_2024, SAME};
use super::snapshot::{Snapshot, dns, page};
use crate::corpus::corpus_files;

/// The files of a recorded tenant.
const FILES: [(&str, &str); 13] = [
    ("organization", at::ORGANIZATION),
    ("subscribedSkus", at::SUBSCRIBED_SKUS),
    ("domains", at::DOMAINS),
    ("authorizationPolicy", at::AUTHORIZATION_POLICY),
    ("authenticationMethodsPolicy", at::AUTHENTICATION_METHODS_POLICY),
    ("adminConsentRequestPolicy", at::ADMIN_CONSENT_REQUEST_POLICY),
    ("groupSettings", at::GROUP_SETTINGS),
    ("conditionalAccessPolicies", at::CONDITIONAL_ACCESS_POLICIES),
    ("roleAssignments", at::ROLE_ASSIGNMENTS),
    ("roleAssignmentScheduleInstances", at::ROLE_ASSIGNMENT_INSTANCES),
    ("roleManagementPolicyAssignments", at::ROLE_POLICIES),
    ("users_privileged", at::USERS),
    ("sharepointSettings", at::SHAREPOINT_SETTINGS),
];

fn file(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Returns the snapshot of a recorded tenant. Its security defaults were not recorded, and are off where there are
/// policies; the holders that are not assigned are eligible.
fn recorded(folder: &Path, tenant: &str) -> Snapshot {
    let folder = folder.join("replay").join(tenant);
    let body = |name: &str| file(&folder.join(format!("{name}.json")));
    let mut snapshot = Snapshot::empty().declaring(&[]).with(at::SECURITY_DEFAULTS, json!({ "isEnabled": false }));
    snapshot.header["providerTenantId"] = body("organization")["value"][0]["id"].clone();
    let eligible = page(body("_effective_privileged_users").as_array().unwrap());
    let snapshot = snapshot.with(at::ROLE_ELIGIBILITY_INSTANCES, eligible);
    let snapshot = FILES.iter().fold(snapshot, |snapshot, (name, endpoint)| snapshot.with(endpoint, body(name)));
    let records = body("_dns");
    ["spf_records", "dmarc_records"].iter().fold(snapshot, |snapshot, list| {
        records[list].as_array().unwrap().iter().fold(snapshot, |snapshot, record| {
            let texts: Vec<&str> = record["rdata"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let prefix = if *list == "dmarc_records" { "_dmarc." } else { "" };
            dns(snapshot, &format!("{prefix}{}", record["domain"].as_str().unwrap()), &texts)
        })
    })
}

/// Returns the controls with another result than the tool's: its rule, our result, its result.
fn differences(tenant: &str, ignored: &[&str]) -> Option<Vec<(String, Status, bool)>> {
    let folder = corpus_files::folder("collect")?;
    let results = recorded(&folder, tenant).results();
    let real = file(&folder.join("cases/REAL.json"));
    let verdicts = &real[tenant]["verdicts"];
    let compared = SAME.iter().filter(|(theirs, _)| !ignored.iter().any(|it| theirs.starts_with(it)));
    let differing = compared.filter_map(|(theirs, ours)| {
        let passed = verdicts[theirs][0].as_bool()?;
        let (status, _) = &results[*ours];
        ((*status == Status::Secure) != passed || *status == Status::NotAssessed)
            .then(|| ((*theirs).to_owned(), *status, passed))
    });
    Some(differing.collect())
}

fn known(different: &[(&str, Status, bool, &str)]) -> Vec<(String, Status, bool)> {
    different.iter().map(|(rule, ours, passed, _)| ((*rule).to_owned(), *ours, *passed)).collect()
}

#[test]
fn the_tenant_of_2025_is_judged_as_the_peer_does() {
    let Some(differences) = differences("v1.7.0_2025-10", &[]) else { return };
    assert_eq!(differences, known(&DIFFERENT));
}

#[test]
fn the_tenant_of_2024_is_judged_as_the_peer_does() {
    let Some(differences) = differences("v1.4.0_2024-08", &[NOT_IN_2024]) else { return };
    assert_eq!(differences, known(&DIFFERENT_IN_2024));
}
