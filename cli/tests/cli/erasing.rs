//! `posture tenant erase`, and `posture report delete` for a removed tenant.

use serde_json::json;

use crate::samples::results;
use crate::support::{Member, Service, text_of};

const FIRST: &str = "11111111-2222-3333-4444-555555555555";
const SECOND: &str = "99999999-2222-3333-4444-555555555555";

/// Returns a service with two tenants, each with two reports.
fn service() -> (Service, Member, [String; 2]) {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenants = [service.tenant(&member, "Harbour Dental", FIRST), service.tenant(&member, "Lindqvist", SECOND)];
    for (provider, month) in [(FIRST, 1), (FIRST, 2), (SECOND, 1), (SECOND, 2)] {
        let file = service.file("results.json", results(provider, month, &[("MS.AAD.1.1v1", "Fail")]));
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
    (service, member, tenants)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_is_erased_also_if_it_was_removed_before() {
    let (service, member, [first, second]) = service();
    let before = service.get(&member.key, &format!("/v1/posture-reports?latestOnly=false&tenantId={second}"));
    service.text(&["tenant", "remove", "--org", &member.id, &first, "--yes"]);
    let by_provider = service.failure(1, &["tenant", "erase", "--org", &member.id, FIRST, "--yes"]);
    assert!(by_provider.contains("has no tenant"), "{by_provider}");
    let erased = service.text(&["tenant", "erase", "--org", &member.id, &first, "--yes"]);
    assert_eq!(erased.trim(), format!("Erased tenant {first}."));
    let items = service.items().await;
    let left: Vec<_> = items.iter().filter(|(_, sk)| sk.contains(&first) || sk.contains(FIRST)).collect();
    assert!(left.is_empty(), "{left:?}");
    let again = service.failure(1, &["tenant", "erase", "--org", &member.id, &first, "--yes"]);
    assert!(again.contains("has no tenant") && again.contains("`posture tenant list`"), "{again}");
    assert_eq!(service.get(&member.key, &format!("/v1/posture-reports?latestOnly=false&tenantId={second}")), before);

    // By the provider's identifier while it is listed.
    service.text(&["tenant", "erase", "--org", &member.id, SECOND, "--yes"]);
    assert_eq!(service.get(&member.key, "/v1/posture-reports").1["reports"], json!([]));
    assert_eq!(service.json(&["check"])[0]["discrepancies"], json!([]));
}

#[test]
fn a_report_of_a_removed_tenant_is_deleted() {
    let (service, member, [first, _]) = service();
    let reports = service.json(&["report", "list", "--org", &member.id, "--tenant", &first]);
    let report = text_of(&reports[0], "reportId");
    service.text(&["tenant", "remove", "--org", &member.id, &first, "--yes"]);
    let count = || service.json(&["check"])[0]["reports"].clone();
    assert_eq!(count(), 4);
    let delete = ["report", "delete", "--org", &member.id, &report, "--yes"];
    service.text(&delete);
    assert_eq!(count(), 3);
    assert!(service.failure(1, &delete).contains("`posture report list`"));
    assert_eq!(service.json(&["check"])[0]["discrepancies"], json!([]));
}
