//! Works on one request.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use futures_util::{FutureExt, stream};
use graph::{CollectError, Collector, TokenError, concerns_tenant, lines};
use model::snapshot::{End, Header, VERSION};
use model::{Actor, ReportId, Timestamp};
use operations::import::{self, Cause, Options};
use operations::requests::{Message, NOT_CONNECTED, refused};
use operations::retention;
use operations::uploads::snapshots_of;
use operations::usage::{self, BillingTerms, UsageError};
use operations::{InputFile, billable_users, exports};
use store::{Connection, Organization, ReportRequest, RequestState, Sighting, TenantError};
use tokio::time::{Instant, timeout_at};

use crate::run::Run;
use crate::snapshots::SnapshotError;
use crate::{WorkError, Worker, reasons};

/// Times that work is begun without a step that is done, before a request is given up.
const ATTEMPTS: u32 = 4;

/// The work on a request. Whoever has it wrote the request last.
pub(crate) struct Work<'a> {
    worker: &'a Worker,
    message: &'a Message,
    organization: Organization,
    collector: Collector,
    request: ReportRequest,
    run: Run,
    /// The connection of the tenant, as it was read.
    connection: Option<Connection>,
}

/// The result of the work on a request, for the log.
type Outcome = &'static str;

const COMPLETED: Outcome = "completed";
const FAILED: Outcome = "failed";
const PAUSED: Outcome = "goes on in the next invocation";
const NOTHING_LEFT: Outcome = "has ended";
const TAKEN_OVER: Outcome = "was taken over";

impl<'a> Work<'a> {
    /// Works on the request of a message until it ends or the time is over.
    pub(crate) async fn on(
        worker: &'a Worker,
        message: &'a Message,
        until: Option<Instant>,
    ) -> Result<Outcome, WorkError> {
        let organization = worker.store.organization(&message.organization_id);
        let collector = (worker.collector)(chrono::Utc::now());
        let now = collector.as_ref().map_or_else(system_time, time);
        let request = organization.report_request(&message.service_tenant_id, now).await?;
        let request = request.filter(|request| request.request_id == message.request_id && request.is_open());
        let Some(request) = request else { return Ok(NOTHING_LEFT) };
        if request.attempts >= ATTEMPTS {
            worker.dead.send(message).await?;
            return fail(&organization, request, reasons::GIVEN_UP).await;
        }
        let Some(tenant) = organization.tenant(&request.service_tenant_id).await? else {
            return fail(&organization, request, reasons::NO_TENANT).await;
        };
        let Some(collector) = collector else {
            return fail(&organization, request, reasons::NO_APPLICATION).await;
        };
        let connection = organization.connection(&request.service_tenant_id).await?;
        let connection = connection.filter(|connection| connection.is_of(&tenant.provider_tenant_id));
        if worker.needs_connection && connection.is_none() {
            return fail_as(&organization, refused(request, NOT_CONNECTED.to_owned())).await;
        }
        let header = Header {
            snapshot: VERSION,
            provider_tenant_id: tenant.provider_tenant_id,
            requested_at: Some(request.requested_at),
            started_at: now,
            emergency_access: tenant.emergency_access.iter().map(ToString::to_string).collect(),
        };
        let run = Run::read(&request.position).unwrap_or_else(|| Run::new(header));
        let taken = ReportRequest { state: RequestState::Running, attempts: request.attempts + 1, ..request };
        let Some(request) = continued(&organization, taken, now).await? else { return Ok(TAKEN_OVER) };
        let mut work = Work { worker, message, organization, collector, request, run, connection };
        let outcome = work.collect(until).boxed().await?;
        if outcome == TAKEN_OVER {
            work.forget().await?;
        }
        Ok(outcome)
    }

    /// Deletes what the run kept, if its tenant was removed meanwhile: an erasure has perhaps looked for it before.
    async fn forget(&self) -> Result<(), WorkError> {
        if self.organization.tenant(&self.request.service_tenant_id).await?.is_some() {
            return Ok(());
        }
        let last = self.request.version + 1;
        let parts = self.run.parts.iter().chain([&last]).map(|part| self.part_key(*part));
        for key in parts.chain([self.snapshot_key()]) {
            self.worker.snapshots.delete(&key).await?;
        }
        Ok(())
    }

