//! Schedules: the form of one, and those of the organization and of labels as pages under Settings.

use std::collections::BTreeMap;
use std::iter;

use chrono::Weekday;
use maud::{Markup, html};
use model::{Every, Label, Schedule, StaleAfter, Timestamp};
use web::view::form::{self, Field};
use web::view::layout::{Head, Shell, empty};
use web::view::text;

use super::{link, settings, table, when};

/// Address of the page.
const PAGE: &str = "/settings/schedule";
const ON_REQUEST: &str = "only on request";

/// The schedule of a tenant.
pub(crate) struct OfTenant {
    /// Its own.
    pub(crate) own: Option<Schedule>,
    /// The one without it: that of a label or of the organization.
    pub(crate) inherited: Option<(Option<Label>, Schedule)>,
    /// When its next report is due.
    pub(crate) next_at: Option<Timestamp>,
    /// Whether a report is missing that was due.
    pub(crate) is_stale: bool,
    /// Whether it makes no further requests, because the tenant did not let the service in.
    pub(crate) is_halted: bool,
}

/// Shows the schedule of an organization, and its labels, each with the number of tenants and its schedule.
pub(crate) fn page(
    shell: &Shell,
    schedule: Option<&Schedule>,
    labels: &BTreeMap<Label, (usize, Option<Schedule>)>,
    stale_after: StaleAfter,
) -> Markup {
    let about = "When the service makes reports by itself. A tenant's own schedule, on its page, comes first, then that of \
                 its labels, of which the first by name wins, then that of all tenants.";
    let head = Head { above: &[], title: html! { "Schedule" }, about: Some(html! { (about) }), actions: None };
    let content = html! {
        section class="card" aria-labelledby="change" {
            h2 id="change" { "All tenants" }
            (form(shell, PAGE, "Only on request", schedule, html! {}))
        }
        section class="card flush" aria-labelledby="labels" {
            div class="card-head" { h2 id="labels" { "Labels" } }
            @if labels.is_empty() {
                (empty("No labels yet", html! { p { "Label tenants on their pages, and schedule them together here." } }))
            } @else { (of_labels(labels)) }
        }
        section class="card" aria-labelledby="stale" {
            h2 id="stale" { "Stale tenants" }
            (stale_form(shell, stale_after))
        }
    };
    settings::page(shell, PAGE, &head, "Schedule", content)
}

fn stale_form(shell: &Shell, stale_after: StaleAfter) -> Markup {
    let hint = "A tenant that has reports or a schedule is stale after so many days without a report, 1 to 365. The event \
                tenant.stale tells of it once.";
    let (value, days) = (stale_after.to_string(), "Days without a report");
    let field = Field { name: "days", label: days, hint, value: &value, error: None };
    let fields = html! {
        (field.input("number", true))
        div class="form-end" { button type="submit" class="button" { "Save days" } }
    };
    shell.form(&format!("{PAGE}/stale-after"), "form", fields)
}

fn of_labels(labels: &BTreeMap<Label, (usize, Option<Schedule>)>) -> Markup {
    table::framed(
        "Labels",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Label" } th scope="col" class="n" { "Tenants" } th scope="col" { "Reports are due" } } }
                tbody { @for (label, (tenants, schedule)) in labels { tr {
                    th scope="row" { a href=(link::schedule_of_label(label)) { (text::name(label.as_str())) } }
                    td class="n" { (tenants) }
                    td { @match schedule { Some(schedule) => (words(schedule)), None => "As all tenants" } }
                } } }
            }
        },
    )
}

/// Shows the schedule of a label.
pub(crate) fn page_of_label(
    shell: &Shell,
    label: &Label,
    schedule: Option<&Schedule>,
    of_all: Option<&Schedule>,
) -> Markup {
    let head = Head {
        above: &[(PAGE, html! { "Schedule" })],
        title: text::name(label.as_str()),
        about: Some(
            html! { "When the service makes reports of tenants with this label. A tenant's own schedule comes first." },
        ),
        actions: None,
    };
    let content = html! {
        section class="card" aria-label="Schedule" {
            (form(shell, PAGE, &as_all(of_all), schedule, form::hidden("label", label.as_str())))
        }
    };
    settings::page(shell, PAGE, &head, "Schedule", content)
}

fn as_all(schedule: Option<&Schedule>) -> String {
    format!("As all tenants: {}", schedule.map_or_else(|| ON_REQUEST.to_owned(), words))
}

