//! Connections: that an organization proved that a tenant lets it read.
//!
//! A tenant that consented to the service's application consented for every organization, so the consent alone proves
//! nothing about this one. A connection is written when an administrator of the tenant has signed in for the
//! organization. It contains no token and nobody's name.

use std::collections::BTreeSet;

use backon::Retryable;
use chrono::TimeDelta;
use model::{MemberId, ProviderTenantId, Secret, SecretHash, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{CONTENDERS, Transaction, backoff};
use super::tenant_changes::came_between;
use super::{AdminWriter, Organization, StoreError, TenantError, TenantRecord, Writer};

/// Minutes that an attempt to connect may take, from one visit to Microsoft to the next.
pub const CONNECTING_MINUTES: i64 = 15;

/// The connection of a tenant, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The provider's identifier of the tenant whose administrator signed in.
    pub provider_tenant_id: ProviderTenantId,
    /// When it was made.
    pub connected_at: Timestamp,
    /// When it was last seen whether it works.
    pub checked_at: Timestamp,
    /// The permissions that were seen last. `None` if it was not seen which there are.
    pub permissions: Option<BTreeSet<String>>,
    /// Microsoft's code of the refusal, such as `AADSTS700016`, if the tenant did not let the application in last.
    pub problem: Option<String>,
    /// Incremented by every change. A change is written only over the version that was read.
    pub version: u64,
}

/// The outcome of a look at a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sighting {
    /// The tenant lets the application in, with these permissions, as far as that can be seen.
    Open(Option<BTreeSet<String>>),
    /// The tenant does not let it in, with Microsoft's code.
    Refused(String),
}

/// The visit to Microsoft that an attempt to connect waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Visit {
    /// To consent.
    Consent,
    /// To sign in.
    SignIn,
    /// One that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// An attempt to connect, which begins in a session of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The tenant.
    pub tenant: ServiceTenantId,
    /// The member.
    pub member: MemberId,
    /// The session.
    pub session: SecretHash,
}

/// The open attempt to connect a tenant, as stored. A tenant has one: a new attempt ends the one before it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Connecting {
    pub(crate) service_tenant_id: ServiceTenantId,
    member_id: MemberId,
    session: SecretHash,
    visit: Visit,
    /// Hash of the state that the visit brings back.
    state: SecretHash,
    version: u64,
    /// When it ends, in seconds since 1970. DynamoDB deletes the item some time later.
    expires_at: i64,
}

impl Connection {
    /// Returns whether the connection proves that the organization may read a tenant.
    pub fn is_of(&self, tenant: &ProviderTenantId) -> bool {
        self.provider_tenant_id == *tenant
    }

    /// Returns whether the tenant let the application in when it was last seen.
    pub fn is_open(&self) -> bool {
        self.problem.is_none()
    }

    fn seen(self, sighting: Sighting, at: Timestamp) -> Self {
        let (permissions, problem) = match sighting {
            Sighting::Open(permissions) => (permissions, None),
            Sighting::Refused(code) => (self.permissions, Some(code)),
        };
        Self { permissions, problem, checked_at: at, version: self.version + 1, ..self }
    }
}

impl Connecting {
    fn is(&self, attempt: &Attempt, visit: Visit, state: &Secret) -> bool {
        let Self { service_tenant_id, member_id, session, .. } = self;
        let same = (service_tenant_id, member_id, session) == (&attempt.tenant, &attempt.member, &attempt.session);
        same && self.visit == visit && self.state == state.hash()
    }
}

impl Organization {
    /// Returns the connection of a tenant, or `None` if it is not connected.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn connection(&self, tenant: &ServiceTenantId) -> Result<Option<Connection>, StoreError> {
        self.store.get(self.partition.connection(tenant)).await
    }

    /// Returns whether the organization has proved that it may read a tenant.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn is_connected(&self, tenant: &TenantRecord) -> Result<bool, StoreError> {
        let connection = self.connection(&tenant.service_tenant_id).await?;
        Ok(connection.is_some_and(|connection| connection.is_of(&tenant.provider_tenant_id)))
    }
}

