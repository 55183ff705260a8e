//! Requests for reports: the service collects the tenant's configuration and judges it.
//!
//! A tenant has one item, for its last request. While the request is open, the item has a version that every step
//! increments: whoever works on the request writes over the version that it read, so of two workers, the one that came
//! first notices at its next step that another has taken over, and stops.

use std::fmt;

use backon::Retryable;
use model::{EventFailure, ReportId, RequestId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{self, AuditAction, Deed};
use super::events::EventContent;
use super::table::{Action, CONTENDERS, Transaction, backoff};
use super::{Connection, Organization, StoreError, TenantError, Writer};

/// Refusals in a row after which a schedule makes no further requests of a tenant.
const MOST_REFUSALS: u32 = 3;

/// The last request for a report of a tenant, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportRequest {
    /// Identifier.
    pub request_id: RequestId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// Its state.
    pub state: RequestState,
    /// When it was made.
    pub requested_at: Timestamp,
    /// Name of who made it.
    pub by: String,
    /// When the item was last written: the last sign of life of whoever works on it.
    pub changed_at: Timestamp,
    /// Number of steps that are done.
    pub done: usize,
    /// Number of steps altogether; 0 before the first.
    pub steps: usize,
    /// The report, once it is completed.
    pub report_id: Option<ReportId>,
    /// Why it failed, and what to do.
    pub failure: Option<String>,
    /// Times that work on it began since the last step that was done.
    pub attempts: u32,
    /// Requests since the last report that failed because the tenant is not connected, or does not let the service in.
    #[serde(default)]
    pub refusals: u32,
    /// The moment at which the schedule last made a request of the tenant due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// How to go on, as the worker writes it; empty unless it is running.
    #[serde(with = "serde_bytes")]
    pub position: Vec<u8>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
    /// When DynamoDB deletes the item, in seconds since 1970.
    pub expires_at: i64,
}

/// State of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RequestState {
    /// Nobody has begun to work on it.
    Waiting,
    /// The tenant is being collected.
    Running,
    /// There is a report.
    Completed,
    /// There is no report.
    Failed,
    /// A state that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

impl ReportRequest {
    /// Returns whether there is work left.
    pub fn is_open(&self) -> bool {
        matches!(self.state, RequestState::Waiting | RequestState::Running)
    }

    /// Returns whether the tenant's schedule makes no further requests, given the tenant's connection: it was refused
    /// too often, and the tenant has not been seen to let the service in since.
    pub fn is_halted(&self, connection: Option<&Connection>) -> bool {
        self.refusals >= MOST_REFUSALS && !self.is_reopened(connection)
    }

    /// Returns whether the tenant has been seen to let the service in since the request was last written.
    fn is_reopened(&self, connection: Option<&Connection>) -> bool {
        connection.is_some_and(|connection| connection.is_open() && connection.checked_at > self.changed_at)
    }
}

impl Organization {
    /// Returns the last request for a report of a tenant, unless it has expired.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn report_request(
        &self,
        tenant: &ServiceTenantId,
        now: Timestamp,
    ) -> Result<Option<ReportRequest>, StoreError> {
        self.store.get_unexpired(self.partition.report_request(tenant), now).await
    }

    /// Returns the last request of each tenant that has one, ordered by tenant.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn report_requests(&self, now: Timestamp) -> Result<Vec<ReportRequest>, StoreError> {
        self.store.all_unexpired(self.partition.report_requests(), now).await
    }
}

impl Writer {
    /// Requests a report of a tenant. If a request is open, returns that one instead. Returns whether it is new.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant, or the store fails.
    pub async fn request_report(&self, tenant: &ServiceTenantId) -> Result<(ReportRequest, bool), TenantError> {
        self.request(tenant, None).await
    }

    /// Requests the report of a tenant that a schedule made due at a moment, like [`Self::request_report`]. If that was
    /// done before, or the schedule is halted ([`ReportRequest::is_halted`]), returns the last request instead.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant, or the store fails.
    pub async fn request_due_report(
        &self,
        tenant: &ServiceTenantId,
        due_at: Timestamp,
    ) -> Result<(ReportRequest, bool), TenantError> {
        self.request(tenant, Some(due_at)).await
    }

