//! Requests for reports, which the service makes itself.

use chrono::TimeDelta;
use model::{OrganizationId, RequestId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Organization, ReportRequest, RequestState, StoreError, TenantError, TenantRecord, Writer};

use super::{Queue, QueueError};

/// The reason for no report of a tenant of which nobody has proved that the organization may read it.
pub const NOT_CONNECTED: &str = "The tenant is not connected. An Admin connects it on the tenant's page in the \
                                 dashboard, with an administrator of the tenant. Then request a report again.";

/// Time after which a request that nobody has taken is put into the queue again: its message may be lost.
const WAITING: TimeDelta = TimeDelta::minutes(1);
/// Time after which a request without a new step is put into the queue again: longer than a worker takes for a step.
const RUNNING: TimeDelta = TimeDelta::minutes(30);

/// A message in the queue: one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The request.
    pub request_id: RequestId,
}

/// Why a report was not requested, or its request is not in the queue.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// There is no such tenant, or the table failed.
    #[error(transparent)]
    Tenant(#[from] TenantError),
    /// Nobody has proved that the organization may read the tenant.
    #[error("{NOT_CONNECTED}")]
    NotConnected,
    /// The queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        Self::Tenant(error.into())
    }
}

impl Message {
    /// Returns the message for a request.
    pub fn of(organization: &OrganizationId, request: &ReportRequest) -> Self {
        Self {
            organization_id: organization.clone(),
            service_tenant_id: request.service_tenant_id.clone(),
            request_id: request.request_id.clone(),
        }
    }
}

impl Queue {
    /// Returns whether its workers may read a tenant: on this machine, all tenants are invented and need no connection.
    async fn reads(&self, organization: &Organization, tenant: &TenantRecord) -> Result<bool, StoreError> {
        match self {
            Self::Table => Ok(true),
            Self::Sqs { .. } => organization.is_connected(tenant).await,
        }
    }
}

/// Requests a report of a tenant. Returns the open request instead if there is one, and whether it is new.
///
/// A request is written before its message is sent, so it can be left without one. Requesting again
/// after some time sends another: work on a request goes on where it stopped, and never twice.
///
/// # Errors
/// If the tenant is gone or not connected, or the table or the queue fails.
pub async fn request(
    writer: &Writer,
    tenant: &TenantRecord,
    queue: &Queue,
    now: Timestamp,
) -> Result<(ReportRequest, bool), RequestError> {
    if !queue.reads(writer, tenant).await? {
        return Err(RequestError::NotConnected);
    }
    sent(writer, writer.request_report(&tenant.service_tenant_id).await?, queue, now).await
}

/// Requests the report of a tenant that a schedule made due at a moment, like [`request`]: once, whatever became of it.
/// The request of a tenant that is not connected fails at once, without a message.
///
/// # Errors
/// If there is no such tenant, or the table or the queue fails.
pub(crate) async fn request_due(
    writer: &Writer,
    tenant: &TenantRecord,
    due_at: Timestamp,
    queue: &Queue,
    now: Timestamp,
) -> Result<(ReportRequest, bool), RequestError> {
    let (request, is_new) = writer.request_due_report(&tenant.service_tenant_id, due_at).await?;
    if request.state == RequestState::Waiting && !queue.reads(writer, tenant).await? {
        let refused = refused(request, NOT_CONNECTED.to_owned());
        writer.continue_request(refused.clone()).await?;
        return Ok((refused, is_new));
    }
    sent(writer, (request, is_new), queue, now).await
}

/// Returns a request that failed because the tenant is not connected, or does not let the service in.
pub fn refused(request: ReportRequest, reason: String) -> ReportRequest {
    let refusals = request.refusals + 1;
    ReportRequest { state: RequestState::Failed, failure: Some(reason), refusals, position: Vec::new(), ..request }
}

/// Puts a request into the queue, if it is new or its message may be lost.
async fn sent(
    writer: &Writer,
    (request, is_new): (ReportRequest, bool),
    queue: &Queue,
    now: Timestamp,
) -> Result<(ReportRequest, bool), RequestError> {
    if is_new || is_silent(&request, now) {
        queue.send(&Message::of(writer.id(), &request)).await?;
    }
    Ok((request, is_new))
}

/// Returns whether an open request shows no sign of life.
pub fn is_silent(request: &ReportRequest, now: Timestamp) -> bool {
    let longest = if request.state == RequestState::Waiting { WAITING } else { RUNNING };
    request.is_open() && now.to_datetime() - request.changed_at.to_datetime() > longest
}
