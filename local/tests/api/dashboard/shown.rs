//! What pages show: numbers that are known, and the items that a search finds.

use model::Role;

use super::{dashboard_of, join, send, sign_in, upload};
use crate::support::{TestApp, baseline_report, by_operator, time};

#[tokio::test]
async fn a_number_of_administrators_that_is_not_known_is_not_shown_as_zero() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let router = dashboard_of(&app);
    let cookie = sign_in(&app, &member).await;
    let card = async |id: &str, complete: bool, count: u32, strong: u32| {
        let mut report = baseline_report(&format!("2026-07-0{}T00:00:00Z", id.len()));
        let review = &mut report["globalAdmins"];
        (review["dataComplete"], review["count"], review["strongMfaCount"]) =
            (complete.into(), count.into(), strong.into());
        app.org_a.add_report(&app.org_a.tenants[0], id, &report).await;
        let page = format!("/tenants/{}/reports/{id}", app.org_a.tenants[0]);
        let page = send(&router, "GET", &page, Some(&cookie), "").await.text;
        let card = page.split_once("id=\"administrators\"").unwrap().1.split_once("</dl>").unwrap().0.to_owned();
        card.split('<').filter_map(|rest| rest.split_once('>')).map(|(_, text)| text).collect::<String>()
    };
    let unknown = "Global administratorsAdministratorsNot known of at most 4With strong MFANot known";
    assert_eq!(card("a", false, 0, 0).await, unknown);
    let partial = "Global administratorsAdministrators3 of at most 4With strong MFA2 or more";
    assert_eq!(card("bb", false, 3, 2).await, partial);
    let complete = "Global administratorsAdministrators0 of at most 4With strong MFA0 of 0";
    assert_eq!(card("ccc", true, 0, 0).await, complete);
}

#[tokio::test]
async fn tenants_are_found_without_regard_to_case_and_accents() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let writer = app.org_a.writer();
    writer.rename_tenant(&app.org_a.tenants[0], &"Café Zürich".parse().unwrap()).await.unwrap();
    for list in ["/", "/tenants"] {
        for (query, found) in [("zurich+CAFE", [true, false]), ("tenant", [false, true]), ("", [true, true])] {
            let page = send(&router, "GET", &format!("{list}?q={query}"), Some(&cookie), "").await.text;
            let lists =
                app.org_a.tenants.each_ref().map(|tenant| page.contains(&format!("href=\"/tenants/{tenant}\"")));
            assert_eq!(lists, found, "{list} {query}");
        }
    }
}

#[tokio::test]
async fn labels_of_tenants_filter_every_list() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let [first, second] = &app.org_a.tenants;
    for (tenant, report) in [(first, "rpt_1"), (second, "rpt_2")] {
        app.org_a.add_report(tenant, report, &baseline_report("2026-07-01T00:00:00.000Z")).await;
    }
    let label = async |labels: &str| {
        let form = form_urlencoded::Serializer::new(String::new()).append_pair("labels", labels).finish();
        send(&router, "POST", &format!("/tenants/{first}/labels"), Some(&cookie), form).await
    };
    assert_eq!(label("Gold, Berlin,, Gold").await.status, 303);
    let read = async |path: &str| send(&router, "GET", path, Some(&cookie), "").await.text;
    assert!(read(&format!("/tenants/{first}")).await.contains("value=\"Berlin, Gold\""));
    let control = "/controls?tool=scubagear&control=X.1&label=";
    for (list, link) in
        [("/?label=", "\"/tenants/TENANT\""), ("/tenants?label=", "\"/tenants/TENANT\""), (control, "/tenants/TENANT/")]
    {
        for (label, found) in [("Gold", [true, false]), ("Silver", [false, false]), ("", [true, true])] {
            let page = read(&format!("{list}{label}")).await;
            let lists = [first, second].map(|tenant| page.contains(&link.replace("TENANT", tenant.as_str())));
            assert_eq!(lists, found, "{list}{label}");
            assert!(page.contains("<option value=\"Berlin\">"), "{list}{label}");
        }
    }
    let open = async |label: &str| {
        let csv = read(&format!("/controls.csv?status=OPEN&label={label}")).await;
        csv.lines().nth(1).map(|line| line.split(',').nth(8).unwrap().to_owned())
    };
    assert_eq!([open("").await, open("Gold").await], [Some("2".to_owned()), Some("1".to_owned())]);
    assert_eq!(open("Silver").await, None);
    let refused = label(&"x".repeat(41)).await;
    assert!(refused.status == 200 && refused.text.contains("Enter up to 20 labels"), "{}", refused.text);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
    assert_eq!(label("").await.status, 303);
    assert!(!read("/").await.contains("Berlin"));
}

