//! Items that have expired are not shown, even if DynamoDB has not deleted them: it is late, and in a restored table it
//! deletes nothing until its time to live is turned on.

use std::collections::BTreeMap;

use api::App;
use chrono::{DateTime, TimeDelta};
use futures_util::TryStreamExt;
use model::{Role, Secret, Timestamp};
use store::{Attempt, EventSelection, Membership, StoreError, UploadedFile};

use super::sample::{Sample, import_job, organization, same_request, write};
use super::{items, later};
use crate::dashboard::{dashboard_over, join, send};
use crate::support::{TestApp, by_operator, noon, time};

/// Kinds of items that expire, with the number of days that they are kept.
const EXPIRING: [(&str, i64); 14] = [
    ("AUDIT", 400),
    ("CONNECTING", 0),
    ("DELIVERY", 30),
    ("DOCUMENTS", 30),
    ("EVENT", 90),
    ("FORM", 400),
    ("IMPORT", 400),
    ("INVITATION", 7),
    ("JOB", 30),
    ("ONLYJOB", 30),
    ("REQUEST", 400),
    ("SESSION", 0),
    ("UPLOAD", 1),
    ("outside INVITATION", 7),
];

/// An organization with every kind of item, and the secrets of a session and an invitation of its own.
struct World {
    app: TestApp,
    sample: Sample,
    membership: Membership,
    session: Secret,
    invitation: Secret,
}

impl World {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let sample = write(&app).await;
        let organization = app.app.store.organization(&organization());
        let membership = join(&app, &organization, Role::Admin, "dara").await;
        let sessions = app.app.store.sessions(organization.id());
        let session = sessions.begin(membership.member_id.clone(), later()).await.unwrap();
        let note = Some("For Emeka".parse().unwrap());
        let (invitation, _) = by_operator(&organization, later()).invite(Role::FullMember, note).await.unwrap();
        Self { app, sample, membership, session, invitation }
    }

    /// Returns how many items of a kind the readers return at a time.
    async fn shown(&self, kind: &str, now: Timestamp) -> usize {
        let (store, tenant) = (&self.app.app.store, &self.sample.tenants[0]);
        let organization = store.organization(&organization());
        match kind {
            "AUDIT" => organization.audit_trail(None, 1_000, now).await.unwrap().0.len(),
            "CONNECTING" => usize::from(self.connects(now).await),
            "DELIVERY" => {
                let is_told = |target: &store::Target| target.name == "Tickets";
                let target = organization.targets().await.unwrap().into_iter().find(is_told).unwrap().target_id;
                let listed = organization.deliveries(&target, 10, now).await.unwrap();
                let event = "evt_golden".parse().unwrap();
                let found = organization.delivery(&target, time("2026-07-02T00:00:00Z"), &event, now).await.unwrap();
                assert_eq!(listed.first(), found.as_ref());
                listed.len()
            }
            "DOCUMENTS" => {
                let listed = organization.document_sets(now).await.unwrap();
                for set in organization.document_sets(later()).await.unwrap() {
                    let found = organization.document_set(&set.set_id, now).await.unwrap();
                    assert_eq!(listed.first(), found.as_ref());
                }
                listed.len()
            }
            "EVENT" => {
                let all = EventSelection { limit: 1_000, ..EventSelection::default() };
                organization.events(&all, now).await.unwrap().events.len()
            }
            "FORM" => self.repeat_form(now).await,
            "IMPORT" => {
                let listed = organization.imports(10, now).await.unwrap();
                let [import] = &organization.imports(10, later()).await.unwrap()[..] else { panic!("there is one") };
                let found = organization.import(&import.import_id, now).await.unwrap();
                assert_eq!(listed.first(), found.as_ref());
                listed.len()
            }
            "INVITATION" => organization.invitations(now).await.unwrap().len(),
            "JOB" => {
                let key = "key_golden".parse().unwrap();
                let listed = organization.import_jobs(&key, None, 10, now).await.unwrap();
                for job in &listed {
                    assert!(organization.import_job(&key, &job.import_id, now).await.unwrap().is_some());
                }
                listed.len()
            }
            "ONLYJOB" => {
                let requested = import_job(now);
                let new = requested.import_id.clone();
                let job = by_operator(&organization, now).request_import(requested, Some(&same_request())).await;
                usize::from(job.unwrap().import_id != new)
            }
            "REQUEST" => {
                let listed = organization.report_requests(now).await.unwrap();
                assert_eq!(listed.first(), organization.report_request(tenant, now).await.unwrap().as_ref());
                listed.len()
            }
            "SESSION" => {
                let sessions = store.sessions(organization.id());
                sessions.member(&self.session, &self.membership.member_id, now).await.unwrap().into_iter().count()
            }
            "UPLOAD" => organization.upload(&"upl_golden".parse().unwrap(), now).await.unwrap().len(),
            "outside INVITATION" => store.invitation(&self.invitation, now).await.unwrap().into_iter().count(),
            unknown => panic!("a test has to read items of the kind {unknown}"),
        }
    }

    /// Continues an attempt to connect that began with the one of the sample.
    async fn connects(&self, now: Timestamp) -> bool {
        let organization = self.app.app.store.organization(&organization());
        let (member, session) = (self.membership.member_id.clone(), self.session.hash());
        let attempt = Attempt { tenant: self.sample.tenants[0].clone(), member, session };
        let began = by_operator(&organization, time("2026-07-02T00:00:00Z"));
        began.begin_connecting(&attempt, &self.session).await.unwrap();
        by_operator(&organization, now).continue_connecting(&attempt, &self.session, &self.session).await.unwrap()
    }

    /// Sends a form that has made its change. No reader shows it; it is refused as long as its item exists.
    async fn repeat_form(&self, now: Timestamp) -> usize {
        let writer = by_operator(&self.app.app.store.organization(&organization()), now);
        let repeated = writer.clone().once("form_golden".parse().unwrap());
        let paused = repeated.pause_tenant(&self.sample.tenants[0], false).await;
        assert!(matches!(paused, Err(store::TenantError::Store(StoreError::Repeated))));
        0
    }
}

