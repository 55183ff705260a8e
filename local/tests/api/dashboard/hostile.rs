//! Every page with names and texts that attack it: none may break the page, or the rules of the pages' policy.

use std::collections::HashSet;

use form_urlencoded::Serializer;
use model::Role;
use serde_json::{Value, json};
use web::route::Access;

use super::links::follow;
use super::roles::{Walk, record_import};
use super::{join, multipart, send};
use crate::billable_users;
use crate::support::{TODAY, baseline_report};
use crate::usage::{record, usage};

/// Texts that try to break a page.
const ATTACKS: [&str; 5] = [
    "<script>document.title='taken'</script>",
    "\"><svg onload=alert(1)>",
    "invoice\u{202e}fdp.exe",
    "=HYPERLINK(\"http://attacker.example\")",
    "日本株式会社 – مجموعة",
];

/// Returns a report in which every text attacks, among them a name that would bury the page.
fn hostile_report() -> Value {
    let mut report = baseline_report("2026-07-02T00:00:00Z");
    let checks: Vec<_> = ATTACKS.iter().enumerate().map(|(place, attack)| json!({
        "controlId": format!("Y.{place}"), "category": "ACCOUNTS", "name": attack, "status": "OPEN", "severity": "HIGH",
        "currentState": format!("{attack}\nsecond line"), "previousState": attack, "why": attack,
        "suggestedFix": attack, "observedUsage": attack,
        "acceptedRisk": (place > 1).then(|| json!({ "reason": attack, "until": "2027-07-01" })),
    })).collect();
    let risks: Vec<_> = checks
        .iter()
        .map(|check| {
            json!({
                "controlId": check["controlId"], "name": check["name"], "status": "OPEN", "severity": "HIGH",
            })
        })
        .collect();
    (report["checks"], report["topRisks"]) = (checks.into(), risks.into());
    report["checks"][4]["name"] = "W".repeat(10_000).into();
    report["globalAdmins"]["admins"] = json!([{
        "userPrincipalName": ATTACKS[1], "status": "OPEN", "mfaEnforcement": "NONE", "mfaMethod": "NONE",
        "mfaMethodStrong": false, "passwordAgeDays": null, "passwordAgeWarning": false, "failedSignIns": 0,
    }]);
    report
}

/// Fills every page with texts that attack.
async fn attacked() -> Walk {
    let walk = Walk::new().await;
    let (organization, tenant) = (&walk.app.org_a.organization, &walk.app.org_a.tenants[0]);
    walk.app.org_a.add_report(tenant, "rpt_hostile", &hostile_report()).await;
    let writer = walk.app.org_a.writer();
    writer.rename_tenant(tenant, &format!("={}", ATTACKS[0]).parse().unwrap()).await.unwrap();
    for attack in [ATTACKS[1], ATTACKS[3], ATTACKS[4]] {
        writer.create_key(Some(attack.parse().unwrap())).await.unwrap();
        writer.invite(Role::FullMember, Some(attack.parse().unwrap())).await.unwrap();
        join(&walk.app, organization, Role::FullMember, attack).await;
        record_import(organization, attack).await;
    }
    let mut row = usage(tenant.as_str(), "Active", 3);
    row["displayName"] = format!("={}", ATTACKS[2]).into();
    record(&walk.app.org_a, TODAY, &[row]).await;
    let mut user = billable_users::user(1);
    for name in ["displayName", "userPrincipalName", "mail"] {
        user[name] = ATTACKS[3].into();
    }
    billable_users::record(&walk.app.org_a, 0, &[user]).await;
    walk
}

#[tokio::test]
async fn no_page_is_broken_by_the_texts_in_it() {
    let walk = attacked().await;
    let crawl = follow(&walk, &walk.admin, Access::Admin).await;
    let pages: Vec<_> = crawl.pages.iter().filter(|(_, page)| !page.is_empty()).collect();
    assert!(pages.len() > 60, "{} pages", pages.len());
    for (address, page) in pages {
        obeys(address, page);
    }
    for address in crawl.pages.keys().filter(|address| address.split('?').next().unwrap().ends_with(".csv")) {
        let file = send(&walk.router, "GET", address, Some(&walk.admin), "").await.text;
        holds_no_formula(address, &file);
    }
}

