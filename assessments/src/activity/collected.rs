//! The activity of one tenant, collected from the files of all sources.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use model::{ControlId, Timestamp, counted};

use super::events::Events;
use super::log::{Gap, Log};
use super::measure::Measure;
use super::speech::{Sentence, Source, about, added};
use super::subject::Subject;
use super::tally::{Counts, Tally};
use super::window::Window;
use crate::file::RowKey;

/// How far from the end of a run a usage report may end: the service writes it with a delay of up to two days.
const REPORT_DELAY: TimeDelta = TimeDelta::days(3);

/// The activity of one tenant.
#[derive(Default)]
pub(crate) struct Activity {
    logs: BTreeMap<Source, Log>,
    /// Usage reports by the days that they cover.
    reports: BTreeMap<Source, BTreeMap<Period, Events>>,
    /// Reports that do not say of which days they are.
    undated: BTreeMap<Source, Events>,
    /// Malformed rows of usage reports.
    unreadable: BTreeMap<Source, BTreeSet<RowKey>>,
}

/// The counts of a tenant's logs and reports in a window.
pub(crate) struct Observed {
    sources: BTreeMap<Source, OfSource>,
}

/// The counts of one log or report.
struct OfSource {
    everybody: Tally,
    /// `None` if nobody says who the administrators are.
    administrators: Option<Tally>,
    period: String,
    gap: Gap,
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

    /// Returns the log with the sign-ins of administrators.
    pub(crate) fn sign_ins(&self) -> Option<&Log> {
        self.known_log(Source::SignIns).or_else(|| self.known_log(Source::AdministratorSignIns))
    }

    /// Notes that all logs cover the time from `start` to `end`.
    pub(crate) fn logs_cover(&mut self, start: Timestamp, end: Timestamp) {
        self.logs.values_mut().for_each(|log| log.covers(start, end));
    }

    /// Leaves out a log.
    pub(crate) fn forget_log(&mut self, source: Source) {
        self.logs.remove(&source);
    }

    /// Returns the number of users with events of a measure in the latest report of a source. Returns `None` if there is
    /// none, or if rows are malformed.
    pub(crate) fn users_of_report(&self, source: Source, measure: Measure) -> Option<usize> {
        if self.unreadable.get(&source).is_some_and(|rows| !rows.is_empty()) {
            return None;
        }
        let (period, events) = self.reports.get(&source)?.last_key_value()?;
        let tally = events.tally(period.window()?, None);
        usize::try_from(tally.counts(measure)?.subjects(None)).ok()
    }

    /// Returns the usage report of a source and period, to add users to.
    pub(crate) fn report(&mut self, source: Source, period: Period) -> &mut Events {
        self.reports.entry(source).or_default().entry(period).or_default()
    }

    /// Returns the report of a source that does not say of which days it is, to add rows to.
    pub(crate) fn undated(&mut self, source: Source) -> &mut Events {
        self.undated.entry(source).or_default()
    }

    /// Notes a malformed row of a usage report.
    pub(crate) fn note_unreadable(&mut self, source: Source, key: RowKey) {
        self.unreadable.entry(source).or_default().insert(key);
    }

    /// Merges entries that occur more than once, once all files are joined.
    pub(crate) fn deduplicate(&mut self) {
        self.logs.values_mut().for_each(|log| log.events.deduplicate());
        let reports = self.reports.values_mut().flat_map(BTreeMap::values_mut);
        reports.chain(self.undated.values_mut()).for_each(Events::deduplicate);
    }

    /// Makes entries after a moment malformed ones: they are not of the time that the files were exported.
    /// Returns their number.
    pub(crate) fn remove_after(&mut self, moment: Timestamp) -> usize {
        self.logs.values_mut().map(|log| log.remove_after(moment)).sum()
    }

    /// Returns the logs with their names, to report what is missing or malformed.
    pub(crate) fn logs(&self) -> impl Iterator<Item = (&'static str, &Log)> {
        let of_admins = [Source::SignIns, Source::AdministratorSignIns];
        self.logs
            .iter()
            .filter(move |(source, _)| !of_admins.contains(source))
            .map(|(source, log)| (source.name(), log))
    }