/// Returns the last end of the items of each kind that expires.
async fn ends(app: &TestApp) -> BTreeMap<String, Timestamp> {
    let mut ends = BTreeMap::new();
    for item in items(app).await {
        let Some(expires_at) = item.0.get("expiresAt") else { continue };
        let end = DateTime::from_timestamp(expires_at.as_n().unwrap().parse().unwrap(), 0).unwrap();
        let last = ends.entry(item.kind()).or_insert(Timestamp::try_from(end).unwrap());
        *last = (*last).max(end.try_into().unwrap());
    }
    ends
}

fn after(moment: Timestamp, period: TimeDelta) -> Timestamp {
    (moment.to_datetime() + period).try_into().unwrap()
}

#[tokio::test]
async fn no_reader_returns_an_item_of_any_kind_that_has_expired() {
    let world = World::new().await;
    let ends = ends(&world.app).await;
    let kinds: Vec<_> = ends.keys().map(String::as_str).collect();
    assert_eq!(kinds, EXPIRING.map(|(kind, _)| kind), "every kind that expires is known here");
    for (kind, days) in EXPIRING {
        let end = ends[kind];
        let last_day = (end.to_datetime() - later().to_datetime()).num_days();
        assert!((days - 15..=days).contains(&last_day), "{kind} lasts until {end}");
        assert_eq!(world.shown(kind, end).await, 0, "{kind} at its end");
        // Last, because a session that is in use lasts longer.
        if kind != "FORM" {
            assert!(world.shown(kind, after(end, TimeDelta::seconds(-1))).await > 0, "{kind} before its end");
        }
        assert_eq!(world.shown(kind, after(later(), TimeDelta::days(401))).await, 0, "{kind} after 401 days");
    }
}

