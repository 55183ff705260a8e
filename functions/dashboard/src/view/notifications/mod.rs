//! Notifications: the targets, and what they are told of.

mod form;
mod preview;
mod target;

use maud::{Markup, html};
use model::{EventRules, Pace, QuietTimes, TargetShape};
use store::{CreatedTarget, MemberRecord, Target, TargetState, TenantRecord};
use web::view::form::Errors;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::confirmation::Question;
use super::words::{self, UNKNOWN};
use super::{link, schedule, settings, table, when};

pub(crate) use form::{Form, Recipient, adding, adding_member};
pub(crate) use target::{Page as TargetPage, page as target_page};

/// Address of the list.
const LIST: &str = "/settings/notifications";

/// The targets.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The targets, oldest first.
    pub(crate) targets: &'a [Target],
    /// The tenants that their rules name.
    pub(crate) tenants: &'a [TenantRecord],
    /// The members that some of them are.
    pub(crate) members: &'a [MemberRecord],
    /// Whether the service sends mail.
    pub(crate) is_mail_offered: bool,
}

/// Shows the targets.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Notifications" },
        about: Some(html! { "Addresses outside of the service, and members, that are told of events." }),
        actions: Some(html! {
            @if page.is_mail_offered { a class="button" href="/settings/notifications/add-member" { "Add a member" } }
            a class="button primary" href="/settings/notifications/add" { "Add a target" }
        }),
    };
    let content = html! {
        section class="card flush" aria-label="Targets" {
            @if page.targets.is_empty() {
                (empty("No targets yet", html! { p { "Add one, and choose what it is told of." } }))
            } @else { (list(page)) }
        }
    };
    settings::page(page.shell, LIST, &head, "Notifications", content)
}

fn list(page: &Page<'_>) -> Markup {
    table::framed(
        "Targets",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Target" } th scope="col" { "Events" } th scope="col" { "State" } } }
                tbody { @for target in page.targets { tr {
                    th scope="row" {
                        a href=(link::target(&target.target_id)) { (text::name(&target.name)) }
                        span class="under" { (shape(target.shape)) ", " (text::name(&place(target, page.members))) }
                    }
                    td { (text::name(&rules(&target.rules, page.tenants))) }
                    td { (state(target)) }
                } } }
            }
        },
    )
}

/// Returns the form of messages in words.
fn shape(shape: TargetShape) -> &'static str {
    match shape {
        TargetShape::Webhook => "Webhook",
        TargetShape::Slack => "Slack",
        TargetShape::Teams => "Microsoft Teams",
        TargetShape::Mail => "Mail",
        TargetShape::Unknown => UNKNOWN,
    }
}

/// Returns how many events one mail tells of, in words.
pub(crate) fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Event => "For each event, at once",
        Pace::Day => "For each day",
        Pace::Week => "For each week",
        Pace::Unknown => UNKNOWN,
    }
}

/// Returns the host of a target, or the name of its member.
fn place(target: &Target, members: &[MemberRecord]) -> String {
    let Some(id) = target.address.member() else { return target.address.place() };
    let member = members.iter().find(|member| member.member_id == *id);
    member.map_or_else(|| "a member who left".to_owned(), |member| member.name.clone())
}

/// Shows whether a target is told of events, and since when it accepts none.
pub(crate) fn state(target: &Target) -> Markup {
    let word = match target.state {
        TargetState::Active => "Active",
        TargetState::Paused => "Paused",
        TargetState::Disabled => "Switched off",
        TargetState::Unknown => UNKNOWN,
    };
    html! {
        (word)
        @if let Some(since) = target.failing_since { span class="under" { "Failing since " (when::minute(since)) } }
    }
}

/// Returns rules in words.
pub(crate) fn rules(rules: &EventRules, tenants: &[TenantRecord]) -> String {
    let EventRules { kinds, severity, tools, tenants: named, labels, quiet } = rules;
    let join = |texts: Vec<String>| texts.join(", ");
    let named = named.iter().map(|id| {
        let tenant = tenants.iter().find(|tenant| tenant.service_tenant_id == *id);
        tenant.map_or_else(|| id.to_string(), |tenant| tenant.name.clone())
    });
    let limits = [
        join(kinds.iter().map(|kind| kind.words()).collect()),
        severity.map(|least| format!("{} and above", words::severity(Some(least)))).unwrap_or_default(),
        join(tools.iter().cloned().collect()),
        join(named.collect()),
        join(labels.iter().map(ToString::to_string).collect()),
    ];
    let limits: Vec<_> = limits.into_iter().filter(|limit| !limit.is_empty()).collect();
    let selected = if limits.is_empty() { "All events".to_owned() } else { limits.join("; ") };
    if *quiet == QuietTimes::default() { selected } else { format!("{selected}; quiet {}", quiet_times(quiet)) }
}

/// Returns quiet times in words, such as `20-07 UTC, Saturday`.
fn quiet_times(quiet: &QuietTimes) -> String {
    let hours = quiet.hours().map(|hours| format!("{hours} UTC"));
    let days = quiet.days().map(|day| schedule::name_of(day).to_owned());
    hours.into_iter().chain(days).collect::<Vec<_>>().join(", ")
}

/// Shows the new secret of a target, once.
pub(crate) fn secret(shell: &Shell, created: &CreatedTarget) -> Markup {
    let target = &created.target;
    let address = link::target(&target.target_id);
    let head = Head {
        above: &[(LIST, html! { "Notifications" })],
        title: html! { "The target's secret" },
        about: Some(text::name(&target.name)),
        actions: None,
    };
    let content = html! {
        section class="card big" aria-label="Secret" {
            p { strong { "Copy the secret now." } " It is shown this once and cannot be retrieved later." }
            div class="secret" { code id="secret" { (created.secret.reveal()) } button type="button" class="button small" data-copy="secret" hidden { "Copy" } }
            p class="quiet" { "It signs all messages to the target, by which the receiver knows that they are genuine. If the target had another one, that signs for another 24 hours, too." }
            a class="button primary" href=(address) { "I have copied it" }
        }
    };
    settings::page(shell, LIST, &head, "The target's secret", content)
}

/// Asks whether to remove a target.
pub(crate) fn removal(shell: &Shell, target: &Target) -> Markup {
    let address = link::target(&target.target_id);
    Question {
        shell,
        section: Section::Settings,
        above: &[(LIST, html! { "Notifications" }), (&address, text::name(&target.name))],
        title: html! { "Remove this target" },
        plain_title: "Remove a target",
        consequences: html! {
            p { strong { (text::name(&target.name)) } ", added " (when::date(target.created_at)) "." }
            p { "It is told of nothing any more, and what waits for it is not sent. This cannot be undone." }
        },
        action: &format!("{address}/remove"),
        label: "Remove this target",
        instead: &address,
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
