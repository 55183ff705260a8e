//! Targets as Admins manage them in the dashboard, and the preview of their rules.

use std::collections::BTreeSet;

use api::App;
use model::{EventKind, EventRules, Pace, Role, Severity, TargetShape, Wire};
use operations::notifications::selected;
use store::{AuditAction, MOST_TARGETS, Target, TargetEdit, TargetError, TargetState};

use super::{NOW, Receiver, add, add_reports, notifications};
use crate::dashboard::{Desk, Received, dashboard_over, join, now, send};
use crate::support::{TestApp, by_operator, time};

const LIST: &str = "/settings/notifications";
const ADD: &str = "/settings/notifications/add";

impl Desk {
    pub(super) async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Received {
        self.post(path, form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()).await
    }

    pub(super) async fn target(&self) -> Target {
        self.app.org_a.organization.targets().await.unwrap().remove(0)
    }
}

/// Returns the secret that a page shows.
fn secret(page: &Received) -> String {
    assert_eq!(page.status, 200, "{}", page.text);
    let text = page.text.split_once("<code id=\"secret\">").unwrap().1.split_once('<').unwrap().0.to_owned();
    assert!(text.starts_with("whsec_"));
    text
}

/// Returns the form of rules, as a browser sends it.
fn form(rules: &EventRules) -> Vec<(&'static str, String)> {
    let EventRules { kinds, severity, tools, tenants, labels, quiet: _ } = rules;
    let kinds = kinds.iter().map(|kind| ("kind", Wire(kind).to_string()));
    let severity = severity.iter().map(|least| ("severity", Wire(least).to_string()));
    let tools = tools.iter().map(|tool| ("tool", tool.clone()));
    let tenants = tenants.iter().map(|tenant| ("tenant", tenant.to_string()));
    let labels = labels.iter().map(|it| ("label", it.to_string())).chain([("shape", "WEBHOOK".to_owned())]);
    kinds.chain(severity).chain(tools).chain(tenants).chain(labels).collect()
}

#[tokio::test]
async fn the_number_of_targets_has_a_limit_beside_which_members_have_room_for_mail() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let url = "https://hooks.example/".parse().unwrap();
    for _ in 0..MOST_TARGETS {
        add(organization, &url, EventRules::default()).await;
    }
    let (writer, name) = (by_operator(organization, time(NOW)), "One more".parse().unwrap());
    let refused = writer.add_target(name, url, TargetShape::Webhook, EventRules::default()).await;
    assert!(matches!(refused, Err(TargetError::TooMany)), "{refused:?}");
    let member = join(&app, organization, Role::Admin, "Bea").await.member_id;
    writer.add_mail("Mail".parse().unwrap(), member, Pace::Day, EventRules::default()).await.unwrap();
}

#[tokio::test]
async fn the_preview_of_rules_is_what_a_target_with_them_is_sent() {
    let desk = Desk::new().await;
    let organization = &desk.app.org_a.organization;
    let [tenant, removed] = &desk.app.org_a.tenants;
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    for (tenant, label) in [(tenant, "Gold"), (removed, "Silver")] {
        writer.label_tenant(tenant, &[label.parse().unwrap()].into()).await.unwrap();
    }
    let with_label = |label: &str| EventRules { labels: [label.parse().unwrap()].into(), ..Default::default() };
    let severe = EventRules { severity: Some(Severity::High), ..with_label("Gold") };
    let all_rules = [
        EventRules::default(),
        EventRules { kinds: [EventKind::ControlDrifted, EventKind::TenantRemoved].into(), ..Default::default() },
        EventRules { tools: ["Prowler".to_owned()].into(), ..Default::default() },
        EventRules { tenants: [removed.clone()].into(), ..Default::default() },
        with_label("Gold"),
        with_label("Silver"),
        with_label("Bronze"),
        severe,
    ];
    let mut targets = Vec::new();
    for rules in &all_rules {
        let receiver = Receiver::start().await;
        targets.push((add(organization, &receiver.url, rules.clone()).await.target.target_id, receiver));
    }
    add_reports(&desk.app).await;
    let writer = by_operator(organization, time(NOW));
    writer.rename_tenant(tenant, &"Renamed".parse().unwrap()).await.unwrap();
    writer.remove_tenant(removed).await.unwrap();
    notifications(&desk.app).complete(now(&desk.app)).await.unwrap();
    let mut numbers = Vec::new();
    for (rules, (id, receiver)) in all_rules.iter().zip(&targets) {
        // Tenants are not told of in any order.
        let sent: BTreeSet<_> = receiver.ids().into_iter().collect();
        let selected = selected(organization, rules, time("2026-06-15T12:00:00Z"), None, now(&desk.app)).await.unwrap();
        assert_eq!(selected.iter().map(|event| event.id.to_string()).collect::<BTreeSet<_>>(), sent, "{rules:?}");
        assert_eq!(preview(&desk, &format!("{LIST}/{id}"), rules).await, sent.len(), "{rules:?}");
        numbers.push(sent.len());
    }
    let [all, kinds, prowler, of_removed, gold, silver, bronze, severe] = numbers[..].try_into().unwrap();
    assert!(all > gold && gold > severe && severe > 1 && kinds > 1, "{numbers:?}");
    assert_eq!((of_removed, silver, bronze, all - prowler), (1, 1, 0, gold - 1), "{numbers:?}");
    assert_eq!(desk.target().await.version, 1, "a preview saves nothing");
    let foreign = desk.app.org_b.tenants[0].as_str();
    for id in [removed.as_str(), foreign] {
        assert_eq!(
            desk.submit(ADD, &[("shape", "WEBHOOK"), ("tenant", id), ("preview", "on")]).await.status,
            404,
            "{id}"
        );
    }
}

