//! The form of a target: its name, its address and its rules.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use maud::{Markup, html};
use model::{Choice, Event, EventKind, EventRules, Pace, Severity, TargetShape, Wire};
use operations::Tool;
use store::{MemberRecord, TenantRecord};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Shell};
use web::view::text;

use super::super::{schedule, settings, words};
use super::{LIST, preview};

/// The form, as entered.
pub(crate) struct Form<'a> {
    /// Name.
    pub(crate) name: &'a str,
    /// The recipient.
    pub(crate) recipient: Recipient<'a>,
    /// Rules.
    pub(crate) rules: &'a EventRules,
    /// The tenants to choose from.
    pub(crate) tenants: &'a [TenantRecord],
    /// The events that the rules selected, if a preview was asked for.
    pub(crate) preview: Option<&'a [Event]>,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: &'a Errors,
}

/// The recipient in a form.
pub(crate) enum Recipient<'a> {
    /// An address, and the form of its messages.
    Address { url: &'a str, shape: TargetShape },
    /// A member, who is chosen from several unless there are none, and the number of events in a mail.
    Member { members: &'a [MemberRecord], chosen: &'a str, pace: Pace },
}

impl Recipient<'_> {
    /// Returns a member who cannot be changed.
    pub(crate) fn own(pace: Pace) -> Self {
        Self::Member { members: &[], chosen: "", pace }
    }

    fn fields(&self, errors: &Errors) -> Markup {
        match self {
            Self::Address { url, shape } => {
                let shapes: Vec<_> =
                    TargetShape::KNOWN.iter().map(|it| (Wire(it).to_string(), super::shape(*it))).collect();
                let chosen = Wire(shape).to_string();
                html! {
                    (Field { name: "url", label: "Address", hint: "An https address that accepts messages by POST.", value: url, error: errors.of("url") }.input("url", true))
                    (Field { name: "shape", label: "Messages", hint: "In a channel, people read them. A program reads signed JSON.", value: &chosen, error: None }.select(&shapes))
                }
            }
            Self::Member { members, chosen, pace } => {
                let members: Vec<_> = members.iter().map(|it| (it.member_id.to_string(), it.name.clone())).collect();
                let paces: Vec<_> = Pace::KNOWN.iter().map(|it| (Wire(it).to_string(), super::pace(*it))).collect();
                let each = Wire(pace).to_string();
                html! {
                    @if !members.is_empty() {
                        (Field { name: "member", label: "Member", hint: "Nothing is sent until the member has confirmed the own address, under Settings, Your mail.", value: chosen, error: None }.select(&members))
                    }
                    (Field { name: "every", label: "Mail", hint: "A day ends at midnight UTC, and a week with Sunday. Their mail is sent a quarter of an hour later.", value: &each, error: None }.select(&paces))
                }
            }
        }
    }
}

/// Shows the page that adds a member as a target.
pub(crate) fn adding_member(shell: &Shell, form: &Form<'_>) -> Markup {
    let head = Head {
        above: &[(LIST, html! { "Notifications" })],
        title: html! { "Add a member" },
        about: Some(html! { "The member receives mail, and can end it." }),
        actions: None,
    };
    let fields = html! { (shell.once()) (form.fields("Add member")) };
    let content = html! {
        (form.errors.summary())
        (form.previewed())
        section class="card" aria-label="Member" { (shell.form("/settings/notifications/add-member", "form", fields)) }
    };
    settings::page(shell, LIST, &head, "Add a member", content)
}

/// Shows the page that adds a target.
pub(crate) fn adding(shell: &Shell, form: &Form<'_>) -> Markup {
    let head = Head {
        above: &[(LIST, html! { "Notifications" })],
        title: html! { "Add a target" },
        about: Some(
            html! { "Messages to programs are signed with a secret, which is shown once the target is added." },
        ),
        actions: None,
    };
    let fields = html! { (shell.once()) (form.fields("Add target")) };
    let content = html! {
        (form.errors.summary())
        (form.previewed())
        section class="card" aria-label="Target" { (shell.form("/settings/notifications/add", "form", fields)) }
    };
    settings::page(shell, LIST, &head, "Add a target", content)
}

