//! Agents of every organization, with every tool and the identifiers of all organizations.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::Canaries;
use super::canaries::{CanaryTenant, canaries_in};
use super::matrix::{admitted, references};
use crate::agents::{call, calling};
use crate::faults::FaultyStore;
use crate::support::{Log, TestApp};

const JSON: (&str, &str) = ("content-type", "application/json");

/// The tools with what one tenant's data answers, for a name of the tenant or of something that only it has.
fn asked(name: &str) -> [(&'static str, Value); 6] {
    let (first, second, control) =
        (format!("{name}-report-1"), format!("{name}-report-2"), format!("{name}-controlId"));
    [
        ("tenant", json!({ "tenantId": name })),
        ("report", json!({ "reportId": first })),
        ("control", json!({ "controlId": control })),
        ("control", json!({ "controlId": control, "reportId": first })),
        ("compare", json!({ "reportId": first, "laterReportId": second })),
        ("list_tenants", json!({ "name": name })),
    ]
}

#[tokio::test]
async fn an_agent_sees_its_own_organization_alone() {
    let app = TestApp::new().await;
    let organizations =
        [Canaries::create(&app, 'a').await, Canaries::create(&app, 'b').await, Canaries::create(&app, 'c').await];
    let names: Vec<String> = references(&organizations).collect();
    let log = Log::capture(LevelFilter::INFO);
    let (mut answered, mut refused) = (0, 0);
    for own in &organizations {
        let client = app.with_key(&own.key);
        let all: BTreeSet<_> = own.tenants.iter().map(CanaryTenant::canary).collect();
        for (tool, arguments, expected) in [
            ("list_tenants", json!({}), own.visible()),
            ("fleet", json!({}), own.visible()),
            ("worst_controls", json!({}), own.visible()),
        ] {
            assert_eq!(canaries_in(&call(&client, tool, arguments).await.to_string()), expected, "{tool}");
        }
        let events = canaries_in(&call(&client, "events", json!({ "startDate": "2026-04-20" })).await.to_string());
        assert!(!events.is_empty() && events.is_subset(&all), "{events:?}");
        // Each is refused alike, whether it is foreign, removed or unknown.
        let mut refusals = vec![None; asked("").len()];
        for name in &names {
            let tenant = own.find(name).map(CanaryTenant::canary);
            for (number, (tool, arguments)) in asked(name).into_iter().enumerate() {
                let result = call(&client, tool, arguments).await;
                let shown = canaries_in(&result.to_string());
                let is_name = tenant.as_ref() == Some(name);
                let expected = if tool == "tenant" { tenant.is_some() } else { is_name };
                let seen: BTreeSet<_> = tenant.iter().filter(|_| expected).cloned().collect();
                assert_eq!(shown, seen, "{tool} {name}");
                if expected {
                    answered += 1;
                } else if tool != "list_tenants" {
                    assert_eq!(result["isError"], true, "{tool} {name}: {result}");
                    assert_eq!(*refusals[number].get_or_insert_with(|| result.clone()), result, "{tool} {name}");
                    refused += 1;
                }
            }
        }
    }
    let log = log.take();
    let is_identifier = |word: &&str| word.starts_with("organization.id=") || word.starts_with("key.id=");
    let log: Vec<_> = log.split_whitespace().filter(|word| !is_identifier(word)).collect();
    assert_eq!(canaries_in(&log.join(" ")), BTreeSet::new());
    assert!(answered > 60 && refused > 300, "{answered} {refused}");
    eprintln!("{answered} answers, {refused} refusals alike");
}

#[tokio::test]
async fn reports_of_two_organizations_are_not_compared() {
    let app = TestApp::new().await;
    let (own, other) = (Canaries::create(&app, 'a').await, Canaries::create(&app, 'b').await);
    let report = |of: &Canaries| format!("{}-report-1", of.tenants[0].id);
    let client = app.with_key(&own.key);
    for (earlier, later) in [(&own, &other), (&other, &own), (&other, &other)] {
        let arguments = json!({ "reportId": report(earlier), "laterReportId": report(later) });
        let refused = call(&client, "compare", arguments).await;
        let unknown = call(&client, "compare", json!({ "reportId": "rpt_1", "laterReportId": "rpt_2" })).await;
        assert_eq!(refused, unknown);
    }
}

#[tokio::test]
async fn without_a_key_that_reads_an_agent_gets_nothing_and_nothing_is_read() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let message = calling("tenant", &json!({ "tenantId": "ten_a1" }));
    for (context, status, code) in [
        (json!(null), 500, "INTERNAL_ERROR"),
        (json!({ "organizationId": "" }), 500, "INTERNAL_ERROR"),
        (json!({ "importOrganizationId": "org_a" }), 403, "FORBIDDEN"),
        (json!({ "importOrganizationId": "org_a", "importTenantId": "ten_a1" }), 403, "FORBIDDEN"),
        (json!({ "organizationId": "org_a", "importOrganizationId": "org_a" }), 500, "INTERNAL_ERROR"),
    ] {
        let client = admitted(&app, &faulty, context);
        client.post("/mcp", &[JSON], message.clone()).await.failure(status, code);
    }
    assert_eq!(faulty.made(), [] as [String; 0]);
    app.anonymous().post("/mcp", &[JSON], message.clone()).await.unauthorized();
    let page = app.org_a().post("/mcp", &[JSON, ("origin", "https://elsewhere.example")], message.clone()).await;
    assert_eq!((page.status, &page.json()["error"]["code"]), (403, &json!(-32600)));
    let own = app.org_a().post("/mcp", &[JSON, ("origin", crate::support::DASHBOARD)], message).await;
    assert_eq!((own.status, &own.json()["result"]["isError"]), (200, &json!(false)));
}
