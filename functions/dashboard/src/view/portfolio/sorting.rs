//! Order and filter of the portfolio, as its address says them.

use model::ReportFigures;
use serde::Deserialize;

use super::Row;
use crate::view::table::Direction;
use web::view::text;

use crate::view::search;
use crate::view::tenants::has_label;

/// Parameters of the portfolio's address. What they do not say, or say wrongly, is the default: worst first.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Query {
    /// Column to sort by.
    pub(crate) sort: String,
    /// `asc` or `desc`.
    pub(crate) order: String,
    /// Part of a tenant's name.
    pub(crate) q: String,
    /// A label of tenants.
    pub(crate) label: String,
}

/// A column that the portfolio can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Name of the tenant.
    Name,
    /// Score of the newest report.
    Score,
    /// Change of the score since the baseline.
    Change,
    /// Number of drifted controls.
    Drifted,
    /// Number of open controls.
    Open,
    /// Completion of the newest report.
    Completed,
}

const COLUMNS: [Column; 6] =
    [Column::Name, Column::Score, Column::Change, Column::Drifted, Column::Open, Column::Completed];

impl Column {
    /// Returns the column as addresses name it.
    pub(crate) fn wire(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Score => "score",
            Self::Change => "change",
            Self::Drifted => "drifted",
            Self::Open => "open",
            Self::Completed => "completed",
        }
    }

    /// Returns the direction that shows the worst, or the first name, on top.
    pub(crate) fn first_direction(self) -> Direction {
        match self {
            Self::Name | Self::Score | Self::Change | Self::Completed => Direction::Ascending,
            Self::Drifted | Self::Open => Direction::Descending,
        }
    }
}

impl Query {
    /// Returns the column to sort by.
    pub(crate) fn column(&self) -> Column {
        COLUMNS.into_iter().find(|column| column.wire() == self.sort).unwrap_or(Column::Score)
    }

    /// Returns the direction to sort in.
    pub(crate) fn direction(&self) -> Direction {
        match self.order.as_str() {
            "asc" => Direction::Ascending,
            "desc" => Direction::Descending,
            _ => self.column().first_direction(),
        }
    }

    /// Returns the query of an address that sorts otherwise and keeps the filter.
    pub(crate) fn address(&self, column: Column, direction: Direction) -> String {
        let filter = [("q", &self.q), ("label", &self.label)];
        let filter = filter.into_iter().filter(|(_, value)| !value.is_empty());
        let filter: String = filter.map(|(name, value)| format!("&{name}={}", text::encoded(value))).collect();
        format!("?sort={}&order={}{filter}", column.wire(), direction.wire())
    }
}

/// Returns the rows that the query asks for, in its order. Tenants without a report come last in any order by figures.
pub(crate) fn arranged<'a>(rows: &'a [Row], query: &Query) -> Vec<&'a Row> {
    let is_shown = |row: &&Row| search::finds(&query.q, [&*row.name]) && has_label(&row.labels, &query.label);
    let mut rows: Vec<_> = rows.iter().filter(is_shown).collect();
    let column = query.column();
    rows.sort_by_cached_key(|row| row.name.to_lowercase());
    if column == Column::Name {
        if query.direction() == Direction::Descending {
            rows.reverse();
        }
        return rows;
    }
    rows.sort_by_key(|row| {
        let figure = row.latest.as_ref().map(|report| figure(&report.figures, column));
        let figure = figure.map(|figure| if query.direction() == Direction::Descending { -figure } else { figure });
        (figure.is_none(), figure)
    });
    rows
}

fn figure(report: &ReportFigures, column: Column) -> i64 {
    match column {
        Column::Name => 0,
        Column::Score => report.score.into(),
        Column::Change if report.coverage.as_ref().is_some_and(|coverage| !coverage.is_comparable()) => 0,
        Column::Change => report.previous_score.map_or(0, |previous| i64::from(report.score) - i64::from(previous)),
        Column::Drifted => report.controls.drifted.into(),
        Column::Open => report.controls.open.into(),
        Column::Completed => report.completed_at.to_datetime().timestamp_millis(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn row(name: &str, score: Option<u8>, drifted: u32) -> Row {
        let latest = score.map(|score| {
            let mut report = sample::report();
            report.figures.score = score;
            report.figures.previous_score = Some(50);
            report.figures.controls.drifted = drifted;
            report
        });
        sample::row(name, latest)
    }

    fn names(query: &str) -> String {
        let rows = [row("b", Some(70), 0), row("D", None, 0), row("a", Some(90), 4), row("c", Some(20), 2)];
        let mut of = Query::default();
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            match name {
                "sort" => of.sort = value.to_owned(),
                "order" => of.order = value.to_owned(),
                _ => of.q = value.to_owned(),
            }
        }
        arranged(&rows, &of).iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn the_worst_comes_first_and_what_has_no_report_last() {
        assert_eq!(names(""), "cbaD");
        assert_eq!(names("sort=nonsense&order=sideways"), "cbaD");
        assert_eq!(names("sort=score&order=desc"), "abcD");
        assert_eq!(names("sort=drifted"), "acbD");
        assert_eq!(names("sort=change"), "cbaD");
        assert_eq!(names("sort=name"), "abcD");
        assert_eq!(names("sort=name&order=desc"), "Dcba");
        assert_eq!(names("q=A"), "a");
    }

    #[test]
    fn the_filter_stays_in_the_address() {
        let query = Query { q: "a&b".to_owned(), ..Query::default() };
        assert_eq!(query.address(Column::Open, Direction::Descending), "?sort=open&order=desc&q=a%26b");
    }
}
