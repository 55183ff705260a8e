//! Every route, requested by every organization for every tenant of every organization, by either identifier.
//!
//! The routes come from the template. A new one fails these tests until it is described here.

use std::collections::BTreeSet;

use api::App;
use local::{Functions, Gateway, Limits, TEMPLATE};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::canaries::{Canaries, CanaryTenant, Kind, canaries_in};
use crate::faults::FaultyStore;
use crate::support::{Client, DASHBOARD, Log, Received, TestApp, admission};

/// The queries of a route, and the data that it may show.
struct Described {
    path: &'static str,
    /// Queries that name no tenant and return data of the whole organization.
    of_organization: &'static [&'static str],
    /// Queries that a tenant's identifier is appended to. Empty if the route takes no tenant.
    of_tenant: &'static [&'static str],
    shows: Shows,
}

/// The data in a response for the whole organization.
#[derive(PartialEq, Eq)]
enum Shows {
    /// The tenants that are not removed.
    Tenants,
    /// All tenants: events tell what was, also of those that were removed since.
    Events,
    /// The organization's name, and all tenants that existed on a day.
    Day,
    /// The tenant of the report that the path names.
    Report,
    /// The tenant whose reports alone have the control that the path names.
    Control,
}

const DESCRIBED: [Described; 10] = [
    Described {
        path: "/v1/posture-reports",
        of_organization: &["", "latestOnly=false&limit=500"],
        of_tenant: &["tenantId=", "latestOnly=false&limit=500&tenantId="],
        shows: Shows::Tenants,
    },
    Described { path: "/v1/posture-reports/{reportId}", of_organization: &[], of_tenant: &[], shows: Shows::Report },
    Described {
        path: "/v1/report-summaries",
        of_organization: &["", "latestOnly=false&limit=500"],
        of_tenant: &["tenantId=", "latestOnly=false&limit=500&tenantId="],
        shows: Shows::Tenants,
    },
    Described {
        path: "/v1/controls",
        of_organization: &["", "limit=500&tool=ScubaGear"],
        of_tenant: &[],
        shows: Shows::Tenants,
    },
    Described { path: "/v1/controls/{controlId}", of_organization: &[], of_tenant: &[], shows: Shows::Control },
    Described {
        path: "/v1/events",
        of_organization: &["", "limit=500"],
        of_tenant: &["tenantId=", "limit=500&tenantId="],
        shows: Shows::Events,
    },
    Described { path: "/v1/tenants", of_organization: &[""], of_tenant: &[], shows: Shows::Tenants },
    Described {
        path: "/v1/trends",
        of_organization: &["", "startDate=2025-08-01"],
        of_tenant: &[],
        shows: Shows::Tenants,
    },
    Described { path: "/v1/usage", of_organization: &["", "asOf=2026-07-15"], of_tenant: &[], shows: Shows::Day },
    Described { path: "/beta/billable-users", of_organization: &[], of_tenant: &["tenantId="], shows: Shows::Tenants },
];

/// Returns the descriptions of the template's routes.
fn described(app: &TestApp) -> Vec<&'static Described> {
    let describe = |path: &String| {
        let found = DESCRIBED.iter().find(|described| described.path == path);
        found.unwrap_or_else(|| panic!("{path} is a new route: add it to the descriptions above"))
    };
    let described: Vec<_> = app.paths.iter().map(describe).collect();
    assert_eq!(described.len(), DESCRIBED.len(), "a route that is described is not in the template");
    described
}

