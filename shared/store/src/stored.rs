//! Values that are stored as items, and the keys at which they belong.
//!
//! An item names in its key what it is about, and often again in its attributes. Every read compares the two: a pointer
//! that leads elsewhere must not shorten a list or show something else.

use serde::de::DeserializeOwned;

use super::api_keys::{Access, ApiKeyListing, StoredKey};
use super::arriving::Arriving;
use super::audit::{AuditEntry, StoredEntry, UsedForm};
use super::billable::{BillableRecord, StoredChunk};
use super::changes::Mark;
use super::connections::Connecting;
use super::deliveries::{Dispatched, StoredDelivery};
use super::events::{EventItem, KnownItem};
use super::import_jobs::OnlyJob;
use super::imports::ImportItem;
use super::invitations::StoredInvitation;
use super::keys::{self, Key, Partition};
use super::organizations::Registered;
use super::reports::{Correction, Place, ReportItem, SharedBody};
use super::results::{ControlsItem, ResultsItem};
use super::schedules::{Due, Schedules};
use super::sessions::Session;
use super::stamp::Stamp;
use super::targets::StoredTarget;
use super::tenant_changes::RemovedTenant;
use super::tenants::ProviderPointer;
use super::uploads::UploadChunk;
use super::usage::{StoredUsage, UsageDay};
use super::{
    BrandRecord, Connection, ControlText, DocumentSet, ImportJob, KeptEdit, ListedReport, MemberRecord, Membership,
    OrganizationRecord, QueuedMessage, ReportRequest, StoreError, Task, TenantRecord, WeekTrend,
};

/// A value that is stored as an item.
pub(crate) trait Stored: DeserializeOwned {
    /// Returns whether the item with this key may contain the value.
    fn belongs_at(&self, key: &Key) -> bool;

    /// Reads everything in the value, also deflated texts.
    fn examine(self, _: Key) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Implements [`Stored`] by the key of a value within its partition, or by an expression.
macro_rules! stored {
    ($($type:ty: |$value:pat_param, $partition:pat_param, $key:pat_param| $belongs:expr $(, $examine:path)?;)*) => {$(
        impl Stored for $type {
            fn belongs_at(&self, key: &Key) -> bool {
                let ($value, $partition, $key) = (self, key.partition(), key);
                $belongs
            }

            $(fn examine(self, key: Key) -> Result<(), StoreError> {
                $examine(self, key)
            })?
        }
    )*};
}

stored! {
    OrganizationRecord: |of, _, key| Partition::of(&of.organization_id).organization() == *key;
    MemberRecord: |of, own, key| own.member(&of.member_id) == *key;
    StoredInvitation: |of, _, key| {
        let listed = Partition::of(&of.record.organization_id).invitation(&of.record.invitation_id);
        listed == *key || keys::invitation_lookup(&of.hash) == *key
    };
    ApiKeyListing: |of, own, key| own.api_key(&of.key_id) == *key;
    StoredKey: |of, own, key| own.api_key(&of.listing.key_id) == *key;
    TenantRecord: |of, own, key| own.tenant(&of.service_tenant_id) == *key;
    RemovedTenant: |of, own, key| own.removed_tenant(&of.tenant.service_tenant_id) == *key;
    Correction: |of, own, key| own.correction(&of.service_tenant_id) == *key;
    ReportItem: |of, own, key| {
        let Place { service_tenant_id, completed_at, report_id } = of.summary.place();
        own.report(&service_tenant_id, completed_at, &report_id) == *key
    }, ReportItem::examined;
    Place: |of, own, key| {
        let Place { service_tenant_id: tenant, completed_at: at, report_id: id } = of;
        own.report_place(id) == *key || own.history_item(tenant, *at, id) == *key || own.is_baseline(key, tenant, *at, id)
    };
    ListedReport: |of, own, key| {
        let Place { service_tenant_id, completed_at: at, report_id: id } = of.summary.place();
        let of_tool = own.newest_of_tool(&service_tenant_id, &of.summary.tool, at, &id);
        let of_tenant = own.history_item(&service_tenant_id, at, &id);
        [own.completed(at, &id), of_tenant, own.latest(at, &id), of_tool].contains(key)
    };
    ControlsItem: |_, own, key| own.controls() == *key, ControlsItem::examined;
    ResultsItem: |of, _, key| key.part(2) == Some(of.service_tenant_id.as_str()), ResultsItem::examined;
    WeekTrend: |of, own, key| own.trend(of.week) == *key;
    UsageDay: |of, own, key| own.usage_day(of.as_of) == *key;
    StoredUsage: |of, own, key| own.is_usage_of(key, &of.service_tenant_id);
    KeptEdit: |of, own, key| own.kept_edit(&of.service_tenant_id, &of.control_id) == *key;
    Task: |of, own, key| own.task(&of.service_tenant_id, &of.control_id) == *key;
    ControlText: |of, own, key| own.text(&of.tool, &of.control_id) == *key;
    ImportItem: |of, own, key| own.import(&of.import_id) == *key, ImportItem::examined;
    ImportJob: |of, own, key| own.import_job(&of.key_id, &of.import_id) == *key, ImportJob::examined;
    DocumentSet: |of, own, key| own.document_set(&of.set_id) == *key;
    KnownItem: |of, own, key| own.known_results(&of.service_tenant_id, &of.tool) == *key, KnownItem::examined;
    EventItem: |of, _, key| key.part(2) == Some(of.event_id.as_str()), EventItem::examined;
    StoredTarget: |of, own, key| own.target(&of.target.target_id) == *key;
    StoredDelivery: |StoredDelivery { delivery: of, .. }, own, key| {
        own.delivery(&of.target_id, of.written_at, &of.event_id) == *key
    };
    QueuedMessage: |of, own, key| own.queued_message(&of.place) == *key;
    ReportRequest: |of, own, key| own.report_request(&of.service_tenant_id) == *key;
    Schedules: |_, own, key| own.schedules() == *key;
    Connection: |of, own, key| own.connection(&of.service_tenant_id) == *key;
    Connecting: |of, own, key| own.connecting(&of.service_tenant_id) == *key;
    AuditEntry: |of, own, key| own.is_audit_entry(key, of.at);
    StoredEntry: |of, own, key| own.is_audit_entry(key, of.entry.at);
    Membership: |of, _, key| key.sk == Partition::of(&of.organization_id).organization_of_person();
    Registered: |of, _, key| keys::registered(&of.organization_id) == *key;
    Due: |of, _, key| keys::organization_of(key).as_ref() == Some(&of.organization_id);
    // Their keys alone say what they are about, or contain a digest of what nobody stores.
    BrandRecord: |_, _, _| true;
    Session: |_, _, _| true;
    Mark: |_, _, _| true;
    Dispatched: |_, _, _| true;
    ProviderPointer: |_, _, _| true;
    BillableRecord: |_, _, _| true;
    SharedBody: |_, _, _| true, SharedBody::examined;
    StoredChunk: |_, _, _| true, StoredChunk::examined;
    UploadChunk: |_, _, _| true, UploadChunk::examined;
    UsedForm: |_, _, _| true;
    OnlyJob: |_, _, _| true;
    Access: |_, _, _| true;
    Arriving: |_, _, _| true;
    Stamp: |_, _, _| true;
}
