//! A target: its state, its rules, and the last deliveries to it.

use maud::{Markup, html};
use model::{TargetShape, Timestamp};
use store::{Delivery, DeliveryState, Target, TargetState};
use web::view::layout::{Head, Shell, empty};
use web::view::text;

use super::super::words::{self, UNKNOWN};
use super::super::{link, settings, table, when};
use super::{Form, LIST, state};

/// A target.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The target as stored.
    pub(crate) target: &'a Target,
    /// When the quiet time ends that it is in, if it is in one.
    pub(crate) quiet_until: Option<Timestamp>,
    /// The last deliveries, of the newest event first.
    pub(crate) deliveries: &'a [Delivery],
    /// The form that changes it.
    pub(crate) form: Form<'a>,
}

/// Shows a target.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let Page { shell, target, form, .. } = page;
    let address = link::target(&target.target_id);
    let head = Head {
        above: &[(LIST, html! { "Notifications" })],
        title: text::name(&target.name),
        about: Some(html! { "Added " (when::short_date(target.created_at)) }),
        actions: Some(html! { a class="button" href={ (address) "/remove" } { "Remove…" } }),
    };
    let content = html! {
        (form.errors.summary())
        (form.previewed())
        (actions(page, &address))
        (deliveries(page, &address))
        section class="card" aria-labelledby="change" {
            h2 id="change" { @if target.address.member().is_some() { "Mail and rules" } @else { "Address and rules" } }
            (shell.form(&address, "form", form.fields("Save")))
        }
    };
    settings::page(shell, LIST, &head, &target.name, content)
}

/// Shows the state, and what can be done.
fn actions(page: &Page<'_>, address: &str) -> Markup {
    let Page { shell, target, .. } = page;
    let is_active = target.state == TargetState::Active;
    html! {
        section class="card" aria-labelledby="state" {
            h2 id="state" { "State" }
            p { (state(target)) }
            @match target.state {
                TargetState::Paused => p class="quiet" { "It is not told of what happens until it is resumed." },
                TargetState::Disabled => p class="quiet" { "It accepted nothing for days, or said that it never will; the audit trail has the reason. Send a test, then resume it." },
                TargetState::Active => @if let Some(end) = page.quiet_until { p class="quiet" { "Quiet until " (when::minute(end)) ": what happens until then is sent afterwards, in its order. A test is sent at once." } },
                TargetState::Unknown => {}
            }
            div class="form-end" {
                (shell.button(&format!("{address}/test"), "", html! { "Send a test" }))
                @if is_active { (shell.button(&format!("{address}/pause"), "", html! { "Pause" })) }
                @else { (shell.button(&format!("{address}/resume"), "", html! { "Resume" })) }
                @if target.shape == TargetShape::Webhook {
                    (shell.form(&format!("{address}/secret"), "inline-form", html! { (shell.once()) button type="submit" class="button" { "Replace the secret" } }))
                    span class="hint" { "The secret before signs for another 24 hours." }
                }
            }
        }
    }
}

fn deliveries(page: &Page<'_>, address: &str) -> Markup {
    html! {
        section class="card flush" aria-labelledby="deliveries" {
            h2 id="deliveries" { "Last deliveries" }
            @if page.deliveries.is_empty() {
                (empty("Nothing was sent in the last 30 days", html! { p { "A message appears here once it was tried. Load the page again some seconds after a test." } }))
            } @else {
                (table::framed("Deliveries", html! {
                    table class="rows" {
                        thead { tr { th scope="col" { "Event" } th scope="col" { "State" } th scope="col" { "Status" } th scope="col" { "Last attempt" } th scope="col" { span class="away" { "Actions" } } } }
                        tbody { @for delivery in page.deliveries { (row(page, delivery, address)) } }
                    }
                }))
            }
        }
    }
}

fn row(page: &Page<'_>, delivery: &Delivery, address: &str) -> Markup {
    let word = match delivery.state {
        DeliveryState::Delivered => "Delivered",
        DeliveryState::Waiting => "Waiting",
        DeliveryState::Failed => "Given up",
        DeliveryState::Unknown => UNKNOWN,
    };
    // A test or a mail of several is no event, and a target that is not active is sent none.
    let can_repeat = delivery.kind.is_some() && page.target.state == TargetState::Active;
    let again = format!("{address}/deliveries/{}/send-again", delivery.event_id);
    html! {
        tr {
            th scope="row" {
                @match (delivery.kind, delivery.events) {
                    (Some(kind), _) => (kind.words()),
                    (None, Some(events)) => { "Mail of " (words::counted(events, "event")) }
                    (None, None) => "Test",
                }
                span class="under" { (when::minute(delivery.written_at)) }
            }
            td {
                (word) @if delivery.attempts > 1 { " after " (words::counted(delivery.attempts as usize, "attempt")) }
                @if let Some(problem) = &delivery.problem { span class="under" { (text::visible(problem)) } }
                @if let Some(next) = delivery.next_at { span class="under" { "Next attempt " (when::minute(next)) } }
            }
            td { @match delivery.status { Some(status) => (status), None => span class="quiet" { "None" } } }
            td class="nowrap" { (when::minute(delivery.attempted_at)) }
            td class="n" { @if can_repeat { (page.shell.button(&again, "small", html! { "Send again" span class="away" { " the event " (delivery.event_id) } })) } }
        }
    }
}