#[tokio::test]
async fn no_page_is_broken_by_what_was_typed_into_its_form() {
    let walk = attacked().await;
    let tenant = format!("/tenants/{}", walk.app.org_a.tenants[0]);
    let check = format!("{tenant}/reports/rpt_hostile/edit/check");
    for attack in ATTACKS {
        // Two lines are no name, so that each form is shown again.
        let typed = format!("{attack}\n{attack}");
        let mut form = Serializer::new(String::new());
        for name in [
            "name",
            "providerTenantId",
            "description",
            "note",
            "currentState",
            "why",
            "suggestedFix",
            "reason",
            "until",
            "status",
        ] {
            form.append_pair(name, &typed);
        }
        let form =
            form.append_pair("role", "ADMIN").append_pair("form", "form_1").append_pair("control", "Y.1").finish();
        let rename = format!("{tenant}/rename");
        let removal = format!("{tenant}/remove");
        for action in ["/tenants", "/settings/api-keys", "/settings/invitations", &rename, &removal, &check] {
            let answer = send(&walk.router, "POST", action, Some(&walk.admin), &form).await;
            assert_eq!(answer.status, 200, "{action}: {}", answer.text);
            assert!(answer.text.contains("role=\"alert\""), "{action}");
            obeys(action, &answer.text);
        }
        let brand = multipart(&[("seen", "0"), ("name", &typed), ("accent", attack), ("footer", &typed)], None);
        let answer = send(&walk.router, "POST", "/settings/brand", Some(&walk.admin), &brand).await;
        assert_eq!(answer.status, 200);
        obeys("/settings/brand", &answer.text);
    }
}

/// Returns a page without the values of its fields: they are as they were typed, and browsers isolate them.
fn without_fields(page: &str) -> String {
    let areas = page.split("<textarea").enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once("</textarea>").unwrap().1,
    });
    let page: String = areas.collect();
    let values = page.split(" value=\"").enumerate().map(|(place, part)| match place {
        0 => part,
        _ => part.split_once('"').unwrap().1,
    });
    values.collect()
}

/// Checks that no cell of a file begins like a formula.
pub(super) fn holds_no_formula(name: &str, file: &str) {
    let cells = file.trim_start_matches('\u{feff}').split(['\r', '\n', ',']);
    for cell in cells.map(|cell| cell.trim_start_matches('"')) {
        assert!(!cell.starts_with(['=', '@', '+', '\t']), "{name}: {cell}");
    }
}

/// Checks a page against the rules of all pages.
fn obeys(name: &str, page: &str) {
    assert!(!page.contains(" style=") && !page.contains("<style"), "{name}");
    let scripts: Vec<_> = page.split("<script").skip(1).collect();
    assert!(scripts.len() == 1 && scripts[0].starts_with(" src=\"/assets/"), "{name}: {} scripts", scripts.len());
    let bare = without_fields(page);
    for opening in bare.split('<').skip(1).filter_map(|tag| tag.split('>').next()) {
        assert!(!opening.contains(" onload=") && !opening.contains(" onclick="), "{name}: {opening}");
    }
    assert!(!bare.contains('\u{202e}'), "{name}: a text turns around what follows it");
    assert!(!page.contains(&"W".repeat(200)), "{name}: a name buries the page");
    assert_eq!(page.matches("<h1").count(), 1, "{name}");
    let ids: Vec<_> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "{name}: an identifier is repeated");
    for described in page.split(" aria-describedby=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
        for id in described.split(' ') {
            assert!(ids.contains(&id), "{name}: nothing has the identifier {id}");
        }
    }
}