    async fn request(
        &self,
        tenant: &ServiceTenantId,
        due_at: Option<Timestamp>,
    ) -> Result<(ReportRequest, bool), TenantError> {
        let attempt = || async {
            // An expired one is written over.
            let last: Option<ReportRequest> = self.store.get(self.partition.report_request(tenant)).await?;
            let seen = last.as_ref().map(|request| (request.version, request.due_at));
            let is_open = |last: &ReportRequest| last.is_open() && self.at.to_datetime().timestamp() < last.expires_at;
            let connection = match last.as_ref().is_some_and(|last| last.refusals > 0) {
                true => self.connection(tenant).await?,
                false => None,
            };
            let connection = connection.as_ref();
            let refusals = last.as_ref().filter(|last| !last.is_reopened(connection)).map_or(0, |last| last.refusals);
            let is_made = |last: &ReportRequest| last.due_at >= due_at || last.is_halted(connection);
            if let Some(last) = last.filter(|last| is_open(last) || due_at.is_some() && is_made(last)) {
                return Ok((last, false));
            }
            let (seen, due_before) = seen.unzip();
            if self.tenant(tenant).await?.is_none() {
                return Err(TenantError::NotFound(tenant.to_string()));
            }
            let due_at = due_at.or(due_before.flatten());
            let new = self.new_request(tenant, seen.unwrap_or_default() + 1);
            let request = ReportRequest { due_at, refusals, ..new };
            let key = self.partition.report_request(tenant);
            let actions =
                vec![self.store.succeed(key, &request, seen)?, self.store.require(self.partition.tenant(tenant))];
            match self.commit(actions, || Deed::new(AuditAction::ReportRequested, tenant)).await? {
                Transaction::Done => Ok((request, true)),
                Transaction::Refused(_) => Err(StoreError::Contended("requesting a report").into()),
            }
        };
        let came_between = |error: &TenantError| matches!(error, TenantError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    fn new_request(&self, tenant: &ServiceTenantId, version: u64) -> ReportRequest {
        ReportRequest {
            request_id: RequestId::generate(self.at),
            service_tenant_id: tenant.clone(),
            state: RequestState::Waiting,
            requested_at: self.at,
            by: self.actor.name().to_owned(),
            changed_at: self.at,
            done: 0,
            steps: 0,
            report_id: None,
            failure: None,
            attempts: 0,
            refusals: 0,
            due_at: None,
            position: Vec::new(),
            version,
            expires_at: audit::expiry(self.at),
        }
    }

    /// Writes what became of a request over the version that was read, and returns it with its new version. Returns
    /// `None` if it was changed in the meantime: somebody else works on it, or its tenant was removed.
    ///
    /// The request itself and its report are in the audit trail, so its states are not, except for a failure.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn continue_request(&self, request: ReportRequest) -> Result<Option<ReportRequest>, StoreError> {
        let seen = request.version;
        let request = ReportRequest { version: seen + 1, changed_at: self.at, ..request };
        let key = self.partition.report_request(&request.service_tenant_id);
        let actions = vec![self.store.replace(key, &request, seen)?];
        let written = match request.state {
            RequestState::Failed => self.commit_failure(actions, &request).await?,
            _ => self.store.transact(actions).await?,
        };
        Ok((written == Transaction::Done).then_some(request))
    }

    async fn commit_failure(
        &self,
        mut actions: Vec<Action>,
        request: &ReportRequest,
    ) -> Result<Transaction, StoreError> {
        let tenant = &request.service_tenant_id;
        let content = match self.tenant(tenant).await? {
            Some(record) => EventContent::of_tenant(&record),
            // It was removed meanwhile.
            None => EventContent::default(),
        };
        let reason = request.failure.clone().unwrap_or_default();
        let content = content.with_failures([EventFailure { of: request.request_id.to_string(), reason }]);
        actions.push(self.mark_reports(tenant)?);
        self.commit(actions, || Deed::new(AuditAction::AssessmentFailed, tenant).telling(content)).await
    }
}

impl fmt::Debug for ReportRequest {
    /// Leaves out the name and the position, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportRequest")
            .field("request_id", &self.request_id)
            .field("state", &self.state)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
