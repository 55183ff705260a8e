//! The chart of a score over time: one line for each tool, since scores of different tools do not compare.

use maud::{Markup, html};
use model::{ReportType, Timestamp};

use super::when;

/// A report in the chart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// When it completed.
    pub(crate) completed: Timestamp,
    /// Its score.
    pub(crate) score: f64,
    /// Whether it continues the line from the point before.
    pub(crate) is_joined: bool,
    /// Baselines have a symbol of their own.
    pub(crate) kind: ReportType,
}

/// The reports from one tool's results.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// Name of the tool.
    pub(crate) tool: String,
    /// Its reports, oldest first.
    pub(crate) points: Vec<Point>,
}

/// Series that differ in colour and dash; further ones begin again.
const STYLES: usize = 6;
/// Most points of a series that have their number beside them.
const MOST_NUMBERS: usize = 12;
/// Most points of a series that are marked, and said one by one. Marks of more would cover each other.
const MOST_MARKS: usize = 40;

/// Shows the history: a wide chart, and a small one for phones, of which the stylesheet shows one.
pub(crate) fn chart(series: &[Series]) -> Markup {
    html! {
        figure class="history" {
            (drawing(series, 680.0, 190.0, "wide-only"))
            (drawing(series, 330.0, 170.0, "narrow-only"))
            @if series.len() > 1 {
                figcaption { ul class="legend" {
                    @for (place, of) in series.iter().enumerate() {
                        li { svg class={ "key line-" (place % STYLES) } viewBox="0 0 24 8" width="24" height="8" aria-hidden="true" { path d="M0 4h24" {} } (of.tool) }
                    }
                } }
            }
        }
    }
}

fn drawing(series: &[Series], width: f64, height: f64, class: &str) -> Markup {
    let (left, right, top, bottom) = (34.0, 22.0, 22.0, 30.0);
    let times = || series.iter().flat_map(|of| &of.points).map(|point| point.completed);
    let (Some(first), Some(last)) = (times().min(), times().max()) else { return html! {} };
    let span = seconds(last) - seconds(first);
    let x = |moment| match span > 0.0 {
        true => left + (width - left - right) * (seconds(moment) - seconds(first)) / span,
        false => f64::midpoint(left, width - right),
    };
    let y = |score: f64| height - bottom - (height - top - bottom) * score / 100.0;
    html! {
        svg class={ "chart " (class) } viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(described(series)) {
            @for score in [0.0, 50.0, 100.0] {
                line class="rule" x1=(left) x2=(width - right) y1=(y(score)) y2=(y(score)) {}
                text class="axis" x=(left - 8.0) y=(y(score) + 4.0) text-anchor="end" { (score.to_string()) }
            }
            @if span > 0.0 {
                text class="axis" x=(left) y=(height - 8.0) { (when::plain_date(first)) }
                text class="axis" x=(width - right) y=(height - 8.0) text-anchor="end" { (when::plain_date(last)) }
            } @else {
                text class="axis" x=(x(first)) y=(height - 8.0) text-anchor="middle" { (when::plain_date(first)) }
            }
            @for (place, of) in series.iter().enumerate() {
                g class={ "line-" (place % STYLES) } {
                    path d=(path(&of.points, x, y)) {}
                    @for (at, point) in of.points.iter().enumerate() {
                        @let (px, py) = (x(point.completed), y(point.score));
                        @let is_marked = of.points.len() <= MOST_MARKS || at + 1 == of.points.len();
                        @match point.kind {
                            _ if !is_marked => {}
                            ReportType::Baseline => { rect class="baseline" x=(tenths(px - 4.5)) y=(tenths(py - 4.5)) width="9" height="9" {} }
                            ReportType::FollowUp | ReportType::Unknown => { circle cx=(tenths(px)) cy=(tenths(py)) r="4" {} }
                        }
                        @if of.points.len() <= MOST_NUMBERS || at + 1 == of.points.len() {
                            text x=(tenths(px)) y=(tenths(py - 10.0)) text-anchor=(anchor(px, left, width - right)) { (point.score.to_string()) }
                        }
                    }
                }
            }
        }
    }
}

