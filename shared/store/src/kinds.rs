//! The kinds of items, by the beginning of their keys.

use super::api_keys::{Access, StoredKey};
use super::audit::{StoredEntry, UsedForm};
use super::billable::{BillableRecord, StoredChunk};
use super::changes::Mark;
use super::imports::ImportItem;
use super::invitations::StoredInvitation;
use super::keys::Key;
use super::organizations::Registered;
use super::reports::{Correction, Place, ReportItem};
use super::sessions::Session;
use super::stamp::Stamp;
use super::table::{Item, understood};
use super::tenant_changes::RemovedTenant;
use super::tenants::ProviderPointer;
use super::uploads::UploadChunk;
use super::usage::{StoredUsage, UsageDay};
use super::{
    BrandRecord, KeptEdit, ListedReport, MemberRecord, Membership, OrganizationRecord, ReportRequest, StoreError,
    TenantRecord,
};

/// A kind of items.
pub(crate) struct Kind {
    /// Beginning of the partition key, up to its first `#`.
    partition: &'static str,
    /// Beginning of the sort key, up to its first `#`. `None` for a partition with items of one kind.
    sort: Option<&'static str>,
    /// Returns what this release knows of an item.
    pub(crate) understood: fn(&Item) -> Result<Item, StoreError>,
}

/// Every kind of items that this release writes.
const KINDS: [Kind; 33] = [
    of_organization("ORG", understood::<OrganizationRecord>),
    of_organization("BRAND", understood::<BrandRecord>),
    of_organization("MEMBER", understood::<MemberRecord>),
    of_organization("INVITATION", understood::<StoredInvitation>),
    of_organization("SESSION", understood::<Session>),
    of_organization("APIKEY", understood::<StoredKey>),
    of_organization("TENANT", understood::<TenantRecord>),
    of_organization("CHANGED", understood::<Mark>),
    of_organization("CORRECTION", understood::<Correction>),
    of_organization("REMOVED", understood::<RemovedTenant>),
    of_organization("PROVIDER", understood::<ProviderPointer>),
    of_organization("REPORT", understood::<ReportItem>),
    of_organization("REPORTID", understood::<Place>),
    of_organization("COMPLETED", understood::<ListedReport>),
    of_organization("HISTORY", understood::<ListedReport>),
    of_organization("LATEST", understood::<ListedReport>),
    of_organization("TOOL", understood::<ListedReport>),
    of_organization("BASELINE", understood::<Place>),
    of_organization("USAGEDAY", understood::<UsageDay>),
    of_organization("USAGE", understood::<StoredUsage>),
    of_organization("BILLABLEUSERS", understood::<BillableRecord>),
    of_organization("BILLABLE", understood::<StoredChunk>),
    of_organization("KEPT", understood::<KeptEdit>),
    of_organization("IMPORT", understood::<ImportItem>),
    of_organization("REQUEST", understood::<ReportRequest>),
    of_organization("UPLOAD", understood::<UploadChunk>),
    of_organization("AUDIT", understood::<StoredEntry>),
    of_organization("FORM", understood::<UsedForm>),
    outside("KEY", understood::<Access>),
    outside("INVITATION", understood::<StoredInvitation>),
    outside("IDENTITY", understood::<Membership>),
    outside("ORGANIZATIONS", understood::<Registered>),
    outside("DATA", understood::<Stamp>),
];

const fn of_organization(sort: &'static str, understood: fn(&Item) -> Result<Item, StoreError>) -> Kind {
    Kind { partition: "ORG", sort: Some(sort), understood }
}

const fn outside(partition: &'static str, understood: fn(&Item) -> Result<Item, StoreError>) -> Kind {
    Kind { partition, sort: None, understood }
}

/// Returns the kind of the item with a key, or `None` if this release does not know it.
pub(crate) fn kind_of(key: &Key) -> Option<&'static Kind> {
    let beginning = |key: &str| key.split('#').next().unwrap_or_default().to_owned();
    let (partition, sort) = (beginning(&key.pk), beginning(&key.sk));
    KINDS.iter().find(|kind| kind.partition == partition && kind.sort.is_none_or(|of| of == sort))
}