#[tokio::test]
async fn a_wrong_method_a_wrong_date_and_a_large_upload_are_told_what_is_right() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    for (method, path, allowed) in [("POST", "/usage", "GET,HEAD"), ("GET", "/sign-out", "POST")] {
        let refused = send(&router, method, path, Some(&cookie), "").await;
        assert_eq!((refused.status, refused.headers["allow"].to_str().unwrap()), (405, allowed));
        assert!(refused.text.contains("not for this kind of request"), "{}", refused.text);
    }
    let page = send(&router, "GET", "/usage?asOf=2026-13-45", Some(&cookie), "").await;
    assert!(page.text.contains("Enter a date up to today, such as 2026-01-31."), "{}", page.text);
    let large = upload(&[], &[("a.json", &vec![b' '; 4_300_000])]);
    let refused = send(&router, "POST", "/imports", Some(&cookie), large).await;
    assert!(refused.status == 413 && refused.text.contains("An upload can have up to 4 MB."), "{}", refused.text);
}

#[tokio::test]
async fn the_audit_trail_names_what_was_changed() {
    let app = TestApp::new().await;
    let admin = join(&app, &app.org_a.organization, Role::Admin, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &admin).await);
    let [tenant, removed] = &app.org_a.tenants;
    app.org_a.add_report(tenant, "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    app.org_a.remove_tenant(removed).await;
    let page = send(&router, "GET", "/settings/audit", Some(&cookie), "").await.text;
    for shown in [
        format!("Added a tenant</bdi>: <a href=\"/tenants/{tenant}\"><bdi class=\"name\">Tenant a1</bdi></a>"),
        format!(
            "Imported a report</bdi>: <a href=\"/tenants/{tenant}/reports/rpt_1\"><bdi class=\"name\">Tenant a1, 1 Jul 2026</bdi></a>"
        ),
        format!("Removed a tenant</bdi>: <bdi class=\"name\">{removed}</bdi>"),
        "Joined the organization</bdi>: <bdi class=\"name\">Amara</bdi>".to_owned(),
    ] {
        assert!(page.contains(&shown), "{shown} in {page}");
    }
    let file = send(&router, "GET", "/settings/audit.csv", Some(&cookie), "").await.text;
    assert!(file.contains(&format!(",{tenant},")), "{file}");
}

