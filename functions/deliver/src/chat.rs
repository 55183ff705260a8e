//! Messages for chats, in the forms that their incoming webhooks accept.
//!
//! A tenant's name, or the name of a file, is a text of others: in a channel, it must not become a mention, a link or
//! formatting.

use serde_json::{Value, json};

use crate::notice::Notice;

/// Text of the link.
const OPEN: &str = "Open in the dashboard";

/// Returns a message for Slack: a line for notifications, and blocks of plain text, in which `&`, `<` and `>` are escaped
/// as Slack asks for. Links are not unfolded.
pub(crate) fn slack(Notice { headline, facts, link }: &Notice) -> Value {
    let plain = |text: &str| json!({ "type": "plain_text", "text": escaped(text), "emoji": false });
    let about = facts.first().map(|(_, value)| format!(": {value}")).unwrap_or_default();
    let mut blocks = vec![json!({ "type": "header", "text": plain(headline) })];
    if !facts.is_empty() {
        let fields: Vec<_> = facts.iter().map(|(name, value)| plain(&format!("{name}: {value}"))).collect();
        blocks.push(json!({ "type": "section", "fields": fields }));
    }
    let open = json!({ "type": "mrkdwn", "text": format!("<{}|{OPEN}>", escaped(link)), "verbatim": true });
    blocks.push(json!({ "type": "context", "elements": [open] }));
    json!({
        "text": escaped(&format!("{headline}{about}")),
        "mrkdwn": false,
        "unfurl_links": false,
        "unfurl_media": false,
        "blocks": blocks,
    })
}

/// Returns a message for a workflow of Teams: an Adaptive Card whose texts are runs, since runs know no Markdown, while
/// text blocks and facts do.
pub(crate) fn teams(Notice { headline, facts, link }: &Notice) -> Value {
    let run = |text: &str, weight: &str, size: &str| json!({ "type": "TextRun", "text": text, "weight": weight, "size": size });
    let block = |inlines: Vec<Value>| json!({ "type": "RichTextBlock", "inlines": inlines });
    let fact = |(name, value): &(&str, String)| {
        block(vec![run(&format!("{name}: "), "Bolder", "Default"), run(value, "Default", "Default")])
    };
    let mut body = vec![block(vec![run(headline, "Bolder", "Medium")])];
    body.extend(facts.iter().map(fact));
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": [{ "type": "Action.OpenUrl", "title": OPEN, "url": link }],
    });
    let attachment =
        json!({ "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": card });
    json!({ "type": "message", "attachments": [attachment] })
}

/// Returns a text for Slack in which nothing is a mention or a link.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
