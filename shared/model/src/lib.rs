//! The contract's resources and identifiers, with their names on the wire: camelCase fields, upper-case enums, nulls
//! present.
//!
//! Source of every name, type and null rule: the API's specification, in the project's `docs/API.md`. Stored shapes
//! are separate; they live with the store.

mod actor;
mod billable;
mod choice;
mod control;
mod error;
mod event;
mod id;
mod import;
mod key;
mod label;
mod mail;
mod member;
mod message;
mod name;
#[cfg(test)]
mod openapi;
mod quiet;
mod report;
mod schedule;
pub mod snapshot;
mod stale_after;
mod target;
mod tenant;
mod text;
mod time;
mod trend;
mod usage;
mod week;
mod wire;

pub use actor::{Actor, Admin, Forbidden};
pub use billable::{BillableUser, BillableUsersHead};
pub use choice::{Choice, chosen};
pub use control::{Control, ControlListItem, ControlTenant};
pub use error::{ErrorBody, ErrorCode, ErrorDetail};
pub use event::{Event, EventControl, EventFailure, EventKind, EventReport, EventTenant};
pub use id::{
    ControlId, EventId, FormId, ImportId, InvalidId, InvitationId, KeyId, MemberId, ObjectId, OrganizationId,
    ProviderTenantId, ReportId, RequestId, ServiceTenantId, TargetId, UploadId, time_ordered_id,
};
pub use import::{ImportFile, ImportHead, ImportStatus};
pub use key::{ApiKey, KeyHash, KeyScope, MalformedKey};
pub use label::{InvalidLabel, Label};
pub use mail::{InvalidMailAddress, MailAddress, Pace, Period};
pub use member::{IdentityHash, MalformedSecret, Role, Secret, SecretHash};
pub use message::{EventData, EventMessage, TestData, TestKind, TestMessage};
pub use name::{DisplayName, InvalidName, fits_line};
pub use quiet::{InvalidQuietTimes, QuietTimes};
pub use report::{
    AcceptedRisk, Baseline, Category, Check, ControlsRollup, Coverage, CoverageLoss, Differences, GlobalAdmin,
    GlobalAdmins, Grade, MfaEnforcement, MfaMethod, NotAssessedReason, PostureReport, PostureReportSummary,
    ProposedRisk, Reference, ReportBody, ReportFigures, ReportHead, ReportTenant, ReportType, Severity, Status,
    TopRisk,
};
pub use schedule::{Every, Hours, InvalidDays, InvalidHours, Schedule};
pub use stale_after::{InvalidStaleAfter, StaleAfter};
pub use target::{
    EventRules, InvalidTargetAddress, InvalidTargetUrl, SigningSecret, TargetAddress, TargetShape, TargetUrl,
};
pub use tenant::TenantListItem;
pub use text::{counted, is_hidden, is_hidden_in_lines, noun, visible, visible_lines, without_hidden};
pub use time::{InvalidTimestamp, Timestamp, calendar_date};
pub use trend::{Trend, TrendFixed, TrendMoved};
pub use usage::{BillableStatus, Service, UsageHead, UsageTenant};
pub use week::{InvalidWeek, Week};
pub use wire::Wire;
