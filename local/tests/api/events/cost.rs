//! The units of an import with its event, by DynamoDB's rules as the engine computes them.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use futures_util::stream;
use model::{Actor, ReportBody};
use operations::InputFile;
use operations::import::{self, Options};
use serde::Deserialize;
use serde_json::json;
use store::{NewReport, Store, Texts};

#[path = "../../../benches/whole/capacity.rs"]
pub(crate) mod capacity;

use capacity::Meter;

use crate::samples::results;
use crate::support::{TestApp, baseline_report, by_operator, provider_id, time};

/// Units of the texts of 20 controls: read, and written with the tool's values into the report.
const TEXTS_OF_20_CONTROLS: f64 = 13.0;

/// Imports a report each month, in which a control has one status after the other, and returns the units of each: those of
/// its transaction, and those of the queries and batches before it.
async fn units(statuses: [&str; 4]) -> [f64; 4] {
    let app = TestApp::new().await;
    let meter = Meter::default();
    let client = app.engine.client().config().to_builder().interceptor(meter.clone()).build();
    let organization = Store::new(Client::from_conf(client), "posture").organization(app.org_a.organization.id());
    let mut units = [0.0; 4];
    for (number, status) in statuses.into_iter().enumerate() {
        let mut body = baseline_report(&format!("2026-0{}-01T00:00:00.000Z", number + 1));
        body["checks"][1]["status"] = json!(status);
        let (id, body) = (format!("rpt_{number}").parse().unwrap(), ReportBody::deserialize(body).unwrap());
        let tenant = organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
        let (tenant, revisions) = (&tenant, &BTreeMap::new());
        let new = NewReport { id: &id, tenant, tool: "ScubaGear", body: &body, revisions, content: None };
        let writer = by_operator(&organization, time("2026-07-02T00:00:00Z"));
        meter.take();
        writer.add_report(new).await.unwrap();
        units[number] = meter.take().units;
    }
    units
}

#[tokio::test]
async fn an_import_costs_three_units_more_if_results_changed() {
    let [_, same, changed, same_again] = units(["SECURE", "SECURE", "OPEN", "OPEN"]).await;
    // Two write units for the known results, and one read unit for those that they replace.
    assert_eq!((same_again, changed), (same, same + 3.0));
    // The event itself is within each, and so are the results of all controls, two write units and one read unit, and the
    // tasks of the tenant, one read unit.
    assert_eq!(same, 33.0);
}

#[tokio::test]
async fn texts_of_the_organization_cost_an_import_what_they_and_the_tools_values_take() {
    let app = TestApp::new().await;
    let meter = Meter::default();
    let client = app.engine.client().config().to_builder().interceptor(meter.clone()).build();
    let organization = Store::new(Client::from_conf(client), "posture").organization(app.org_a.organization.id());
    let tenant = &app.org_a.tenants[0];
    let controls: Vec<_> = (1..=20).map(|number| format!("MS.AAD.{number}.1")).collect();
    let results_of: Vec<_> = controls.iter().map(|control| (control.as_str(), "Fail")).collect();
    let import = async |month: u32| {
        let file = results(&provider_id(tenant), month, &results_of);
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        meter.take();
        let options = Options::at(time("2026-07-14T08:00:00Z"));
        let imported = import::import(&organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
        (imported.reports[0].imported.report_id.clone(), meter.take())
    };
    import(1).await;
    let (report, without) = import(2).await;
    let body = organization.report(&report).await.unwrap().unwrap().open().unwrap().body;
    for check in body.checks {
        let ours = |text: Option<String>| Some(format!("{} Ours.", text.unwrap_or_default()));
        let texts = Texts { why: ours(check.why), suggested_fix: ours(check.suggested_fix) };
        app.org_a.writer().set_text((None, &check.control_id), &texts, None).await.unwrap();
    }
    let (_, with) = import(3).await;
    assert_eq!(with.items, without.items + controls.len());
    assert_eq!(with.units - without.units, TEXTS_OF_20_CONTROLS);
}
