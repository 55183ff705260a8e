//! Every link and form of every page, followed from the overview as an Admin and as a Full Member.

use std::collections::{BTreeMap, BTreeSet};

use dashboard::CALLBACK;
use dashboard::routes::ROUTES;
use store::Sighting;
use web::route::{Access, Method};

use super::roles::Walk;
use super::send;
use crate::billable_users;
use crate::support::{TODAY, baseline_report, provider_id};
use crate::usage::{record, usage};

/// Pages that nothing links to: a person with one organization has nowhere to change to, the script sends files, only
/// Microsoft leads back, and the link that confirms an address is in a mail.
const UNLINKED: [&str; 4] = ["/organizations", "/imports/files", CALLBACK, "/settings/mail/confirm/{confirmation}"];

/// Returns the values of an attribute in a page, as a browser reads them.
fn values<'a>(page: &'a str, opening: &'a str) -> impl Iterator<Item = String> + 'a {
    page.split(opening).skip(1).filter_map(|rest| rest.split('"').next()).map(|value| value.replace("&amp;", "&"))
}

fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern.iter().zip(&path).all(|(part, value)| part == value || (part.starts_with('{') && !value.is_empty()))
}

/// The pages that links from the overview lead to.
pub(super) struct Crawl {
    /// Texts by address; a file has none.
    pub(super) pages: BTreeMap<String, String>,
    /// The patterns of their routes, and of those that their forms are sent to.
    reached: BTreeSet<&'static str>,
}

/// Follows all links from the overview.
pub(super) async fn follow(walk: &Walk, cookie: &str, role: Access) -> Crawl {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let mut waiting = vec![("the start".to_owned(), "/".to_owned())];
    let mut reached = BTreeSet::new();
    let mut fragments = Vec::new();
    while let Some((on, link)) = waiting.pop() {
        let (address, fragment) = link.split_once('#').unwrap_or((&link, ""));
        let address = match address {
            "" => on.clone(),
            query if query.starts_with('?') => format!("{}{query}", on.split('?').next().unwrap()),
            address => address.to_owned(),
        };
        let address = &*address;
        if !fragment.is_empty() {
            fragments.push((on.clone(), address.to_owned(), fragment.to_owned()));
        }
        if pages.contains_key(address) {
            continue;
        }
        let response = send(&walk.router, "GET", address, Some(cookie), "").await;
        assert_eq!(response.status, 200, "{address}, linked on {on}");
        let path = address.split('?').next().unwrap();
        let route = ROUTES.iter().find(|route| route.method == Method::Get && fits(route.path, path));
        reached.insert(route.unwrap_or_else(|| panic!("{address} has no route")).path);
        let is_page = response.headers["content-type"].to_str().unwrap().starts_with("text/html");
        let text = if is_page { response.text } else { String::new() };
        for link in values(&text, "href=\"").chain(values(&text, "src=\"")) {
            waiting.push((address.to_owned(), link));
        }
        for link in values(&text, "method=\"get\" action=\"") {
            waiting.push((address.to_owned(), link));
        }
        for action in values(&text, "method=\"post\" action=\"") {
            let route = ROUTES.iter().find(|route| route.method == Method::Post && fits(route.path, &action));
            let route = route.unwrap_or_else(|| panic!("{address} has a form for {action}, which no route handles"));
            assert!(role == Access::Admin || route.access != Access::Admin, "{address} offers {action}");
            reached.insert(route.path);
        }
        pages.insert(address.to_owned(), text);
    }
    for (on, address, fragment) in fragments {
        let marked = format!(" id=\"{fragment}\"");
        assert!(pages[&address].contains(&marked), "{address}#{fragment}, linked on {on}");
    }
    Crawl { pages, reached }
}

#[tokio::test]
async fn every_link_and_form_leads_somewhere_and_every_route_is_linked() {
    let walk = Walk::new().await;
    let later = baseline_report("2026-08-01T00:00:00Z");
    walk.app.org_a.add_report(&walk.app.org_a.tenants[0], "rpt_later", &later).await;
    let tenant = &walk.app.org_a.tenants[0];
    walk.app.org_a.add_report_of("Prowler", tenant, "rpt_other", &later).await;
    let provider = provider_id(tenant).parse().unwrap();
    walk.app.org_a.writer().connect_tenant(tenant, &provider, Sighting::Open(None)).await.unwrap();
    record(&walk.app.org_a, TODAY, &[usage(tenant.as_str(), "Active", 3)]).await;
    billable_users::record(&walk.app.org_a, 0, &[billable_users::user(1)]).await;
    let target = &walk.app.org_a.organization.targets().await.unwrap()[0].target_id;
    let (mut by_admin, mut by_member) = (BTreeSet::new(), BTreeSet::new());
    for paused in [false, true] {
        walk.app.org_a.writer().pause_tenant(tenant, paused).await.unwrap();
        walk.app.org_a.writer().pause_target(target, paused).await.unwrap();
        by_admin.extend(follow(&walk, &walk.admin, Access::Admin).await.reached);
        by_member.extend(follow(&walk, &walk.member, Access::Member).await.reached);
    }
    for route in ROUTES.iter().filter(|route| route.access != Access::Public && !UNLINKED.contains(&route.path)) {
        assert!(by_admin.contains(route.path), "no page of an Admin leads to {}", route.path);
        let is_reached = by_member.contains(route.path);
        assert!(is_reached || route.access == Access::Admin, "no page of a Full Member leads to {}", route.path);
    }
}
