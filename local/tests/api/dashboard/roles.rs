//! The table of routes, walked by everybody: nobody, a Full Member, an Admin, and an Admin of another organization.

use axum::Router;
use dashboard::CALLBACK;
use dashboard::routes::ROUTES;
use model::{EventRules, Pace, Role, TargetShape};
use store::{
    Delivery, DeliveryState, DocumentSet, Draft, ImportDetails, Keep, Membership, Organization, RequestState,
    StoreError, UploadedFile, Waiting, Which, Writer,
};
use web::route::{Access, Method, Route};

use super::{Received, dashboard_of, join, multipart, now, send, send_from, sign_in, upload, with_fields};
use crate::support::{TestApp, baseline_report, by_operator, follow_up_report};

/// Fields that every form finds its own among. The organization's name is not a tenant's, so nothing is removed by it.
const FORM: &str = "name=Renamed&description=For+a+test&role=FULL_MEMBER&note=For+a+test&form=form_1\
                    &providerTenantId=77777777-7777-7777-7777-777777777777\
                    &tool=scubagear&every=daily&from=22&hours=6&labels=Gold&url=https://hooks.example/&kind=control.drifted&shape=WEBHOOK&days=14&objects=01234567-89ab-4def-8123-456789abcdef&control=X.1&status=IN_PROGRESS&currentState=Half&administrator=";

/// The upload that the recorded imports wait with.
const UPLOAD: &str = "upl_waiting";

/// When a member asked for a confirmation: an hour ago.
const ASKED: &str = "2026-07-15T11:00:00Z";

/// Digest of the sign-in name `sms@example.org`.
const ADMINISTRATOR: &str = "f44ac43d58d9f92d5debdfa99cde2966";