/// Returns the number of messages that the page says the rules would have sent in the last 30 days.
async fn preview(desk: &Desk, path: &str, rules: &EventRules) -> usize {
    let fields = form(rules);
    let fields: Vec<_> = fields.iter().map(|(name, text)| (*name, text.as_str())).chain([("preview", "on")]).collect();
    let page = desk.submit(path, &fields).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let said = page.text.split_once("would have sent <strong>").unwrap().1;
    said.split_once(" message").unwrap().0.replace('\u{202f}', "").parse().unwrap()
}

#[tokio::test]
async fn an_admin_adds_tests_changes_and_removes_a_target() {
    let desk = Desk::new().await;
    let organization = &desk.app.org_a.organization;
    let receiver = Receiver::start().await;
    let url = receiver.url.as_str();
    let named = |name| {
        [
            ("form", "form_1"),
            ("name", name),
            ("url", url),
            ("shape", "WEBHOOK"),
            ("kind", "report.completed"),
            ("kind", "tenant.paused"),
        ]
    };
    assert!(desk.get(LIST).await.contains("No targets yet"));

    let refused =
        desk.submit(ADD, &[("shape", "SLACK"), ("url", "http://hooks.example"), ("kind", "tenant.paused")]).await;
    assert!(refused.text.contains("The address must be an https address") && refused.text.contains("A name has"));
    for stays in ["value=\"tenant.paused\" checked", "value=\"SLACK\" selected"] {
        assert!(refused.text.contains(stays), "{stays}");
    }
    assert_eq!(desk.submit(ADD, &[("shape", "DISCORD")]).await.status, 400);
    assert_eq!(desk.submit(ADD, &[("shape", "WEBHOOK"), ("kind", "control.moved")]).await.status, 400);
    let first = secret(&desk.submit(ADD, &named("Tickets")).await);
    assert_eq!(desk.submit(ADD, &named("Tickets")).await.status, 409, "a form adds one target");
    let target = desk.target().await;
    assert_eq!(target.rules.kinds, [EventKind::ReportCompleted, EventKind::TenantPaused].into());
    let (id, page) = (&target.target_id, format!("{LIST}/{}", target.target_id));
    let listed = desk.get(LIST).await;
    assert!(
        listed.contains("Tenant paused, Report completed")
            && listed.contains("127.0.0.1")
            && !listed.contains("whsec_")
    );

    assert_eq!(desk.submit(&format!("{page}/test"), &[]).await.status, 303);
    let mut notifications = notifications(&desk.app);
    notifications.complete(now(&desk.app)).await.unwrap();
    assert_eq!(receiver.received()[0].json()["type"], "test");
    let rotated = secret(&desk.submit(&format!("{page}/secret"), &[("form", "form_2")]).await);
    assert_ne!(first, rotated);
    assert!(!desk.get(&page).await.contains("whsec_"));

    let tenant = &desk.app.org_a.tenants[0];
    by_operator(organization, now(&desk.app)).pause_tenant(tenant, true).await.unwrap();
    notifications.complete(now(&desk.app)).await.unwrap();
    let told = receiver.received().pop().unwrap();
    assert!([first, rotated].into_iter().all(|secret| told.is_signed_with(&secret.try_into().unwrap())));
    let shown = desk.get(&page).await;
    let deliveries = shown.split_once("id=\"deliveries\"").unwrap().1.split_once("</table>").unwrap().0;
    for said in ["Tenant paused", "Test", "Delivered", "<td>204</td>", "15 Jul 2026, 12:00 UTC"] {
        assert!(deliveries.contains(said), "{said}: {deliveries}");
    }
    assert_eq!(deliveries.matches("Send again").count(), 1, "a test is no event");
    let again = deliveries.split_once("action=\"").unwrap().1.split_once('"').unwrap().0.to_owned();
    let later = dashboard_over(App { clock: || time("2026-07-15T12:30:00Z").to_datetime(), ..desk.app.app.clone() });
    assert_eq!(send(&later, "POST", &again, Some(&desk.admin), "").await.status, 303);
    notifications.complete(time("2026-07-15T12:30:00Z")).await.unwrap();
    let ids = receiver.ids();
    assert_eq!((ids.len(), &ids[1]), (3, &ids[2]), "the same event again");

    assert_eq!(desk.submit(&format!("{page}/pause"), &[]).await.status, 303);
    assert_eq!(desk.target().await.state, TargetState::Paused);
    assert_eq!(desk.submit(&again, &[]).await.status, 409, "nothing is sent to a paused target");
    assert!(!desk.get(&page).await.contains("Send again"));
    assert_eq!(desk.submit(&format!("{page}/resume"), &[]).await.status, 303);
    let changed = [
        ("name", "Chat"),
        ("url", "https://hooks.example/in"),
        ("shape", "TEAMS"),
        ("severity", "HIGH"),
        ("tenant", tenant.as_str()),
    ];
    assert_eq!(desk.submit(&page, &changed).await.status, 303);
    let target = desk.target().await;
    let rules = EventRules { severity: Some(Severity::High), tenants: [tenant.clone()].into(), ..Default::default() };
    let address = String::from(target.address);
    assert_eq!((&*target.name, &*address, target.rules), ("Chat", "https://hooks.example/in", rules));
    assert_eq!(target.shape, TargetShape::Teams);
    let listed = desk.get(LIST).await;
    assert!(listed.contains("High and above; Tenant") && listed.contains("Microsoft Teams, "), "{listed}");
    let shown = desk.get(&page).await;
    assert!(shown.contains("value=\"TEAMS\" selected") && !shown.contains("Replace the secret"), "{shown}");
    assert_eq!(desk.submit(&format!("{page}/remove"), &[]).await.status, 303);
    assert!(organization.targets().await.unwrap().is_empty());
    assert_eq!(send(&desk.router, "GET", &page, Some(&desk.admin), "").await.status, 404);

    let (trail, _) = organization.audit_trail(None, 100, now(&desk.app)).await.unwrap();
    // Changes at the same moment have no order.
    let done: BTreeSet<_> =
        trail.iter().filter(|it| it.subject == id.as_str()).map(|it| format!("{:?}", it.action)).collect();
    let expected = "EventsSentAgain TargetAdded TargetChanged TargetPaused TargetRemoved TargetResumed TargetSecretRotated TargetTested";
    assert_eq!(done.into_iter().collect::<Vec<_>>().join(" "), expected);
    assert!(trail.iter().filter(|it| it.subject == id.as_str()).all(|it| it.author_name == "Amara"));
}

