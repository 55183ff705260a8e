//! Charts as SVG, made by the server. All colours come from classes: the pages' policy allows no inline style.

use std::fmt::Write;

use maud::{Markup, html};
use model::{ControlsRollup, Coverage, Grade};

use super::words;

/// Radius of the ring, in its own units.
const RADIUS: u32 = 52;

/// Shows a score as a ring that is filled by it, with its number and grade within.
pub(crate) fn ring(score: u8, grade: Grade) -> Markup {
    let letter = words::grade(grade);
    html! {
        svg class={ "ring " (words::grade_class(grade)) } viewBox="0 0 120 120" width="148" height="148" role="img"
            aria-label={ "Score " (score) " of 100, grade " (letter) } {
            circle class="ring-track" cx="60" cy="60" r=(RADIUS) {}
            @if score > 0 {
                // The length of the path is said to be 100, so that the score is the length of the dash.
                circle class="ring-fill" cx="60" cy="60" r=(RADIUS) pathLength="100"
                    stroke-dasharray={ (score.min(100)) " 100" } transform="rotate(-90 60 60)" {}
            }
            text class="ring-score" x="60" y="64" text-anchor="middle" { (score) }
            text class="ring-grade" x="60" y="84" text-anchor="middle" { "Grade " (letter) }
        }
    }
}

/// Shows the results of a report as one bar, each state by its share.
pub(crate) fn results(controls: &ControlsRollup) -> Markup {
    let total: u32 = words::STATUSES.iter().map(|&status| controls.count(status)).sum();
    let mut start = 0;
    let mut parts = Vec::new();
    for status in words::STATUSES {
        let count = controls.count(status);
        if count > 0 {
            parts.push((words::status_class(status), share(start, total), share(count, total)));
        }
        start += count;
    }
    html! {
        svg class="results" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label=(described(controls)) {
            title { (described(controls)) }
            @if total == 0 { rect class="fill-not-assessed" x="0" y="0" width="100" height="10" {} }
            @for (class, x, width) in parts {
                rect class={ "fill-" (class) } x={ (format!("{x:.2}")) } y="0" width={ (format!("{width:.2}")) } height="10" {}
            }
        }
    }
}

/// Returns the results in words, such as `51 secure, 8 fixed, 18 open`.
fn described(controls: &ControlsRollup) -> String {
    let mut described = String::new();
    for status in words::STATUSES {
        let count = controls.count(status);
        if count > 0 {
            let comma = if described.is_empty() { "" } else { ", " };
            // Writing to a string does not fail.
            let _ = write!(described, "{comma}{count} {}", words::status(status).to_lowercase());
        }
    }
    if described.is_empty() { "No controls".to_owned() } else { described }
}

fn share(part: u32, whole: u32) -> f64 {
    100.0 * f64::from(part) / f64::from(whole.max(1))
}

/// Shows a change of the score with its direction, by sign, arrow and colour, unless too few of the baseline's controls
/// were assessed again: a rise by loss is no rise.
pub(crate) fn change(score: u8, previous: Option<u8>, coverage: Option<&Coverage>) -> Markup {
    let Some(previous) = previous else {
        return html! { span class="quiet" title="No baseline to compare with" { "–" } };
    };
    if let Some(coverage) = coverage.filter(|coverage| !coverage.is_comparable()) {
        return html! { span class="tag warn" title=(coverage.in_words().unwrap_or_default()) { "not comparable" } };
    }
    moved((previous, "at the baseline"), score, coverage.and_then(Coverage::in_words))
}

/// Shows the difference between two scores, of which the first is that of a time, with its direction.
pub(crate) fn moved((previous, at): (impl Into<f64>, &str), score: impl Into<f64>, lost: Option<String>) -> Markup {
    // To a tenth.
    let (previous, score) = (previous.into(), score.into());
    let change = (10.0 * (score - previous)).round() / 10.0;
    let (class, arrow, word) = match change {
        _ if change > 0.0 => ("change up", "▲", "up"),
        _ if change < 0.0 => ("change down", "▼", "down"),
        _ => return html! { span class="change same" title=[lost] { "0" } },
    };
    html! {
        span class=(class) title={ "From " (previous.to_string()) " " (at) " to " (score.to_string()) @if let Some(lost) = lost { ". " (lost) } } {
            span aria-hidden="true" { (arrow) } span class="away" { (word) } " " (change.abs().to_string())
        }
    }
}

/// Shows the number of tenants with each grade as columns.
pub(crate) fn grades(counts: [(Grade, usize); 5]) -> Markup {
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let described: Vec<_> = counts.iter().map(|(grade, count)| format!("{}: {count}", words::grade(*grade))).collect();
    html! {
        svg class="grades" viewBox="0 0 170 64" width="170" height="64" role="img"
            aria-label={ "Tenants by grade. " (described.join(", ")) } {
            @for (place, (grade, count)) in counts.iter().enumerate() {
                @let (x, height) = (place * 34 + 6, (count * 30).div_ceil(most).max(2));
                rect class={ "column " (words::grade_class(*grade)) } x=(x) y=(46 - height) width="22" height=(height) rx="2" {}
                text class="grades-count" x=(x + 11) y=(41 - height) text-anchor="middle" { (count) }
                text class="grades-letter" x=(x + 11) y="61" text-anchor="middle" { (words::grade(*grade)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_is_filled_by_the_score() {
        let shown = ring(74, Grade::C).into_string();
        assert!(shown.contains(r#"pathLength="100""#) && shown.contains(r#"stroke-dasharray="74 100""#), "{shown}");
        assert!(shown.contains(r#"aria-label="Score 74 of 100, grade C""#), "{shown}");
        assert!(!ring(0, Grade::F).into_string().contains("ring-fill"), "a score of 0 fills nothing");
        assert!(ring(100, Grade::A).into_string().contains("100 100"));
    }

    #[test]
    fn the_bar_is_divided_by_the_counts_and_described_in_words() {
        let controls = ControlsRollup { assessed: 3, secure: 1, open: 2, not_assessed: 1, ..Default::default() };
        let shown = results(&controls).into_string();
        assert!(shown.contains(r#"aria-label="1 secure, 2 open, 1 not assessed""#), "{shown}");
        assert!(shown.contains(r#"class="fill-secure" x="0.00" y="0" width="25.00""#), "{shown}");
        assert!(shown.contains(r#"class="fill-open" x="25.00" y="0" width="50.00""#), "{shown}");
        assert!(shown.contains(r#"class="fill-not-assessed" x="75.00" y="0" width="25.00""#), "{shown}");
        assert!(!shown.contains("fill-drifted"));
        assert!(results(&ControlsRollup::default()).into_string().contains("No controls"));
    }

    #[test]
    fn a_change_has_a_direction_by_word_too() {
        let text = |score, previous| change(score, previous, None).into_string();
        assert!(
            text(74, Some(67)).contains("▲") && text(74, Some(67)).contains("up") && text(74, Some(67)).contains("7")
        );
        assert!(text(60, Some(67)).contains("▼") && text(60, Some(67)).contains("down"));
        assert!(text(60, Some(60)).contains(">0<"));
        assert!(text(60, None).contains("–"));
    }
}