    /// Returns the names of usage reports with their numbers of malformed rows.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.unreadable.iter().map(|(source, rows)| (source.name(), rows.len()))
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
        for (source, events) in other.undated {
            self.undated(source).join(events);
        }
        for (source, rows) in other.unreadable {
            self.unreadable.entry(source).or_default().extend(rows);
        }
    }

    /// Returns what the logs and reports show in a window. `administrators` are needed for the sentences about them alone.
    pub(crate) fn observe(&self, window: Window, administrators: Option<&BTreeSet<Subject>>) -> Observed {
        let of = |events: &Events, window, period, gap| OfSource {
            everybody: events.tally(window, None),
            administrators: administrators.map(|among| events.tally(window, Some(among))),
            period,
            gap,
        };
        let logs = self
            .logs
            .iter()
            .map(|(source, log)| (*source, of(&log.events, window, last_days(window.days), log.gap(window, *source))));
        let reports = self.reports.keys().filter_map(|source| {
            let (period, events) = self.fitting_report(*source, window)?;
            let words = format!("the {} to {}", days(period.days), period.last);
            Some((*source, of(events, period.window()?, words, self.gap_of_report(*source))))
        });
        let undated = self.undated.iter().filter(|(source, _)| !self.logs.contains_key(source));
        let undated = undated.map(|(source, events)| {
            let words = "the period of the report".to_owned();
            (*source, of(events, Window::before(window.end, u32::MAX), words, self.gap_of_report(*source)))
        });
        let mut sources: BTreeMap<_, _> = logs.chain(reports).chain(undated).collect();
        if let Some(unified) = sources.remove(&Source::UnifiedAudit) {
            sources.entry(Source::DirectoryAudit).or_insert(unified);
        }
        Observed { sources }
    }

    fn gap_of_report(&self, source: Source) -> Gap {
        Gap::of_rows(self.unreadable.get(&source).map_or(0, BTreeSet::len))
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

impl Observed {
    /// Returns a sentence on how a control was used, or `None` if no file shows it.
    pub(crate) fn usage(&self, control: &ControlId) -> Option<String> {
        about(control).find_map(|sentence| self.say(sentence))
    }

    /// Returns the counts that a sentence is about. Without the whole log of sign-ins, a part of it is enough for some.
    fn of_sentence(&self, sentence: &Sentence) -> Option<&OfSource> {
        let part = match sentence.source {
            Source::SignIns if sentence.administrators => Some(Source::AdministratorSignIns),
            Source::SignIns => Some(Source::LegacySignIns),
            _ => None,
        };
        self.sources.get(&sentence.source).or_else(|| self.sources.get(&part?))
    }

    fn say(&self, sentence: &Sentence) -> Option<String> {
        let of_source = self.of_sentence(sentence)?;
        let tally = if sentence.administrators { of_source.administrators.as_ref()? } else { &of_source.everybody };
        let counts = tally.counts(sentence.measure)?;
        let template = if counts.is_empty() { sentence.none.as_ref()? } else { &sentence.some };
        let mut text = template.fill(counts, &of_source.period);
        if counts.not_understood > 0 {
            text = with_limits(text, counts);
        }
        for addition in sentence.also.iter().filter_map(|measure| added(*measure)) {
            if let Some(counts) = tally.counts(addition.measure).filter(|counts| !counts.is_empty()) {
                text = format!("{text} {}", addition.some.fill(counts, &of_source.period));
            }
        }
        let gap = of_source.gap.words(sentence.measure);
        Some(if gap.is_empty() { text } else { format!("{text} {gap}") })
    }
}

/// Says that values are not understood. Without them, a sentence that denies events is not certain.
fn with_limits(text: String, counts: &Counts) -> String {
    let verb = if counts.not_understood == 1 { "is" } else { "are" };
    let limits = format!("{} {verb} not understood.", counted(counts.not_understood, "value"));
    match text.split_at_checked(1) {
        Some((first, rest)) if counts.is_empty() => {
            format!("As far as the values are understood: {}{rest} {limits}", first.to_lowercase())
        }
        _ => format!("{text} {limits}"),
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
