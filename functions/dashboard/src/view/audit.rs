//! Who changed what, newest first.

use maud::{Markup, html};
use model::Timestamp;
use serde::Deserialize;
use web::view::layout::{Head, Shell, empty};
use web::view::text;

use super::{settings, table, when};

/// A part of the audit trail.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// Entries, newest first.
    pub(crate) entries: &'a [Entry],
    /// Where older entries begin, as the address names it.
    pub(crate) older: Option<&'a str>,
    /// The chosen filters.
    pub(crate) filter: &'a Filter,
    /// The choices of each filter.
    pub(crate) choices: &'a Choices,
}

/// An entry.
#[derive(Clone)]
pub(crate) struct Entry {
    /// When.
    pub(crate) at: Timestamp,
    /// Who.
    pub(crate) by: String,
    /// Identifier of who.
    pub(crate) by_id: String,
    /// What was done, such as `Edited a check`.
    pub(crate) action: String,
    /// To what, such as the name of a tenant or a control.
    pub(crate) subject: String,
    /// Identifier of it.
    pub(crate) subject_id: String,
    /// Address of it, where it has a page.
    pub(crate) address: Option<String>,
    /// What changed: name of the value, before and after.
    pub(crate) changes: Vec<(String, Option<String>, Option<String>)>,
}

/// Parameters of the address. An empty one filters nothing.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Filter {
    /// Identifier of the person.
    pub(crate) person: String,
    /// Identifier of the tenant.
    pub(crate) tenant: String,
    /// Kind of change, as stored.
    pub(crate) kind: String,
    /// First day.
    pub(crate) from: String,
    /// Last day.
    pub(crate) until: String,
    /// Position of older entries.
    pub(crate) before: Option<String>,
}

/// The values to filter by, with their names.
pub(crate) struct Choices {
    /// Members.
    pub(crate) people: Vec<(String, String)>,
    /// Tenants.
    pub(crate) tenants: Vec<(String, String)>,
    /// Kinds of changes.
    pub(crate) kinds: Vec<(String, &'static str)>,
}

impl Filter {
    /// Returns the query of an address with this filter, at a position.
    fn query(&self, before: Option<&str>) -> String {
        let Self { person, tenant, kind, from, until, .. } = self;
        let fields = [("person", &**person), ("tenant", tenant), ("kind", kind), ("from", from), ("until", until)];
        let fields = fields.into_iter().chain(before.map(|before| ("before", before)));
        let fields = fields.filter(|(_, value)| !value.is_empty());
        let pairs: Vec<_> = fields.map(|(name, value)| format!("{name}={}", text::encoded(value))).collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

/// Shows a part of the trail.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let is_admin = page.shell.is_admin();
    let title = settings::audit_title(page.shell);
    let about = if is_admin { "Every change, sign-in and download" } else { "What you changed and downloaded" };
    let head = Head {
        above: &[],
        title: html! { (title) },
        about: Some(html! { (about) " in the last 400 days, newest first." }),
        actions: Some(
            html! { a class="button" href={ "/settings/audit.csv" (page.filter.query(None)) } { "Download CSV" } },
        ),
    };
    let content = html! {
        (filters(page, is_admin))
        section class="card flush" aria-label="Entries" {
            @if page.entries.is_empty() {
                (empty("No change is found", html! { p { "Every change to reports, imports, keys, members and tenants appears here." } }))
            } @else {
                (table::framed("Audit trail", html! {
                    table class="rows audit" {
                        thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" class="wide-only" { "Who" } } }
                        tbody { @for entry in page.entries { (row(entry)) } }
                    }
                }))
            }
        }
        @if let Some(older) = page.older { a class="button" href={ "/settings/audit" (page.filter.query(Some(older))) } { "Older entries" } }
    };
    settings::page(page.shell, "/settings/audit", &head, title, content)
}

fn filters(page: &Page<'_>, is_admin: bool) -> Markup {
    let Page { filter, choices, .. } = page;
    html! {
        form class="filters" method="get" action="/settings/audit" aria-label="Filter the entries" {
            @if is_admin { (choice("person", "Person", &filter.person, &choices.people)) }
            (choice("tenant", "Tenant", &filter.tenant, &choices.tenants))
            (choice("kind", "Change", &filter.kind, &choices.kinds))
            label { "From" input type="date" name="from" value=(filter.from); }
            label { "To" input type="date" name="until" value=(filter.until); }
            button type="submit" class="button" { "Filter" }
            @if !filter.query(None).is_empty() { a href="/settings/audit" { "Clear" } }
        }
    }
}

fn choice<N: AsRef<str>>(name: &str, label: &str, value: &str, choices: &[(String, N)]) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                option value="" { "All" }
                @for (id, name) in choices { option value=(id) selected[id == value] { (text::shortened(name.as_ref())) } }
            }
        }
    }
}

fn row(entry: &Entry) -> Markup {
    html! {
        tr {
            th scope="row" { (when::minute(entry.at)) span class="under narrow-only" { (text::name(&entry.by)) } }
            td {
                (text::name(&entry.action)) ": "
                @match &entry.address { Some(address) => a href=(address) { (text::name(&entry.subject)) }, None => (text::name(&entry.subject)) }
                @if !entry.changes.is_empty() {
                    dl class="changes" { @for (name, before, after) in &entry.changes { div {
                        dt { (text::name(name)) }
                        dd {
                            @if let Some(before) = before { del { (text::prose(before)) } }
                            @if before.is_some() && after.is_some() { " " span aria-hidden="true" { "→" } " " }
                            @if let Some(after) = after { ins { (text::prose(after)) } }
                        }
                    } } }
                }
            }
            td class="wide-only" { (text::name(&entry.by)) @if entry.by_id != entry.by { span class="under" { (entry.by_id) } } }
        }
    }
}
