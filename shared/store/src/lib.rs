//! The data: one DynamoDB table, in which all data of an organization has its own partition key.
//!
//! Every access begins with [`Store::organization`]: the methods of [`Organization`] cannot name another organization's
//! partition. Only `keys/` builds keys. Stored shapes are separate from the wire's and are defined next to the code
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
//! and [`Store::as_operator`] for whole organizations: creating and deleting them, and their [`Arrival`] from another table.
//!
//! # The table
//!
//! One table with the string keys `pk` and `sk` and no index. All data of an organization is under the partition key
//! `ORG#<organization>`:
//!
//! | `sk` | Holds |
//! |---|---|
//! | `ORG` | The organization: name, value of its gateway key |
//! | `BRAND` | The brand of the organization's documents: name, accent, footer, logo |
//! | `MEMBER#<member>` | A member: name, e-mail address and its confirmation, role, and a version that every change increments |
//! | `INVITATION#<invitation>` | An invitation as listed |
//! | `SESSION#<SHA-256 of its secret>` | A session of a member: an hour after its last request, and at most 12 hours |
//! | `APIKEY#<key id>` | An API key as listed, and its hash |
//! | `TENANT#<tenant>` | A tenant, its newest report, and a version that every change increments |
//! | `CHANGED#TENANTS`, `CHANGED#<group>` | Change marks: every change of the tenant list writes a new one, and every change of a report writes one of 32 others, by group of tenants |
//! | `REMOVED#<tenant>` | A removed tenant: removal moves the item, so the list needs no filter |
//! | `PROVIDER#<provider id>` | The tenant with a provider's identifier |
//! | `REPORT#<tenant>#<completedAt>#<report>` | A report: its summary and its deflated body |
//! | `SHARED#<tenant>#<digest>` | The part of a body that equal reports of the tenant share |
//! | `REPORTID#<report>` | The location of a report; prevents a run from being imported twice |
//! | `COMPLETED#<completedAt>#<report>` | The organization's history: a summary of each report |
//! | `HISTORY#<tenant>#<completedAt>#<report>` | The same for one tenant |
//! | `LATEST#<completedAt>#<report>` | A summary of each tenant's newest report |
//! | `TOOL#<tenant>#<tool>#<completedAt>#<report>` | A summary of the newest report of each tool of a tenant |
//! | `RESULTS#<tool>#<tenant>` | The status of each control in that report |
//! | `CONTROLS` | The controls that reports have had, by tool: the meaning of positions in results |
//! | `BASELINE#<tenant>#<tool>#<completedAt>#<report>` | The baselines that later reports of the tool compare with |
//! | `TREND#<week>` | The figures of all tenants at the end of a week, by tool, and the tenants that moved most |
//! | `USAGEDAY#<date>`, `USAGE#<date>#<recording>#<tenant>` | The usage recorded for a day |
//! | `BILLABLEUSERS#<tenant>`, `BILLABLE#<tenant>#<recording>#<chunk>` | The billable users of a tenant |
//! | `KEPT#<tenant>#<control>` | An edit that each later import applies to the control's check |
//! | `TASK#<tenant>#<control>` | The owner of an open control, its day and a note; or when it was done |
//! | `TEXT#<tool>#<control>` | Why a control matters, and its fix, as later imports of all tenants use them |
//! | `IMPORT#<import>` | An import by upload, with the outcome of each file; expires after 400 days |
//! | `JOB#<key id>#<import>` | An import that was requested with an API key: its files, state and result; expires after 30 days |
//! | `ONLYJOB#<key id>#<digest>` | The import of an idempotency key, by its digest; expires with it |
//! | `REQUEST#<tenant>` | The last request for a report of a tenant: its state, and while it runs its position; expires after 400 days |
//! | `SCHEDULES` | The schedules of reports of the organization and of labels, and when the next report of any tenant is due |
//! | `DOCUMENTS#<set>` | The documents of many reports, requested together: their state; expires after 30 days |
//! | `UPLOAD#<upload>#<file>#<chunk>` | A chunk of a file that was uploaded and waits for its import or its tenant; expires after a day |
//! | `ARRIVING` | How much of the organization has arrived from another table, until it is complete |
//! | `FORM#<form>` | A form that has made its change, which it may make only once; expires after 400 days |
//! | `KNOWN#<tenant>#<tool>` | The last known result of each control and the administrators, with which the next report is compared for events |
//! | `EVENT#<time>#<event>` | All that a change tells, written in its transaction; expires after 90 days |
//! | `TARGET#<target>` | A target of notifications: its address or its member, its rules, and the secrets that sign for it |
//! | `DELIVERY#<target>#<time>#<event>` | The last attempt to deliver an event to a target; expires after 30 days |
//! | `QUEUED#<place>`, `DISPATCHED` | On one machine alone, where the data is the queue: the messages that wait, and up to when there are any |
//! | `AUDIT#<time>#<id>` | An entry of the audit trail, written in the transaction of the change; expires after 400 days |
//!
//! A few items lie outside, because they are used to find the organization: `KEY#<SHA-256 of the key>`,
//! `IDENTITY#<SHA-256 of issuer and subject>`, an invitation's look-up by the hash of its secret, and under `DUE` the
//! organizations with schedules by the time of their next report. `ORGANIZATIONS` is a register of identifiers for the
//! operator; no function may read it. In a data file, `DATA` names its format and the release that wrote it.
//!
//! # Formats
//!
//! Every item has the number of its format in `v` (`table/format.rs` has the rule). Another release may have written
//! attributes and values that this one does not know. An unknown value is read as `Unknown`. A transaction that writes
//! over items first reads all of them with one `BatchGetItem`, and merges each with what this release understands of it
//! and what it makes of that (`table/merge.rs`); the conditions of the transaction notice if they differ from those that
//! the change was made from. So a change cannot forget it, and reads pay nothing. The body of an edited report is merged
//! in the same way, in the order of its fields. `kinds.rs` lists the kinds of items.
//!
//! # Damage
//!
//! Every read compares an item's content with its key (`stored.rs`). An item that cannot be read, or has the content of
//! another, is [`StoreError::Damaged`], which names its key: the response fails, and the log line says which item to
//! mend. `posture check` examines every item by the list of kinds, also its deflated text, and goes on. `posture repair`
//! derives what can be derived, and sets the rest aside (`repair/`).
//!
//! # Writes
//!
//! Items that belong together are written in one transaction: a report becomes visible with all its pointers or not at
//! all, and an edit changes the report, the summaries in its pointers and the kept edit together. A rename writes the
//! tenant and a *correction* of its name in one transaction; pointers keep the name that the tenant had when they were
//! written. A removal is one transaction, too; afterwards, the tenant's reports are removed from the organization's
//! history and its kept edits are deleted, and running it again after an interruption completes that. A tenant is
//! written only if its version is still the one that was read, so imports, renames and removals of one tenant are
//! serialized; the loser reads again. Snapshots of many items (usage of a day, billable users) are *recordings*: their
//! items are written under a unique name, then one record switches from the version that was read to the new one, then
//! the items of earlier versions are deleted. If several writers compete, one succeeds; the others delete their items
//! and start again from its result. A crash leaves the old or the new snapshot, never a mixture, and running the
//! command again completes it. [`Organization::inspect`] verifies all of this for an organization.
//!
//! Three operations of the operator and of Admins concern items of every kind, which `kinds.rs` lists: a move to another
//! table (`transfer.rs`), which reads and writes items as they are stored, the erasure of a tenant (`erasure.rs`), and a
//! repair.
//!
//! # Reads
//!
//! Pointers are read in the requested order and only up to the limit. Reports are read by `BatchGetItem` a few batches
//! ahead. The first page of pointers and the first batches of reports are small, so a response begins early, while its
//! other pointers are still being found. The corrections of all tenants that were renamed are one small read beside the
//! first pointers, so a list has current names without reading its tenants; a tenant whose removal is in progress has a
//! correction without a name, and is left out. A list uses the first name that it shows for a tenant, even if the
//! tenant is renamed meanwhile. A list reads the summaries in the pointers and no bodies. Only reports are read
//! eventually consistent, at half the price; all other reads are strongly consistent. If a pointer names a report that
//! is not visible yet, the report is read again, strongly consistent. Items that have expired are left out
//! (`table/expiry.rs`), whether DynamoDB has deleted them or not.
//!
//! A report that shares a part of its body ([`BodyDigest`]) has an item with the beginning. The shared parts of a batch of
//! reports are read with one more call, each once, and the fragments are joined, so a response has the same text. A report
//! leaves for another table with its whole body.
//!
//! # Waits
//!
//! A throttled call is retried for a period, not for a number of attempts: 8 seconds before a response has begun, 60
//! seconds once it has begun, 180 seconds for writes, and never beyond the end of the invocation. Any progress restarts
//! the period. DynamoDB's responses are verified against their checksum; an empty response, or a list without items, is
//! a failure and not an empty list.