fn path(points: &[Point], x: impl Fn(Timestamp) -> f64, y: impl Fn(f64) -> f64) -> String {
    let steps = points.iter().enumerate().map(|(at, point)| {
        let step = if at == 0 || !point.is_joined { "M" } else { "L" };
        format!("{step}{:.1} {:.1}", x(point.completed), y(point.score))
    });
    steps.collect()
}

/// Keeps the number of the first and last point within the chart.
fn anchor(x: f64, left: f64, right: f64) -> &'static str {
    match x {
        _ if x < left + 8.0 => "start",
        _ if x > right - 8.0 => "end",
        _ => "middle",
    }
}

fn seconds(moment: Timestamp) -> f64 {
    moment.to_datetime().timestamp() as f64
}

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

/// Returns the chart in words.
fn described(series: &[Series]) -> String {
    let of = |series: &Series| {
        if let [first, .., last] = &*series.points
            && series.points.len() > MOST_MARKS
        {
            let scores = || series.points.iter().map(|point| point.score);
            return format!(
                "{}: {} reports from {} on {} to {} on {}, between {} and {}.",
                series.tool,
                series.points.len(),
                first.score,
                when::plain_date(first.completed),
                last.score,
                when::plain_date(last.completed),
                scores().fold(f64::INFINITY, f64::min),
                scores().fold(0.0, f64::max),
            );
        }
        let points =
            series.points.iter().map(|point| format!("{} on {}", point.score, when::plain_date(point.completed)));
        format!("{}: {}.", series.tool, points.collect::<Vec<_>>().join(", "))
    };
    format!("Score over time. {}", series.iter().map(of).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(&str, u8)]) -> Series {
        let point = |&(completed, score): &(&str, u8)| Point {
            completed: format!("{completed}T00:00:00Z").parse().unwrap(),
            score: score.into(),
            is_joined: true,
            kind: ReportType::FollowUp,
        };
        Series { tool: "ScubaGear".to_owned(), points: points.iter().map(point).collect() }
    }

    #[test]
    fn points_lie_where_their_time_and_score_are() {
        let of = series(&[("2026-01-01", 0), ("2026-01-02", 100), ("2026-01-05", 50)]);
        let shown = drawing(&[of], 680.0, 190.0, "").into_string();
        // Between 34 and 658, a quarter of the way; between 160 and 22.
        assert!(shown.contains(r#"d="M34.0 160.0L190.0 22.0L658.0 91.0""#), "{shown}");
        assert!(shown.contains("Score over time. ScubaGear: 0 on 1 Jan 2026, 100 on 2 Jan 2026, 50 on 5 Jan 2026."));
    }

    #[test]
    fn a_line_is_broken_before_a_point_that_is_not_joined() {
        let mut of = series(&[("2026-01-01", 0), ("2026-01-02", 100), ("2026-01-05", 50)]);
        of.points[1].is_joined = false;
        of.points[1].score = 60.5;
        let shown = drawing(&[of], 680.0, 190.0, "").into_string();
        assert!(shown.contains(r#"d="M34.0 160.0M190.0 76.5L658.0 91.0""#) && shown.contains(">60.5<"), "{shown}");
    }

    #[test]
    fn many_points_are_a_line_with_a_mark_at_its_end() {
        let days: Vec<_> = (0..156)
            .map(|day| (format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28), 40 + (day % 50) as u8))
            .collect();
        let points: Vec<_> = days.iter().map(|(day, score)| (day.as_str(), *score)).collect();
        let shown = drawing(&[series(&points)], 680.0, 190.0, "").into_string();
        assert_eq!((shown.matches("<circle").count(), shown.matches('L').count()), (1, 155), "{shown}");
        let words = "ScubaGear: 156 reports from 40 on 1 Jan 2026 to 45 on 16 Jun 2026, between 40 and 89.";
        assert!(shown.contains(words), "{shown}");
    }

    #[test]
    fn one_point_is_in_the_middle_and_without_points_there_is_no_chart() {
        let shown = drawing(&[series(&[("2026-01-01", 50)])], 680.0, 190.0, "").into_string();
        assert!(shown.contains(r#"cx="346.0" cy="91.0""#), "{shown}");
        assert!(!shown.contains("NaN"));
        assert_eq!(drawing(&[], 680.0, 190.0, "").into_string(), "");
    }
}