#[tokio::test]
async fn a_target_stays_an_address_or_a_member() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let member = join(&app, organization, Role::Admin, "Cem").await.member_id;
    let writer = by_operator(organization, time(NOW));
    let mail = writer.add_mail("Mail".parse().unwrap(), member, Pace::Day, EventRules::default()).await.unwrap();
    let url = || "https://hooks.example/".parse().unwrap();
    let hook = add(organization, &url(), EventRules::default()).await;
    for (target, edit) in [
        (&mail, TargetEdit { url: Some(url()), ..Default::default() }),
        (&mail, TargetEdit { shape: Some(TargetShape::Slack), ..Default::default() }),
        (&hook.target, TargetEdit { pace: Some(Pace::Day), ..Default::default() }),
    ] {
        let refused = writer.edit_target(&target.target_id, edit).await;
        assert!(matches!(refused, Err(TargetError::OtherKind)), "{refused:?}");
    }
}

#[tokio::test]
async fn every_change_of_a_target_is_a_new_version_and_recorded_by_what_it_changes() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let id =
        add(organization, &"https://hooks.example/one".parse().unwrap(), EventRules::default()).await.target.target_id;
    let edits = [
        TargetEdit { name: Some("Chat".parse().unwrap()), ..Default::default() },
        TargetEdit { url: Some("https://hooks.example/two".parse().unwrap()), ..Default::default() },
        TargetEdit { url: Some("https://other.example/two".parse().unwrap()), ..Default::default() },
    ];
    let mut versions = Vec::new();
    for (day, edit) in (2..).zip(edits) {
        let writer = by_operator(organization, time(&format!("2026-07-0{day}T00:00:00Z")));
        versions.push(writer.edit_target(&id, edit).await.unwrap().version);
    }
    let stored = async || organization.targets().await.unwrap().remove(0);
    let (writer, failing) = (by_operator(organization, time(NOW)), Some(time(NOW)));
    let edited = stored().await;
    writer.note_target(&edited, failing).await.unwrap();
    let noted = stored().await;
    // It was changed since it was read.
    writer.disable_target(&edited, "gone").await.unwrap();
    assert_eq!(stored().await, noted);
    writer.disable_target(&noted, "gone").await.unwrap();
    let disabled = stored().await;
    assert_eq!((noted.failing_since, disabled.state), (failing, TargetState::Disabled));
    versions.extend([noted, disabled].map(|target| target.version));
    assert_eq!(versions, [2, 3, 4, 5, 6]);
    let (trail, _) = organization.audit_trail(None, 100, now(&app)).await.unwrap();
    let changed = trail.into_iter().filter(|it| it.action == AuditAction::TargetChanged).flat_map(|it| it.changes);
    let changed: Vec<_> =
        changed.map(|it| format!("{} {} {}", it.field, it.before.unwrap(), it.after.unwrap())).collect();
    let expected = ["host hooks.example other.example", "host hooks.example hooks.example", "name Tickets Chat"];
    assert_eq!(changed, expected);
}