mod accesses;
mod api_keys;
mod arriving;
mod audit;
mod billable;
mod brand;
mod changes;
mod check;
mod client;
mod connections;
mod deletion;
mod deliveries;
mod document_schedules;
mod document_sets;
mod erasure;
mod error;
mod events;
mod expiring;
mod fragment;
mod import_jobs;
mod imports;
mod invitations;
mod kept_edits;
mod keys;
mod kinds;
mod mails;
mod members;
mod organization;
mod organizations;
mod recording;
mod repair;
mod report_deletion;
mod reports;
mod requests;
mod results;
mod schedules;
mod sessions;
mod stale;
mod stamp;
mod stored;
mod table;
mod targets;
mod tasks;
mod tenant_changes;
mod tenants;
mod texts;
mod transfer;
mod trends;
mod uploads;
mod usage;
mod writer;

pub use api_keys::{Access, ApiKeyListing, CreatedKey, KeyError, KeyInUse, KeyRights};
pub use audit::{AuditAction, AuditChange, AuditEntry};
pub use billable::{BillableUsers, UsersChunk};
pub use brand::{BrandRecord, LogoRecord};
pub use check::{Discrepancy, Inspection, OutsideDiscrepancy};
pub use client::{Timeouts, aws_settings, function_settings};
pub use connections::{Attempt, CONNECTING_MINUTES, Connection, Sighting, Visit};
pub use deliveries::{Delivery, DeliveryState, QueuedMessage};
pub use document_schedules::DocumentSchedule;
pub use document_sets::{DocumentSet, Which};
pub use error::{Cause, DISK_FULL, Damage, StoreError};
pub use events::{ChangeOf, EventPosition, EventSelection, EventsPage, Fix};
pub use fragment::{CorruptFragment, Fragment};
pub use import_jobs::{ImportJob, ImportJobError, JobFile, SameRequest};
pub use imports::{ImportDetails, ImportRecord, ImportedReport, Waiting};
pub use invitations::{INVITATION_DAYS, InvitationError, InvitationRecord, Person};
pub use kept_edits::{AppliedEdits, EndedEdit, Keep, KeptEdit, KeptEditError, KeptValues};
pub use mails::{CONFIRMATION_HOURS, MailConfirmation, MailError};
pub use members::{MemberError, MemberRecord, Membership};
pub use organization::Organization;
pub use organizations::{Operator, OrganizationError, OrganizationRecord};
pub use repair::{PlannedChange, Repair, Repaired};
pub use reports::{
    AppliedText, BodyDigest, Draft, EditError, EditMark, EditedField, EditedPart, EditedReport, FoundValues,
    ListedReport, NewReport, NextPage, PastReport, ReportError, ReportPosition, ReportSummary, RunContent, Selected,
    Selection, StoredReport,
};
pub use requests::{ReportRequest, RequestState};
pub use results::{Control, ControlResult, Fleet, FleetControl, FleetControls, Located};
pub use schedules::{LabelSchedule, ScheduleError, Schedules};
pub use sessions::{IDLE_MINUTES, OpenSession, SESSION_HOURS, Sessions};
pub use stamp::DataError;
pub use table::{EXPIRES_AT, FORMAT, Store, Upgrade};
pub use targets::{CreatedTarget, MOST_TARGETS, Target, TargetEdit, TargetError, TargetState};
pub use tasks::{Assignment, Task, TaskError};
pub use tenants::{LatestReport, TenantError, TenantRecord};
pub use texts::{ControlText, TextError, Texts};
pub use transfer::{Arrival, StoredItem, StoredText, TransferError};
pub use trends::{Fixed, Moved, ToolTrend, WeekTrend};
pub use uploads::UploadedFile;
pub use usage::Usage;
pub use writer::{AdminWriter, Writer};

/// Maximum size of one DynamoDB item in bytes, including attribute names.
pub const ITEM_LIMIT: usize = 400 * 1024;
