//! No target is told of another organization's events.

use std::fs;

use deliver::Mail;
use model::{EventRules, Pace, Role, TargetShape};
use tempfile::TempDir;

use super::mail::confirm;
use super::{Receiver, notifications};
use crate::dashboard::join;
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
        let member = join(&app, &organization, Role::FullMember, &format!("canary-{letter}-member")).await;
        let address = format!("canary-{letter}-mail@mail.example");
        confirm(&organization, &member, &address, time("2026-01-01T00:00:00Z")).await;
        let name = format!("canary-{letter}-daily").parse().unwrap();
        writer.add_mail(name, member.member_id, Pace::Day, EventRules::default()).await.unwrap();
        receivers.push((letter, receiver));
    }
    let folder = TempDir::new().unwrap();
    notifications(&app)
        .with_mail(Mail::written_to(folder.path()), None)
        .complete(time("2026-07-16T00:00:00Z"))
        .await
        .unwrap();
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
    let mails: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    for letter in ['a', 'b', 'c'] {
        let own: Vec<_> = mails.iter().filter(|mail| mail.contains(&format!("To: <canary-{letter}-mail@"))).collect();
        assert!(
            !own.is_empty() && own.iter().any(|mail| mail.matches(&format!("canary-{letter}-")).count() > 10),
            "{own:?}"
        );
        for other in ['a', 'b', 'c'].into_iter().filter(|other| *other != letter) {
            assert!(own.iter().all(|mail| !mail.contains(&format!("canary-{other}-"))), "{letter} is told of {other}");
        }
    }
}
