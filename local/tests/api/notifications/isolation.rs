//! No target is told of another organization's events.

use model::{EventRules, TargetShape};

use super::{Receiver, notifications};
use crate::isolation::Canaries;
use crate::support::{TestApp, by_operator, time};

#[tokio::test]
async fn a_target_is_told_of_its_own_organization_alone() {
    let app = TestApp::new().await;
    let mut receivers = Vec::new();
    for letter in ['a', 'b', 'c'] {
        let (receiver, organization) = (Receiver::start().await, Canaries::create(&app, letter).await.organization);
        // Before all events, so that it is told of all of them.
        let writer = by_operator(&organization, time("2026-01-01T00:00:00Z"));
        let name = format!("canary-{letter}-target").parse().unwrap();
        writer.add_target(name, receiver.url.clone(), TargetShape::Webhook, EventRules::default()).await.unwrap();
        receivers.push((letter, receiver));
    }
    notifications(&app).complete(time("2026-07-16T00:00:00Z")).await.unwrap();
    for (letter, receiver) in &receivers {
        let texts = receiver.received().into_iter().map(|message| String::from_utf8(message.body.to_vec()).unwrap());
        let texts: Vec<_> = texts.collect();
        assert!(texts.len() > 20, "{}", texts.len());
        assert!(texts.iter().any(|text| text.contains(&format!("canary-{letter}-"))));
        for other in ['a', 'b', 'c'].into_iter().filter(|other| other != letter) {
            assert!(
                texts.iter().all(|text| !text.contains(&format!("canary-{other}-"))),
                "{letter} is told of {other}"
            );
        }
    }
}