#[tokio::test]
async fn an_upload_is_kept_for_a_day() {
    let app = TestApp::new().await;
    let (organization, id) = (&app.org_a.organization, "upl_kept".parse().unwrap());
    let file = UploadedFile { name: "ScubaResults.json".to_owned(), content: vec![1] };
    by_operator(organization, later()).keep_file(&id, 0, &file).await.unwrap();
    let end = after(later(), TimeDelta::days(1));
    for (now, files) in [(after(end, TimeDelta::seconds(-1)), 1), (end, 0)] {
        assert_eq!(organization.upload(&id, now).await.unwrap().len(), files);
    }
    // It takes up to 60 parts of 350,000 bytes.
    let file = UploadedFile { content: vec![0; 59 * 350_000 + 1], ..file };
    let refused = by_operator(organization, later()).keep_file(&id, 1, &file).await;
    let Err(StoreError::TooLarge { size, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(size, 61 * 350_000);
}

#[tokio::test]
async fn an_expired_request_gives_way_to_a_new_one() {
    let world = World::new().await;
    let (organization, tenant) = (world.app.app.store.organization(&organization()), &world.sample.tenants[0]);
    let last = organization.report_request(tenant, later()).await.unwrap().unwrap();
    assert!(last.is_open());
    let at_the_end = DateTime::from_timestamp(last.expires_at, 0).unwrap().try_into().unwrap();
    let (request, is_new) = by_operator(&organization, at_the_end).request_report(tenant).await.unwrap();
    assert!(is_new && request.version == last.version + 1 && request.request_id != last.request_id);
}

#[tokio::test]
async fn an_archive_is_without_expired_items() {
    let world = World::new().await;
    let (operator, id) = (world.app.app.store.as_operator(), organization());
    let moving = async |now| {
        let items: Vec<_> = operator.items(&id, None, now).try_concat().await.unwrap();
        let kind = |item: store::StoredItem| item.position().unwrap().split('#').next().unwrap().to_owned();
        let kinds: std::collections::BTreeSet<_> = items.into_iter().map(kind).collect();
        let last = operator.last_items(&id, now).await.unwrap().unwrap();
        (kinds, last.len())
    };
    let (before, last_before) = moving(later()).await;
    let (after, last_after) = moving(time("2027-08-20T00:00:00Z")).await;
    let gone: Vec<_> = before.difference(&after).map(String::as_str).collect();
    assert_eq!(gone, ["AUDIT", "EVENT", "FORM", "IMPORT", "INVITATION", "REQUEST"]);
    assert_eq!(last_before - last_after, 1, "what leads to the invitation that was open");
}

#[tokio::test]
async fn pages_show_nothing_that_has_expired() {
    let world = World::new().await;
    let app = App { clock: || noon(time("2027-08-20T00:00:00Z").date()), ..world.app.app.clone() };
    let organization = app.store.organization(&organization());
    let now = (app.clock)().try_into().unwrap();
    let secret = app.store.sessions(organization.id()).begin(world.membership.member_id.clone(), now).await.unwrap();
    let Membership { organization_id, member_id } = &world.membership;
    let cookie = format!("__Host-posture-session={organization_id}~{member_id}~{}", secret.reveal());
    let router = dashboard_over(app.clone());
    let page = async |path: &str| send(&router, "GET", path, Some(&cookie), "").await;
    let import = organization.imports(1, later()).await.unwrap().remove(0).import_id;
    assert_eq!(page(&format!("/imports/{import}")).await.status, 404);
    for (path, text) in [
        ("/imports", import.to_string()),
        ("/settings/audit", "Y.1 kept for later reports".to_owned()),
        ("/settings/members", "For Emeka".to_owned()),
        (&format!("/tenants/{}", world.sample.tenants[0]), "of 14".to_owned()),
    ] {
        let shown = page(path).await;
        assert_eq!(shown.status, 200, "{path}");
        assert!(!shown.text.contains(&text), "{path} shows {text}");
        let (router, cookie) = super::signed_in(&world.app, Role::Admin).await;
        let before = send(&router, "GET", path, Some(&cookie), "").await;
        assert!(before.text.contains(&text), "{path} shows {text} before");
    }
}
