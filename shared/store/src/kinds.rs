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
use super::transfer::Arriving;
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
    /// Whether the items are about one tenant, whose identifier is the second part of their sort key.
    pub(crate) is_of_tenant: bool,
    /// Whether the items move with their organization to another table.
    pub(crate) moves: bool,
}

/// Every kind of items that this release writes.
const KINDS: [Kind; 34] = [
    of_organization("ORG", understood::<OrganizationRecord>).left_behind(),
    of_organization("BRAND", understood::<BrandRecord>),
    of_organization("MEMBER", understood::<MemberRecord>),
    of_organization("INVITATION", understood::<StoredInvitation>),
    of_organization("SESSION", understood::<Session>).left_behind(),
    of_organization("APIKEY", understood::<StoredKey>).left_behind(),
    of_tenant("TENANT", understood::<TenantRecord>),
    of_organization("CHANGED", understood::<Mark>),
    of_tenant("CORRECTION", understood::<Correction>),
    of_tenant("REMOVED", understood::<RemovedTenant>),
    of_organization("PROVIDER", understood::<ProviderPointer>),
    of_tenant("REPORT", understood::<ReportItem>),
    of_organization("REPORTID", understood::<Place>),
    of_organization("COMPLETED", understood::<ListedReport>),
    of_tenant("HISTORY", understood::<ListedReport>),
    of_organization("LATEST", understood::<ListedReport>),
    of_tenant("TOOL", understood::<ListedReport>),
    of_tenant("BASELINE", understood::<Place>),
    of_organization("USAGEDAY", understood::<UsageDay>),
    of_organization("USAGE", understood::<StoredUsage>),
    of_tenant("BILLABLEUSERS", understood::<BillableRecord>),
    of_tenant("BILLABLE", understood::<StoredChunk>),
    of_tenant("KEPT", understood::<KeptEdit>),
    of_organization("IMPORT", understood::<ImportItem>),
    of_tenant("REQUEST", understood::<ReportRequest>),
    of_organization("UPLOAD", understood::<UploadChunk>).left_behind(),
    of_organization("AUDIT", understood::<StoredEntry>),
    of_organization("FORM", understood::<UsedForm>),
    of_organization("ARRIVING", understood::<Arriving>).left_behind(),
    outside("KEY", understood::<Access>).left_behind(),
    outside("INVITATION", understood::<StoredInvitation>),
    outside("IDENTITY", understood::<Membership>),
    outside("ORGANIZATIONS", understood::<Registered>).left_behind(),
    outside("DATA", understood::<Stamp>).left_behind(),
];

const fn of_organization(sort: &'static str, understood: fn(&Item) -> Result<Item, StoreError>) -> Kind {
    Kind { partition: "ORG", sort: Some(sort), understood, is_of_tenant: false, moves: true }
}

const fn of_tenant(sort: &'static str, understood: fn(&Item) -> Result<Item, StoreError>) -> Kind {
    Kind { is_of_tenant: true, ..of_organization(sort, understood) }
}

const fn outside(partition: &'static str, understood: fn(&Item) -> Result<Item, StoreError>) -> Kind {
    Kind { partition, sort: None, understood, is_of_tenant: false, moves: true }
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
