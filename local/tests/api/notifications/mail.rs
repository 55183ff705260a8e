//! Mail to members: only to addresses that they confirmed, at once or for a day or a week, until they end it.

use std::fs;

use axum::Router;
use chrono::TimeDelta;
use deliver::Mail;
use local::Notifications;
use model::{EventKind, EventRules, MemberId, Pace, Role, Timestamp};
use operations::Queue;
use operations::notifications::ask_confirmation;
use store::{
    AuditAction, Delivery, DeliveryState, MemberRecord, Membership, Organization, Target, TargetError, TargetState,
};
use tempfile::TempDir;
use tracing::level_filters::LevelFilter;

use super::{NOW, add_reports, notifications};
use crate::dashboard::{Received as Page, dashboard_of, join, now, send, sign_in};
use crate::support::{DASHBOARD, Log, TestApp, by_operator, time};

const OWN: &str = "/settings/mail";
pub(super) const ADDRESS: &str = "bea@mail.example";

/// The service with a Full Member who has an address, and the mail that it writes.
pub(super) struct Office {
    pub(super) app: TestApp,
    router: Router,
    member: Membership,
    cookie: String,
    folder: TempDir,
    notifications: Notifications,
}

impl Office {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let folder = TempDir::new().unwrap();
        let notifications = notifications(&app).with_mail(Mail::written_to(folder.path()), None);
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Bea").await;
        let cookie = sign_in(&app, &member).await;
        let office = Self { router: dashboard_of(&app), app, member, cookie, folder, notifications };
        let actor = office.record().await.actor();
        office.organization().by(&actor, now(&office.app)).note_address(Some(ADDRESS)).await.unwrap();
        office
    }

    /// Returns the service with a member whose address is confirmed.
    pub(super) async fn confirmed() -> Self {
        let office = Self::new().await;
        confirm(office.organization(), &office.member, ADDRESS, now(&office.app)).await;
        office
    }

    pub(super) fn organization(&self) -> &Organization {
        &self.app.org_a.organization
    }

    async fn record(&self) -> MemberRecord {
        self.organization().member(&self.member.member_id).await.unwrap().unwrap()
    }

    async fn get(&self, path: &str) -> Page {
        send(&self.router, "GET", path, Some(&self.cookie), "").await
    }

    async fn post(&self, path: &str, form: &str) -> Page {
        send(&self.router, "POST", path, Some(&self.cookie), form).await
    }

    /// Asks for a confirmation at a time, and returns the link in the mail.
    async fn link(&mut self, at: Timestamp) -> String {
        let writer = self.organization().by(&self.record().await.actor(), at);
        ask_confirmation(&writer, &Queue::Table, at).await.unwrap();
        self.notifications.complete(at).await.unwrap();
        let [.., mail] = &self.mails()[..] else { panic!("no mail") };
        let link = mail.split_once(DASHBOARD).unwrap().1.split_whitespace().next().unwrap();
        link.to_owned()
    }

    /// Adds mail to the member before all events.
    pub(super) async fn add(&self, pace: Pace, rules: EventRules) -> Target {
        let writer = by_operator(self.organization(), time("2026-06-01T00:00:00Z"));
        writer.add_mail("Drifts".parse().unwrap(), self.member.member_id.clone(), pace, rules).await.unwrap()
    }

    pub(super) async fn deliveries(&self, target: &Target) -> Vec<Delivery> {
        self.organization().deliveries(&target.target_id, 100, now(&self.app)).await.unwrap()
    }

    /// Returns the mail that was written, ordered by its identifiers, as people read it.
    fn mails(&self) -> Vec<String> {
        let Ok(files) = fs::read_dir(self.folder.path()) else { return Vec::new() };
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files.iter().map(|file| readable(&fs::read_to_string(file).unwrap())).collect()
    }
}

