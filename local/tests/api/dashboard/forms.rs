//! Forms: of one organization, sent once, and not lost when a session ends.

use axum::Router;
use dashboard::routes::ROUTES;
use model::{KeyScope, Role};
use store::{Membership, Organization};
use web::route::{Access, Method, Route};

use super::roles::{Walk, filled, form, hidden};
use super::{Received, dashboard_of, join, multipart, send, send_from, sign_in, with_fields};
use crate::support::{DASHBOARD, TestApp};

/// Somebody who is an Admin of both organizations, in two tabs of one browser.
struct OfTwo {
    app: TestApp,
    router: Router,
    in_a: String,
    in_b: String,
    b: Membership,
}

impl OfTwo {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let a = join(&app, &app.org_a.organization, Role::Admin, "Amara").await;
        let b = join(&app, &app.org_b.organization, Role::Admin, "Amara").await;
        Self { router: dashboard_of(&app), in_a: sign_in(&app, &a).await, in_b: sign_in(&app, &b).await, b, app }
    }

    async fn keys(&self) -> [usize; 2] {
        [keys(&self.app.org_a.organization).await, keys(&self.app.org_b.organization).await]
    }

    async fn post(&self, path: &str, cookie: &str, form: impl AsRef<[u8]>) -> Received {
        send_from(&self.router, "POST", path, Some(cookie), form, DASHBOARD).await
    }
}

async fn keys(organization: &Organization) -> usize {
    organization.keys().await.unwrap().len()
}

/// Returns the cookie that a response sets.
fn cookie(of: &Received) -> String {
    of.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

/// Returns the hidden fields of the last form in a page, as a browser sends them.
fn last_form(page: &str) -> String {
    let form = page.rsplit_once("<form").unwrap().1;
    let mut fields = form_urlencoded::Serializer::new(String::new());
    for field in form.split("<input type=\"hidden\" name=\"").skip(1) {
        let (name, rest) = field.split_once("\" value=\"").unwrap();
        fields.append_pair(name, rest.split('"').next().unwrap());
    }
    fields.finish()
}

/// The routes that forms of an organization are sent to.
fn forms() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|of| of.method == Method::Post && matches!(of.access, Access::Member | Access::Admin))
}

#[tokio::test]
async fn a_form_changes_nothing_in_the_organization_that_was_switched_to() {
    let of = OfTwo::new().await;
    let before = of.keys().await;
    let sent = "form=form_1&description=Nightly+export&organization=org_a";
    let refused = of.post("/settings/api-keys", &of.in_b, sent).await;
    assert_eq!((refused.status, of.keys().await), (409, before));
    for said in ["You switched to ", "Organization B", "Organization A", "Nightly export", "Nothing was saved"] {
        assert!(refused.text.contains(said), "{said}: {}", refused.text);
    }

    // The way back leads to the form with what was typed, and the form then works.
    let back = last_form(&refused.text);
    let switched = of.post("/organizations", &of.in_b, &back).await;
    assert_eq!((switched.status, switched.location()), (307, "/settings/api-keys"));
    let again = of.post("/settings/api-keys", &cookie(&switched), &back).await;
    assert_eq!((again.status, of.keys().await), (200, before));
    assert!(again.text.contains("value=\"Nightly export\"") && again.text.contains("Nothing is saved yet"));
    let form = hidden(&again.text, "form").unwrap();
    let sent = format!("form={form}&description=Nightly+export&organization=org_a");
    assert_eq!(of.post("/settings/api-keys", &cookie(&switched), &sent).await.status, 200);
    assert_eq!(of.keys().await, [before[0] + 1, before[1]]);
}

#[tokio::test]
async fn no_form_is_accepted_for_another_organization_or_without_one() {
    let walk = Walk::new().await;
    for route in forms() {
        let path = filled(route.path, &walk.own).unwrap();
        let before = walk.app.items().await;
        for (organization, status) in [(Some("org_b"), 409), (None, 400)] {
            let sent = match organization {
                Some(id) => with_fields(&form(&path, ""), &[("organization", id)]),
                None => form(&path, ""),
            };
            let refused = send_from(&walk.router, "POST", &path, Some(&walk.admin), sent, DASHBOARD).await;
            assert_eq!(refused.status, status, "{path}");
            assert!(!refused.text.contains("Organization B"), "{path} names an organization of others");
            assert_eq!(walk.app.items().await, before, "{path}");
        }
    }
}

