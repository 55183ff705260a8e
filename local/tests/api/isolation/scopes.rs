//! Keys that import read nothing, on any route, and cannot detect what exists.

use model::KeyId;
use serde_json::json;
use store::KeyRights;

use super::Canaries;
use super::canaries::canaries_in;
use super::matrix::{admitted, references};
use crate::faults::FaultyStore;
use crate::support::{TestApp, by_operator, time};

/// Returns a key of an organization that imports, and its identifier.
async fn importing(of: &Canaries, tenant: Option<&str>) -> (String, KeyId) {
    let writer = by_operator(&of.organization, time("2026-07-15T00:00:00Z"));
    let rights = KeyRights::Import(tenant.map(|tenant| tenant.parse().unwrap()));
    let created = writer.create_key_for(None, rights).await.unwrap();
    (created.key.reveal().to_owned(), created.listing.key_id)
}

#[tokio::test]
async fn a_key_that_imports_gets_the_same_refusal_whatever_it_asks_for() {
    let app = TestApp::new().await;
    let organizations = [Canaries::create(&app, 'a').await, Canaries::create(&app, 'b').await];
    let own = &organizations[0];
    let references: Vec<_> = references(&organizations).collect();
    let mut refusals = Vec::new();
    for tenant in [None, Some(own.tenants[0].id.as_str())] {
        let (key, id) = importing(own, tenant).await;
        let client = app.with_key(&key);
        for path in &app.paths {
            for reference in &references {
                let report = format!("{reference}-report-1");
                let path =
                    path.replace("{reportId}", &report).replace("{controlId}", &format!("{reference}-controlId"));
                for query in [String::new(), format!("?tenantId={reference}"), format!("?{reference}=")] {
                    refusals.push(client.get_gzip(&format!("{path}{query}")).await);
                }
            }
        }
        by_operator(&own.organization, time("2026-07-15T00:00:00Z")).delete_key(&id).await.unwrap();
        for path in &app.paths {
            client.get(path).await.unauthorized();
        }
    }
    let [first, others @ ..] = refusals.as_slice() else { panic!("nothing was refused") };
    first.failure(403, "FORBIDDEN");
    assert!(others.iter().all(|refusal| refusal == first), "what exists can be told apart from what does not");
    assert!(canaries_in(&format!("{first:?}")).is_empty(), "{first:?}");
    eprintln!("{} refusals alike", refusals.len());
}

#[tokio::test]
async fn for_a_key_that_imports_nothing_is_read() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    for context in [
        json!({ "importOrganizationId": "org_a" }),
        json!({ "importOrganizationId": "org_a", "importTenantId": "ten_a1" }),
    ] {
        for path in &app.paths {
            let response = admitted(&app, &faulty, context.clone()).get(&format!("{path}?tenantId=ten_a1")).await;
            response.failure(403, "FORBIDDEN");
        }
    }
    // A context that names both is none that the authorizer makes.
    let both = json!({ "organizationId": "org_a", "importOrganizationId": "org_a" });
    admitted(&app, &faulty, both).get("/v1/tenants").await.failure(500, "INTERNAL_ERROR");
    assert_eq!(faulty.made(), [] as [String; 0]);
}