    /// Collects the tenant step by step, then makes the report.
    async fn collect(&mut self, until: Option<Instant>) -> Result<Outcome, WorkError> {
        while self.run.completion.is_none() {
            let step = self.step();
            let done = match until {
                Some(until) => match timeout_at(until, step).await {
                    Ok(done) => done,
                    Err(_) => return self.pause().await,
                },
                None => step.await,
            };
            match done {
                Ok(true) => {}
                Ok(false) => return Ok(TAKEN_OVER),
                Err(WorkError::Token(error)) => match reasons::of_token(&error) {
                    Some(reason) => {
                        let sighting = of_refusal(&error);
                        self.request.refusals += u32::from(sighting.is_some());
                        self.sight(sighting).await?;
                        return self.end(None, Some(reason)).await;
                    }
                    None => return Err(error.into()),
                },
                Err(error) => return Err(error),
            }
        }
        // Its future is large, and would be part of that of every step.
        self.report().boxed().await
    }

    /// Makes the next step and stores it. Returns whether it was stored: not if the run was taken over.
    async fn step(&mut self) -> Result<bool, WorkError> {
        let mut position = self.run.position.clone();
        let part = self.request.version + 1;
        match self.collector.advance(&mut position).await {
            Ok(Some(responses)) => {
                self.worker.snapshots.put(&self.part_key(part), lines(&responses)).await?;
                self.run.parts.push(part);
            }
            Ok(None) => self.run.completion = position.completion(time(&self.collector)),
            Err(CollectError::OtherPlan) => {
                let header = Header { started_at: time(&self.collector), ..position.header().clone() };
                self.run = Run::new(header);
                return self.store(0).await;
            }
            Err(CollectError::Token(error)) => return Err(error.into()),
        }
        self.run.position = position;
        self.store(0).await
    }

    /// Stores the run with its request, and returns whether nobody else has in the meantime.
    async fn store(&mut self, attempts: u32) -> Result<bool, WorkError> {
        let (done, steps) = self.run.position.progress();
        // The last step is to judge.
        let next =
            ReportRequest { attempts, done, steps: steps + 1, position: self.run.stored(), ..self.request.clone() };
        let written = continued(&self.organization, next, time(&self.collector)).await?;
        Ok(written.map(|written| self.request = written).is_some())
    }

    /// Keeps what was seen of the tenant's connection, if it has one.
    async fn sight(&mut self, sighting: Option<Sighting>) -> Result<(), WorkError> {
        if let (Some(connection), Some(sighting)) = (self.connection.take(), sighting) {
            let writer = self.organization.by(&Actor::service(), time(&self.collector));
            writer.sight_connection(connection, sighting).await?;
        }
        Ok(())
    }

    /// Leaves the rest to the next invocation.
    async fn pause(&mut self) -> Result<Outcome, WorkError> {
        if !self.store(0).await? {
            return Ok(TAKEN_OVER);
        }
        self.worker.queue.send(self.message).await?;
        Ok(PAUSED)
    }

