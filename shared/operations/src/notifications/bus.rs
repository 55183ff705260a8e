//! The operator's event bus, which is told of the events of all organizations.
//!
//! A queue lies between, whose messages a pipe puts onto the bus: a bus that accepts nothing holds back no target.

use std::sync::Arc;

use aws_sdk_sqs::Client;
use model::{Event, OrganizationId};
use serde::Serialize;
use store::ChangeOf;

use super::queue::{Entry, send};
use crate::QueueError;

/// The queue of the bus.
#[derive(Debug, Clone)]
pub struct Bus {
    /// Connection.
    pub client: Client,
    /// Address of the queue.
    pub url: Arc<str>,
    /// Address of the dashboard, without a slash at the end.
    pub dashboard_url: Arc<str>,
}

/// An event, as the bus receives it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail<'a> {
    organization_id: &'a OrganizationId,
    /// The event, as the API returns it.
    #[serde(flatten)]
    event: Event,
}

impl Bus {
    /// Puts the events of a change into the queue. Those of a tenant keep their order in it.
    pub(super) async fn put(&self, change: &ChangeOf, events: &[Event]) -> Result<(), QueueError> {
        let entry = |event: &Event| {
            let tenant = event.tenant.as_ref().map(|tenant| tenant.service_tenant_id.as_str());
            let detail =
                Detail { organization_id: &change.organization, event: event.clone().linked(&self.dashboard_url) };
            Entry {
                group: tenant.unwrap_or(change.organization.as_str()).to_owned(),
                identity: event.id.to_string(),
                body: serde_json::to_string(&detail).expect("texts and numbers"),
            }
        };
        send(&self.client, &self.url, events.iter().map(entry)).await
    }
}
