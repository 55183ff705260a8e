//! Mail by SES: requests that are signed and repeated.

use aws_sdk_sqs::config::Credentials;
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deliver::{Mail, Outlet, Ses};
use model::{EventKind, EventRules, Pace};
use serde_json::json;
use store::{Delivery, DeliveryState, TargetEdit};

use super::mail::{ADDRESS, Office, readable};
use super::receiver::{Received, Receiver};
use super::{NOW, notifications};
use crate::support::{by_operator, time};

#[tokio::test]
async fn ses_receives_a_signed_request_and_is_asked_again_after_a_failure() {
    let office = Office::confirmed().await;
    let receiver = Receiver::start().await;
    receiver.answer(|number, _| if number == 0 { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::OK });
    let credentials = Credentials::new("AKIDEXAMPLE", "secret-key", Some("token".to_owned()), None, "test");
    let ses = Ses { endpoint: receiver.url.clone(), region: "eu-central-1".into(), credentials };
    let mail = Mail { from: "posture@msp.example".parse().unwrap(), outlet: Outlet::Ses(ses) };
    assert!(!format!("{mail:?}").contains("secret-key") && !format!("{mail:?}").contains("msp.example"), "{mail:?}");
    let target =
        office.add(Pace::Event, EventRules { kinds: [EventKind::TenantPaused].into(), ..Default::default() }).await;
    let mut notifications = notifications(&office.app).with_mail(mail, None);
    by_operator(office.organization(), time(NOW)).pause_tenant(&office.app.org_a.tenants[0], true).await.unwrap();
    notifications.complete(time(NOW)).await.unwrap();
    let states = |deliveries: Vec<Delivery>| deliveries.iter().map(|it| (it.state, it.status)).collect::<Vec<_>>();
    assert_eq!(states(office.deliveries(&target).await), [(DeliveryState::Waiting, Some(429))]);
    let problem = office.deliveries(&target).await.remove(0).problem.unwrap();
    assert!(problem.starts_with("the mail service did not accept the mail"), "{problem}");
    // A message that waits stays one of its own, also if its target collects events from now on.
    let daily = TargetEdit { pace: Some(Pace::Day), ..TargetEdit::default() };
    by_operator(office.organization(), time(NOW)).edit_target(&target.target_id, daily).await.unwrap();
    notifications.complete(time("2026-07-02T00:00:06Z")).await.unwrap();
    assert_eq!(states(office.deliveries(&target).await), [(DeliveryState::Delivered, Some(200))]);
    let [refused, accepted] = &receiver.received()[..] else { panic!("two requests") };
    for (request, at) in [(refused, "20260702T000000Z"), (accepted, "20260702T000006Z")] {
        let (scope, rest) = (
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260702/eu-central-1/ses/aws4_request, ",
            request.header("authorization"),
        );
        assert!(rest.starts_with(scope), "{rest}");
        let signed = "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=";
        let signature = rest[scope.len()..].strip_prefix(signed).unwrap();
        assert!(signature.len() == 64 && signature.bytes().all(|byte| byte.is_ascii_hexdigit()), "{signature}");
        assert_eq!(
            (request.header("x-amz-date"), request.header("x-amz-security-token")),
            (at.to_owned(), "token".to_owned())
        );
        let body = request.json();
        assert_eq!(
            (&body["FromEmailAddress"], &body["Destination"]),
            (&json!("posture@msp.example"), &json!({ "ToAddresses": [ADDRESS] }))
        );
    }
    let message = |request: &Received| {
        let data = STANDARD.decode(request.json()["Content"]["Raw"]["Data"].as_str().unwrap()).unwrap();
        readable(&String::from_utf8(data).unwrap())
    };
    let id = |message: String| message.split_once("Message-ID: <").unwrap().1.split_once('>').unwrap().0.to_owned();
    let first = id(message(refused));
    assert!(first.starts_with("evt_") && first.ends_with(&format!(".{}@msp.example", target.target_id)), "{first}");
    assert_eq!(id(message(accepted)), first, "the same mail has the same identifier");
}