impl Form<'_> {
    /// Shows what the rules selected.
    pub(crate) fn previewed(&self) -> Markup {
        html! { @if let Some(events) = self.preview { (preview::section(events, &self.rules.quiet)) } }
    }

    /// Shows the fields, and buttons that save and that show a preview.
    pub(crate) fn fields(&self, save: &str) -> Markup {
        let severities = Severity::KNOWN.iter().map(|least| (Wire(least).to_string(), words::severity(Some(*least))));
        let severities: Vec<_> = iter::once((String::new(), "Any")).chain(severities).collect();
        let least = self.rules.severity.map(|least| Wire(least).to_string()).unwrap_or_default();
        html! {
            (Field { name: "name", label: "Name", hint: "", value: self.name, error: self.errors.of("name") }.input("text", true))
            (self.recipient.fields(self.errors))
            p class="hint" { "Each of the following is a limit, and all of them apply. Without any, the target is told of all events." }
            (self.kinds())
            (Field { name: "severity", label: "Least severity", hint: "Of events about a control.", value: &least, error: None }.select(&severities))
            (self.tools())
            (self.labels())
            (self.of_tenants())
            (self.quiet())
            div class="form-end" {
                button type="submit" class="button primary" { (save) }
                button type="submit" class="button" name="preview" value="on" formnovalidate { "Preview" }
                span class="hint" { "The preview shows the messages that these rules would have sent in the last 30 days. It saves nothing." }
            }
        }
    }

    fn quiet(&self) -> Markup {
        let hours = self.rules.quiet.hours();
        let from = hours.map(|hours| hours.from().to_string()).unwrap_or_default();
        let length = hours.map_or(11, |hours| hours.hours()).to_string();
        let clock: Vec<_> = iter::once((String::new(), "No quiet hours".to_owned())).chain(schedule::clock()).collect();
        let lengths: Vec<_> = schedule::lengths(23).collect();
        let chosen = self.rules.quiet.days().map(|day| day.to_string()).collect();
        let days = schedule::WEEK.map(|(day, name)| (day.to_string(), name.to_owned()));
        html! {
            (Field { name: "quiet_from", label: "Quiet hours from", hint: "In quiet times, nothing is sent but tests. What happens meanwhile is sent when they end, in its order. Hours and days are UTC.", value: &from, error: self.errors.of("quiet_from") }.select(&clock))
            (Field { name: "quiet_hours", label: "For", hint: "", value: &length, error: None }.select(&lengths))
            (choices("quiet_day", "Quiet days", "", days, &chosen))
        }
    }

    fn kinds(&self) -> Markup {
        let known = EventKind::KNOWN.iter().map(|kind| (Wire(kind).to_string(), kind.words()));
        let chosen = self.rules.kinds.iter().map(|kind| Wire(kind).to_string()).collect();
        choices("kind", "Events", "", known.collect::<BTreeMap<_, _>>(), &chosen)
    }

    fn tools(&self) -> Markup {
        let known = Tool::ALL.map(|tool| tool.to_string());
        let offered = known.iter().chain(&self.rules.tools).map(|tool| (tool.clone(), tool.clone()));
        choices("tool", "Tools", "Of events about a report.", offered.collect::<BTreeMap<_, _>>(), &self.rules.tools)
    }

    fn labels(&self) -> Markup {
        let chosen: BTreeSet<_> = self.rules.labels.iter().map(ToString::to_string).collect();
        let of_tenants = self.tenants.iter().flat_map(|tenant| &tenant.labels).map(ToString::to_string);
        let offered = of_tenants.chain(chosen.iter().cloned()).map(|label| (label.clone(), label));
        choices(
            "label",
            "Labels of tenants",
            "The labels that a tenant has when its event is sent.",
            offered.collect::<BTreeMap<_, _>>(),
            &chosen,
        )
    }

    fn of_tenants(&self) -> Markup {
        let chosen: BTreeSet<_> = self.rules.tenants.iter().map(ToString::to_string).collect();
        let removed = chosen.iter().map(|id| (id.clone(), id.clone()));
        let listed = self.tenants.iter().map(|tenant| (tenant.service_tenant_id.to_string(), tenant.name.clone()));
        choices("tenant", "Tenants", "", removed.chain(listed).collect::<BTreeMap<_, _>>(), &chosen)
    }
}

/// Shows boxes to tick, with their values and labels.
fn choices(
    name: &str,
    legend: &str,
    hint: &str,
    offered: impl IntoIterator<Item = (String, String)>,
    chosen: &BTreeSet<String>,
) -> Markup {
    let mut offered = offered.into_iter().peekable();
    html! {
        @if offered.peek().is_some() {
            fieldset {
                legend { (legend) }
                @if !hint.is_empty() { p class="hint" { (hint) } }
                div class="choices" { @for (value, label) in offered {
                    label class="choice" {
                        input type="checkbox" name=(name) value=(value) checked[chosen.contains(&value)];
                        span { (text::name(&label)) }
                    }
                } }
            }
        }
    }
}