impl AdminWriter {
    /// Begins an attempt to connect a tenant, which waits for a visit that brings back `state`.
    ///
    /// An open attempt for the same tenant ends. An attempt is no change of the organization's data, so it is not in the
    /// audit trail.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn begin_connecting(&self, attempt: &Attempt, state: &Secret) -> Result<(), StoreError> {
        let key = self.partition.connecting(&attempt.tenant);
        self.store.put(key, &self.connecting(attempt, Visit::Consent, state, 1)).await
    }

    /// Accepts what the visit for consent brought back, once, and waits for the sign-in, which brings back `next`.
    /// Returns whether the attempt was waiting for it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn continue_connecting(
        &self,
        attempt: &Attempt,
        state: &Secret,
        next: &Secret,
    ) -> Result<bool, StoreError> {
        let Some(version) = self.awaited(attempt, Visit::Consent, state).await? else { return Ok(false) };
        let next = self.connecting(attempt, Visit::SignIn, next, version + 1);
        let action = self.store.replace(self.partition.connecting(&attempt.tenant), &next, version)?;
        Ok(self.store.transact(vec![action]).await? == Transaction::Done)
    }

    /// Accepts what the sign-in brought back, once, and ends the attempt. Returns whether it was waiting for it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn end_connecting(&self, attempt: &Attempt, state: &Secret) -> Result<bool, StoreError> {
        let Some(version) = self.awaited(attempt, Visit::SignIn, state).await? else { return Ok(false) };
        let action = self.store.erase_version(self.partition.connecting(&attempt.tenant), version);
        Ok(self.store.transact(vec![action]).await? == Transaction::Done)
    }

    async fn awaited(&self, attempt: &Attempt, visit: Visit, state: &Secret) -> Result<Option<u64>, StoreError> {
        let key = self.partition.connecting(&attempt.tenant);
        let open: Option<Connecting> = self.store.get_unexpired(key, self.at).await?;
        Ok(open.filter(|open| open.is(attempt, visit, state)).map(|open| open.version))
    }

    fn connecting(&self, attempt: &Attempt, visit: Visit, state: &Secret, version: u64) -> Connecting {
        let expires = self.at.to_datetime() + TimeDelta::minutes(CONNECTING_MINUTES);
        Connecting {
            service_tenant_id: attempt.tenant.clone(),
            member_id: attempt.member.clone(),
            session: attempt.session.clone(),
            visit,
            state: state.hash(),
            version,
            expires_at: expires.timestamp(),
        }
    }

    /// Connects a tenant, whose administrator has proved to be one: or renews its connection.
    ///
    /// # Errors
    /// [`TenantError::NotFound`] if there is no such tenant with this provider identifier, or the store fails.
    pub async fn connect_tenant(
        &self,
        tenant: &ServiceTenantId,
        proved: &ProviderTenantId,
        sighting: Sighting,
    ) -> Result<Connection, TenantError> {
        let attempt = || async {
            let key = self.partition.connection(tenant);
            let before: Option<Connection> = self.store.get(key.clone()).await?;
            let found = self.tenant(tenant).await?.filter(|found| found.provider_tenant_id == *proved);
            found.ok_or_else(|| TenantError::NotFound(tenant.to_string()))?;
            let seen = before.map(|before| before.version);
            let connection = Connection {
                service_tenant_id: tenant.clone(),
                provider_tenant_id: proved.clone(),
                connected_at: self.at,
                checked_at: self.at,
                permissions: None,
                problem: None,
                version: seen.unwrap_or_default(),
            };
            let connection = connection.seen(sighting.clone(), self.at);
            let actions =
                vec![self.store.succeed(key, &connection, seen)?, self.store.require(self.partition.tenant(tenant))];
            match self.commit(actions, || Deed::new(AuditAction::TenantConnected, tenant)).await? {
                Transaction::Done => Ok(connection),
                Transaction::Refused(_) => Err(StoreError::Contended("connecting a tenant").into()),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    /// Ends the connection of a tenant. Returns whether there was one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn disconnect_tenant(&self, tenant: &ServiceTenantId) -> Result<bool, StoreError> {
        let actions = vec![self.store.erase_existing(self.partition.connection(tenant))];
        let written = self.commit(actions, || Deed::new(AuditAction::TenantDisconnected, tenant)).await?;
        Ok(written == Transaction::Done)
    }
}

impl Writer {
    /// Keeps what was seen of a connection that was read, unless it was changed in the meantime, and returns it. What is
    /// seen is nobody's change, so it is not in the audit trail.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn sight_connection(&self, connection: Connection, sighting: Sighting) -> Result<Connection, StoreError> {
        let (key, version) = (self.partition.connection(&connection.service_tenant_id), connection.version);
        let seen = connection.seen(sighting, self.at);
        self.store.transact(vec![self.store.replace(key, &seen, version)?]).await?;
        Ok(seen)
    }
}
