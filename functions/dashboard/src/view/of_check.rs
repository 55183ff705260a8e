//! The frame of pages about one check of a report.

use maud::{Markup, html};
use model::{Check, ReportHead};
use web::view::layout::{Head, Section, Shell};
use web::view::text;

use super::link;

/// Shows a page about a check.
pub(super) fn page(
    shell: &Shell,
    ReportHead { tenant, id, .. }: &ReportHead,
    check: &Check,
    title: &str,
    content: Markup,
) -> Markup {
    let of = &tenant.service_tenant_id;
    let (tenant_link, report_link) = (link::tenant(of), link::report(of, id));
    let head = Head {
        above: &[
            ("/", html! { "Overview" }),
            (&tenant_link, text::name(&tenant.name)),
            (&report_link, html! { "Report" }),
        ],
        title: html! { (title) },
        about: Some(
            html! { span { (text::name(&check.name)) } span { code { (text::visible(check.control_id.as_str())) } } },
        ),
        actions: None,
    };
    shell.page(
        Section::Portfolio,
        title,
        html! {
            (head.show())
            (content)
        },
    )
}
