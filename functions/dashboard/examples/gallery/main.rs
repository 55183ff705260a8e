//! Writes all pages with invented data as files, to look at them and to check them:
//! `cargo run -p dashboard --example gallery FOLDER`.

#![allow(clippy::unwrap_used, reason = "the data are invented here and known to be well-formed")]

mod managing;
mod sample;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dashboard::assets;
use dashboard::view::{portfolio, report};
use maud::Markup;
use model::Role;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).expect("the folder to write to, as the one argument");
    let folder = Path::new(&folder);
    fs::create_dir_all(folder.join("assets"))?;
    for asset in assets::all() {
        fs::write(folder.join(asset.path().trim_start_matches('/')), asset.bytes)?;
    }
    for (name, page) in pages() {
        fs::write(folder.join(format!("{name}.html")), page.into_string())?;
    }
    Ok(())
}

pub(crate) fn pages() -> Vec<(&'static str, Markup)> {
    let mut pages = Vec::new();
    reading(&mut pages);
    managing::pages(&mut pages);
    pages
}

fn reading(pages: &mut Vec<(&'static str, Markup)>) {
    let shell = sample::shell(Role::Admin);
    let rows = sample::portfolio_rows();
    let query = portfolio::Query::default();
    let harmless = &rows[..14];
    pages.push(("portfolio", portfolio::page(&portfolio::Page { shell: &shell, rows: harmless, query: &query })));
    pages.push(("portfolio-attacks", portfolio::page(&portfolio::Page { shell: &shell, rows: &rows, query: &query })));
    pages.push(("portfolio-empty", portfolio::page(&portfolio::Page { shell: &shell, rows: &[], query: &query })));
    let none = portfolio::Query { q: "nobody".to_owned(), ..Default::default() };
    pages.push(("portfolio-none", portfolio::page(&portfolio::Page { shell: &shell, rows: &rows, query: &none })));
    pages.push(("report", report_page(130, false, &report::Filter::default())));
    pages.push(("report-attacks", report_page(130, true, &report::Filter::default())));
    let one = report::Filter { status: "DRIFTED".to_owned(), ..Default::default() };
    pages.push(("report-filtered", report_page(130, false, &one)));
    let none = report::Filter { q: "nothing like this".to_owned(), ..Default::default() };
    pages.push(("report-none", report_page(130, false, &none)));
}

fn report_page(checks: usize, attacks: bool, filter: &report::Filter) -> Markup {
    let report = sample::report(checks, attacks);
    let admins = &report.body.global_admins.admins;
    let administrators: Vec<_> =
        admins.iter().map(|admin| report::Administrator { admin, digest: "00ff".to_owned(), edit: None }).collect();
    report::page(&report::Page {
        shell: &sample::shell(Role::Admin),
        head: &report.head,
        body: &report.body,
        tool: "ScubaGear",
        history: &sample::series(),
        edits: &if attacks { BTreeMap::new() } else { sample::edits(&report.body.checks) },
        administrators: &administrators,
        filter,
        has_pdf: true,
    })
}
