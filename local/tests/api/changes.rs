//! Random changes of an organization: imports, edits, renames, deletions and removals.

use std::convert::Infallible;

use chrono::{DateTime, TimeDelta, Utc};
use model::{AcceptedRisk, Choice, ReportBody, ReportId, ServiceTenantId, Status, Timestamp};
use serde_json::json;

use crate::support::{TestApp, baseline_report, by_operator, tenant};

/// The state of the organization, as far as changes need it.
pub(crate) struct Changes {
    random: fastrand::Rng,
    tenants: Vec<ServiceTenantId>,
    reports: Vec<(ReportId, ServiceTenantId)>,
    now: DateTime<Utc>,
}

impl Changes {
    /// Returns changes of the first organization, a second apart from each other.
    pub(crate) fn new(app: &TestApp, from: Timestamp) -> Self {
        let (tenants, now) = (app.org_a.tenants.to_vec(), from.to_datetime());
        Self { random: fastrand::Rng::with_seed(3), tenants, reports: Vec::new(), now }
    }

    /// Makes a change, whose number no other has.
    pub(crate) async fn make(&mut self, app: &TestApp, number: usize) {
        let Self { random, tenants, reports, now } = self;
        *now += TimeDelta::seconds(1);
        let at = (*now).try_into().unwrap();
        let writer = by_operator(&app.org_a.organization, at);
        match random.u8(..10) {
            0..4 => {
                let (of, id) = (random.choice(tenants).unwrap().clone(), format!("rpt_{number}"));
                let completed = (*now - TimeDelta::minutes(random.i64(0..300))).to_rfc3339();
                let mut body = baseline_report(&completed);
                let checks = body["checks"].as_array_mut().unwrap();
                let first = random.usize(..checks.len());
                checks[first]["status"] = json!(random.choice(Status::KNOWN).unwrap());
                checks.truncate(random.usize(first + 1..=checks.len()));
                app.org_a.add_report_at(at, "scubagear", &of, &id, &body).await;
                reports.push((id.parse().unwrap(), of));
            }
            4..7 => {
                let (score, status) = (random.u8(..=100), *random.choice(Status::KNOWN).unwrap());
                let is_accepted = status.is_failing() && random.bool();
                let until = at.date() + TimeDelta::days(random.i64(1..300));
                let risk = is_accepted.then(|| AcceptedRisk { reason: "It is known.".to_owned(), until });
                let edit = |body: &mut ReportBody| {
                    body.checks[0].status = status;
                    body.checks[0].accepted_risk.clone_from(&risk);
                    body.checks[0].current_state = format!("Changed at {at}");
                    body.figures.score = score;
                    Ok::<_, Infallible>(())
                };
                if let Some((report, _)) = random.choice(reports) {
                    writer.edit_report(report, edit).await.unwrap();
                }
            }
            7 => {
                let tenant = random.choice(tenants).unwrap();
                writer.rename_tenant(tenant, &format!("Named at {at}").parse().unwrap()).await.unwrap();
            }
            8 => {
                if !reports.is_empty() {
                    let (report, _) = reports.swap_remove(random.usize(..reports.len()));
                    writer.delete_report(&report).await.unwrap();
                }
            }
            _ => {
                let gone = tenants.swap_remove(random.usize(..tenants.len()));
                writer.remove_tenant(&gone).await.unwrap();
                reports.retain(|(_, tenant)| *tenant != gone);
                let new: ServiceTenantId = format!("ten_new{number}").parse().unwrap();
                crate::support::add_tenant(&writer, &tenant(&new, "New")).await.unwrap();
                tenants.push(new);
            }
        }
    }
}
