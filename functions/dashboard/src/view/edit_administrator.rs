//! The form that edits an administrator's status.

use maud::{Markup, html};
use model::{GlobalAdmin, ReportHead, ReportType};
use serde::Deserialize;
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell};
use web::view::{form, text};

use super::edit_check::statuses;
use super::{link, words};

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The report.
    pub(crate) head: &'a ReportHead,
    /// Baselines have no fixed or drifted results.
    pub(crate) kind: ReportType,
    /// The administrator as they are.
    pub(crate) administrator: &'a GlobalAdmin,
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// Errors of the form, under `status`.
    pub(crate) errors: &'a Errors,
}

/// The form as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Form {
    /// Digest of the sign-in name, by which addresses name the administrator.
    pub(crate) administrator: String,
    /// Digest of the administrator as the editor saw them.
    pub(crate) seen: String,
    /// Status, as on the wire.
    pub(crate) status: String,
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = &page.head.tenant;
    let id = &page.head.id;
    let admin = page.administrator;
    let (tenant_link, report_link) =
        (link::tenant(&tenant.service_tenant_id), link::report(&tenant.service_tenant_id, id));
    let head = Head {
        above: &[
            ("/", html! { "Overview" }),
            (&tenant_link, text::name(&tenant.name)),
            (&report_link, html! { "Report" }),
        ],
        title: html! { "Edit administrator" },
        about: Some(html! {
            span { (text::name(&admin.user_principal_name)) }
            span { "MFA: " (words::mfa_method(admin.mfa_method)) }
            span { "enforced by: " (words::mfa_enforcement(admin.mfa_enforcement)) }
        }),
        actions: None,
    };
    page.shell.page(Section::Portfolio, "Edit administrator", html! {
        (head.show())
        (page.errors.summary())
        section class="card" aria-label="Edit administrator" {
            (page.shell.form(&link::administrator_form(&tenant.service_tenant_id, id), "form", html! {
                (form::hidden("administrator", &page.form.administrator))
                (form::hidden("seen", &page.form.seen))
                (Field { name: "status", label: "Status", hint: "The other values come from the directory and cannot be edited.", value: &page.form.status, error: page.errors.of("status") }.select(&statuses(page.kind, admin.status)))
                div class="form-end" {
                    button type="submit" class="button primary" { "Save" }
                    a class="button" href={ (report_link) "#administrator-list" } { "Cancel" }
                }
            }))
        }
    })
}