pub(super) struct Walk {
    pub(super) app: TestApp,
    pub(super) router: Router,
    pub(super) member: String,
    pub(super) admin: String,
    foreign: String,
    /// Parameters of paths by name: own, foreign, removed and unknown ones.
    pub(super) own: Vec<(&'static str, String)>,
    others: Vec<Vec<(&'static str, String)>>,
}

impl Walk {
    pub(super) async fn new() -> Self {
        let app = TestApp::new().await;
        let (a, b) = (&app.org_a.organization, &app.org_b.organization);
        let admin = join(&app, a, Role::Admin, "admin").await;
        let member = join(&app, a, Role::FullMember, "member").await;
        let target = join(&app, a, Role::FullMember, "target").await;
        let foreign = join(&app, b, Role::Admin, "foreign").await;
        let invitation = |(_, record): (_, store::InvitationRecord)| record.invitation_id.to_string();
        let own_invitation = invitation(by_operator(a, now(&app)).invite(Role::Admin, None).await.unwrap());
        let foreign_invitation = invitation(by_operator(b, now(&app)).invite(Role::Admin, None).await.unwrap());
        let mut report = baseline_report("2026-07-01T00:00:00Z");
        let administrator = &follow_up_report("2026-07-01T00:00:00Z")["globalAdmins"]["admins"][3];
        report["globalAdmins"]["admins"] = [administrator.clone()].into_iter().collect();
        app.org_a.add_report(&app.org_a.tenants[0], "rpt_own", &report).await;
        keep_an_edit(&app).await;
        app.org_a.add_report(&app.org_a.tenants[1], "rpt_removed", &report).await;
        app.org_b.add_report(&app.org_b.tenants[0], "rpt_foreign", &report).await;
        app.org_a.remove_tenant(&app.org_a.tenants[1]).await;
        let ((own_target, own_event), (foreign_target, foreign_event)) = (told(a).await, told(b).await);
        let (own_mail, own_confirmation) = mailed(a, &member).await;
        let (foreign_mail, foreign_confirmation) = mailed(b, &foreign).await;
        mailed(a, &admin).await;
        let own = vec![
            ("mail", own_mail),
            ("confirmation", own_confirmation),
            ("tenant", app.org_a.tenants[0].to_string()),
            ("report", "rpt_own".to_owned()),
            ("key", app.org_a.key_id.to_string()),
            ("member", target.member_id.to_string()),
            ("invitation", own_invitation),
            ("import", record_import(a, "failed for org_a").await),
            ("target", own_target),
            ("event", own_event),
            ("set", complete_set(a).await),
        ];
        let others = vec![
            vec![
                ("mail", foreign_mail),
                ("confirmation", foreign_confirmation),
                ("tenant", app.org_b.tenants[0].to_string()),
                ("report", "rpt_foreign".to_owned()),
                ("key", app.org_b.key_id.to_string()),
                ("member", foreign.member_id.to_string()),
                ("invitation", foreign_invitation),
                ("import", record_import(b, "failed for org_b").await),
                ("target", foreign_target),
                ("event", foreign_event),
                ("set", complete_set(b).await),
            ],
            vec![("tenant", app.org_a.tenants[1].to_string()), ("report", "rpt_removed".to_owned())],
            vec![
                ("mail", "tgt_unknown".to_owned()),
                ("confirmation", "unknown".to_owned()),
                ("tenant", "ten_unknown".to_owned()),
                ("report", "rpt_unknown".to_owned()),
                ("key", "key_unknown".to_owned()),
                ("member", "mem_unknown".to_owned()),
                ("invitation", "inv_unknown".to_owned()),
                ("import", "imp_unknown".to_owned()),
                ("target", "tgt_unknown".to_owned()),
                ("event", "evt_unknown".to_owned()),
                ("set", "req_unknown".to_owned()),
            ],
        ];
        let (member, admin) = (sign_in(&app, &member).await, sign_in(&app, &admin).await);
        let foreign = sign_in(&app, &foreign).await;
        Self { router: dashboard_of(&app), app, member, admin, foreign, own, others }
    }

    pub(super) async fn ask(&self, route: &Route, path: &str, cookie: Option<&str>) -> Received {
        let query = format!("{path}?control=X.1&administrator={ADMINISTRATOR}");
        match route.method {
            Method::Get => send(&self.router, "GET", &query, cookie, "").await,
            Method::Post => {
                if path.ends_with("/kept-edits/end") || path.ends_with("/set-back") {
                    keep_an_edit(&self.app).await;
                }
                // What the form of an edit has seen, as a browser sends it back.
                let page = if path.contains("/edit") || path.ends_with("/task") || path.ends_with("/set-back") {
                    send(&self.router, "GET", &query, cookie, "").await.text
                } else {
                    String::new()
                };
                if path.starts_with("/imports/imp") {
                    keep_a_file(&self.app.org_a.organization).await;
                }
                let mut form = form(path, hidden(&page, "seen").unwrap_or_default());
                if path.ends_with("/add-member") {
                    let member = self.own.iter().find(|(name, _)| *name == "member").map(|(_, id)| id.as_bytes());
                    form.extend_from_slice(member.unwrap());
                }
                send(&self.router, "POST", path, cookie, form).await
            }
        }
    }
}

/// The form of a path, with what it has seen.
pub(super) fn form(path: &str, seen: &str) -> Vec<u8> {
    match path {
        "/settings/brand" => multipart(&[("seen", "0"), ("name", "Renamed")], None),
        "/imports" | "/imports/files" => upload(&[], &[("notes.txt", b"No results.")]),
        "/controls/edit" => b"filter=%3Fcontrol%3DX.1%26tool%3Dscubagear&do=end".to_vec(),
        // A form makes one, and a kind is that of documents.
        "/settings/mail/confirmation" => Vec::new(),
        // A form adds one.
        "/settings/mail" => {
            format!("name=Mine&every=DAY&form={}", model::FormId::generate(crate::support::later())).into_bytes()
        }
        "/settings/notifications/add-member" => b"name=Hers&every=DAY&form=form_1&member=".to_vec(),
        "/documents/schedule" => {
            format!("every=monthly:1&form={}", model::FormId::generate(crate::support::later())).into_bytes()
        }
        "/documents" => format!("form={}", model::FormId::generate(crate::support::later())).into_bytes(),
        "/settings/texts/edit" => format!("control=X.1&tool=scubagear&seen={seen}&why=Because").into_bytes(),
        path if path.ends_with("/set-back") => format!("control=X.1&field=why&seen={seen}").into_bytes(),
        "/organizations" => b"organization=org_unknown".to_vec(),
        _ => format!("{FORM}{ADMINISTRATOR}&seen={seen}").into_bytes(),
    }
}

/// Keeps an edit of the organization's own report, which is gone once somebody has ended it.
async fn keep_an_edit(app: &TestApp) {
    let reason = |draft: &mut Draft<'_>| {
        draft.body.checks[0].why = Some("A reason to keep.".to_owned());
        Ok::<_, StoreError>(Keep { fields: Some(true), risk: false })
    };
    app.org_a.writer().edit_and_keep(&"rpt_own".parse().unwrap(), Some("X.1"), reason).await.unwrap();
}

pub(super) async fn record_import(organization: &Organization, failure: &str) -> String {
    let writer = by_operator(organization, crate::support::time("2026-07-01T00:00:00Z"));
    let failure = ("a.json".to_owned(), failure.to_owned());
    keep_a_file(organization).await;
    let waiting =
        Waiting { upload: UPLOAD.parse().unwrap(), tenants: vec![None], completed_at: None, as_baseline: false };
    let details = ImportDetails { failures: vec![failure], waiting: Some(waiting), ..Default::default() };
    writer.record_import(1, &details).await.unwrap().to_string()
}

/// Adds a target, to which the organization's first event was delivered. Returns the identifiers of both.
async fn told(organization: &Organization) -> (String, String) {
    let writer = by_operator(organization, crate::support::time("2026-07-01T00:00:00Z"));
    let url = "https://hooks.example/in".parse().unwrap();
    let target = writer
        .add_target("Tickets".parse().unwrap(), url, TargetShape::Webhook, EventRules::default())
        .await
        .unwrap()
        .target;
    let change = organization.changes_since(crate::support::time("2026-01-01T00:00:00Z")).await.unwrap().remove(0);
    let event = organization.events_of(change.written_at, &change.id).await.unwrap().remove(0);
    let delivery = Delivery {
        target_id: target.target_id.clone(),
        event_id: event.id.clone(),
        kind: Some(event.kind),
        written_at: change.written_at,
        state: DeliveryState::Delivered,
        attempts: 1,
        attempted_at: crate::support::time("2026-07-01T00:00:00Z"),
        status: Some(204),
        problem: None,
        next_at: None,
        events: None,
    };
    writer.record_delivery(delivery).await.unwrap();
    (target.target_id.to_string(), event.id.to_string())
}

/// Gives a member mail, and asks for a confirmation. Returns the target and the secret.
async fn mailed(organization: &Organization, member: &Membership) -> (String, String) {
    let at = crate::support::time(ASKED);
    let writer = note_address(organization, member).await;
    let target = writer.add_own_mail("Mine".parse().unwrap(), Pace::Day, EventRules::default()).await.unwrap();
    writer.ask_confirmation().await.unwrap();
    let (_, secret) = writer.begin_confirmation(&member.member_id, at).await.unwrap();
    (target.target_id.to_string(), secret.reveal().to_owned())
}

async fn note_address(organization: &Organization, member: &Membership) -> Writer {
    let record = organization.member(&member.member_id).await.unwrap().unwrap();
    let writer = organization.by(&record.actor(), crate::support::time(ASKED));
    writer.note_address(Some("someone@mail.example")).await.unwrap();
    writer
}

/// Requests documents, of which there are none.
async fn complete_set(organization: &Organization) -> String {
    let writer = by_operator(organization, chrono::Utc::now().try_into().unwrap());
    let set = writer.request_documents(Which::default(), "{}".to_owned()).await.unwrap();
    let complete = DocumentSet { state: RequestState::Completed, documents: 1, ..set };
    writer.continue_documents(complete).await.unwrap().unwrap().set_id.to_string()
}

/// Keeps a file of the upload that an import waits with, which is gone once it has a tenant.
async fn keep_a_file(organization: &Organization) {
    let writer = by_operator(organization, chrono::Utc::now().try_into().unwrap());
    let file = UploadedFile { name: "notes.txt".to_owned(), content: b"No results.".to_vec() };
    writer.keep_file(&UPLOAD.parse().unwrap(), 0, &file).await.unwrap();
}

/// The value of a hidden field in a page.
pub(crate) fn hidden<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let opening = format!("<input type=\"hidden\" name=\"{name}\" value=\"");
    page.split_once(&opening)?.1.split('"').next()
}

