//! Dates in words, with the exact time behind them.

use chrono::NaiveDate;
use maud::{Markup, html};
use model::Timestamp;

/// Days after which the newest report of a tenant counts as old.
const STALE_AFTER_DAYS: i64 = 31;

/// Shows a date, such as `6 October 2025`.
pub(crate) fn date(moment: Timestamp) -> Markup {
    time(moment, "%-d %B %Y")
}

/// Shows a date where there is little room, such as `6 Oct 2025`.
pub(crate) fn short_date(moment: Timestamp) -> Markup {
    time(moment, "%-d %b %Y")
}

/// Shows a date and the time of day, such as `6 Oct 2025, 09:30 UTC`.
pub(crate) fn minute(moment: Timestamp) -> Markup {
    time(moment, "%-d %b %Y, %H:%M UTC")
}

/// Shows a calendar date, such as `6 Oct 2025`.
pub(crate) fn day(date: NaiveDate) -> Markup {
    html! { time datetime=(date) { (date.format("%-d %b %Y")) } }
}

/// Returns a date as plain text, such as `6 Oct 2025`.
pub(crate) fn plain_date(moment: Timestamp) -> String {
    moment.to_datetime().format("%-d %b %Y").to_string()
}

/// Whether a report that completed at `completed` is more than a month old at `now`.
pub(crate) fn is_stale(completed: Timestamp, now: Timestamp) -> bool {
    days_between(completed, now) > STALE_AFTER_DAYS
}

/// Returns the time that has passed, such as `3 days ago`.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    match days_between(then, now) {
        ..1 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days @ 2..60 => format!("{days} days ago"),
        days @ 60..730 => format!("{} months ago", days / 30),
        days => format!("{} years ago", days / 365),
    }
}

fn days_between(then: Timestamp, now: Timestamp) -> i64 {
    (now.date() - then.date()).num_days()
}

fn time(moment: Timestamp, format: &str) -> Markup {
    let utc = moment.to_datetime();
    html! { time datetime=(moment) title=(utc.format("%Y-%m-%d %H:%M:%S UTC")) { (utc.format(format)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_date_has_the_exact_time_behind_it() {
        let shown = date(at("2025-10-06T19:25:11.166Z")).into_string();
        assert_eq!(
            shown,
            r#"<time datetime="2025-10-06T19:25:11.166Z" title="2025-10-06 19:25:11 UTC">6 October 2025</time>"#
        );
    }

    #[test]
    fn a_month_makes_a_report_stale() {
        let now = at("2026-11-28T10:00:00Z");
        assert!(!is_stale(at("2026-10-28T00:00:00Z"), now));
        assert!(is_stale(at("2026-10-27T23:00:00Z"), now));
        assert!(!is_stale(at("2026-11-29T00:00:00Z"), now), "a clock that is ahead");
    }

    #[test]
    fn elapsed_time_is_written_in_words() {
        let now = at("2026-11-28T10:00:00Z");
        for (then, told) in [
            ("2026-11-28T09:00:00Z", "today"),
            ("2026-11-29T09:00:00Z", "today"),
            ("2026-11-27T23:00:00Z", "yesterday"),
            ("2026-11-20T23:00:00Z", "8 days ago"),
            ("2026-08-28T09:00:00Z", "3 months ago"),
            ("2023-08-28T09:00:00Z", "3 years ago"),
        ] {
            assert_eq!(ago(at(then), now), told);
        }
    }
}
