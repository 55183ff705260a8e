//! The activity of one tenant, collected from the files of all sources.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use model::{ControlId, Timestamp};

use super::events::{Events, Subject};
use super::log::Log;
use super::speech::{Sentence, Source, about, added};
use super::window::Window;

/// How far from the end of a run a usage report may end: the service writes it with a delay of up to two days.
const REPORT_DELAY: TimeDelta = TimeDelta::days(3);

/// The activity of one tenant.
#[derive(Default)]
pub(crate) struct Activity {
    logs: BTreeMap<Source, Log>,
    /// Usage reports by the days that they cover.
    reports: BTreeMap<Source, BTreeMap<Period, Events>>,
}

/// The days that a usage report covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Period {
    pub(crate) last: NaiveDate,
    pub(crate) days: u32,
}

impl Activity {
    /// Returns the log of a source, to add entries to.
    pub(crate) fn log(&mut self, source: Source) -> &mut Log {
        self.logs.entry(source).or_default()
    }

    /// Returns the log of a source, if the files contain any of it.
    pub(crate) fn known_log(&self, source: Source) -> Option<&Log> {
        self.logs.get(&source)
    }

    /// Returns the usage report of a source and period, to add users to.
    pub(crate) fn report(&mut self, source: Source, period: Period) -> &mut Events {
        self.reports.entry(source).or_default().entry(period).or_default()
    }

    /// Removes entries that occurred more than once, once all files are joined.
    pub(crate) fn deduplicate(&mut self) {
        self.logs.values_mut().for_each(|log| log.events.deduplicate());
        self.reports.values_mut().flat_map(BTreeMap::values_mut).for_each(Events::deduplicate);
    }

    /// Returns the logs with their names, to report what is missing or malformed.
    pub(crate) fn logs(&self) -> impl Iterator<Item = (&'static str, &Log)> {
        self.logs.iter().filter_map(|(source, log)| Some((source.log_name()?, log)))
    }

    /// Adds the logs and reports of another file of the same tenant.
    pub(crate) fn join(&mut self, other: Self) {
        for (source, log) in other.logs {
            self.log(source).join(log);
        }
        for (source, reports) in other.reports {
            for (period, events) in reports {
                self.report(source, period).join(events);
            }
        }
    }

    /// Returns a sentence on how a control was used in a window, or `None` if no log among the files shows it.
    ///
    /// `administrators` are needed for the sentences about them alone.
    pub(crate) fn observed_usage(
        &self,
        control: &ControlId,
        window: Window,
        administrators: Option<&BTreeSet<Subject>>,
    ) -> Option<String> {
        about(control).find_map(|sentence| self.say(sentence, window, administrators))
    }

    fn say(&self, sentence: &Sentence, window: Window, administrators: Option<&BTreeSet<Subject>>) -> Option<String> {
        let among = if sentence.administrators { Some(administrators?) } else { None };
        let (events, seen, period, gap) = match self.logs.get(&sentence.source) {
            Some(log) => {
                (&log.events, window, last_days(window.days), log.gap(window, sentence.source, sentence.measure))
            }
            None => {
                let (period, events) = self.fitting_report(sentence.source, window)?;
                (events, period.window()?, format!("the {} to {}", days(period.days), period.last), None)
            }
        };
        let counts = events.count(sentence.measure, seen, among)?;
        let template = if counts.is_empty() { sentence.none.as_ref()? } else { &sentence.some };
        let mut text = template.fill(&counts, &period);
        for addition in sentence.also.iter().filter_map(|measure| added(*measure)) {
            let counts = events.count(addition.measure, seen, among);
            if let Some(counts) = counts.filter(|counts| !counts.is_empty()) {
                text = format!("{text} {}", addition.some.fill(&counts, &period));
            }
        }
        Some(gap.map_or(text.clone(), |gap| format!("{text} {gap}")))
    }

    /// Returns the report that ends nearest before the end of the window and covers the most similar number of days.
    fn fitting_report(&self, source: Source, window: Window) -> Option<(Period, &Events)> {
        let end = window.end.to_datetime();
        let fits = |period: &Period| period.end().is_some_and(|last| (last.to_datetime() - end).abs() <= REPORT_DELAY);
        let reports = self.reports.get(&source)?.iter().filter(|(period, _)| fits(period));
        reports
            .min_by_key(|(period, _)| (period.days.abs_diff(window.days), std::cmp::Reverse(period.last)))
            .map(|(period, events)| (*period, events))
    }
}

impl Period {
    /// Returns the last moment of the period.
    fn end(self) -> Option<Timestamp> {
        let midnight = self.last.succ_opt()?.and_time(NaiveTime::MIN).and_utc();
        midnight.checked_sub_signed(TimeDelta::milliseconds(1))?.try_into().ok()
    }

    fn window(self) -> Option<Window> {
        Some(Window::before(self.end()?, self.days))
    }
}

fn days(days: u32) -> String {
    if days == 1 { "day".to_owned() } else { format!("{days} days") }
}

fn last_days(number: u32) -> String {
    format!("the last {}", days(number))
}