/// Confirms the address of a member.
pub(super) async fn confirm(organization: &Organization, member: &Membership, address: &str, at: Timestamp) {
    let member = organization.member(&member.member_id).await.unwrap().unwrap();
    let writer = organization.by(&member.actor(), at);
    writer.note_address(Some(address)).await.unwrap();
    writer.ask_confirmation().await.unwrap();
    let (to, secret) = writer.begin_confirmation(&member.member_id, at).await.unwrap();
    assert_eq!(to.as_str(), address);
    writer.confirm_address(&secret).await.unwrap();
}

/// Decodes the encoding of parts of a mail that are almost ASCII, and joins the lines of headers.
pub(super) fn readable(mail: &str) -> String {
    let whole = mail.replace("=\r\n", "").replace("\r\n ", " ").replace("\r\n\t", " ").replace("\r\n", "\n");
    whole.replace("=3D", "=")
}

fn drifts() -> EventRules {
    EventRules { kinds: [EventKind::ControlDrifted].into(), ..EventRules::default() }
}

#[tokio::test]
async fn an_address_is_confirmed_by_its_member_with_a_link_that_works_once() {
    Log::prepare();
    let mut office = Office::new().await;
    let other = join(&office.app, office.organization(), Role::Admin, "Cem").await;
    let other = sign_in(&office.app, &other).await;
    let page = office.get(OWN).await.text;
    assert!(page.contains(ADDRESS) && page.contains("It is not confirmed"), "{page}");
    assert_eq!(office.post("/settings/mail/confirmation", "").await.status, 303);
    assert_eq!(office.post("/settings/mail/confirmation", "").await.status, 409, "one after the other");
    let queued = office.organization().queued().await.unwrap().remove(0).body;
    assert!(!queued.contains(ADDRESS), "{queued}");
    let log = Log::capture(LevelFilter::INFO);
    office.notifications.complete(now(&office.app)).await.unwrap();
    let logged = log.take();
    assert!(logged.contains("sent a confirmation") && !logged.contains(ADDRESS), "{logged}");
    let [mail] = &office.mails()[..] else { panic!("one mail") };
    assert!(
        mail.contains(&format!("To: <{ADDRESS}>")) && mail.contains("Subject: Confirm your mail address"),
        "{mail}"
    );
    let link = mail.split_once(DASHBOARD).unwrap().1.split_whitespace().next().unwrap();
    assert!(link.starts_with("/settings/mail/confirm/"), "{link}");
    let secret = link.rsplit_once('/').unwrap().1;
    let stored = serde_json::to_string(&office.record().await).unwrap();
    assert!(!stored.contains(secret), "only its hash is stored");

    for method in ["GET", "POST"] {
        assert_eq!(send(&office.router, method, link, Some(&other), "").await.status, 404, "another member");
        assert_ne!(send(&office.router, method, link, None, "").await.status, 200, "nobody");
    }
    assert!(office.get(link).await.text.contains("Confirm the address"));
    assert_eq!(office.record().await.confirmed_at, None, "a program that opens links confirms nothing");
    assert_eq!(office.post(link, "").await.status, 303);
    assert_eq!(office.record().await.confirmed_at, Some(now(&office.app)));
    assert!(office.get(OWN).await.text.contains("Confirmed "));
    let again = office.post(link, "").await;
    assert!(again.status == 404 && again.text.contains("used already"), "{}", again.text);

    let (trail, _) = office.organization().audit_trail(None, 100, now(&office.app)).await.unwrap();
    let actions: Vec<_> = trail.iter().map(|entry| entry.action).collect();
    assert!(actions.contains(&AuditAction::AddressConfirmed) && actions.contains(&AuditAction::AddressChanged));
    assert!(!serde_json::to_string(&trail).unwrap().contains(ADDRESS), "the trail names no address");
    // Another address of the issuer is not confirmed, and the old link is of the old one.
    let writer = office.organization().by(&office.record().await.actor(), now(&office.app));
    writer.note_address(Some("new@mail.example")).await.unwrap();
    assert_eq!(office.record().await.confirmed_address(), None);
}

