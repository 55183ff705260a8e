//! Checks that all stored data contains the canaries that the other tests rely on.

use std::collections::HashMap;
use std::io::Read;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use super::canaries::{Canaries, is_free};
use crate::support::TestApp;

/// Fields of the audit trail that say what was changed, which can be a text of fixed form.
const OF_A_CHANGE: [&str; 5] = ["action", "subject", "field", "before", "after"];

#[tokio::test]
async fn every_stored_text_that_can_be_chosen_carries_its_organizations_canary() {
    let app = TestApp::new().await;
    let key = |item: &HashMap<String, AttributeValue>| (item["pk"].as_s().unwrap().clone(), item["sk"].clone());
    let before: Vec<_> = app.items().await.iter().map(key).collect();
    let organization = Canaries::create(&app, 'a').await;
    let mut seen = Seen { canary: "canary-a-", texts: 0, bodies: 0 };
    for item in app.items().await {
        if before.contains(&key(&item)) {
            continue;
        }
        let sk = item["sk"].as_s().unwrap();
        for (name, value) in &item {
            seen.attribute(sk, name, value);
        }
        if let Some(provider_id) = item.get("providerTenantId").map(|id| id.as_s().unwrap()) {
            assert!(
                provider_id.starts_with(&organization.provider_canary()) || sk.contains("-shared"),
                "{sk}: {provider_id}"
            );
        }
    }
    // Two reports, one chunk of users, and at least the known results and four events for each of six tenants.
    assert!(seen.bodies >= 48, "{}", seen.bodies);
    assert!(seen.texts > 500, "{}", seen.texts);
}

#[tokio::test]
async fn content_at_the_key_of_another_organization_is_never_returned() {
    let app = TestApp::new().await;
    let items = app.items().await;
    let [own, foreign] = [&app.org_a, &app.org_b].map(|organization| {
        let sk = format!("TENANT#{}", organization.tenants[0]);
        items.iter().find(|item| item["sk"].as_s().unwrap() == &sk).unwrap()
    });
    let mut misplaced = foreign.clone();
    misplaced.extend(["pk", "sk"].map(|name| (name.to_owned(), own[name].clone())));
    app.put(misplaced).await;
    app.org_a().get("/v1/tenants").await.failure(500, "INTERNAL_ERROR");
}

/// The items that were inspected.
struct Seen {
    canary: &'static str,
    texts: usize,
    bodies: usize,
}

impl Seen {
    fn attribute(&mut self, item: &str, name: &str, value: &AttributeValue) {
        match value {
            AttributeValue::S(text) => self.text(item, name, text),
            AttributeValue::L(list) => list.iter().for_each(|value| self.attribute(item, name, value)),
            AttributeValue::M(fields) => fields.iter().for_each(|(field, value)| {
                // The only map whose names are data.
                if name == "revisions" {
                    self.text(item, name, field);
                }
                self.attribute(item, field, value);
            }),
            AttributeValue::B(deflated) => self.body(item, name, deflated.as_ref()),
            AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null(_) => {}
            other => panic!("{item}: {name} holds {other:?}, so that nothing canaries it"),
        }
    }

    /// Inflates a text that is stored deflated: a report without its first brace, users with commas between them, or any
    /// JSON.
    fn body(&mut self, item: &str, name: &str, deflated: &[u8]) {
        self.bodies += 1;
        let ended = [deflated, &[1, 0, 0, 0xff, 0xff]].concat();
        let mut text = String::new();
        libflate::deflate::Decoder::new(&*ended).read_to_string(&mut text).unwrap();
        let text = match name {
            "tail" => format!("{{{text}"),
            "deflated" => format!("[{text}]"),
            _ => text,
        };
        self.json(item, name, &serde_json::from_str(&text).unwrap());
    }

    fn json(&mut self, item: &str, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.text(item, name, text),
            Value::Array(list) => list.iter().for_each(|value| self.json(item, name, value)),
            Value::Object(fields) => fields.iter().for_each(|(field, value)| self.json(item, field, value)),
            _ => {}
        }
    }

    fn text(&mut self, item: &str, name: &str, text: &str) {
        self.texts += 1;
        let is_change = item.starts_with("AUDIT#") && OF_A_CHANGE.contains(&name);
        assert!(!is_free(name) || is_change || text.contains(self.canary), "{item}: {name} carries no canary");
    }
}