/// Shows when the next report of a tenant is due, and whether the last one is missing.
pub(crate) fn state(of: &OfTenant) -> Markup {
    html! {
        @if of.is_stale {
            div class="notice problem" role="status" {
                span class="notice-mark" aria-hidden="true" { "!" }
                div { p { "Stale: an expected report has not come." } }
            }
        }
        @match of.next_at {
            Some(_) if of.is_halted => p { "The schedule has stopped: the tenant did not let the service in several times in a row. It continues once the tenant is connected again, a check of its connection succeeds, or a report on request is complete." },
            Some(at) => p { "The next report is due " (when::minute(at)) "." },
            None => {}
        }
    }
}

/// Shows the form of a tenant's own schedule.
pub(crate) fn form_of_tenant(shell: &Shell, address: &str, of: &OfTenant) -> Markup {
    let inherited = match &of.inherited {
        Some((Some(label), schedule)) => format!("As label {}: {}", text::shortened(label.as_str()), words(schedule)),
        Some((None, schedule)) => as_all(Some(schedule)),
        None => as_all(None),
    };
    form(shell, &format!("{address}/schedule"), &inherited, of.own.as_ref(), html! {})
}

/// Shows the form of a schedule. `none` says what applies without one; `kept` are further fields.
fn form(shell: &Shell, address: &str, none: &str, schedule: Option<&Schedule>, kept: Markup) -> Markup {
    let every = schedule.map(|schedule| schedule.every.to_string()).unwrap_or_default();
    let between = schedule.map(|schedule| schedule.between).unwrap_or_default();
    let (from, hours) = (between.from().to_string(), between.hours().to_string());
    let days = days().map(|days| (days.to_string(), day_words(days)));
    let days: Vec<_> = iter::once((String::new(), none.to_owned())).chain(days).collect();
    let (clock, lengths): (Vec<_>, Vec<_>) = (clock().collect(), lengths(24).collect());
    let field = |name, label, hint, value, choices: &[(String, String)]| {
        Field { name, label, hint, value, error: None }.select(choices)
    };
    shell.form(
        address,
        "form",
        html! {
            (kept)
            (field("every", "Reports are due", "", &every, &days))
            (field("from", "From", "", &from, &clock))
            (field("hours", "Within", "Tenants are spread over these hours.", &hours, &lengths))
            div class="form-end" { button type="submit" class="button" { "Save schedule" } }
        },
    )
}

/// Returns the hours of a day to choose from.
pub(super) fn clock() -> impl Iterator<Item = (String, String)> {
    (0..24).map(|hour| (hour.to_string(), format!("{hour:02}:00 UTC")))
}

/// Returns numbers of hours to choose from.
pub(super) fn lengths(most: usize) -> impl Iterator<Item = (String, String)> {
    (1..=most).map(|hours| (hours.to_string(), model::counted(hours, "hour")))
}

/// Returns the choices of days.
fn days() -> impl Iterator<Item = Every> {
    let week = WEEK.iter().map(|(day, _)| Every::Week(*day));
    [Every::Never, Every::Day].into_iter().chain(week).chain((1..=31).map(Every::Month))
}

pub(super) const WEEK: [(Weekday, &str); 7] = [
    (Weekday::Mon, "Monday"),
    (Weekday::Tue, "Tuesday"),
    (Weekday::Wed, "Wednesday"),
    (Weekday::Thu, "Thursday"),
    (Weekday::Fri, "Friday"),
    (Weekday::Sat, "Saturday"),
    (Weekday::Sun, "Sunday"),
];

pub(super) fn name_of(day: Weekday) -> &'static str {
    WEEK[day.num_days_from_monday() as usize].1
}

pub(super) fn day_words(days: Every) -> String {
    match days {
        Every::Never => "Never".to_owned(),
        Every::Day => "Every day".to_owned(),
        Every::Week(day) => format!("Every {}", name_of(day)),
        Every::Month(day) => format!("Monthly, on day {day}"),
        Every::Unknown => "Unknown".to_owned(),
    }
}

/// Returns a schedule in words, such as `every day, 22-04 UTC`.
fn words(schedule: &Schedule) -> String {
    let days = day_words(schedule.every).to_lowercase();
    match schedule.every {
        Every::Never | Every::Unknown => days,
        _ => format!("{days}, {} UTC", schedule.between),
    }
}
