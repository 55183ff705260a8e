//! The review of the top-privilege administrators.

use maud::{Markup, html};
use model::{GlobalAdmins, Status};
use web::view::text;

use super::shown::{Administrator, Page};
use crate::view::{link, table, words};

/// Shows the administrators.
pub(super) fn card(page: &Page<'_>) -> Markup {
    let review = &page.body.global_admins;
    html! {
        section class={ "card " (if page.administrators.is_empty() { "span-5" } else { "span-12" }) } aria-labelledby="administrators" {
            h2 id="administrators" { "Global administrators" }
            dl class="figures" {
                div {
                    dt { "Administrators" }
                    dd {
                        (known(review, review.count)) " " small { "of at most " (review.best_practice_max) }
                        // No tenant is without an administrator: the baseline's list was missing.
                        @if let Some(previous) = review.previous_count.filter(|count| *count > 0) {
                            small class="under" { (previous) " at the baseline" }
                        }
                    }
                }
                div {
                    dt { "With strong MFA" }
                    dd {
                        (known(review, review.strong_mfa_count))
                        @if review.data_complete { " " small { "of " (page.administrators.len()) } }
                        @else if review.strong_mfa_count > 0 { " " small { "or more" } }
                    }
                }
            }
            @if review.count > review.best_practice_max {
                p class="small" { span class="tag warn" { "Too many" } " Best practice is at most " (review.best_practice_max) "." }
            }
            @if !review.data_complete {
                p class="small quiet" { "The list of administrators is partial or missing. Import the export of administrators beside the results to see all of them." }
            }
            @if !page.administrators.is_empty() { (list(page)) }
        }
    }
}

/// Shows the administrators one by one, within their card.
fn list(page: &Page<'_>) -> Markup {
    html! {
        div class="within" role="group" aria-labelledby="administrator-list" {
            h3 id="administrator-list" { "One by one" }
            (table::framed("Administrators", html! {
                table class="rows" {
                    thead { tr {
                        th scope="col" { "Sign-in name" }
                        th scope="col" { "Status" }
                        th scope="col" { "MFA method" }
                        th scope="col" { "Enforced by" }
                        th scope="col" class="n" { "Password age" }
                        th scope="col" class="n" { "Failed sign-ins" }
                        th scope="col" { span class="away" { "Actions" } }
                    } }
                    tbody { @for of in page.administrators { (row(page, of)) } }
                }
            }))
        }
    }
}

/// Shows a number of administrators. Without a list of them, 0 means that it is not known.
fn known(review: &GlobalAdmins, number: u32) -> Markup {
    match review.data_complete || number > 0 {
        true => html! { (number) },
        false => html! { span class="quiet" { "Not known" } },
    }
}

fn row(page: &Page<'_>, of: &Administrator<'_>) -> Markup {
    let admin = of.admin;
    let edit = link::edit_administrator(&page.head.tenant.service_tenant_id, &page.head.id, &of.digest);
    html! {
        tr {
            th scope="row" {
                (text::name(&admin.user_principal_name))
                @if let Some(edit) = &of.edit { " " (edit.tag()) span class="under" { (edit.described()) } }
            }
            td { (words::pill(admin.status)) }
            td {
                (words::mfa_method(admin.mfa_method))
                @if admin.mfa_method_strong { " " span class="tag good" { "Strong" } }
                @else if admin.status != Status::NotAssessed { " " span class="tag bad" { "Weak" } }
            }
            td { (words::mfa_enforcement(admin.mfa_enforcement)) }
            td class="n nowrap" {
                @match admin.password_age_days {
                    Some(days) => (words::counted(days as usize, "day")),
                    None => span class="quiet" { "Unknown" },
                }
                @if admin.password_age_warning { " " span class="tag warn" { "Old" } }
            }
            td class="n" { (table::count(admin.failed_sign_ins)) }
            td class="n" { a class="button small" href=(edit) { "Edit" span class="away" { " " (text::name(&admin.user_principal_name)) } } }
        }
    }
}
