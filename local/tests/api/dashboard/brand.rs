//! The brand, as an Admin changes it in the dashboard.

use axum::Router;
use model::Role;
use store::AuditAction;

use super::roles::hidden;
use super::{Received, dashboard_of, join, multipart, send, sign_in};
use crate::support::{TestApp, later};

const PATH: &str = "/settings/brand";

/// A PNG of 3 x 2 pixels.
const LOGO: &[u8] = include_bytes!("../../../../cli/tests/cli/logo.png");

async fn admin(app: &TestApp) -> (Router, String) {
    let admin = join(app, &app.org_a.organization, Role::Admin, "admin").await;
    (dashboard_of(app), sign_in(app, &admin).await)
}

async fn save(service: &(Router, String), fields: &[(&str, &str)], logo: Option<&[u8]>) -> Received {
    let page = send(&service.0, "GET", PATH, Some(&service.1), "").await.text;
    let seen = [("seen", hidden(&page, "seen").unwrap())];
    let form = multipart(&[&seen, fields].concat(), logo.map(|bytes| ("logo", bytes)));
    send(&service.0, "POST", PATH, Some(&service.1), form).await
}

#[tokio::test]
async fn a_brand_is_chosen_shown_recorded_and_returned_to_its_defaults() {
    let app = TestApp::new().await;
    let service = admin(&app).await;
    let chosen = [("name", "  Northwind <IT>  "), ("accent", "#FFD400"), ("footer", "For the client only")];
    let response = save(&service, &chosen, Some(LOGO)).await;
    assert_eq!((response.status, response.location()), (303, PATH), "{}", response.text);

    let stored = app.org_a.organization.brand().await.unwrap();
    assert_eq!((stored.name.as_deref(), stored.accent.as_deref()), (Some("Northwind <IT>"), Some("#ffd400")));
    assert_eq!(stored.footer.as_deref(), Some("For the client only"));
    assert_eq!(stored.logo.as_ref().map(|logo| (logo.width, logo.height, &*logo.bytes)), Some((3, 2, LOGO)));
    let page = send(&service.0, "GET", PATH, Some(&service.1), "").await.text;
    for shown in ["Northwind &lt;IT&gt;", "value=\"#ffd400\"", "fill=\"#8c7400\"", "src=\"data:image/png;base64,"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert_eq!(app.org_b.organization.brand().await.unwrap(), store::BrandRecord::default());

    // No file leaves the logo; empty fields return to their defaults. An unchanged brand is no entry of the trail.
    for _ in 0..2 {
        assert_eq!(save(&service, &[("name", ""), ("accent", ""), ("footer", " ")], Some(b"")).await.status, 303);
    }
    let stored = app.org_a.organization.brand().await.unwrap();
    assert!(stored.logo.is_some() && stored.name.is_none() && stored.accent.is_none() && stored.footer.is_none());
    assert_eq!(save(&service, &[("removeLogo", "on")], None).await.status, 303);
    let stored = app.org_a.organization.brand().await.unwrap();
    assert_eq!(stored, store::BrandRecord { version: 3, ..Default::default() });

    let (entries, _) = app.org_a.organization.audit_trail(None, 100, later()).await.unwrap();
    let changes: Vec<_> = entries.iter().filter(|entry| entry.action == AuditAction::BrandChanged).collect();
    assert_eq!(changes.len(), 3);
    let mut fields = changes.iter().flat_map(|entry| &entry.changes);
    let removed = fields.find(|change| change.field == "logo" && change.after.is_none()).unwrap();
    assert!(removed.before.as_ref().unwrap().starts_with("image/png, 3 x 2 pixels"), "{removed:?}");
    let trail = send(&service.0, "GET", "/settings/audit", Some(&service.1), "").await.text;
    assert!(trail.contains("Changed the brand"), "{trail}");
}

#[tokio::test]
async fn an_invalid_brand_is_reported_beside_its_field_and_changes_nothing() {
    let app = TestApp::new().await;
    let service = admin(&app).await;
    let large = vec![0; 100 * 1024 + 1];
    let long = "x".repeat(201);
    for (field, text, logo, said) in [
        ("name", "a\u{0}b", None, "The name must be 1 to 100 characters"),
        ("accent", "blue", None, "must be a colour in the form #rrggbb"),
        ("footer", long.as_str(), None, "The footer must be 1 to 200 characters"),
        ("note", "", Some(&b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..]), "The logo is neither a PNG nor a JPEG"),
        ("note", "", Some(&LOGO[..LOGO.len() / 2]), "The logo is damaged"),
        ("note", "", Some(&large[..]), "the limit is 102400"),
    ] {
        let response = save(&service, &[("name", "Kept"), (field, text)], logo).await;
        assert_eq!(response.status, 200, "{said}: {}", response.text);
        assert!(response.text.contains(said) && response.text.contains("aria-invalid"), "{said}: {}", response.text);
    }
    // Far too much is not even read.
    let response = save(&service, &[], Some(&vec![0; 3 << 20])).await;
    assert!(response.status == 400 && response.text.contains("far too large"), "{}", response.text);
    assert_eq!(send(&service.0, "POST", PATH, Some(&service.1), "name=x").await.status, 400);
    assert_eq!(app.org_a.organization.brand().await.unwrap(), store::BrandRecord::default());
}

#[tokio::test]
async fn a_brand_that_somebody_else_changed_is_not_overwritten() {
    let app = TestApp::new().await;
    let service = admin(&app).await;
    let form = |name: &str, seen: &str| multipart(&[("seen", seen), ("name", name)], Some(("logo", LOGO)));
    let post = async |form: Vec<u8>| send(&service.0, "POST", PATH, Some(&service.1), form).await;
    assert_eq!(post(form("First", "0")).await.status, 303);

    for seen in ["0", "", "2"] {
        let refused = post(form("Second", seen)).await;
        assert_eq!(refused.status, 409, "{}", refused.text);
        for said in
            ["This was changed since you opened it", "It is now: First", "value=\"Second\"", "Choose the file again"]
        {
            assert!(refused.text.contains(said), "{said}: {}", refused.text);
        }
        assert_eq!(hidden(&refused.text, "seen"), Some("1"), "saving again replaces the new values");
        assert_eq!(app.org_a.organization.brand().await.unwrap().name.as_deref(), Some("First"));
    }
    assert_eq!(post(form("Second", "1")).await.status, 303);

    // Two at the same moment: the table decides.
    let organization = &app.org_a.organization;
    let read = organization.brand().await.unwrap();
    let named = |name: &str| store::BrandRecord { name: Some(name.to_owned()), ..read.clone() };
    assert!(app.org_a.writer().set_brand(&read, &named("Third")).await.unwrap());
    assert!(!app.org_a.writer().set_brand(&read, &named("Fourth")).await.unwrap());
    assert_eq!(organization.brand().await.unwrap().name.as_deref(), Some("Third"));
}
