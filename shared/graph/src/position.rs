//! The position of a run, from which another process can go on.

use std::collections::VecDeque;
use std::fmt;

use model::snapshot::{Completion, Header};
use model::{ProviderTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::facts::Facts;
use crate::plan::{STEPS, VERSION};

/// The position of a run. To be stored encrypted: it contains links to pages and ids of people, but no token.
/// `Debug` hides both.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    pub(crate) plan: u32,
    header: Header,
    /// Place of the current part in the plan.
    pub(crate) step: usize,
    /// Whether the calls of the current part are known.
    pub(crate) entered: bool,
    /// The calls that are left of it.
    pub(crate) calls: VecDeque<Call>,
    pub(crate) facts: Facts,
    pub(crate) responses: usize,
    pub(crate) bytes: u64,
    advances: u64,
}

impl Position {
    /// Returns the beginning of a run.
    pub fn new(header: Header) -> Self {
        Self {
            plan: VERSION,
            header,
            step: 0,
            entered: false,
            calls: VecDeque::new(),
            facts: Facts::default(),
            responses: 0,
            bytes: 0,
            advances: 0,
        }
    }

    /// Returns the first line of the snapshot.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the tenant.
    pub fn tenant(&self) -> &ProviderTenantId {
        &self.header.provider_tenant_id
    }

    /// Returns how often the run has advanced. Whoever stores responses under this number stores them once, even if
    /// the run is killed before the position is stored.
    pub fn advances(&self) -> u64 {
        self.advances
    }

    /// Returns how many of how many parts of the plan are done.
    pub fn progress(&self) -> (usize, usize) {
        (self.step, STEPS.len())
    }

    /// Returns the end of the snapshot, once the run is complete.
    pub fn completion(&self, completed_at: Timestamp) -> Option<Completion> {
        let completion =
            Completion { completed_at, activity_lookback_days: self.facts.covered_days(), responses: self.responses };
        (self.step == STEPS.len()).then_some(completion)
    }

    /// Drops all pages but the first of each collection, to see what endpoints return and no more.
    pub fn skip_pages(&mut self) {
        self.calls.retain(|call| call.page.is_none());
    }

    pub(crate) fn advanced(&mut self) {
        self.advances += 1;
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position").field("step", &self.step).field("advances", &self.advances).finish_non_exhaustive()
    }
}
