//! Search in lists, by the same rules as the script: all words, in any letter case, with or without accents.

use icu_normalizer::DecomposingNormalizerBorrowed;
use maud::{Markup, html};
use web::view::text;

/// Returns whether every word of a query is in the texts.
pub(crate) fn finds<'a>(query: &str, texts: impl IntoIterator<Item = &'a str>) -> bool {
    if query.trim().is_empty() {
        return true;
    }
    let text = folded(&texts.into_iter().collect::<Vec<_>>().join("\n"));
    folded(query).split_whitespace().all(|word| text.contains(word))
}

fn folded(text: &str) -> String {
    let letters = text.to_lowercase();
    let letters = DecomposingNormalizerBorrowed::new_nfd().normalize(&letters);
    letters.chars().filter(|letter| !matches!(letter, '\u{300}'..='\u{36f}')).collect()
}

/// Shows the form that finds tenants by name in the list `tenants`. `fields` are kept in the address.
pub(crate) fn tenants(action: &str, query: &str, fields: Markup) -> Markup {
    html! {
        form class="filters" method="get" action=(action) role="search" aria-label="Find tenants" {
            (fields)
            label class="grow" { span class="away" { "Name of the tenant" }
                input type="search" name="q" value=(query) placeholder="Find a tenant" data-filter="tenants" data-count="tenants-count"; }
            button class="button" type="submit" { "Find" }
        }
    }
}

/// Shows a choice of a filter, which can be left open.
pub(crate) fn choice<V: AsRef<str>>(
    name: &str,
    label: &str,
    value: &str,
    choices: impl IntoIterator<Item = (V, impl AsRef<str>)>,
) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                option value="" { "All" }
                @for (id, name) in choices { option value=(id.as_ref()) selected[id.as_ref() == value] { (text::shortened(name.as_ref())) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_order_case_and_with_or_without_accents() {
        let texts = ["Zürich Café GmbH", "MS.AAD.1.1"];
        for query in ["", "  ", "zurich", "ZÜRICH", "cafe zürich", "gmbh aad.1", "Zu\u{308}rich"] {
            assert!(finds(query, texts), "{query}");
        }
        for query in ["zuerich", "cafe bern", "zürichcafé"] {
            assert!(!finds(query, texts), "{query}");
        }
    }
}
