//! The results of all tenants, control by control, without reading a report.
//!
//! Beside the pointer to the newest report of a tool of a tenant stands an item with the status of each control, a letter
//! each before compression. Every change of that pointer writes it in the same transaction. A letter is found by its
//! position in a list of the tool's controls, which the organization keeps and only ever extends: so an older item can
//! always be read, and every organization has exactly the controls that its reports have. Controls for which the list
//! has no room are stored by name in the item itself.
//!
//! The list says whether the items are complete. Until `posture upgrade` has made those of an organization that an
//! earlier release created, a read takes the results from the reports: the same, but slowly.

mod collect;
mod controls;
mod forget;
mod item;
mod keep;
mod read;
#[cfg(test)]
pub(crate) mod tests;

pub use controls::Control;
pub(crate) use controls::{Controls, ControlsItem};
pub(crate) use item::ResultsItem;
pub use read::{ControlResult, Fleet, FleetControl, FleetControls, Located};