/// Returns the path parameter of a route that names something of one tenant, and the ends of those names.
fn named_by(route: &Described) -> Option<(&'static str, &'static [&'static str])> {
    match route.shows {
        Shows::Report => Some(("{reportId}", &["report-1", "report-2"])),
        Shows::Control => Some(("{controlId}", &["controlId"])),
        _ => None,
    }
}

/// Returns text that names no tenant of any organization.
fn unknown() -> Vec<String> {
    let texts = ["ten_unknown", "ca08493a-c9c8-4db0-a9e8-d3b4bafac269", "no%23identifier%0A", "canary-b-organization"];
    texts.map(str::to_owned).into_iter().chain(["x".repeat(1_000)]).collect()
}

/// Returns every text that may name a tenant.
pub(super) fn references(organizations: &[Canaries]) -> impl Iterator<Item = String> {
    let tenants = organizations.iter().flat_map(|organization| &organization.tenants);
    // A provider's identifier is the same in capitals; testing two kinds is enough.
    let in_capitals = |tenant: &CanaryTenant| {
        matches!(tenant.kind, Kind::Active | Kind::Removed).then(|| tenant.provider_id.to_uppercase())
    };
    let ids = tenants
        .flat_map(move |tenant| [tenant.canary(), tenant.provider_id.clone()].into_iter().chain(in_capitals(tenant)));
    ids.chain(unknown())
}

struct Matrix {
    app: TestApp,
    organizations: [Canaries; 3],
    /// Every 404 for a tenant.
    refusals: Vec<Received>,
    /// Every 404 for a report.
    refused_reports: Vec<Received>,
    /// Every 404 for a control.
    refused_controls: Vec<Received>,
    requests: usize,
}

#[tokio::test]
async fn nothing_crosses_from_one_organization_to_another() {
    let mut matrix = Matrix::new().await;
    let log = Log::capture(LevelFilter::INFO);
    let routes = described(&matrix.app);
    for caller in 0..3 {
        for route in &routes {
            if let Some((parameter, named)) = named_by(route) {
                matrix.ask_for_each(caller, route, parameter, named).await;
                continue;
            }
            matrix.ask_for_the_organization(caller, route).await;
            for reference in matrix.references() {
                match route.of_tenant {
                    // A tenant that is named where no tenant is expected is refused, whatever it is.
                    [] => {
                        let refused = matrix.ask(caller, route, &format!("tenantId={reference}")).await;
                        refused.failure(400, "INVALID_REQUEST");
                        matrix.assert_shows(caller, &refused, &BTreeSet::new());
                    }
                    _ => matrix.ask_for_a_tenant(caller, route, &reference).await,
                }
            }
        }
    }
    for refusals in [&matrix.refusals, &matrix.refused_reports, &matrix.refused_controls] {
        let [first, others @ ..] = refusals.as_slice() else { panic!("nothing was refused") };
        first.failure(404, "NOT_FOUND");
        assert!(others.iter().all(|refusal| refusal == first), "foreign, removed and unknown ones can be told apart");
    }

    let log = log.take();
    assert_eq!(log.matches("http.route=").count(), matrix.requests);
    // A row names its organization and key by their identifiers.
    let is_identifier = |word: &&str| word.starts_with("organization.id=") || word.starts_with("key.id=");
    let log: Vec<_> = log.split_whitespace().filter(|word| !is_identifier(word)).collect();
    assert_eq!(canaries_in(&log.join(" ")), BTreeSet::new(), "the log contains stored or requested texts");
    eprintln!("{} requests, {} of them refused alike", matrix.requests, matrix.refusals.len());
}

#[tokio::test]
async fn nothing_of_the_others_is_read_on_the_way() {
    let mut matrix = Matrix::new().await;
    // At this level, the SDK logs everything that it reads.
    let log = Log::capture(LevelFilter::TRACE);
    for caller in 0..3 {
        for route in described(&matrix.app) {
            matrix.ask_for_the_organization(caller, route).await;
            let read = log.take();
            let [own, others @ ..] = matrix.others_behind(caller);
            assert!(route.of_organization.is_empty() || read.contains(&own.canary()), "the log is not captured");
            for other in others {
                for canary in [other.canary(), other.tenants[0].canary(), other.provider_canary(), other.key.clone()] {
                    assert!(!read.contains(&canary), "{}: {canary}", route.path);
                }
            }
        }
    }
}

impl Matrix {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let [a, b, c] = ['a', 'b', 'c'].map(|letter| Canaries::create(&app, letter));
        let organizations = [a.await, b.await, c.await];
        Self {
            app,
            organizations,
            refusals: Vec::new(),
            refused_reports: Vec::new(),
            refused_controls: Vec::new(),
            requests: 0,
        }
    }

    /// Returns the caller's organization, followed by the others.
    fn others_behind(&self, caller: usize) -> [&Canaries; 3] {
        [0, 1, 2].map(|step| &self.organizations[(caller + step) % 3])
    }

    fn references(&self) -> Vec<String> {
        references(&self.organizations).collect()
    }

    async fn ask_for_the_organization(&mut self, caller: usize, route: &Described) {
        for query in route.of_organization {
            let organization = &self.organizations[caller];
            let all = organization.tenants.iter().map(CanaryTenant::canary);
            let expected = match route.shows {
                Shows::Tenants => organization.visible(),
                Shows::Events => all.collect(),
                Shows::Day => all.chain([organization.canary()]).collect(),
                Shows::Report | Shows::Control => unreachable!("it has no response of the whole organization"),
            };
            let response = self.ask(caller, route, query).await;
            assert_eq!(response.status, 200);
            self.assert_shows(caller, &response, &expected);
        }
    }

    async fn ask_for_a_tenant(&mut self, caller: usize, route: &Described, reference: &str) {
        for query in route.of_tenant {
            let canary = self.organizations[caller].find(reference).map(CanaryTenant::canary);
            let response = self.ask(caller, route, &format!("{query}{reference}")).await;
            assert_eq!(response.status, if canary.is_some() { 200 } else { 404 }, "{}?{query}{reference}", route.path);
            self.assert_shows(caller, &response, &canary.clone().into_iter().collect());
            if canary.is_none() {
                self.refusals.push(response);
            }
        }
    }

    /// Requests everything of every organization that a path names, and some that does not exist.
    async fn ask_for_each(&mut self, caller: usize, route: &Described, parameter: &str, named: &[&str]) {
        let tenants = self.organizations.iter().flat_map(|organization| &organization.tenants);
        let things = tenants
            .flat_map(|tenant| named.iter().map(|name| (tenant.canary(), format!("{}-{name}", tenant.canary()))));
        let mut things: Vec<_> = things.collect();
        things.extend(
            ["rpt_unknown", "no%23identifier", "%00", "canary-b-organization"].map(|id| (String::new(), id.to_owned())),
        );
        for (canary, thing) in things {
            let path = route.path.replace(parameter, &thing);
            let client = self.app.with_key(&self.organizations[caller].key);
            self.requests += 1;
            let response = client.get_gzip(&path).await;
            let is_visible = self.organizations[caller].visible().contains(&canary);
            assert_eq!(response.status, if is_visible { 200 } else { 404 }, "{path}");
            self.assert_shows(caller, &response, &is_visible.then_some(canary).into_iter().collect());
            if !is_visible {
                match route.shows {
                    Shows::Control => self.refused_controls.push(response),
                    _ => self.refused_reports.push(response),
                }
            }
        }
    }

    async fn ask(&mut self, caller: usize, route: &Described, query: &str) -> Received {
        self.requests += 1;
        let client = self.app.with_key(&self.organizations[caller].key);
        client.get_gzip(&format!("{}?{query}", route.path)).await
    }

    /// Asserts that headers and body contain these canaries and no other, and nothing of the other organizations.
    fn assert_shows(&self, caller: usize, response: &Received, expected: &BTreeSet<String>) {
        let shown = format!("{:?}\n{}", response.headers, response.text());
        assert_eq!(canaries_in(&shown), *expected);
        let [_, others @ ..] = self.others_behind(caller);
        for other in others {
            assert!(!shown.contains(&other.provider_canary()) && !shown.contains(&other.key));
        }
    }
}