#[tokio::test]
async fn a_link_ends_after_a_day_and_with_the_next_one() {
    let mut office = Office::new().await;
    let now = now(&office.app).to_datetime();
    let before = |hours, minutes| (now - TimeDelta::hours(hours) - TimeDelta::minutes(minutes)).try_into().unwrap();
    let old = office.link(before(24, 0)).await;
    assert_eq!(office.post(&old, "").await.status, 404, "a day old");
    let replaced = office.link(before(23, 50)).await;
    assert_eq!(office.get(&replaced).await.status, 200, "it is valid until the next one");
    let last = office.link(before(0, 5)).await;
    assert_eq!((office.post(&replaced, "").await.status, office.post(&last, "").await.status), (404, 303));
}

#[tokio::test]
async fn a_member_is_told_at_once_and_only_at_a_confirmed_address() {
    let mut office = Office::new().await;
    let form = "name=My+drifts&every=EVENT&kind=control.drifted&form=form_1";
    assert_eq!(office.post(OWN, form).await.status, 303);
    let target = office.organization().targets().await.unwrap().remove(0);
    assert_eq!((&target.address.place(), target.pace), (&office.member.member_id.to_string(), Pace::Event));
    let at = now(&office.app);
    office.app.org_a.writer().rename_tenant(&office.app.org_a.tenants[0], &"Renamed".parse().unwrap()).await.unwrap();
    let writer = by_operator(office.organization(), at);
    operations::notifications::test(&writer, &Queue::Table, &target.target_id, at).await.unwrap();
    office.notifications.complete(at).await.unwrap();
    let [test] = &office.deliveries(&target).await[..] else { panic!("one delivery") };
    assert_eq!((test.state, test.attempts, test.status), (DeliveryState::Failed, 1, None), "not tried again");
    assert!(test.problem.as_ref().unwrap().contains("not confirmed"), "{test:?}");
    assert_eq!(office.organization().targets().await.unwrap()[0].failing_since, None, "the target is not to blame");
    assert_eq!(office.mails(), [] as [String; 0]);

    let mut office = Office::confirmed().await;
    let target = office.add(Pace::Event, drifts()).await;
    add_reports(&office.app).await;
    office.notifications.complete(time(NOW)).await.unwrap();
    let mails = office.mails();
    let deliveries = office.deliveries(&target).await;
    assert!(mails.len() > 1 && mails.len() == deliveries.len(), "{}", mails.len());
    assert!(deliveries.iter().all(|it| (it.state, it.attempts) == (DeliveryState::Delivered, 1)), "{deliveries:?}");
    let mail = &mails[0];
    let name = office.organization().tenant(&office.app.org_a.tenants[0]).await.unwrap().unwrap().name;
    let end = format!("{DASHBOARD}/settings/mail/{}/end", target.target_id);
    for part in [
        format!("To: <{ADDRESS}>\n"),
        format!("Subject: Control drifted: {name}\n"),
        format!("List-Unsubscribe: <{end}>\n"),
        "X-Notification-Id: evt_".to_owned(),
        format!("\nTenant: {name}\nControl: "),
        format!("Open in the dashboard: {DASHBOARD}/tenants/ten_a1/reports/rpt_2\n"),
        "Content-Type: text/html".to_owned(),
    ] {
        assert!(mail.contains(&part), "{part} is not in {mail}");
    }
    // The queue repeats a message: a mail that was recorded is not sent again.
    fs::remove_dir_all(office.folder.path()).unwrap();
    let mut again = notifications(&office.app).with_mail(Mail::written_to(office.folder.path()), None);
    again.complete(time(NOW)).await.unwrap();
    assert_eq!(office.mails(), [] as [String; 0]);
}

