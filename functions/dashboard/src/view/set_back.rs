//! The form that restores the tool's values of what was edited in a check.

use maud::{Markup, html};
use model::{Check, Choice, ReportHead};
use operations::edits::Seen;
use store::{EditMark, KeptValues, Texts};
use web::view::form::{Errors, hidden};
use web::view::layout::{Shell, empty};
use web::view::text;

use super::edits::{Field, field_name, label};
use super::{link, of_check, table, words};

/// The fields that a tool has a value for.
pub(crate) const FIELDS: [Field; 5] =
    [Field::Status, Field::Severity, Field::CurrentState, Field::Why, Field::SuggestedFix];

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The report.
    pub(crate) head: &'a ReportHead,
    /// The check as it is.
    pub(crate) check: &'a Check,
    /// The mark of its edits.
    pub(crate) mark: Option<&'a EditMark>,
    /// The values that are kept for later reports, and end with those of this one.
    pub(crate) kept: &'a KeptValues,
    /// The organization's text for the control.
    pub(crate) text: &'a Texts,
    /// The check and the tool's values as the editor saw them.
    pub(crate) seen: &'a Seen,
    /// The fields that the editor chose; `None` for all.
    pub(crate) chosen: Option<&'a [Field]>,
    /// The filter of the report's page, to return to.
    pub(crate) filter: &'a str,
    /// Errors of the form.
    pub(crate) errors: &'a Errors,
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let Page { shell, head: ReportHead { tenant, id, .. }, check, .. } = page;
    let of = &tenant.service_tenant_id;
    let mark = page.mark.filter(|mark| mark.fields.iter().any(|field| FIELDS.contains(field)));
    of_check::page(
        shell,
        page.head,
        check,
        "Restore the tool's values",
        html! {
            (page.errors.summary())
            section class="card flush" aria-label="Restore the tool's values" {
                @if let Some(mark) = mark {
                    (shell.form(&link::set_back_form(of, id), "", html! {
                        (hidden("control", check.control_id.as_str()))
                        (hidden("seen", page.seen.as_str()))
                        @if !page.filter.is_empty() { (hidden("filter", page.filter)) }
                        (list(page, mark))
                        div class="form-end" {
                            button type="submit" class="button primary" { "Restore the tool's values" }
                            a class="button" href=(link::filtered_check(of, id, page.filter, &check.control_id)) { "Cancel" }
                            span class="hint" { "The API returns the tool's values at once." }
                        }
                    }))
                } @else {
                    (empty("Nothing to restore", html! { p { "This check has the tool's values." } a class="button" href=(link::check(of, id, &check.control_id)) { "Back to the check" } }))
                }
            }
        },
    )
}

fn list(page: &Page<'_>, mark: &EditMark) -> Markup {
    let edited = FIELDS.into_iter().filter(|field| mark.fields.contains(field));
    table::framed(
        "Edited values",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Field" } th scope="col" { "Now" } th scope="col" { "The tool's value" } } }
                tbody { @for field in edited { (row(page, mark, field)) } }
            }
        },
    )
}

fn row(page: &Page<'_>, mark: &EditMark, field: Field) -> Markup {
    let (name, mut tools) = (field_name(field), page.check.clone());
    let is_known = mark.found.restore(&mut tools, field);
    let is_chosen = page.chosen.is_none_or(|chosen| chosen.contains(&field));
    let ends_risk = field == Field::Status
        && page.check.accepted_risk.is_some()
        && tools.status.is_known()
        && !tools.status.is_failing();
    let has_text = match field {
        Field::Why => page.text.why.is_some(),
        Field::SuggestedFix => page.text.suggested_fix.is_some(),
        _ => false,
    };
    html! {
        tr {
            th scope="row" {
                @if is_known { label { input type="checkbox" name="field" value=(name) checked[is_chosen]; " " (label(field)) } } @else { (label(field)) }
            }
            td { (value(page.check, field)) }
            td {
                @if is_known { (value(&tools, field)) } @else { span class="quiet" { "Not known: release 1.0 did not store it, the report had no room for it, or a later release wrote it. The next report has it." } }
                @if is_known && page.kept.keeps(field) { span class="under" { "The edit is kept for later reports. Restoring the tool's value ends that." } }
                @if is_known && ends_risk { span class="under" { "Restoring this status also ends the accepted risk." } }
                @if has_text { span class="under" { "Later imports use the organization's text again, unless an edit is kept." } }
            }
        }
    }
}

fn value(check: &Check, field: Field) -> Markup {
    let prose = |text: Option<&String>| html! { @match text { Some(text) => (text::prose(text)), None => span class="quiet" { "none" } } };
    match field {
        Field::Status => words::pill(check.status),
        Field::Severity => words::severity_badge(check.severity),
        Field::CurrentState => prose(Some(&check.current_state)),
        Field::Why => prose(check.why.as_ref()),
        Field::SuggestedFix => prose(check.suggested_fix.as_ref()),
        Field::AcceptedRisk | Field::Unknown => html! {},
    }
}
