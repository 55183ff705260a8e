//! Schedules: the form of one, and that of the organization as a page under Settings.

use std::iter;

use chrono::Weekday;
use maud::{Markup, html};
use model::{Every, Schedule, Timestamp};
use web::view::form::Field;
use web::view::layout::{Head, Shell};

use super::{settings, when};

/// The schedule of a tenant.
pub(crate) struct OfTenant {
    /// Its own.
    pub(crate) own: Option<Schedule>,
    /// That of its organization.
    pub(crate) of_organization: Option<Schedule>,
    /// When its next report is due.
    pub(crate) next_at: Option<Timestamp>,
    /// Whether a report is missing that was due.
    pub(crate) is_stale: bool,
    /// Whether it makes no further requests, because the tenant did not let the service in.
    pub(crate) is_halted: bool,
}

/// Shows the schedule of an organization.
pub(crate) fn page(shell: &Shell, schedule: Option<&Schedule>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Schedule" },
        about: Some(
            html! { "When the service makes reports by itself. A tenant can have a schedule of its own, on its page." },
        ),
        actions: None,
    };
    let content = html! {
        section class="card" aria-labelledby="change" {
            h2 id="change" { "All tenants" }
            (form(shell, "/settings/schedule", "Only on request", schedule))
        }
    };
    settings::page(shell, "/settings/schedule", &head, "Schedule", content)
}

/// Shows when the next report of a tenant is due, and whether the last one is missing.
pub(crate) fn state(of: &OfTenant) -> Markup {
    html! {
        @if of.is_stale {
            div class="notice problem" role="status" {
                span class="notice-mark" aria-hidden="true" { "!" }
                div { p { "Stale: the last report that was due has not come." } }
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
    let inherited = of.of_organization.map_or_else(|| "only on request".to_owned(), |schedule| words(&schedule));
    let inherited = format!("As all tenants: {inherited}");
    form(shell, &format!("{address}/schedule"), &inherited, of.own.as_ref())
}

/// Shows the form of a schedule. `none` says what applies without one.
fn form(shell: &Shell, address: &str, none: &str, schedule: Option<&Schedule>) -> Markup {
    let every = schedule.map(|schedule| schedule.every.to_string()).unwrap_or_default();
    let between = schedule.map(|schedule| schedule.between).unwrap_or_default();
    let (from, hours) = (between.from().to_string(), between.hours().to_string());
    let days = days().map(|days| (days.to_string(), day_words(days)));
    let days: Vec<_> = iter::once((String::new(), none.to_owned())).chain(days).collect();
    let clock: Vec<_> = (0..24).map(|hour| (hour.to_string(), format!("{hour:02}:00 UTC"))).collect();
    let lengths: Vec<_> = (1..=24).map(|hours| (hours.to_string(), model::counted(hours, "hour"))).collect();
    let field = |name, label, hint, value, choices: &[(String, String)]| {
        let choices: Vec<_> = choices.iter().map(|(value, label)| (value, label.as_str())).collect();
        Field { name, label, hint, value, error: None }.select(&choices)
    };
    shell.form(
        address,
        "form",
        html! {
            (field("every", "Reports are due", "", &every, &days))
            (field("from", "From", "", &from, &clock))
            (field("hours", "Within", "Tenants are spread over these hours.", &hours, &lengths))
            div class="form-end" { button type="submit" class="button" { "Save schedule" } }
        },
    )
}

/// Returns the choices of days.
fn days() -> impl Iterator<Item = Every> {
    let week = WEEK.iter().map(|(day, _)| Every::Week(*day));
    [Every::Never, Every::Day].into_iter().chain(week).chain((1..=31).map(Every::Month))
}

const WEEK: [(Weekday, &str); 7] = [
    (Weekday::Mon, "Monday"),
    (Weekday::Tue, "Tuesday"),
    (Weekday::Wed, "Wednesday"),
    (Weekday::Thu, "Thursday"),
    (Weekday::Fri, "Friday"),
    (Weekday::Sat, "Saturday"),
    (Weekday::Sun, "Sunday"),
];

fn day_words(days: Every) -> String {
    match days {
        Every::Never => "Never".to_owned(),
        Every::Day => "Every day".to_owned(),
        Every::Week(day) => {
            let name = WEEK.iter().find(|(of, _)| *of == day).map_or("week", |(_, name)| name);
            format!("Every {name}")
        }
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