/// The path with its parameters filled in; `None` if there is none for one of them.
pub(super) fn filled(path: &str, values: &[(&str, String)]) -> Option<String> {
    let mut filled = path.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    (!filled.contains('{')).then_some(filled)
}

fn is_success(response: &Received) -> bool {
    matches!(response.status, 200 | 204) || (response.status == 303 && !response.location().starts_with("/sign-in"))
}

#[tokio::test]
async fn every_route_serves_whom_it_is_for_and_nobody_else() {
    for route in ROUTES.iter().filter(|route| route.access != Access::Public) {
        let walk = Walk::new().await;
        let own = filled(route.path, &walk.own).unwrap_or_else(|| panic!("{}: fill in its parameters", route.path));
        let nobody = walk.ask(route, &own, None).await;
        match route.method {
            Method::Get => assert_eq!((nobody.status, nobody.location().starts_with("/sign-in")), (303, true), "{own}"),
            Method::Post => {
                assert_eq!((nobody.status, nobody.text.contains("Nothing was saved")), (401, true), "{own}");
            }
        }
        let mut page = None;
        for other in walk.others.iter().filter_map(|values| filled(route.path, values)).filter(|path| *path != own) {
            let refused = walk.ask(route, &other, Some(&walk.admin)).await;
            assert_eq!(refused.status, 404, "{other}");
            assert_eq!(refused.text, *page.get_or_insert(refused.text.clone()), "{other}");
            let expected = if route.access == Access::Admin { 403 } else { 404 };
            assert_eq!(walk.ask(route, &other, Some(&walk.member)).await.status, expected, "{other}");
        }
        let names_something = own != route.path;
        let foreign = walk.ask(route, &own, Some(&walk.foreign)).await;
        if names_something {
            assert_eq!(foreign.status, 404, "{own}");
        }
        let forbidden = route.access == Access::Admin;
        // Nothing is awaited from Microsoft.
        if route.path == CALLBACK {
            assert_eq!(walk.ask(route, &own, Some(&walk.member)).await.status, 403);
            assert_eq!(walk.ask(route, &own, Some(&walk.admin)).await.status, 400);
            continue;
        }
        // An organization that the person is not a member of cannot be changed to.
        let (member, admin) = if route.path == "/organizations" && route.method == Method::Post {
            for cookie in [&walk.member, &walk.admin] {
                assert_eq!(walk.ask(route, &own, Some(cookie)).await.status, 404);
            }
            continue;
        } else {
            (walk.ask(route, &own, Some(&walk.member)).await, walk.ask(route, &own, Some(&walk.admin)).await)
        };
        assert!(if forbidden { member.status == 403 } else { is_success(&member) }, "{own}: {}", member.status);
        // Of the member alone, whatever the role of others.
        if route.path.contains("{mail}") || route.path.contains("{confirmation}") {
            assert_eq!(admin.status, 404, "{own}");
            continue;
        }
        assert!(is_success(&admin), "{own}: {} {}", admin.status, admin.text);
        for response in [&member, &admin] {
            for mark in [walk.app.org_b.organization.id().as_str(), walk.app.org_b.tenants[0].as_str(), "rpt_foreign"] {
                assert!(!response.text.contains(mark), "{own} holds {mark}");
            }
        }
    }
}

