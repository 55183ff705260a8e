//! Changes of an organization's data, each by an actor and recorded.

use std::ops::Deref;
use std::time::Instant;

use model::{Actor, FormId, Timestamp};

use super::Organization;

/// The changes of one organization that every actor may make.
///
/// Every change writes an [`AuditEntry`](super::AuditEntry) in its own transaction, and an event if others want to know of
/// it: either all are written or none.
/// A change describes itself to `Writer::commit`, which it calls instead of `Store::transact`.
#[derive(Debug, Clone)]
pub struct Writer {
    pub(crate) organization: Organization,
    pub(crate) actor: Actor,
    pub(crate) at: Timestamp,
    /// The moment that `at` is the time of.
    pub(crate) began: Instant,
    /// The form that asks for the change, if it may do so only once.
    pub(crate) form: Option<FormId>,
}

/// All changes of one organization, also those that are reserved for Admins.
#[derive(Debug, Clone)]
pub struct AdminWriter(pub(crate) Writer);

impl Writer {
    /// Returns the changes for a form that may make one only once, however often it is sent. Later ones fail with
    /// [`StoreError::Repeated`](super::StoreError::Repeated).
    #[must_use]
    pub fn once(self, form: FormId) -> Self {
        Self { form: Some(form), ..self }
    }

    /// Returns the changes of an operation that began at a moment, whose time is that of the changes.
    #[must_use]
    pub fn since(self, began: Instant) -> Self {
        Self { began, ..self }
    }
}

impl AdminWriter {
    /// Returns the changes for a form that may make one only once, as [`Writer::once`] does.
    #[must_use]
    pub fn once(self, form: FormId) -> Self {
        Self(self.0.once(form))
    }
}

impl Deref for Writer {
    type Target = Organization;

    fn deref(&self) -> &Organization {
        &self.organization
    }
}

impl Deref for AdminWriter {
    type Target = Writer;

    fn deref(&self) -> &Writer {
        &self.0
    }
}