#[tokio::test]
async fn a_link_of_another_organization_says_so_to_its_members_alone() {
    let of = OfTwo::new().await;
    let only_b = join(&of.app, &of.app.org_b.organization, Role::Admin, "Bela").await;
    let only_b = sign_in(&of.app, &only_b).await;
    let tenant = &of.app.org_a.tenants[0];
    for path in [
        format!("/tenants/{tenant}?q=1"),
        format!("/tenants/{tenant}/reports/rpt_1"),
        format!("/billable-users/{tenant}"),
    ] {
        // Switching has ended the session before.
        let in_b = sign_in(&of.app, &of.b).await;
        let page = send(&of.router, "GET", &path, Some(&in_b), "").await;
        assert_eq!(page.status, 404);
        assert!(page.text.contains("This page is in another organization") && page.text.contains("Organization A"));
        let switched = of.post("/organizations", &in_b, last_form(&page.text)).await;
        assert_eq!((switched.status, switched.location()), (303, &*path));
        assert!(cookie(&switched).contains("=org_a~"));
        let stranger = send(&of.router, "GET", &path, Some(&only_b), "").await;
        assert!(stranger.status == 404 && !stranger.text.contains("Organization A"), "{}", stranger.text);
    }
    let unknown = send(&of.router, "GET", "/tenants/ten_unknown", Some(&sign_in(&of.app, &of.b).await), "").await;
    assert!(unknown.status == 404 && !unknown.text.contains("another organization"), "{}", unknown.text);
}

#[tokio::test]
async fn switching_leads_to_no_other_site() {
    let of = OfTwo::new().await;
    for field in ["to", "resume"] {
        let sent = format!("organization=org_a&{field}=%2F%2Fevil.example");
        let switched = of.post("/organizations", &sign_in(&of.app, &of.b).await, sent).await;
        assert_eq!((switched.status, switched.location()), (303, "/"), "{field}");
    }
}

#[tokio::test]
async fn the_page_of_organizations_has_all_of_a_persons_and_the_role_in_each() {
    let app = TestApp::new().await;
    join(&app, &app.org_a.organization, Role::Admin, "Amara").await;
    let b = join(&app, &app.org_b.organization, Role::FullMember, "Amara").await;
    let page = send(&dashboard_of(&app), "GET", "/organizations", Some(&sign_in(&app, &b).await), "").await;
    for (name, role) in [("Organization A", Role::Admin), ("Organization B", Role::FullMember)] {
        let shown = format!("<strong><bdi class=\"name\">{name}</bdi></strong><span class=\"under\">{role}</span>");
        assert!(page.text.contains(&shown), "{}", page.text);
    }
}

#[tokio::test]
async fn a_form_that_outlives_its_session_is_shown_again_with_what_was_typed() {
    let of = OfTwo::new().await;
    let sent = "name=Fabrikam+GmbH&providerTenantId=77777777-7777-7777-7777-777777777777&organization=org_a";
    let refused = send_from(&of.router, "POST", "/tenants", None, sent, DASHBOARD).await;
    assert_eq!(refused.status, 401);
    assert!(refused.text.contains("Nothing was saved") && refused.text.contains("Fabrikam GmbH"), "{}", refused.text);
    let again = of.post("/tenants", &of.in_a, last_form(&refused.text)).await;
    assert_eq!(again.status, 200);
    assert!(again.text.contains("value=\"Fabrikam GmbH\"") && again.text.contains("Nothing is saved yet"));
    assert_eq!(of.post("/tenants", &of.in_a, sent).await.status, 303);

    // Files are not kept, but the fields beside them are.
    let brand =
        with_fields(&multipart(&[("seen", "0"), ("footer", "For you alone")], None), &[("organization", "org_a")]);
    let refused = send_from(&of.router, "POST", "/settings/brand", None, &brand, DASHBOARD).await;
    assert!(refused.text.contains("Choose files again") && refused.text.contains("multipart/form-data"));
    let again = with_fields(&brand, &[("resume", "/settings/brand")]);
    let again = of.post("/settings/brand", &of.in_a, again).await;
    assert!(again.status == 200 && again.text.contains("value=\"For you alone\""), "{}", again.text);
}

#[tokio::test]
async fn a_form_that_is_shown_again_changes_nothing() {
    let walk = Walk::new().await;
    let before = walk.app.items().await;
    for route in forms() {
        let path = filled(route.path, &walk.own).unwrap();
        let resumed = with_fields(&form(&path, ""), &[("resume", &path)]);
        let shown = send(&walk.router, "POST", &path, Some(&walk.admin), resumed).await;
        assert!(matches!(shown.status, 200 | 303), "{path}: {}", shown.status);
        assert_eq!(walk.app.items().await, before, "{path}");
    }
}

