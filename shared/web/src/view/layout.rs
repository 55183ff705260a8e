//! The frame of every page: navigation, the signed-in person and their organization.

use maud::{DOCTYPE, Markup, html};
use model::{FormId, OrganizationId, Role, Timestamp};

use super::form::{ORGANIZATION, hidden};
use super::text;
use crate::assets;

/// Shared by all pages for a signed-in person.
#[derive(Clone)]
pub struct Shell {
    /// The person.
    pub viewer: Viewer,
    /// When the page is made.
    pub now: Timestamp,
}

/// The signed-in person, in the organization that the session is for.
#[derive(Clone)]
pub struct Viewer {
    /// Name, or the e-mail address if the issuer reports no name.
    pub name: String,
    /// E-mail address, as the issuer reports it.
    pub email: Option<String>,
    /// Role in the organization.
    pub role: Role,
    /// The organization.
    pub organization: Organization,
    /// The person's other organizations.
    pub others: Vec<Organization>,
}

/// An organization by identifier and name.
#[derive(Clone)]
pub struct Organization {
    /// Identifier.
    pub id: OrganizationId,
    /// Name.
    pub name: String,
}

/// The part of the navigation that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// All tenants at a glance, and their reports.
    Portfolio,
    /// All controls, and the tenants of one.
    Controls,
    /// The list of tenants to manage.
    Tenants,
    /// Imports.
    Imports,
    /// Usage and billable users.
    Usage,
    /// Settings.
    Settings,
    /// None of them.
    Elsewhere,
}

/// Pages of the navigation.
const NAVIGATION: [(Section, &str, &str); 6] = [
    (Section::Portfolio, "/", "Overview"),
    (Section::Controls, "/controls", "Controls"),
    (Section::Tenants, "/tenants", "Tenants"),
    (Section::Imports, "/imports", "Imports"),
    (Section::Usage, "/usage", "Usage"),
    (Section::Settings, "/settings/api-keys", "Settings"),
];

impl Shell {
    /// Whether the person may do what only Admins may.
    pub fn is_admin(&self) -> bool {
        self.viewer.role == Role::Admin
    }

    /// Shows a form. It names the organization of its page, so that it is refused after a switch to another.
    pub fn form(&self, action: &str, class: &str, fields: Markup) -> Markup {
        html! { form method="post" action=(action) class=(class) { (self.named()) (fields) } }
    }

    /// Shows a form with files.
    pub fn form_with_files(&self, action: &str, class: &str, fields: Markup) -> Markup {
        html! { form method="post" action=(action) enctype="multipart/form-data" class=(class) { (self.named()) (fields) } }
    }

    /// Shows a form that is one button.
    pub fn button(&self, action: &str, class: &str, label: Markup) -> Markup {
        let button = html! { button type="submit" class={ "button " (class) } { (label) } };
        self.form(action, "inline-form", button)
    }

    /// Shows the field by which a form makes its change only once, however often it is sent.
    pub fn once(&self) -> Markup {
        hidden("form", FormId::generate(self.now).as_str())
    }

    fn named(&self) -> Markup {
        hidden(ORGANIZATION, self.viewer.organization.id.as_str())
    }

    /// Renders a page for the signed-in person.
    pub fn page(&self, section: Section, title: &str, content: Markup) -> Markup {
        let body = html! {
            header class="top" {
                div class="top-inner" {
                    (product())
                    nav aria-label="Main" {
                        ul {
                            @for (of, href, label) in NAVIGATION {
                                li { a href=(href) aria-current=[(of == section).then_some("page")] { (label) } }
                            }
                        }
                    }
                    (account(&self.viewer))
                }
            }
            main id="content" tabindex="-1" {
                (content)
            }
            footer class="bottom" {
                p { "Times are in UTC" span data-scripted hidden { ", with the time of your browser beside them" } "." }
            }
        };
        document(title, body)
    }
}

/// Renders a page for a person who is not signed in: one card in the middle.
pub fn bare(title: &str, content: Markup) -> Markup {
    let body = html! {
        main id="content" class="bare" tabindex="-1" {
            div class="bare-brand" { (product()) }
            section class="card" { (content) }
        }
    };
    document(title, body)
}

fn document(title: &str, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (text::shortened(title)) " · Posture" }
                link rel="icon" type="image/svg+xml" href=(assets::ICON.path());
                link rel="stylesheet" href=(assets::STYLE.path());
                script src=(assets::SCRIPT.path()) defer {}
            }
            body {
                a class="skip" href="#content" { "Skip to content" }
                (body)
            }
        }
    }
}

