//! PDFs of reports in the dashboard: whose they are, and what becomes of those that cannot be made or sent.

use model::Role;
use web::Documents;

use super::roles::Walk;
use super::{dashboard_of, dashboard_with, join, send, sign_in};
use crate::support::{TestApp, baseline_report};

#[tokio::test]
async fn a_pdf_is_made_of_the_bytes_that_the_api_returns() {
    let app = TestApp::new().await;
    let tenant = &app.org_a.tenants[0];
    app.org_a.add_report(tenant, "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let path = format!("/tenants/{tenant}/reports/rpt_1/pdf");
    let document = send(&router, "GET", &path, Some(&cookie), "").await;
    assert_eq!(document.status, 200, "{}", document.text);
    let returned = app.org_a().get("/v1/posture-reports").await;
    let returned = String::from_utf8(returned.body.to_vec()).unwrap();
    assert_eq!(returned, format!("{{\"reports\":[{}],\"totalReports\":1,\"nextCursor\":null}}", document.text));
    let header = |name: &str| document.headers[name].to_str().unwrap();
    assert_eq!((header("content-type"), header("cache-control")), ("application/pdf", "no-store"));
    assert!(header("content-disposition").starts_with("attachment; filename=\""), "{:?}", document.headers);
    assert!(header("content-disposition").ends_with("-2026-07-01.pdf"), "{:?}", document.headers);
}

#[tokio::test]
async fn a_person_chooses_the_kind_the_paper_and_the_first_words() {
    let app = TestApp::new().await;
    let tenant = &app.org_a.tenants[0];
    for (report, day) in [("rpt_1", "2026-07-01"), ("rpt_2", "2026-08-01"), ("rpt_3", "2026-09-01")] {
        app.org_a.add_report(tenant, report, &baseline_report(&format!("{day}T00:00:00Z"))).await;
    }
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let cookie = sign_in(&app, &member).await;
    // Returns what the typesetter was given.
    let told = Documents::Here {
        render: |_, document| {
            let days = document.history.iter().map(|point| point.completed.to_string()[..10].to_owned());
            Ok(format!("{:?} {} {}", document.choice, document.tool, days.collect::<Vec<_>>().join(" ")).into_bytes())
        },
        largest: usize::MAX,
        archives: None,
    };
    let router = dashboard_with(app.app.clone(), told);
    let path = format!("/tenants/{tenant}/reports/rpt_2/pdf");
    for (query, choice) in [
        ("", "Choice { kind: Everything, paper: A4, foreword: Foreword(\"\"), tasks: Hidden }"),
        (
            "?kind=open&tasks=shown&foreword=",
            "Choice { kind: Open, paper: A4, foreword: Foreword(\"\"), tasks: Shown }",
        ),
        (
            "?kind=board&paper=letter&foreword=Dear+board%2C%0D%0Aall+is+well.",
            "Choice { kind: Board, paper: Letter, foreword: Foreword(\"Dear board,\\nall is well.\"), tasks: Hidden }",
        ),
    ] {
        let document = send(&router, "GET", &format!("{path}{query}"), Some(&cookie), "").await;
        // The history ends with the report itself, so that later reports do not change its document.
        assert_eq!(document.text, format!("{choice} scubagear 2026-07-01 2026-08-01"), "{query}");
    }
    for refused in ["paper=a3", "kind=all", &format!("foreword={}", "x".repeat(601))] {
        assert_eq!(
            send(&router, "GET", &format!("{path}?{refused}"), Some(&cookie), "").await.status,
            400,
            "{refused}"
        );
    }
}

#[tokio::test]
async fn foreign_removed_and_unknown_reports_are_the_same_page_wherever_pdfs_are_made() {
    let walk = Walk::new().await;
    let tenants = [&walk.app.org_b.tenants[0], &walk.app.org_a.tenants[1], &walk.app.org_a.tenants[0]];
    for documents in [Documents::Nobody, Documents::Elsewhere] {
        let router = dashboard_with(walk.app.app.clone(), documents);
        let mut pages = Vec::new();
        for (tenant, report) in tenants.into_iter().zip(["rpt_foreign", "rpt_removed", "rpt_unknown"]) {
            let path = format!("/tenants/{tenant}/reports/{report}/pdf");
            let response = send(&router, "GET", &path, Some(&walk.admin), "").await;
            assert_eq!(response.status, 404, "{path}");
            pages.push(response.text);
        }
        assert!(pages.iter().all(|page| *page == pages[0]), "{pages:?}");
    }
}

#[tokio::test]
async fn without_a_typesetter_no_page_offers_a_pdf_and_its_address_says_what_to_do() {
    let walk = Walk::new().await;
    let report = format!("/tenants/{}/reports/rpt_own", walk.app.org_a.tenants[0]);
    for (documents, linked) in [(Documents::Nobody, false), (Documents::Elsewhere, true)] {
        let router = dashboard_with(walk.app.app.clone(), documents);
        let page = send(&router, "GET", &report, Some(&walk.member), "").await;
        assert_eq!(page.text.contains(&format!("action=\"{report}/pdf\"")), linked);
    }
    let router = dashboard_with(walk.app.app.clone(), Documents::Nobody);
    let response = send(&router, "GET", &format!("{report}/pdf"), Some(&walk.member), "").await;
    assert_eq!(response.status, 501);
    assert!(response.text.contains("cargo run --features pdf -- serve"), "{}", response.text);
}

#[tokio::test]
async fn a_document_that_is_too_large_or_fails_is_a_page_that_says_so() {
    let walk = Walk::new().await;
    let path = format!("/tenants/{}/reports/rpt_own/pdf", walk.app.org_a.tenants[0]);
    let large = Documents::Here { render: |_, _| Ok(vec![0; 5_000_000]), largest: 4_600_000, archives: None };
    let response = send(&dashboard_with(walk.app.app.clone(), large), "GET", &path, Some(&walk.member), "").await;
    assert_eq!(response.status, 409);
    assert!(
        response.text.contains("has 5.0 MB") && response.text.contains("posture report pdf rpt_own"),
        "{}",
        response.text
    );
    let fails = Documents::Here { render: |_, _| Err("the inside".into()), largest: usize::MAX, archives: None };
    let response = send(&dashboard_with(walk.app.app.clone(), fails), "GET", &path, Some(&walk.member), "").await;
    assert_eq!((response.status, response.text.contains("the inside")), (500, false));
}
