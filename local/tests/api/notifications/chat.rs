//! Messages in the forms of chats: what they say, and that texts of others are texts.

use model::{EventKind, EventRules, TargetShape};
use serde_json::{Value, json};
use store::{DeliveryState, TargetState};

use super::{NOW, Receiver, add_reports, notifications};
use crate::expiring::{DUE, accepted};
use crate::stale::round;
use crate::support::{DASHBOARD, TestApp, by_operator, follow_up_report, time};

/// A name that is a mention, a link and formatting in chats.
const HOSTILE: &str = "<!channel> &amp; *A* _b_ [c](https://evil.example) <at>all</at>";

/// Sends some kinds of events in a form to a receiver, and returns their bodies.
async fn sent(shape: TargetShape, kinds: &[EventKind]) -> Vec<Value> {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let (organization, tenant) = (&app.org_a.organization, &app.org_a.tenants[0]);
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    let rules =
        EventRules { kinds: kinds.iter().copied().collect(), tenants: [tenant.clone()].into(), ..Default::default() };
    let target = writer.add_target("Chat".parse().unwrap(), receiver.url.clone(), shape, rules).await.unwrap().target;
    writer.rename_tenant(tenant, &HOSTILE.parse().unwrap()).await.unwrap();
    add_reports(&app).await;
    operations::notifications::test(&writer, &operations::Queue::Table, &target.target_id, time(NOW)).await.unwrap();
    notifications(&app).complete(time(NOW)).await.unwrap();
    let deliveries = organization.deliveries(&target.target_id, 100, time(NOW)).await.unwrap();
    assert!(deliveries.iter().all(|it| it.state == DeliveryState::Delivered), "{deliveries:?}");
    let received = receiver.received();
    assert_eq!(received.len(), deliveries.len());
    assert!(received.iter().all(|message| message.header("content-type") == "application/json"));
    // Tests are in a group of their own, so they have no order among events.
    let (tests, mut events): (Vec<_>, Vec<_>) = received
        .iter()
        .map(|message| message.json())
        .partition(|body| body.to_string().contains("asked for this test"));
    assert_eq!(tests.len(), 1);
    events.extend(tests);
    events
}

fn report() -> String {
    format!("{DASHBOARD}/tenants/ten_a1/reports/rpt_2")
}

#[tokio::test]
async fn slack_shows_texts_of_others_as_they_are() {
    let messages = sent(TargetShape::Slack, &[EventKind::TenantRenamed, EventKind::ControlDrifted]).await;
    let [renamed, drift, .., test] = &messages[..] else { panic!("messages are missing") };
    let name = "&lt;!channel&gt; &amp;amp; *A* _b_ [c](https://evil.example) &lt;at&gt;all&lt;/at&gt;";
    let plain = |text: &str| json!({ "type": "plain_text", "text": text, "emoji": false });
    let open = |address: &str| {
        let link = json!({ "type": "mrkdwn", "text": format!("<{address}|Open in the dashboard>"), "verbatim": true });
        json!({ "type": "context", "elements": [link] })
    };
    let tenant = plain(&format!("Tenant: {name}"));
    let message = |text: &str, blocks: Value| json!({ "text": text, "mrkdwn": false, "unfurl_links": false, "unfurl_media": false, "blocks": blocks });
    let blocks = json!([
        { "type": "header", "text": plain("Tenant renamed") },
        { "type": "section", "fields": [tenant] },
        open(report().split_once("/reports").unwrap().0),
    ]);
    assert_eq!(*renamed, message(&format!("Tenant renamed: {name}"), blocks));
    let fields = drift["blocks"][1]["fields"].as_array().unwrap();
    let texts: Vec<_> = fields.iter().map(|field| field["text"].as_str().unwrap()).collect();
    assert_eq!(drift["text"], format!("Control drifted: {name}"));
    assert!(texts[1].starts_with("Control: ") && texts[1].ends_with(" (low)"), "{texts:?}");
    assert!(texts[2].starts_with("Report: scubagear of 2026-07-01 00:00 UTC: score "), "{texts:?}");
    assert_eq!(drift["blocks"][2], open(&report()));
    let about = "A person asked for this test. Nothing has happened.";
    let blocks = json!([
        { "type": "header", "text": plain("Test") },
        { "type": "section", "fields": [plain(&format!("About: {about}"))] },
        open(&format!("{DASHBOARD}/settings/notifications")),
    ]);
    assert_eq!(*test, message(&format!("Test: {about}"), blocks));
}

