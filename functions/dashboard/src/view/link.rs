//! Addresses of the dashboard's pages, as links and forms name them.

use crate::view::filter::Filter;
use model::{ControlId, KeyId, Label, ReportId, ServiceTenantId, Status, TargetId, Wire};
use web::view::text::encoded;

/// Returns the address of a tenant's page.
pub(crate) fn tenant(tenant: &ServiceTenantId) -> String {
    format!("/tenants/{tenant}")
}

/// Returns the address of the connection of a tenant.
pub(crate) fn connection(of: &ServiceTenantId) -> String {
    format!("{}/connection", tenant(of))
}

/// Returns the address of the tenants of a control. The control is a parameter, because gateways decode paths.
pub(crate) fn control(tool: &str, control: &ControlId) -> String {
    format!("/controls?tool={}&control={}", encoded(tool), encoded(control.as_str()))
}

/// Returns the address of the controls of a tool that some tenant has in a state.
pub(crate) fn controls(tool: &str, status: Status) -> String {
    format!("/controls?tool={}&status={}", encoded(tool), Wire(status))
}

/// Returns the address of a report's page.
pub(crate) fn report(tenant: &ServiceTenantId, report: &ReportId) -> String {
    format!("/tenants/{tenant}/reports/{report}")
}

/// Returns the address of a report's check: the page scrolled to it.
pub(crate) fn check(tenant: &ServiceTenantId, id: &ReportId, control: &ControlId) -> String {
    format!("{}#{}", report(tenant, id), anchor(control))
}

/// Returns the address of a report's check among those that a filter shows.
pub(crate) fn filtered_check(tenant: &ServiceTenantId, id: &ReportId, filter: &str, control: &ControlId) -> String {
    let filter = Filter::of_query(filter).query();
    format!("{}{filter}#{}", report(tenant, id), anchor(control))
}

/// Returns the name of a check's place in its report's page.
pub(crate) fn anchor(control: &ControlId) -> String {
    format!("check-{}", encoded(control.as_str()))
}

/// Returns the address of the form that edits a check.
pub(crate) fn edit_check(tenant: &ServiceTenantId, id: &ReportId, control: &ControlId) -> String {
    format!("{}?control={}", check_form(tenant, id), encoded(control.as_str()))
}

/// Returns the address of the form that edits an administrator's status.
pub(crate) fn edit_administrator(tenant: &ServiceTenantId, id: &ReportId, digest: &str) -> String {
    format!("{}?administrator={}", administrator_form(tenant, id), encoded(digest))
}

/// Returns the address of the form that sets the task of a control.
pub(crate) fn task(tenant: &ServiceTenantId, id: &ReportId, control: &ControlId) -> String {
    format!("{}?control={}", task_form(tenant, id), encoded(control.as_str()))
}

/// Returns where the form that sets the task of a control is sent.
pub(crate) fn task_form(tenant: &ServiceTenantId, id: &ReportId) -> String {
    format!("{}/task", report(tenant, id))
}

/// Returns the address of the form that sets values of a check back to the tool's.
pub(crate) fn set_back(tenant: &ServiceTenantId, id: &ReportId, control: &ControlId) -> String {
    format!("{}?control={}", set_back_form(tenant, id), encoded(control.as_str()))
}

/// Returns where the form that sets values of a check back to the tool's is sent.
pub(crate) fn set_back_form(tenant: &ServiceTenantId, id: &ReportId) -> String {
    format!("{}/set-back", report(tenant, id))
}

/// Returns where the form that edits a check is sent.
pub(crate) fn check_form(tenant: &ServiceTenantId, id: &ReportId) -> String {
    format!("{}/edit/check", report(tenant, id))
}

/// Returns where the form that edits an administrator's status is sent.
pub(crate) fn administrator_form(tenant: &ServiceTenantId, id: &ReportId) -> String {
    format!("{}/edit/administrator", report(tenant, id))
}

/// Returns the address of a comparison, with another report where one is chosen.
pub(crate) fn compare(tenant: &ServiceTenantId, id: &ReportId, with: Option<&ReportId>) -> String {
    let with = with.map(|with| format!("?with={with}")).unwrap_or_default();
    format!("{}/compare{with}", report(tenant, id))
}

/// Returns the address of a tenant's kept edits.
pub(crate) fn kept_edits(of: &ServiceTenantId) -> String {
    format!("{}/kept-edits", tenant(of))
}

/// Returns the address of the form that sets the organization's text for a control.
pub(crate) fn text(tool: &str, control: &ControlId) -> String {
    format!("{}?tool={}&control={}", super::texts::FORM, encoded(tool), encoded(control.as_str()))
}

/// Returns the address of that form, filled with the texts of a report's check.
pub(crate) fn text_of_check(tool: &str, control: &ControlId, tenant: &ServiceTenantId, id: &ReportId) -> String {
    format!("{}&tenant={tenant}&report={id}", text(tool, control))
}

/// Returns the address of the page that asks whether to delete a key.
pub(crate) fn delete_key(key: &KeyId) -> String {
    format!("/settings/api-keys/{key}/delete")
}

/// Returns the address of the page of a target of notifications.
pub(crate) fn target(target: &TargetId) -> String {
    format!("/settings/notifications/{target}")
}

/// Returns the address of the schedule of tenants with a label.
pub(crate) fn schedule_of_label(label: &Label) -> String {
    format!("/settings/schedule?label={}", encoded(label.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_never_leaves_its_place_in_an_address() {
        let (tenant, report) = ("ten_1".parse().unwrap(), "rpt_1".parse().unwrap());
        let control: ControlId = "a/b?c&d=#\"é".parse().unwrap();
        assert_eq!(
            edit_check(&tenant, &report, &control),
            "/tenants/ten_1/reports/rpt_1/edit/check?control=a%2Fb%3Fc%26d%3D%23%22%C3%A9"
        );
        assert!(check(&tenant, &report, &control).ends_with("#check-a%2Fb%3Fc%26d%3D%23%22%C3%A9"));
    }
}
