//! The data: one DynamoDB table, in which all data of an organization has its own partition key.
//!
//! Every access begins with [`Store::organization`]: the methods of [`Organization`] cannot name another organization's
//! partition. Only `keys.rs` builds keys. Stored shapes are separate from the wire's and are defined next to the code
//! that uses them.
//!
//! # Results of operations
//!
//! One convention holds for all of them:
//!
//! - A read returns `Ok(None)` for an item that does not exist. Its only error is [`StoreError`].
//! - A change returns `Ok` with its result once it is done. It returns `Err` if it is not done; then nothing
//!   has changed, unless its documentation says that it works in steps.
//! - The error of a change is an enum of its resource, such as [`TenantError`] or [`KeyError`]: one variant per reason
//!   why the change is refused, and `Store` for a failure of the table. A caller matches on variants, never on texts.
//! - [`StoreError::is_transient`] returns whether the same call may succeed later.
//!
//! Lists are streams of pages. Pages are read only as they are consumed.
//!
//! # Changes
//!
//! [`Organization`] only reads. [`Organization::by`] and [`Organization::by_admin`] return its changes, each recorded in
//! the audit trail as made by an actor. Three kinds of change have no actor, and names of their own:
//! [`Store::sessions`] for people who sign in and out, [`Store::accept_invitation`] for a person who becomes a member,
//! and [`Store::as_operator`] for whole organizations.

mod api_keys;
mod audit;
mod billable;
mod brand;
mod changes;
mod check;
mod client;
mod deletion;
mod error;
mod fragment;
mod imports;
mod invitations;
mod kept_edits;
mod keys;
mod members;
mod organization;
mod organizations;
mod recording;
mod report_deletion;
mod reports;
mod sessions;
mod table;
mod tenant_changes;
mod tenants;
mod usage;
mod writer;

pub use api_keys::{Access, ApiKeyListing, CreatedKey, KeyError};
pub use audit::{AuditAction, AuditChange, AuditEntry};
pub use billable::{BillableUsers, UsersChunk};
pub use brand::{BrandRecord, LogoRecord};
pub use check::{Discrepancy, Inspection};
pub use client::{Timeouts, aws_settings, function_settings};
pub use error::{Cause, StoreError};
pub use fragment::{CorruptFragment, Fragment};
pub use imports::{ImportDetails, ImportRecord, ImportedReport};
pub use invitations::{INVITATION_DAYS, InvitationError, InvitationRecord, Person};
pub use kept_edits::{AppliedEdits, KeptEdit, KeptEditError, KeptValues};
pub use members::{MemberError, MemberRecord, Membership};
pub use organization::Organization;
pub use organizations::{Operator, OrganizationError, OrganizationRecord};
pub use reports::{
    Draft, EditError, EditMark, EditedField, EditedPart, ListedReport, NewReport, NextPage, PastReport, ReportError,
    ReportPosition, ReportSummary, Selected, Selection, StoredReport,
};
pub use sessions::{SESSION_HOURS, Sessions};
pub use table::Store;
pub use tenants::{LatestReport, TenantError, TenantRecord};
pub use usage::Usage;
pub use writer::{AdminWriter, Writer};

/// Maximum size of one DynamoDB item in bytes, including attribute names.
pub const ITEM_LIMIT: usize = 400 * 1024;