#[tokio::test]
async fn teams_shows_a_card_without_markdown() {
    let messages = sent(TargetShape::Teams, &[EventKind::ControlDrifted]).await;
    let [drift, .., test] = &messages[..] else { panic!("messages are missing") };
    let card = |message: &Value| {
        assert_eq!(message["type"], "message");
        let [attachment] = &message["attachments"].as_array().unwrap()[..] else { panic!("one card") };
        assert_eq!(attachment["contentType"], "application/vnd.microsoft.card.adaptive");
        assert_eq!(
            (&attachment["content"]["type"], &attachment["content"]["version"]),
            (&json!("AdaptiveCard"), &json!("1.4"))
        );
        attachment["content"].clone()
    };
    let texts = |card: &Value| -> Vec<String> {
        let blocks = card["body"].as_array().unwrap().iter();
        blocks
            .map(|block| {
                // The one element whose texts know no Markdown.
                assert_eq!(block["type"], "RichTextBlock");
                let runs = block["inlines"].as_array().unwrap().iter();
                runs.map(|run| {
                    assert_eq!(run["type"], "TextRun");
                    run["text"].as_str().unwrap()
                })
                .collect()
            })
            .collect()
    };
    let drifted = texts(&card(drift));
    assert_eq!(drifted[..2], ["Control drifted".to_owned(), format!("Tenant: {HOSTILE}")]);
    assert!(drifted[2].starts_with("Control: ") && drifted[3].starts_with("Report: scubagear"), "{drifted:?}");
    let action = json!([{ "type": "Action.OpenUrl", "title": "Open in the dashboard", "url": report() }]);
    assert_eq!(card(drift)["actions"], action);
    assert_eq!(texts(&card(test))[0], "Test");
}

#[tokio::test]
async fn long_texts_and_lists_are_cut() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    let failing = "http://127.0.0.1:9/hook".parse().unwrap();
    let shape = TargetShape::Slack;
    let target =
        writer.add_target("Chat".parse().unwrap(), receiver.url.clone(), shape, EventRules::default()).await.unwrap();
    let name = "&".repeat(200);
    let other =
        writer.add_target(name.parse().unwrap(), failing, TargetShape::Webhook, EventRules::default()).await.unwrap();
    let reason = "because ".repeat(100);
    organization.by(&model::Actor::service(), time(NOW)).disable_target(&other.target, &reason).await.unwrap();
    notifications(&app).complete(time(NOW)).await.unwrap();
    let message = receiver.received()[0].json();
    let field = message["blocks"][1]["fields"][0]["text"].as_str().unwrap().to_owned();
    assert!(field.starts_with("Reason: &amp;&amp;") && field.ends_with('…'), "{field}");
    assert_eq!(field.chars().count(), "Reason: ".len() + 200 * "&amp;".len() + 100 + 1);
    // Of twelve administrators, ten are named.
    let mut report = follow_up_report("2026-06-01T00:00:00Z");
    app.org_a.add_report_at(time(NOW), "scubagear", &app.org_a.tenants[0], "rpt_1", &report).await;
    let first = report["globalAdmins"]["admins"][0].clone();
    let admins = (10..22).map(|number| {
        let mut admin = first.clone();
        admin["userPrincipalName"] = json!(format!("admin{number}@example.org"));
        admin
    });
    report["globalAdmins"]["admins"] = admins.collect();
    report["completedAt"] = json!("2026-07-01T00:00:00Z");
    app.org_a.add_report_at(time(NOW), "scubagear", &app.org_a.tenants[0], "rpt_2", &report).await;
    notifications(&app).complete(time(NOW)).await.unwrap();
    let received = receiver.received();
    let fields = received.iter().flat_map(|it| it.json()["blocks"][1]["fields"].as_array().unwrap().clone());
    let named: Vec<_> = fields.filter_map(|it| it["text"].as_str().map(str::to_owned)).collect();
    let named = named.iter().find(|text| text.starts_with("Administrators: ")).unwrap();
    assert!(named.ends_with(", and 2 more") && named.matches("@example.org").count() == 10, "{named}");
    let stored = organization.targets().await.unwrap();
    assert_eq!(stored.iter().find(|it| it.target_id == target.target.target_id).unwrap().state, TargetState::Active);
}

#[tokio::test]
async fn a_program_and_a_channel_are_told_of_a_risk_that_ends_soon() {
    let app = accepted().await;
    let organization = &app.org_a.organization;
    let rules = EventRules { kinds: [EventKind::RiskExpiring].into(), ..Default::default() };
    let (program, channel) = (Receiver::start().await, Receiver::start().await);
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    for (receiver, shape) in [(&program, TargetShape::Webhook), (&channel, TargetShape::Slack)] {
        writer.add_target("Risks".parse().unwrap(), receiver.url.clone(), shape, rules.clone()).await.unwrap();
    }
    round(&app, "2026-06-02T00:00:01Z").await;
    round(&app, DUE).await;
    notifications(&app).complete(time(DUE)).await.unwrap();
    let [message] = &program.received()[..] else { panic!("one message") };
    let (message, control) =
        (message.json(), json!({ "id": "X.1", "severity": null, "driftId": null, "acceptedUntil": "2026-07-20" }));
    assert_eq!((&message["type"], &message["data"]["control"]), (&json!("risk.expiring"), &control));
    let [card] = &channel.received()[..] else { panic!("one message") };
    let fields = card.json()["blocks"][1]["fields"].as_array().unwrap().clone();
    let texts: Vec<_> = fields.iter().map(|field| field["text"].as_str().unwrap()).collect();
    assert_eq!(texts[1..3], ["Control: X.1", "Accepted until: 2026-07-20"]);
    assert_eq!(card.json()["blocks"][0]["text"]["text"], "Risk expiring");
}