fn product() -> Markup {
    html! {
        a class="brand" href="/" {
            svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" {
                path class="brand-shape" d="M16 2.500 27.500 6.500v9c0 7-4.800 11.700-11.500 14-6.700-2.300-11.500-7-11.500-14v-9Z" {}
                path class="brand-line" d="M10.500 20v-3.500M16 20v-7M21.500 20v-10.500" {}
            }
            span { "Posture" }
        }
    }
}

/// The menu of the person: a disclosure, which works without a script and by keyboard.
fn account(viewer: &Viewer) -> Markup {
    html! {
        details class="menu account" {
            summary {
                span class="avatar" aria-hidden="true" { (initials(&viewer.name)) }
                span class="who" {
                    span class="who-organization" { (text::name(&viewer.organization.name)) }
                    span class="who-person" { (text::name(&viewer.name)) " · " (viewer.role) }
                }
            }
            div class="menu-body" {
                p class="menu-person" {
                    strong { (text::name(&viewer.name)) }
                    @if let Some(email) = &viewer.email { span class="quiet" { (text::name(email)) } }
                    span class="quiet" { (viewer.role) " of " (text::name(&viewer.organization.name)) }
                }
                @if !viewer.others.is_empty() {
                    form method="post" action="/organizations" class="menu-list" {
                        p class="menu-title" id="switch" { "Switch organization" }
                        @for other in &viewer.others {
                            button type="submit" name="organization" value=(other.id) { (text::name(&other.name)) }
                        }
                    }
                }
                form method="post" action="/sign-out" class="menu-list" { button type="submit" { "Sign out" } }
                form method="post" action="/sign-out/everywhere" class="menu-list" {
                    (hidden(ORGANIZATION, viewer.organization.id.as_str()))
                    button type="submit" { "Sign out everywhere" }
                }
            }
        }
    }
}

/// The first letters of the first and the last word of a name.
fn initials(name: &str) -> String {
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.chars().next());
    let first = words.next().unwrap_or('?');
    let last = words.next_back();
    [Some(first), last].into_iter().flatten().flat_map(char::to_uppercase).collect()
}

/// The head of a page: where it is, its name, a line about it, and what can be done.
pub struct Head<'a> {
    /// The pages above, by address and name, from the top.
    pub above: &'a [(&'a str, Markup)],
    /// Name of the page.
    pub title: Markup,
    /// A line below the name.
    pub about: Option<Markup>,
    /// Buttons.
    pub actions: Option<Markup>,
}

impl Head<'_> {
    /// Shows the head.
    pub fn show(&self) -> Markup {
        html! {
            div class="head" {
                div class="head-words" {
                    @if !self.above.is_empty() {
                        nav class="crumbs" aria-label="Breadcrumb" {
                            ol { @for (href, name) in self.above { li { a href=(href) { (name) } } } }
                        }
                    }
                    h1 { (self.title) }
                    @if let Some(about) = &self.about { p class="about" { (about) } }
                }
                @if let Some(actions) = &self.actions { div class="actions" { (actions) } }
            }
        }
    }
}

/// Shows that there is nothing yet, and what to do.
pub fn empty(title: &str, what_to_do: Markup) -> Markup {
    html! {
        div class="empty" {
            svg viewBox="0 0 48 48" width="44" height="44" aria-hidden="true" {
                rect class="empty-shape" x="8" y="6" width="32" height="36" rx="4" {}
                path class="empty-line" d="M16 17h16M16 24h16M16 31h9" {}
            }
            h2 { (title) }
            div class="empty-words" { (what_to_do) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_has_initials() {
        for (name, letters) in [
            ("Alex Rivera", "AR"),
            ("alex@northwind.example", "AE"),
            ("Ünsal", "Ü"),
            ("", "?"),
            ("<script>", "S"),
            ("田中 太郎", "田太"),
        ] {
            assert_eq!(initials(name), letters);
        }
    }

    #[test]
    fn no_page_has_script_or_style_of_its_own() {
        let page = bare("Title <b>", html! { p { "text" } }).into_string();
        assert!(page.contains("Title &lt;b&gt;"), "{page}");
        assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("onclick"), "{page}");
        assert_eq!(page.matches("<script").count(), 1);
        assert!(page.contains("<script src=\"/assets/"), "{page}");
    }
}
