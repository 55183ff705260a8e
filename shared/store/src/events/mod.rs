//! Events: one item for each change, written in its transaction, from which readers make one or more events.
//!
//! An event exists exactly if its change does, and is never readable before it. Which changes have one is decided in one
//! place, [`AuditAction::event`](super::AuditAction).
//!
//! Drift and fix are told once: a tool's last known results of a tenant are kept (`known.rs`), a report of the newest run
//! is compared with them, and the same results again change nothing.

mod content;
mod fixed;
mod item;
mod known;
mod read;

pub(crate) use content::{ControlChange, EventContent};
pub use fixed::Fix;
pub(crate) use item::{EventItem, NewEvent};
pub(crate) use known::KnownItem;
pub use read::{ChangeOf, EventPosition, EventSelection, EventsPage};
