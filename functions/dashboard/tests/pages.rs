//! Every page of the gallery, with names and texts that attack, keeps to the rules of the pages' policy.

#[allow(dead_code, reason = "the gallery's main function writes files, which this test does not")]
#[path = "../examples/gallery/main.rs"]
mod gallery;

use std::collections::HashSet;

fn each_page(check: impl Fn(&str, &str)) {
    let pages = gallery::pages();
    assert!(pages.len() > 40, "{} pages", pages.len());
    for (name, page) in pages {
        check(name, &page.into_string());
    }
}

#[test]
fn no_page_has_inline_script_or_style() {
    each_page(|name, page| {
        assert!(!page.contains(" style=") && !page.contains("<style"), "{name}");
        let scripts: Vec<_> = page.split("<script").skip(1).collect();
        assert!(scripts.len() == 1 && scripts[0].starts_with(" src=\"/assets/"), "{name}: {} scripts", scripts.len());
        for opening in page.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
            assert!(!opening.contains(" onload=") && !opening.contains(" onclick="), "{name}: {opening}");
        }
    });
}

#[test]
fn nothing_turns_the_text_around_or_buries_the_page() {
    each_page(|name, page| {
        assert!(!page.contains('\u{202e}'), "{name}");
        assert!(!page.contains(&"W".repeat(200)) && !page.contains(&"Very".repeat(50)), "{name}");
    });
}

#[test]
fn every_page_has_one_heading_and_each_identifier_once() {
    each_page(|name, page| {
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
        let ids: Vec<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let unique: HashSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len(), "{name}");
        for described in page.split(" aria-describedby=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            for id in described.split(' ') {
                assert!(ids.contains(&id), "{name}: nothing has the identifier {id}");
            }
        }
    });
}