#[tokio::test]
async fn a_key_is_created_for_what_its_form_says() {
    let of = OfTwo::new().await;
    let before = of.keys().await;
    let send_form = async |fields: &str| {
        let page = send(&of.router, "GET", "/settings/api-keys", Some(&of.in_a), "").await.text;
        let sent = format!("{fields}&form={}", hidden(&page, "form").unwrap());
        send(&of.router, "POST", "/settings/api-keys", Some(&of.in_a), &sent).await
    };
    for (fields, status) in [
        ("scope=READ&tenant=ten_a1", 200),
        ("scope=IMPORT&tenant=ten%23", 200),
        ("scope=IMPORT&tenant=ten_b1", 404),
        ("scope=IMPORT&tenant=ten_unknown", 404),
        ("scope=WRITE", 400),
    ] {
        let refused = send_form(fields).await;
        assert_eq!(refused.status, status, "{fields}");
        assert!(!refused.text.contains("Copy the key now"), "{fields}");
    }
    assert_eq!(of.keys().await, before);
    send_form("scope=IMPORT&tenant=").await;
    let created = send_form("scope=IMPORT&tenant=ten_a1").await;
    assert!(created.text.contains("https://api.example/v1/imports"), "{}", created.text);
    let listed: Vec<_> = of.app.org_a.organization.keys().await.unwrap().split_off(1);
    let mut listed: Vec<_> = listed.into_iter().map(|key| (key.scope, key.service_tenant_id)).collect();
    // Keys of one millisecond are in any order.
    listed.sort_by_key(|(_, tenant)| tenant.clone());
    assert_eq!(listed, [(KeyScope::Import, None), (KeyScope::Import, Some("ten_a1".parse().unwrap()))]);
    let page = send(&of.router, "GET", "/settings/api-keys", Some(&of.in_a), "").await.text;
    assert!(page.contains("Imports for ") && page.contains("Tenant a1"), "{page}");
}

#[tokio::test]
async fn a_form_that_is_sent_again_creates_nothing_more() {
    let of = OfTwo::new().await;
    let before = of.keys().await[0];
    let page = send(&of.router, "GET", "/settings/api-keys", Some(&of.in_a), "").await.text;
    let sent = format!("description=CI&form={}", hidden(&page, "form").unwrap());
    let created = send(&of.router, "POST", "/settings/api-keys", Some(&of.in_a), &sent).await;
    assert!(created.status == 200 && created.text.contains("Copy the key now"), "{}", created.text);
    // Deleting the key does not make room for another.
    let id = of.app.org_a.organization.keys().await.unwrap().pop().unwrap().key_id;
    for deletes in [false, true] {
        if deletes {
            of.app.org_a.writer().delete_key(&id).await.unwrap();
        }
        let reloaded = send(&of.router, "POST", "/settings/api-keys", Some(&of.in_a), &sent).await;
        assert_eq!((reloaded.status, of.keys().await[0]), (409, before + usize::from(!deletes)));
        assert!(reloaded.text.contains("already sent") && !reloaded.text.contains("Copy the key now"));
    }

    let page = send(&of.router, "GET", "/settings/members", Some(&of.in_a), "").await.text;
    let sent = format!("role=ADMIN&form={}", hidden(&page, "form").unwrap());
    for status in [200, 409] {
        assert_eq!(send(&of.router, "POST", "/settings/invitations", Some(&of.in_a), &sent).await.status, status);
        assert_eq!(of.app.org_a.organization.invitations(super::now(&of.app)).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn pausing_a_tenant_and_giving_up_a_role_ask_first() {
    let of = OfTwo::new().await;
    join(&of.app, &of.app.org_a.organization, Role::Admin, "Other").await;
    let tenant = format!("/tenants/{}", of.app.org_a.tenants[0]);
    let page = async |path: &str| send(&of.router, "GET", path, Some(&of.in_a), "").await.text;
    for path in ["/tenants", &tenant] {
        assert!(!page(path).await.contains(&format!("action=\"{tenant}/pause\"")), "{path} pauses by one click");
    }
    assert!(page(&format!("{tenant}/pause")).await.contains(&format!("action=\"{tenant}/pause\"")));

    let members = of.app.org_a.organization.members().await.unwrap();
    let own = members.iter().find(|member| member.name == "Amara").unwrap();
    let role = format!("/settings/members/{}/role", own.member_id);
    let list = page("/settings/members").await;
    assert!(list.contains(&format!("href=\"{role}\"")) && !list.contains(&format!("action=\"{role}\"")));
    let question = page(&role).await;
    assert!(question.contains("This is your own role") && question.contains(&format!("action=\"{role}\"")));
}
