//! Tasks: the form of one, and how lists show them.

use maud::{Markup, html};
use model::{Check, ReportHead, Timestamp};
use serde::Deserialize;
use store::Task;
use web::view::form::{self, Errors, Field};
use web::view::layout::Shell;
use web::view::text;

use super::{link, of_check, search, when};

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The report.
    pub(crate) head: &'a ReportHead,
    /// The check of the control.
    pub(crate) check: &'a Check,
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: &'a Errors,
}

/// The form as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Form {
    /// The control.
    pub(crate) control: String,
    /// The filter of the report's page, to return to.
    pub(crate) filter: String,
    /// Version of the task as the editor saw it; 0 for none.
    pub(crate) seen: String,
    /// The responsible person.
    pub(crate) owner: String,
    /// Day by which it is due.
    pub(crate) due: String,
    /// A note.
    pub(crate) note: String,
    /// `set` or `remove`.
    #[serde(rename = "do")]
    pub(crate) action: String,
}

impl Form {
    /// Returns the form filled with the task as it is. A task that is done leaves it empty.
    pub(crate) fn of(task: Option<&Task>) -> Self {
        let Some(task) = task else { return Self { seen: "0".to_owned(), ..Self::default() } };
        let form = Self { seen: task.version.to_string(), ..Self::default() };
        if !task.is_open() {
            return form;
        }
        let now = task.assignment.clone();
        let due = now.due.map(|due| due.to_string()).unwrap_or_default();
        Self { owner: now.owner.unwrap_or_default(), due, note: now.note.unwrap_or_default(), ..form }
    }

    /// Returns whether there is a task to remove.
    fn is_set(&self) -> bool {
        self.seen != "0"
    }
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let Page { shell, head, check, form, errors } = page;
    let (of, id) = (&head.tenant.service_tenant_id, &head.id);
    of_check::page(
        shell,
        head,
        check,
        "Task",
        html! {
            (errors.summary())
            section class="card" aria-label="Task" {
                (shell.form(&link::task_form(of, id), "form", html! {
                    (form::hidden("control", check.control_id.as_str()))
                    (form::hidden("seen", &form.seen))
                    @if !form.filter.is_empty() { (form::hidden("filter", &form.filter)) }
                    (fields((&form.owner, &form.due, &form.note), errors))
                    div class="form-end" {
                        button type="submit" name="do" value="set" class="button primary" { "Save" }
                        @if form.is_set() { button type="submit" name="do" value="remove" class="button" { "Remove the task" } }
                        a class="button" href=(link::filtered_check(of, id, &form.filter, &check.control_id)) { "Cancel" }
                        span class="hint" { "The task is done once a report finds the control secure. The API does not return it." }
                    }
                }))
            }
        },
    )
}

/// Shows the fields of a task.
pub(super) fn fields((owner, due, note): (&str, &str, &str), errors: &Errors) -> Markup {
    let field = |name, label, hint, value| Field { name, label, hint, value, error: errors.of(name) };
    html! {
        (field("owner", "Owner", "Who does it: a member, or a person at the client.", owner).input("text", false))
        (field("due", "Due", "The day (UTC) by which it should be secure.", due).input("date", false))
        (field("note", "Note", "Members of your organization see it.", note).area(2))
    }
}

/// Shows in a line who does it and by when, or when it was done.
pub(crate) fn line(task: &Task, now: Timestamp) -> Markup {
    html! {
        @if let Some(owner) = &task.assignment.owner { (text::name(owner)) ", " }
        @if let Some(done) = task.done_at { "done with the report of " (when::short_date(done)) }
        @else if let Some(due) = task.assignment.due { @if task.is_overdue(now) { "overdue, was due " } @else { "due " } (when::day(due)) }
        @else { "no day" }
    }
}

/// Shows the choice by which lists are filtered.
pub(super) fn choice(value: &str) -> Markup {
    search::choice("task", "Task", value, [("set", "With a task"), ("overdue", "Overdue"), ("none", "Without a task")])
}

/// Returns whether a list that is filtered by the choice shows a control with this task.
pub(super) fn matches(choice: &str, task: Option<&Task>, now: Timestamp) -> bool {
    let open = task.filter(|task| task.is_open());
    match choice {
        "set" => open.is_some(),
        "overdue" => open.is_some_and(|task| task.is_overdue(now)),
        "none" => open.is_none(),
        _ => true,
    }
}
