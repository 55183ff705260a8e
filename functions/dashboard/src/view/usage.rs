//! Usage of all tenants on a day.

use maud::{Markup, html};
use model::{UsageHead, UsageTenant};
use web::view::form::Errors;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::{table, when, words};

/// The usage.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The day as typed; empty for today.
    pub(crate) as_of: &'a str,
    /// Errors of the form, under `asOf`.
    pub(crate) errors: &'a Errors,
    /// What was recorded, as the endpoint returns it. `None` if nothing is recorded by then.
    pub(crate) usage: Option<(&'a UsageHead, &'a [UsageTenant])>,
}

/// Shows the usage.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Usage" },
        about: page.usage.map(|(head, tenants)| {
            html! {
                span { (words::counted(tenants.len(), "tenant")) }
                span { "as of " (when::day(head.as_of)) }
                span { "recorded " (when::minute(head.report_generated_at)) }
            }
        }),
        actions: Some(html! {
            a class="button" href="/billable-users" { "Billable users" }
            @if let Some((head, _)) = page.usage { a class="button" href={ "/usage.csv?asOf=" (head.as_of) } { "Download CSV" } }
        }),
    };
    // The day that is shown, unless another was typed.
    let recorded = page.usage.map(|(head, _)| head.as_of.to_string());
    let day = if page.as_of.is_empty() { recorded.as_deref().unwrap_or_default() } else { page.as_of };
    page.shell.page(Section::Usage, "Usage", html! {
        (head.show())
        form class="filters" method="get" action="/usage" aria-label="Choose a day" {
            label for="asOf" { "As of"
                input type="date" id="asOf" name="asOf" value=(day) aria-invalid=[page.errors.of("asOf").map(|_| "true")]
                    aria-describedby=[page.errors.of("asOf").map(|_| "asOf-error")];
            }
            button type="submit" class="button" { "Show" }
            @if let Some(error) = page.errors.of("asOf") { p class="error" id="asOf-error" { (text::visible(error)) } }
        }
        @match page.usage {
            Some((_, tenants)) if !tenants.is_empty() => { (totals(tenants)) (list(tenants)) }
            _ => section class="card" { (empty("No usage is recorded", html! {
                p { "Nothing is recorded on or before this day. Choose a later day, or record usage with " code { "posture usage record" } "." }
            })) }
        }
    })
}

fn totals(tenants: &[UsageTenant]) -> Markup {
    let licensed: u64 = tenants.iter().map(|tenant| u64::from(tenant.total_licensed_users)).sum();
    let billable: u64 = tenants.iter().map(|tenant| u64::from(tenant.billable_users_this_month)).sum();
    let paused = tenants.iter().filter(|tenant| tenant.is_paused).count();
    html! {
        section class="tiles" aria-label="Totals" {
            @for (label, number) in [("Licensed users", licensed), ("Billable this month", billable), ("Tenants", tenants.len() as u64), ("Paused", paused as u64)] {
                div class="card tile" { p class="tile-label" { (label) } p class="tile-number" { (words::thousands(number)) } }
            }
        }
    }
}

fn list(tenants: &[UsageTenant]) -> Markup {
    html! {
        section class="card flush" aria-label="Usage by tenant" {
            (table::framed("Usage", html! {
                table class="rows" {
                    thead { tr {
                        th scope="col" { "Tenant" }
                        th scope="col" { "Status" }
                        th scope="col" class="n" { "Licensed" }
                        th scope="col" class="n" { "Billable" }
                        th scope="col" class="n wide-only" { "Prorated" }
                        th scope="col" class="wide-only" { "First billable" }
                        th scope="col" class="wide-only" { "Onboarded" }
                    } }
                    tbody { @for tenant in tenants { tr {
                        th scope="row" { a href={ "/billable-users/" (tenant.service_tenant_id) } { (text::name(&tenant.display_name)) } }
                        td { span class="tag" { (words::billable_status(tenant.billable_status)) } }
                        td class="n" { (table::count(tenant.total_licensed_users)) }
                        td class="n" { (table::count(tenant.billable_users_this_month)) }
                        td class="n wide-only" { (tenant.prorating_percentage_this_month) " %" }
                        td class="wide-only nowrap" { (when::day(tenant.first_billable_date)) }
                        td class="wide-only nowrap" { (when::day(tenant.onboarding_date)) }
                    } } }
                }
            }))
        }
    }
}
