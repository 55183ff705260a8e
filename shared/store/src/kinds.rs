//! The kinds of items, by the beginning of their keys.

use serde::Serialize;

use super::api_keys::{Access, StoredKey};
use super::arriving::Arriving;
use super::audit::{StoredEntry, UsedForm};
use super::billable::{BillableRecord, StoredChunk};
use super::changes::Mark;
use super::check::examine;
use super::connections::Connecting;
use super::deliveries::{Dispatched, StoredDelivery};
use super::events::{EventItem, KnownItem};
use super::import_jobs::OnlyJob;
use super::imports::ImportItem;
use super::invitations::StoredInvitation;
use super::keys::Key;
use super::organizations::Registered;
use super::reports::{Correction, Place, ReportItem, SharedBody};
use super::results::{ControlsItem, ResultsItem};
use super::schedules::{Due, Schedules};
use super::sessions::Session;
use super::stamp::Stamp;
use super::stored::Stored;
use super::table::{Item, understood};
use super::targets::StoredTarget;
use super::tenant_changes::RemovedTenant;
use super::tenants::ProviderPointer;
use super::uploads::UploadChunk;
use super::usage::{StoredUsage, UsageDay};
use super::{
    BrandRecord, Connection, ControlText, DocumentSet, ImportJob, KeptEdit, ListedReport, MemberRecord, Membership,
    OrganizationRecord, QueuedMessage, ReportRequest, StoreError, Task, TenantRecord, WeekTrend,
};

/// A kind of items.
pub(crate) struct Kind {
    /// Beginning of the partition key, up to its first `#`.
    partition: &'static str,
    /// Beginning of the sort key, up to its first `#`. `None` for a partition with items of one kind.
    sort: Option<&'static str>,
    /// Returns what this release knows of an item.
    pub(crate) understood: fn(&Item) -> Result<Item, StoreError>,
    /// Returns an error if this release cannot use an item.
    pub(crate) examine: fn(Item) -> Result<(), StoreError>,
    /// Whether the items are about one tenant, whose identifier is the second part of their sort key.
    pub(crate) is_of_tenant: bool,
    /// Whether the items move with their organization to another table.
    pub(crate) moves: bool,
}

/// Every kind of items that this release writes.
const KINDS: [Kind; 53] = [
    of_organization::<OrganizationRecord>("ORG").left_behind(),
    of_organization::<BrandRecord>("BRAND"),
    of_organization::<MemberRecord>("MEMBER"),
    of_organization::<StoredInvitation>("INVITATION"),
    of_organization::<Session>("SESSION").left_behind(),
    of_organization::<StoredKey>("APIKEY").left_behind(),
    of_tenant::<TenantRecord>("TENANT"),
    of_organization::<Mark>("CHANGED"),
    of_tenant::<Correction>("CORRECTION"),
    of_tenant::<RemovedTenant>("REMOVED"),
    of_organization::<ProviderPointer>("PROVIDER"),
    of_tenant::<ReportItem>("REPORT"),
    of_tenant::<SharedBody>("SHARED").left_behind(),
    of_organization::<Place>("REPORTID"),
    of_organization::<ListedReport>("COMPLETED"),
    of_tenant::<ListedReport>("HISTORY"),
    of_organization::<ListedReport>("LATEST"),
    of_tenant::<ListedReport>("TOOL"),
    of_organization::<ControlsItem>("CONTROLS"),
    of_organization::<ResultsItem>("RESULTS"),
    of_tenant::<Place>("BASELINE"),
    of_organization::<WeekTrend>("TREND"),
    of_organization::<UsageDay>("USAGEDAY"),
    of_organization::<StoredUsage>("USAGE"),
    of_tenant::<BillableRecord>("BILLABLEUSERS"),
    of_tenant::<StoredChunk>("BILLABLE"),
    of_tenant::<KeptEdit>("KEPT"),
    of_tenant::<Task>("TASK"),
    of_organization::<ControlText>("TEXT"),
    of_organization::<ImportItem>("IMPORT"),
    of_organization::<ImportJob>("JOB").left_behind(),
    of_organization::<OnlyJob>("ONLYJOB").left_behind(),
    // Their archives stay behind.
    of_organization::<DocumentSet>("DOCUMENTS").left_behind(),
    of_tenant::<ReportRequest>("REQUEST"),
    of_organization::<Schedules>("SCHEDULES"),
    // Proofs that were given to this service. An archive could contain invented ones.
    of_tenant::<Connection>("CONNECTION").left_behind(),
    of_tenant::<Connecting>("CONNECTING").left_behind(),
    of_organization::<UploadChunk>("UPLOAD").left_behind(),
    of_tenant::<KnownItem>("KNOWN"),
    of_organization::<EventItem>("EVENT"),
    // They are secrets, and what is sent begins anew where the organization arrives.
    of_organization::<StoredTarget>("TARGET").left_behind(),
    of_organization::<StoredDelivery>("DELIVERY").left_behind(),
    of_organization::<QueuedMessage>("QUEUED").left_behind(),
    of_organization::<Dispatched>("DISPATCHED").left_behind(),
    of_organization::<StoredEntry>("AUDIT"),
    of_organization::<UsedForm>("FORM"),
    of_organization::<Arriving>("ARRIVING").left_behind(),
    outside::<Access>("KEY").left_behind(),
    outside::<StoredInvitation>("INVITATION"),
    outside::<Membership>("IDENTITY"),
    outside::<Due>("DUE"),
    outside::<Registered>("ORGANIZATIONS").left_behind(),
    outside::<Stamp>("DATA").left_behind(),
];

const fn of_organization<T: Stored + Serialize + Send + 'static>(sort: &'static str) -> Kind {
    Kind { sort: Some(sort), ..outside::<T>("ORG") }
}

const fn of_tenant<T: Stored + Serialize + Send + 'static>(sort: &'static str) -> Kind {
    Kind { is_of_tenant: true, ..of_organization::<T>(sort) }
}

const fn outside<T: Stored + Serialize + Send + 'static>(partition: &'static str) -> Kind {
    let (understood, examine) = (understood::<T>, examine::<T>);
    Kind { partition, sort: None, understood, examine, is_of_tenant: false, moves: true }
}

impl Kind {
    /// The items stay behind when their organization moves to another table.
    const fn left_behind(self) -> Self {
        Self { moves: false, ..self }
    }
}

/// Returns the beginnings of the sort keys of the kinds whose items are about one tenant.
pub(crate) fn kinds_of_tenant() -> impl Iterator<Item = &'static str> {
    KINDS.iter().filter(|kind| kind.is_of_tenant).filter_map(|kind| kind.sort)
}

/// Returns the kind of the item with a key, or `None` if this release does not know it.
pub(crate) fn kind_of(key: &Key) -> Option<&'static Kind> {
    let beginning = |key: &str| key.split('#').next().unwrap_or_default().to_owned();
    let (partition, sort) = (beginning(&key.pk), beginning(&key.sk));
    KINDS.iter().find(|kind| kind.partition == partition && kind.sort.is_none_or(|of| of == sort))
}