#[tokio::test]
async fn forms_of_other_sites_change_nothing() {
    for route in ROUTES.iter().filter(|route| route.method == Method::Post) {
        let walk = Walk::new().await;
        let path = filled(&route.path.replace("{token}", "0"), &walk.own).unwrap();
        let before = walk.app.items().await;
        let sent = with_fields(&form(&path, ""), &[("organization", "org_a")]);
        let response = send_from(&walk.router, "POST", &path, Some(&walk.admin), sent, "https://evil.example").await;
        assert_eq!(response.status, 403, "{path}");
        assert_eq!(walk.app.items().await, before, "{path}");
    }
}

#[tokio::test]
async fn pages_of_failures_keep_the_frame_of_who_is_signed_in() {
    let walk = Walk::new().await;
    for (path, cookie, status) in [
        ("/tenants/ten_unknown", &walk.admin, 404),
        ("/nowhere", &walk.admin, 404),
        ("/usage/nowhere", &walk.member, 404),
        ("/settings/members", &walk.member, 403),
        ("/settings/audit?before=%ff&before=2", &walk.admin, 400),
    ] {
        let response = send(&walk.router, "GET", path, Some(cookie), "").await;
        assert_eq!(response.status, status, "{path}");
        assert!(
            response.text.contains("aria-label=\"Main\"") && response.text.contains("Go to the overview"),
            "{path}"
        );
        assert!(!response.text.contains("/sign-in"), "{path}");
    }
    let response = send(&walk.router, "GET", "/nowhere", None, "").await;
    assert!(
        response.status == 404 && !response.text.contains("aria-label=\"Main\"") && response.text.contains("/sign-in")
    );
}

