//! `posture report request` and `posture report requests`.

use std::cmp::Reverse;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use model::{ReportId, RequestId, ServiceTenantId, Timestamp};
use operations::requests;
use serde::Serialize;
use store::{Organization, ReportRequest, RequestState};

use crate::arguments::{OfOrganization, now};
use crate::connection::{InQueue, Session, by_operator};
use crate::exit::{Exit, print_hint, print_progress};
use crate::lookup;
use crate::output::{Column, plain, table, wire_name};
use crate::run::Run;

/// Time between two looks at a request.
const INTERVAL: Duration = Duration::from_millis(500);
/// Time after which a request that nobody works on is explained.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub(crate) struct Request {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(long)]
    tenant: String,
    /// Wait for the report
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    queue: InQueue,
}

#[derive(Debug, Args)]
pub(crate) struct Requests {
    #[command(flatten)]
    organization: OfOrganization,
}

/// A request as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    request_id: RequestId,
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    state: RequestState,
    requested_at: Timestamp,
    requested_by: String,
    steps_done: usize,
    steps: usize,
    report_id: Option<ReportId>,
    failure: Option<String>,
}

impl Shown {
    fn of(request: ReportRequest, tenant_name: String) -> Self {
        Self {
            request_id: request.request_id,
            service_tenant_id: request.service_tenant_id,
            tenant_name,
            state: request.state,
            requested_at: request.requested_at,
            requested_by: request.by,
            steps_done: request.done,
            steps: request.steps,
            report_id: request.report_id,
            failure: request.failure,
        }
    }
}

impl Run for Request {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_REQUESTED: &str = "no report was requested";
        let queue = session.queue(&self.queue)?;
        let organization = session.organization(&self.organization.id).await?;
        let tenant = lookup::tenant(&organization, &self.tenant).await.context(NOT_REQUESTED)?;
        let writer = by_operator(&organization);
        let requested = requests::request(&writer, &tenant, &queue, now()).await;
        let (mut request, is_new) = requested.context(NOT_REQUESTED)?;
        if !is_new {
            print_hint("a request for a report of this tenant is open already: this is that one");
        }
        if self.wait {
            request = finished(&organization, request).await?;
        }
        let failed = request.state == RequestState::Failed;
        session.output.show(&Shown::of(request, tenant.name), readable)?;
        Ok(if failed { Exit::Failed } else { Exit::Done })
    }
}

impl Run for Requests {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let requests = organization.report_requests(now()).await.context("the requests cannot be listed")?;
        let mut shown = Vec::new();
        for request in requests {
            let tenant = organization.tenant(&request.service_tenant_id).await?;
            shown.extend(tenant.map(|tenant| Shown::of(request, tenant.name)));
        }
        shown.sort_by_key(|shown| Reverse(shown.requested_at));
        session.output.show(&shown, |shown| listed(shown))?;
        Ok(Exit::Done)
    }
}

/// Waits until a request has ended, and returns it.
async fn finished(organization: &Organization, mut request: ReportRequest) -> anyhow::Result<ReportRequest> {
    let began = tokio::time::Instant::now();
    let mut is_explained = false;
    let mut shown = 0;
    while request.is_open() {
        if request.done > shown {
            shown = request.done;
            print_progress(&format!("step {shown} of {}", request.steps));
        }
        if request.state == RequestState::Waiting && began.elapsed() > PATIENCE && !is_explained {
            is_explained = true;
            print_hint("nobody works on the request yet: on this machine, `posture serve` does");
        }
        tokio::time::sleep(INTERVAL).await;
        let seen = organization.report_request(&request.service_tenant_id, now()).await?;
        // A newer request took its place, so this one has ended.
        let seen = seen.filter(|seen| seen.request_id == request.request_id);
        request = seen.context("the request is gone: its tenant was removed, or another was made since")?;
    }
    Ok(request)
}

fn readable(shown: &Shown) -> String {
    let tenant = plain(&shown.tenant_name);
    match (&shown.report_id, &shown.failure) {
        (Some(report), _) => {
            format!("Report {report} of \"{tenant}\" is complete; `posture report show {report}` shows it.")
        }
        (None, Some(failure)) => format!("There is no report of \"{tenant}\". {}", plain(failure)),
        (None, None) => format!("A report of \"{tenant}\" is requested: {}.", progress(shown)),
    }
}

fn progress(shown: &Shown) -> String {
    match (shown.steps, shown.steps_done) {
        (0, _) => wire_name(&shown.state),
        (steps, done) => format!("{}, step {done} of {steps}", wire_name(&shown.state)),
    }
}

fn listed(shown: &[Shown]) -> String {
    if shown.is_empty() {
        return "No report was requested yet; `posture report request` requests one.".to_owned();
    }
    let row = |it: &Shown| {
        let outcome = it.report_id.as_ref().map(ToString::to_string).or_else(|| it.failure.clone());
        vec![
            it.tenant_name.clone(),
            it.requested_at.to_string(),
            it.requested_by.clone(),
            progress(it),
            outcome.unwrap_or_default(),
        ]
    };
    table(&["TENANT", "REQUESTED", "BY", "STATE", "REPORT OR REASON"].map(Column::text), shown.iter().map(row))
}
