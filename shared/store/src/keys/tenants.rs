//! Keys of tenants, of the edits that are kept for them, and of tasks and texts of their controls.

use std::fmt::Display;

use model::{ControlId, ProviderTenantId, ServiceTenantId};

use super::{Key, Partition, Range};

impl Partition {
    /// Returns the key of a tenant.
    pub(crate) fn tenant(&self, id: &ServiceTenantId) -> Key {
        self.key(format!("TENANT#{id}"))
    }

    /// Returns the keys of all tenants that are not removed.
    pub(crate) fn tenants(&self) -> Range {
        self.below("TENANT#")
    }

    /// Returns the key of a removed tenant.
    pub(crate) fn removed_tenant(&self, id: &ServiceTenantId) -> Key {
        self.key(format!("REMOVED#{id}"))
    }

    /// Returns the keys of all removed tenants.
    pub(crate) fn removed_tenants(&self) -> Range {
        self.below("REMOVED#")
    }

    /// Returns the keys of the tenants of all providers' identifiers.
    pub(crate) fn provider_tenants(&self) -> Range {
        self.below("PROVIDER#")
    }

    /// Returns the key of the tenant that has a provider's identifier.
    pub(crate) fn provider_tenant(&self, id: &ProviderTenantId) -> Key {
        self.key(format!("PROVIDER#{id}"))
    }

    /// Returns the key of the correction of a tenant in its pointers.
    pub(crate) fn correction(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("CORRECTION#{tenant}"))
    }

    /// Returns the keys of the corrections of all tenants.
    pub(crate) fn corrections(&self) -> Range {
        self.below("CORRECTION#")
    }

    /// Returns the key of an edit that is kept for a control of a tenant.
    pub(crate) fn kept_edit(&self, tenant: &ServiceTenantId, control: &ControlId) -> Key {
        self.key(format!("KEPT#{tenant}#{control}"))
    }

    /// Returns the keys of all kept edits of a tenant.
    pub(crate) fn kept_edits(&self, tenant: &ServiceTenantId) -> Range {
        self.controls_of("KEPT", tenant)
    }

    /// Returns the key of the task of a control of a tenant.
    pub(crate) fn task(&self, tenant: &ServiceTenantId, control: &ControlId) -> Key {
        self.key(format!("TASK#{tenant}#{control}"))
    }

    /// Returns the keys of all tasks of a tenant.
    pub(crate) fn tasks(&self, tenant: &ServiceTenantId) -> Range {
        self.controls_of("TASK", tenant)
    }

    /// Returns the keys of the tasks of all tenants.
    pub(crate) fn all_tasks(&self) -> Range {
        self.below("TASK#")
    }

    /// Returns the key of the organization's text for a control of a tool.
    pub(crate) fn text(&self, tool: &str, control: &ControlId) -> Key {
        self.key(format!("TEXT#{tool}#{control}"))
    }

    /// Returns the keys of the organization's texts for all controls of a tool.
    pub(crate) fn texts(&self, tool: &str) -> Range {
        self.controls_of("TEXT", tool)
    }

    /// Returns the keys of all texts of the organization.
    pub(crate) fn all_texts(&self) -> Range {
        self.below("TEXT#")
    }

    /// Returns the keys of a kind for all controls of a tenant or a tool. Controls may contain characters that sort
    /// after
    /// `END`, so the range ends where the prefix of the next tenant or tool would begin.
    fn controls_of(&self, kind: &str, of: impl Display) -> Range {
        Range { pk: self.0.clone(), first: format!("{kind}#{of}#"), last: format!("{kind}#{of}$") }
    }

    /// Returns the key of the last request for a report of a tenant.
    pub(crate) fn report_request(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("REQUEST#{tenant}"))
    }

    /// Returns the keys of the last requests of all tenants.
    pub(crate) fn report_requests(&self) -> Range {
        self.below("REQUEST#")
    }

    /// Returns the key of what is scheduled.
    pub(crate) fn schedules(&self) -> Key {
        self.key("SCHEDULES".to_owned())
    }

    /// Returns the key of the connection of a tenant.
    pub(crate) fn connection(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("CONNECTION#{tenant}"))
    }

    /// Returns the keys of the connections of all tenants.
    pub(crate) fn connections(&self) -> Range {
        self.below("CONNECTION#")
    }

    /// Returns the key of the open attempt to connect a tenant.
    pub(crate) fn connecting(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("CONNECTING#{tenant}"))
    }

    /// Returns the keys of the kept edits of all tenants.
    pub(crate) fn all_kept_edits(&self) -> Range {
        self.below("KEPT#")
    }
}