#[tokio::test]
async fn texts_of_others_format_nothing_in_mail() {
    let mut office = Office::confirmed().await;
    office.add(Pace::Event, EventRules { kinds: [EventKind::TenantRenamed].into(), ..Default::default() }).await;
    let writer = by_operator(office.organization(), time(NOW));
    let hostile = "<b>A</b> & \"B\" Bcc: eve@evil.example";
    writer.rename_tenant(&office.app.org_a.tenants[0], &hostile.parse().unwrap()).await.unwrap();
    office.notifications.complete(time(NOW)).await.unwrap();
    let [mail] = &office.mails()[..] else { panic!("one mail") };
    assert!(mail.contains("&lt;b&gt;A&lt;/b&gt; &amp; &quot;B&quot; Bcc: eve@evil.example"), "{mail}");
    assert!(!mail.contains("\nBcc:") && mail.matches("\nTo: ").count() == 1, "{mail}");
}

#[tokio::test]
async fn a_mail_tells_of_the_events_of_a_day_or_a_week() {
    let mut office = Office::confirmed().await;
    let [first, second] = office.app.org_a.tenants.clone();
    let kinds = || EventRules { kinds: [EventKind::TenantPaused].into(), ..Default::default() };
    let (daily, weekly) = (office.add(Pace::Day, kinds()).await, office.add(Pace::Week, kinds()).await);
    // Wednesday, Thursday and Sunday.
    for (tenant, pause, at) in [
        (&first, true, "2026-07-01T10:00:00Z"),
        (&second, true, "2026-07-01T23:59:59Z"),
        (&first, false, "2026-07-02T09:00:00Z"),
        (&first, true, "2026-07-02T10:00:00Z"),
        (&first, false, "2026-07-05T09:00:00Z"),
        (&first, true, "2026-07-05T10:00:00Z"),
    ] {
        by_operator(office.organization(), time(at)).pause_tenant(tenant, pause).await.unwrap();
        office.notifications.complete(time(at)).await.unwrap();
    }
    let states = |deliveries: Vec<Delivery>| -> Vec<_> {
        deliveries.iter().map(|it| (it.state, it.written_at.to_string(), it.events)).collect()
    };
    let of_day = |day: &str, events| (DeliveryState::Delivered, format!("{day}T00:00:00.000Z"), Some(events));
    assert_eq!(states(office.deliveries(&daily).await), [of_day("2026-07-03", 1), of_day("2026-07-02", 2)]);
    assert_eq!(office.deliveries(&weekly).await, []);
    office.notifications.complete(time("2026-07-06T00:14:59Z")).await.unwrap();
    assert_eq!(office.mails().len(), 2, "until all of the week can be read");
    office.notifications.complete(time("2026-07-06T00:15:00Z")).await.unwrap();
    assert_eq!(states(office.deliveries(&weekly).await), [of_day("2026-07-06", 4)]);
    let mails = office.mails();
    let subjects: Vec<_> =
        mails.iter().map(|mail| mail.split_once("Subject: ").unwrap().1.lines().next().unwrap()).collect();
    assert_eq!(
        subjects,
        [
            "4 events of 2026-06-29 to 2026-07-05",
            "2 events of 2026-07-01",
            "1 event of 2026-07-02",
            "1 event of 2026-07-05"
        ]
    );
    assert!(mails[1].contains("2026-07-01 10:00 UTC: Tenant paused") && mails[1].contains("2026-07-01 23:59 UTC: "));
    assert_eq!(office.organization().queued().await.unwrap(), [], "nothing waits any more");
    // An event is dispatched again, and its message repeated: the mail was sent.
    fs::remove_dir_all(office.folder.path()).unwrap();
    let mut again = notifications(&office.app).with_mail(Mail::written_to(office.folder.path()), None);
    again.complete(time("2026-07-06T00:16:00Z")).await.unwrap();
    assert_eq!(office.mails(), [] as [String; 0]);
}