    /// Judges the snapshot, and keeps it.
    async fn report(&mut self) -> Result<Outcome, WorkError> {
        let tenant = self.run.position.header().provider_tenant_id.clone();
        // The run had a token, which is kept meanwhile, unless it went on in this invocation only to be judged.
        if self.connection.is_some()
            && let Ok(token) = self.collector.tokens.token(&tenant, None).await
        {
            self.sight(Some(Sighting::Open(token.permissions()))).await?;
        }
        let mut file = self.assemble().await?;
        let mut whole = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut whole)).map_err(SnapshotError::from)?;
        self.worker.snapshots.put(&self.snapshot_key(), whole).await?;
        let now = time(&self.collector);
        let tenant = Some(self.request.service_tenant_id.to_string());
        let options = Options { tenant, stop_at_transient: true, ..Options::at(now) };
        let copy = file.try_clone().map_err(SnapshotError::from)?;
        let files = stream::iter([InputFile::opened("the snapshot", copy)]);
        let imported = import::import(&self.organization, &Actor::service(), files, &options, &mut ()).await;
        let imported = match imported {
            Ok(result) => result.unless_transient()?,
            Err(error) if error.is_transient() => return Err(Cause::from(error).into()),
            Err(error) => return self.end(None, Some(error.to_string())).await,
        };
        retention::prune_after(&self.organization, &imported, self.worker.retention, now).await;
        match (imported.reports.first(), imported.failures.first()) {
            (Some(report), _) => {
                self.bill(file, now).await?;
                self.end(Some(report.imported.report_id.clone()), None).await
            }
            (None, Some(failure)) => self.end(None, Some(failure.cause.to_string())).await,
            (None, None) => self.end(None, Some(reasons::NOTHING.to_owned())).await,
        }
    }

    /// Records usage and billable users of the tenant, if the snapshot shows who is licensed.
    async fn bill(&self, snapshot: File, now: Timestamp) -> Result<(), WorkError> {
        let (organization, actor) = (&self.organization, Actor::service());
        let Some(tenant) = organization.tenant(&self.request.service_tenant_id).await? else { return Ok(()) };
        let directory = exports::directory_of(&tenant, [InputFile::opened("the snapshot", snapshot)]);
        let users = directory.as_ref().ok().and_then(|directory| Some((directory, directory.users().ok()?)));
        let Some((directory, users)) = users else { return Ok(()) };
        match billable_users::record(organization, &actor, &tenant, users, now).await {
            Ok(_) => {}
            Err(TenantError::Store(error)) => return Err(error.into()),
            // It was removed meanwhile.
            Err(_) => return Ok(()),
        }
        let terms = BillingTerms::recorded(organization, &tenant, now.date()).await?;
        let recorded = usage::record_from_exports(organization, &actor, now.date(), (&tenant, directory), terms, now);
        match recorded.await {
            Err(UsageError::Store(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the snapshot as a file: its header, its parts in order, and its end.
    async fn assemble(&self) -> Result<File, WorkError> {
        let mut file = tempfile::tempfile().map_err(SnapshotError::from)?;
        let mut write = |bytes: &[u8]| -> Result<(), io::Error> { file.write_all(bytes) };
        write(&lines(&[self.run.position.header()])).map_err(SnapshotError::from)?;
        for part in &self.run.parts {
            write(&self.worker.snapshots.get(&self.part_key(*part)).await?).map_err(SnapshotError::from)?;
        }
        if let Some(end) = self.run.completion.clone() {
            write(&lines(&[End { end }])).map_err(SnapshotError::from)?;
        }
        Ok(file)
    }

    /// Ends the request with its report or a reason, and deletes the parts.
    async fn end(&mut self, report_id: Option<ReportId>, failure: Option<String>) -> Result<Outcome, WorkError> {
        let outcome = if report_id.is_some() { COMPLETED } else { FAILED };
        let state = if report_id.is_some() { RequestState::Completed } else { RequestState::Failed };
        let ended = ReportRequest {
            state,
            refusals: if report_id.is_some() { 0 } else { self.request.refusals },
            report_id,
            failure,
            done: self.request.steps,
            position: Vec::new(),
            ..self.request.clone()
        };
        if continued(&self.organization, ended, time(&self.collector)).await?.is_none() {
            return Ok(TAKEN_OVER);
        }
        for part in &self.run.parts {
            // A part that stays is deleted with the old snapshots.
            if let Err(error) = self.worker.snapshots.delete(&self.part_key(*part)).await {
                tracing::warn!(%error, "a part of a snapshot was not deleted");
            }
        }
        Ok(outcome)
    }

    fn key(&self) -> String {
        let ReportRequest { service_tenant_id, request_id, .. } = &self.request;
        format!("{}{request_id}", snapshots_of(self.organization.id(), Some(service_tenant_id)))
    }

    fn snapshot_key(&self) -> String {
        format!("{}.jsonl.gz", self.key())
    }

    fn part_key(&self, part: u64) -> String {
        format!("{}/{part}", self.key())
    }
}

/// Returns what a refusal says about the tenant.
fn of_refusal(error: &TokenError) -> Option<Sighting> {
    match error {
        TokenError::Refused { code } if concerns_tenant(code) => Some(Sighting::Refused(code.clone())),
        _ => None,
    }
}

/// Fails a request that nobody works on.
async fn fail(organization: &Organization, request: ReportRequest, reason: &str) -> Result<Outcome, WorkError> {
    let failure = Some(reason.to_owned());
    fail_as(organization, ReportRequest { state: RequestState::Failed, failure, position: Vec::new(), ..request }).await
}

async fn fail_as(organization: &Organization, failed: ReportRequest) -> Result<Outcome, WorkError> {
    Ok(continued(organization, failed, system_time()).await?.map_or(TAKEN_OVER, |_| FAILED))
}

async fn continued(
    organization: &Organization,
    request: ReportRequest,
    now: Timestamp,
) -> Result<Option<ReportRequest>, WorkError> {
    Ok(organization.by(&Actor::service(), now).continue_request(request).await?)
}

fn system_time() -> Timestamp {
    chrono::Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}

fn time(collector: &Collector) -> Timestamp {
    collector.clock.now().try_into().expect("the clock is within the years 0 to 9999")
}
