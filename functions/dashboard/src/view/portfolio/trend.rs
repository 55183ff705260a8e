//! The trend of the last weeks: a line for each tool, the change in the last week, and the tenants that moved most.

use maud::{Markup, html};
use model::{ReportType, Week};
use store::{Fixed, Moved, ToolTrend, WeekTrend};
use web::view::text;

use crate::view::history::{self, Point, Series};
use crate::view::{chart, link, table, when, words};

/// Number of weeks of the trend: half a year, as the chart is wide.
pub(crate) const WEEKS: u32 = 26;

/// Shows the trend, or when it begins. Its last week is the newest one that was made.
pub(super) fn shown(trends: &[WeekTrend], current: Week) -> Markup {
    let mut tools: Vec<_> = trends.iter().flat_map(|of| &of.tools).map(|(tool, _)| tool.as_str()).collect();
    tools.sort_unstable();
    tools.dedup();
    let last = trends.last().map_or(current.back(1), |of| of.week);
    html! {
        section class="card" aria-labelledby="trend-heading" {
            h2 id="trend-heading" { "Trend" }
            @if tools.is_empty() {
                p class="quiet" { "The trend begins after the end of a week: on Monday, 12:00 UTC." }
            } @else {
                p class="quiet" { "The average score of all tenants that are not paused, at the end of each week." }
                (history::chart(&tools.iter().map(|tool| series(tool, trends)).collect::<Vec<_>>()))
            }
        }
        @if !tools.is_empty() {
            section class="card flush" aria-labelledby="weeks-heading" {
                div class="card-head" { h2 id="weeks-heading" { "The week to " (when::short_date(last.ends())) } }
                @if last < current.back(1) { p class="quiet" { "The week after it is made on Monday, 12:00 UTC, or later if something failed." } }
                (by_tool(&tools, trends, last))
                (most_moved(trends, last))
            }
        }
    }
}

fn series(tool: &str, trends: &[WeekTrend]) -> Series {
    let point = |of: &WeekTrend| {
        let score = of.tools.get(tool)?.average();
        let is_joined = figures(tool, trends, of.week.back(1)).is_some();
        Some(Point { completed: of.week.ends(), score, is_joined, kind: ReportType::FollowUp })
    };
    Series { tool: tool.to_owned(), points: trends.iter().filter_map(point).collect() }
}

/// Returns the figures of a tool in a week.
fn figures<'a>(tool: &str, trends: &'a [WeekTrend], week: Week) -> Option<&'a ToolTrend> {
    trends.iter().find(|of| of.week == week)?.tools.get(tool)
}

fn by_tool(tools: &[&str], trends: &[WeekTrend], week: Week) -> Markup {
    table::framed(
        "Trend by tool",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Tool" }
                    th scope="col" class="n" { "Tenants" }
                    th scope="col" class="n" { "Average score" }
                    th scope="col" class="n" { "Change in the week" }
                    th scope="col" class="n wide-only" { "Open controls" }
                    th scope="col" class="wide-only" { "Half of the controls fixed in the last " (WEEKS) " weeks were fixed within" }
                } }
                tbody { @for tool in tools {
                    @let last = figures(tool, trends, week);
                    @let before = figures(tool, trends, week.back(1));
                    tr {
                        th scope="row" { (text::name(tool)) }
                        @match last {
                            Some(last) => {
                                td class="n" { (last.tenants) }
                                td class="n" { (format!("{:.1}", last.average())) }
                                td class="n" { (change(last, before)) }
                                td class="n wide-only" { (words::thousands(last.open)) }
                            }
                            None => { td class="n quiet" colspan="4" { "No tenant has a report" } }
                        }
                        td class="wide-only" { (fixed(tool, trends)) }
                    }
                } }
            }
        },
    )
}

/// Shows the change of an average since the week before.
fn change(last: &ToolTrend, before: Option<&ToolTrend>) -> Markup {
    let Some(before) = before else { return html! { span class="quiet" { "–" } } };
    chart::moved((before.average(), "at the end of the week before"), last.average(), None)
}

/// Shows the days within which half of the controls were fixed that were fixed in these weeks, by severity.
fn fixed(tool: &str, trends: &[WeekTrend]) -> Markup {
    let weeks: Vec<_> = trends.iter().filter_map(|of| of.tools.get(tool)?.fixed.as_ref()).collect();
    let all = Fixed::all(weeks.iter().copied().flatten().cloned());
    html! {
        @if all.is_empty() { span class="quiet" { (if weeks.is_empty() { "Not known" } else { "None fixed" }) } }
        @for (place, of) in all.iter().enumerate() {
            @if place > 0 { ", " }
            (words::severity(of.severity)) ": " (words::counted(of.median() as usize, "day")) " (" (words::counted(of.controls() as usize, "control")) ")"
        }
    }
}

fn most_moved(trends: &[WeekTrend], week: Week) -> Markup {
    let last = trends.iter().find(|of| of.week == week);
    let moved: Vec<(&String, &Moved)> = last
        .iter()
        .flat_map(|of| &of.tools)
        .flat_map(|(tool, of)| of.moved.iter().map(move |moved| (tool, moved)))
        .collect();
    if moved.is_empty() {
        return html! { p class="quiet" { "The score of no tenant changed." } };
    }
    table::framed(
        "Tenants that moved most",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Tenant that moved most" }
                    th scope="col" { "Tool" }
                    th scope="col" class="n" { "Score" }
                    th scope="col" class="n" { "Change in the week" }
                } }
                tbody { @for (tool, of) in moved { tr {
                    th scope="row" { a href=(link::tenant(&of.service_tenant_id)) { (text::name(&of.tenant_name)) } }
                    td { (text::name(tool)) }
                    td class="n" { (of.after) }
                    td class="n" { (chart::moved((of.before, "at the end of the week before"), of.after, None)) }
                } } }
            }
        },
    )
}
