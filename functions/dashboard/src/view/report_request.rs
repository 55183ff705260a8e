//! The request for a report of a tenant: its state, and the button that makes one.

use maud::{Markup, html};
use operations::requests::is_silent;
use store::{ReportRequest, RequestState};
use web::view::layout::Shell;
use web::view::text;

use super::schedule::{self, OfTenant};
use super::{link, when};

/// Seconds after which a page with an open request is loaded again.
pub(crate) const REFRESH: &str = "4";

/// Shows the last request of a tenant, when the next is due, and the button unless one is open.
pub(crate) fn section(shell: &Shell, address: &str, last: Option<&ReportRequest>, schedule: &OfTenant) -> Markup {
    let may_request = last.is_none_or(|last| !last.is_open() || is_silent(last, shell.now));
    html! {
        section class="card" aria-labelledby="report-request" {
            h2 id="report-request" { "Report on request" }
            div class="form" {
                @if let Some(last) = last { (state(shell, last)) }
                (schedule::state(schedule))
                @if may_request {
                    (shell.form(&format!("{address}/report-requests"), "form-end", html! {
                        (shell.once())
                        button type="submit" class="button primary" { "Request report" }
                        span class="hint" { "The service reads the tenant's configuration and judges it. It changes nothing in the tenant." }
                    }))
                }
            }
        }
    }
}

fn state(shell: &Shell, request: &ReportRequest) -> Markup {
    let made = html! { "Requested " (when::minute(request.requested_at)) " by " (text::name(&request.by)) ". " };
    match request.state {
        RequestState::Waiting => html! { p role="status" { (made) "It waits for its turn." } },
        RequestState::Running => html! {
            p role="status" { (made) "Step " (request.done + 1) " of " (request.steps.max(1)) ": " (step(request)) "." }
            progress max=(request.steps.max(1)) value=(request.done) aria-label="Steps that are done" {}
            @if is_silent(request, shell.now) { p { "There was no progress for a while. You can request the report again: it goes on where it stopped." } }
        },
        RequestState::Completed => html! {
            p { (made)
                @match &request.report_id {
                    Some(report) => a href=(link::report(&request.service_tenant_id, report)) { "Open the report" },
                    None => "It is complete",
                }
                "."
            }
        },
        RequestState::Failed => html! {
            div class="notice problem" role="alert" {
                span class="notice-mark" aria-hidden="true" { "!" }
                div { p { (made) "There is no report." } @if let Some(reason) = &request.failure { p { (text::visible(reason)) } } }
            }
        },
        RequestState::Unknown => html! { p { (made) "A later version of the service works on it." } },
    }
}

/// Returns what is being done.
fn step(request: &ReportRequest) -> &'static str {
    match request.done + 1 >= request.steps {
        true => "judging the configuration",
        false => "reading the configuration",
    }
}