#[tokio::test]
async fn a_member_ends_mail_that_an_admin_added_and_no_other_targets() {
    let office = Office::confirmed().await;
    let admin = join(&office.app, office.organization(), Role::Admin, "Cem").await;
    let (other, admin) = (admin.member_id.clone(), sign_in(&office.app, &admin).await);
    let form = format!("member={}&name=For+Bea&every=WEEK&form=form_2", office.member.member_id);
    let added = send(&office.router, "POST", "/settings/notifications/add-member", Some(&admin), &form).await;
    assert_eq!(added.status, 303, "{}", added.text);
    let target = office.organization().targets().await.unwrap().remove(0);
    let list = send(&office.router, "GET", "/settings/notifications", Some(&admin), "").await.text;
    assert!(list.contains("Mail, <bdi class=\"name\">Bea") && !list.contains(ADDRESS), "{list}");
    assert!(office.get(OWN).await.text.contains("For Bea"));
    let end = format!("{OWN}/{}/end", target.target_id);
    assert_eq!(send(&office.router, "POST", &end, Some(&admin), "").await.status, 404, "it is not the Admin's mail");
    assert!(office.get(&end).await.text.contains("End this mail"));
    assert_eq!(office.organization().targets().await.unwrap().len(), 1, "opening the page ends nothing");
    assert_eq!(office.post(&end, "").await.status, 303);
    assert_eq!(office.organization().targets().await.unwrap(), []);
    assert_eq!(office.post(&end, "").await.status, 404);
    // Only Admins see and add targets of others.
    let of_other = format!("member={other}&name=For+Cem&every=WEEK&form=form_3");
    assert_eq!(
        send(&office.router, "POST", "/settings/notifications/add-member", Some(&admin), &of_other).await.status,
        303
    );
    assert!(!office.get(OWN).await.text.contains("For Cem"));
    for path in ["/settings/notifications", "/settings/notifications/add-member"] {
        assert_eq!(office.get(path).await.status, 403, "{path}");
    }
    assert_eq!(office.post("/settings/notifications/add-member", &form).await.status, 403);
}

#[tokio::test]
async fn a_member_leaves_room_for_the_mail_of_others_and_has_no_secret() {
    let office = Office::confirmed().await;
    for _ in 0..5 {
        office.add(Pace::Day, drifts()).await;
    }
    let writer = by_operator(office.organization(), time(NOW));
    let member = office.member.member_id.clone();
    let refused = writer.add_mail("Sixth".parse().unwrap(), member, Pace::Day, drifts()).await;
    assert!(matches!(refused, Err(TargetError::TooManyOfOne)), "{refused:?}");
    let other = join(&office.app, office.organization(), Role::Admin, "Cem").await.member_id;
    let added = writer.add_mail("First".parse().unwrap(), other, Pace::Day, drifts()).await.unwrap();
    let refused = writer.rotate_secret(&added.target_id).await;
    assert!(matches!(refused, Err(TargetError::OtherKind)), "{refused:?}");
}

#[tokio::test]
async fn the_targets_of_a_removed_member_go_with_the_member() {
    let office = Office::confirmed().await;
    let target = office.add(Pace::Event, drifts()).await;
    join(&office.app, office.organization(), Role::Admin, "Cem").await;
    let kept = super::add(office.organization(), &"https://hooks.example/".parse().unwrap(), drifts()).await.target;
    by_operator(office.organization(), time(NOW)).remove_member(&office.member.member_id).await.unwrap();
    assert_eq!(office.organization().targets().await.unwrap(), [kept]);
    assert_eq!(office.organization().inspect().await.unwrap().discrepancies, []);
    // One that was added at the same moment has nobody to be sent to.
    let unknown: MemberId = "mem_unknown".parse().unwrap();
    let writer = by_operator(office.organization(), time(NOW));
    let refused = writer.add_mail("Nobody".parse().unwrap(), unknown, Pace::Event, drifts()).await;
    assert!(matches!(refused, Err(TargetError::NotFound)), "{refused:?}");
    assert_eq!(target.state, TargetState::Active);
}