#[tokio::test]
async fn the_audit_trail_is_filtered_by_person_tenant_kind_and_day() {
    let app = TestApp::new().await;
    let admin = join(&app, &app.org_a.organization, Role::Admin, "Amara").await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Ben").await;
    let router = dashboard_of(&app);
    let (admin, by_admin) = (sign_in(&app, &admin).await, admin.member_id);
    let (member, by_member) = (sign_in(&app, &member).await, member.member_id);
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    app.org_a.add_report(second, "rpt_2", &baseline_report("2026-07-03T00:00:00Z")).await;
    for (cookie, tenant, name) in [(&admin, first, "One"), (&member, second, "Two")] {
        let path = format!("/tenants/{tenant}/rename");
        assert_eq!(send(&router, "POST", &path, Some(cookie), format!("name={name}")).await.status, 303);
    }
    let found = async |cookie: &str, query: &str| {
        let file = send(&router, "GET", &format!("/settings/audit.csv?{query}"), Some(cookie), "").await.text;
        let line = |line: &str| {
            let cells: Vec<_> = line.split(',').collect();
            format!("{} {} {}", cells[3], cells[4], cells[5])
        };
        // Changes of the same moment have no order.
        let mut lines: Vec<_> = file.lines().skip(1).map(line).collect();
        lines.sort();
        lines
    };
    let renamed = |tenant: &model::ServiceTenantId, name: &str| format!("Renamed a tenant {tenant} {name}");
    assert_eq!(found(&admin, &format!("person={by_admin}&kind=TENANT_RENAMED")).await, [renamed(first, "One")]);
    assert_eq!(found(&admin, "kind=TENANT_RENAMED").await, [renamed(first, "One"), renamed(second, "Two")]);
    let of_second = found(&admin, &format!("tenant={second}&kind=REPORT_ADDED")).await;
    assert_eq!(of_second, ["Imported a report rpt_2 \"Two"], "a name with a comma is quoted");
    assert_eq!(found(&admin, "from=2026-07-01&until=2026-07-01&kind=REPORT_ADDED").await.len(), 1);
    assert_eq!(found(&admin, "from=2026-07-01&until=2026-07-03&kind=REPORT_ADDED").await.len(), 2);
    assert_eq!(found(&admin, "from=2026-07-02&until=2026-07-02").await, Vec::<String>::new());

    // A Full Member sees the own changes, whoever is asked for.
    assert_eq!(found(&member, "kind=TENANT_RENAMED").await, [renamed(second, "Two")]);
    assert_eq!(found(&member, &format!("person={by_admin}")).await, Vec::<String>::new());
    let page = send(&router, "GET", "/settings/audit", Some(&member), "").await.text;
    assert!(
        page.contains("Your changes") && !page.contains("name=\"person\"") && !page.contains("Tenant a1, "),
        "{page}"
    );
    let page = send(&router, "GET", &format!("/settings/audit?person={by_member}"), Some(&admin), "").await.text;
    assert!(
        page.contains("<option value=\"\">All</option>")
            && page.contains(&format!("value=\"{by_member}\" selected>Ben")),
        "{page}"
    );
}

#[tokio::test]
async fn a_page_without_billable_users_says_why() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
    let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
    let (writer, [tenant, _]) = (app.org_a.writer(), &app.org_a.tenants);
    // Returns whether a time is named, and what the page says.
    let shown = async || {
        let page = send(&router, "GET", &format!("/billable-users/{tenant}"), Some(&cookie), "").await.text;
        let words = page.split_once("<div class=\"empty-words\"><p>").unwrap().1.split_once("</p>").unwrap().0;
        (page.contains("recorded <time"), words.to_owned())
    };
    let command = "Record this tenant's users with <code>posture billable-users record</code>.";
    assert_eq!(shown().await, (false, command.to_owned()));
    writer.record_billable_users(tenant, &[]).await.unwrap();
    assert_eq!(shown().await, (true, "No user of this tenant has a licence.".to_owned()));
    writer.pause_tenant(tenant, true).await.unwrap();
    assert_eq!(shown().await, (true, "The tenant is paused, so none of its users is billed.".to_owned()));
}

#[tokio::test]
async fn the_audit_trail_has_every_entry_once_in_pages_of_any_length() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    for day in 1..=5 {
        let writer = by_operator(organization, time(&format!("2026-07-0{day}T00:00:00Z")));
        writer.pause_tenant(&app.org_a.tenants[0], day % 2 == 1).await.unwrap();
    }
    let now = time("2026-07-06T00:00:00Z");
    let (all, none) = organization.audit_trail(None, 100, now).await.unwrap();
    assert!(all.len() >= 5 && none.is_none());
    for limit in 1..=all.len() {
        let (mut entries, mut place) = organization.audit_trail(None, limit, now).await.unwrap();
        while let Some(older) = place {
            let page;
            (page, place) = organization.audit_trail(Some(&older), limit, now).await.unwrap();
            assert!((1..=limit).contains(&page.len()), "{limit}");
            entries.extend(page);
        }
        assert_eq!(entries, all, "{limit}");
    }
}