#[tokio::test]
async fn without_the_authorizers_organization_every_endpoint_fails_and_reads_nothing() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let admitted = |context| admitted(&app, &faulty, context);
    for context in [json!(null), json!({}), json!({ "organizationId": "" }), json!({ "organizationId": "org_a#" })] {
        for path in &app.paths {
            let response = admitted(context.clone()).get(&format!("{path}?tenantId=ten_a1")).await;
            response.failure(500, "INTERNAL_ERROR");
        }
    }
    assert_eq!(faulty.made(), [] as [String; 0]);
    for path in &app.paths {
        admitted(json!({ "organizationId": "org_a" })).get(path).await;
    }
    assert!(faulty.made().len() >= app.paths.len() - 1, "with it, all read that know what to read");
}

/// Returns a client whose requests all pass, with this context of an authorizer that reads nothing.
pub(super) fn admitted(app: &TestApp, faulty: &FaultyStore, context: Value) -> Client {
    let over = App { clock: app.app.clock, ..App::new(faulty.store.clone(), DASHBOARD) };
    let functions = Functions::of(&over).with_authorizer("authorizer", &over, move |_, event| {
        let decision = serde_json::from_value(admission(&event, &context));
        async move { Ok(decision?) }
    });
    let gateway = Gateway::from_template(TEMPLATE, &functions, &Limits::Off).unwrap();
    Client::of(gateway.into_router(), &format!("Bearer {}", app.org_a.key))
}