#[tokio::test]
async fn a_removed_or_demoted_member_is_refused_on_the_next_request() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    join(&app, organization, Role::Admin, "stays").await;
    let admin = join(&app, organization, Role::Admin, "admin").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &admin).await);
    let status = async |path| send(&router, "GET", path, Some(&cookie), "").await.status;
    assert_eq!(status("/settings/members").await, 200);
    app.org_a.writer().change_role(&admin.member_id, Role::FullMember).await.unwrap();
    assert_eq!((status("/settings/members").await, status("/").await), (403, 200));
    app.org_a.writer().remove_member(&admin.member_id).await.unwrap();
    assert_eq!((status("/settings/members").await, status("/").await), (303, 303));
}

#[tokio::test]
async fn the_last_admin_stays() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let admin = join(&app, organization, Role::Admin, "admin").await;
    join(&app, organization, Role::FullMember, "member").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &admin).await);
    let member = format!("/settings/members/{}", admin.member_id);
    for (action, form) in [("role", "role=FULL_MEMBER"), ("remove", "")] {
        let response = send(&router, "POST", &format!("{member}/{action}"), Some(&cookie), form).await;
        assert_eq!(response.status, 409, "{action}");
    }
    assert_eq!(send(&router, "POST", &format!("{member}/role"), Some(&cookie), "role=ADMIN").await.status, 303);
    assert_eq!(organization.member(&admin.member_id).await.unwrap().unwrap().role, Role::Admin);
}

#[tokio::test]
async fn a_session_ends_with_signing_out_and_belongs_to_one_person() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let (one, two) =
        (join(&app, organization, Role::Admin, "1").await, join(&app, organization, Role::Admin, "2").await);
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &one).await);
    assert_eq!(send(&router, "GET", "/", Some(&cookie), "").await.status, 200);
    let stolen = cookie.replace(one.member_id.as_str(), two.member_id.as_str());
    assert_eq!(send(&router, "GET", "/", Some(&stolen), "").await.status, 303);
    let elsewhere = cookie.replace(organization.id().as_str(), app.org_b.organization.id().as_str());
    assert_eq!(send(&router, "GET", "/", Some(&elsewhere), "").await.status, 303);
    let response = send(&router, "POST", "/sign-out", Some(&cookie), "").await;
    assert!(response.status == 303 && response.location().ends_with("/signed-out"), "{}", response.location());
    assert_eq!(send(&router, "GET", "/", Some(&cookie), "").await.status, 303);
}
