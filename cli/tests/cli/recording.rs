//! `posture usage` and `posture billable-users`.

use serde_json::json;

use crate::support::{Member, Service};

const FIRST: &str = "11111111-2222-3333-4444-555555555555";
const SECOND: &str = "99999999-2222-3333-4444-555555555555";

const USAGE_HEADER: &str =
    "providerTenantId,totalLicensedUsers,billableUsersThisMonth,proratingPercentageThisMonth,firstBillableDate\n";

/// Returns a service with one organization and two tenants, and the tenants' identifiers.
fn service() -> (Service, Member, [String; 2]) {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenants = [service.tenant(&member, "Harbour Dental", FIRST), service.tenant(&member, "Lindqvist", SECOND)];
    (service, member, tenants)
}

#[test]
fn a_snapshot_comes_from_tables_and_lists_and_is_filled_in_from_the_tenants() {
    let (service, member, [first, second]) = service();
    service.text(&["tenant", "pause", "--org", &member.id, &second]);
    // With a byte order mark and CRLF, as spreadsheets write it.
    let table = format!("\u{feff}{}", USAGE_HEADER.replace('\n', "\r\n")) + FIRST + ",40,38,100,2026-02-01\r\n";
    let table = service.file("first.csv", table);
    let list = service.file(
        "second.json",
        json!([{
            "serviceTenantId": second, "totalLicensedUsers": 12, "billableUsersThisMonth": 12,
            "proratingPercentageThisMonth": 51.6, "firstBillableDate": "2026-03-01",
        }])
        .to_string(),
    );
    let recorded = service.json(&["usage", "record", "--org", &member.id, &table, &list]);
    assert_eq!((&recorded["tenants"], &recorded["missing"]), (&json!(2), &json!([])));

    let usage = service.get(&member.key, "/v1/usage").1;
    assert_eq!((&usage["organizationName"], &usage["totalTenants"]), (&json!("Northwind"), &json!(2)));
    let rows = usage["tenants"].as_array().unwrap();
    let row = |id: &str| rows.iter().find(|row| row["serviceTenantId"] == *id).unwrap();
    let today = &usage["asOf"];
    let expected = json!({
        "serviceTenantId": first, "providerTenantId": FIRST, "onboardingDate": today, "displayName": "Harbour Dental",
        "service": "Monitoring", "isPaused": false, "firstBillableDate": "2026-02-01", "billableStatus": "Active",
        "totalLicensedUsers": 40, "billableUsersThisMonth": 38, "proratingPercentageThisMonth": 100.0,
    });
    assert_eq!(*row(&first), expected);
    assert_eq!(row(&second)["billableStatus"], "Paused");
    assert_eq!(row(&second)["billableUsersThisMonth"], 0, "a paused tenant has no billable users");
    assert_eq!(row(&second)["proratingPercentageThisMonth"], 51.6);
}

#[test]
fn a_table_is_read_as_excel_writes_it() {
    let (service, member, [first, _]) = service();
    let row = format!("{FIRST};40;38;51,6;2026-02-01\r\n;;;;\r\n");
    let table = format!("sep=;\r\n{}{row}", USAGE_HEADER.replace(',', ";").replace('\n', "\r\n"));
    let utf_16: Vec<u8> = format!("\u{feff}{table}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for content in [table.into_bytes(), utf_16] {
        let file = service.file("usage.csv", content);
        let recorded = service.json(&["usage", "record", "--org", &member.id, &file]);
        assert_eq!(recorded["tenants"], 1);
        let usage = service.get(&member.key, "/v1/usage").1;
        let row = &usage["tenants"][0];
        assert_eq!((&row["serviceTenantId"], &row["proratingPercentageThisMonth"]), (&json!(first), &json!(51.6)));
    }
    let wrong =
        service.file("wrong.csv", format!("sep=;\n{}{FIRST};x;1;1;2026-02-01\n", USAGE_HEADER.replace(',', ";")));
    let complaint = service.failure(1, &["usage", "record", "--org", &member.id, &wrong]);
    assert!(complaint.contains("line 3, totalLicensedUsers: must be a whole number"), "{complaint}");
}

#[test]
fn an_empty_list_of_users_is_recorded_only_if_asked_for() {
    let (service, member, [first, _]) = service();
    let context = "https://graph.microsoft.com/v1.0/$metadata#users";
    let user = |id: &str, licenses: serde_json::Value| json!({ "id": id, "userPrincipalName": format!("{id}@alder.example"), "assignedLicenses": licenses });
    let rows = [user("a", json!([{ "skuId": "s" }])), user("b", json!([]))];
    let users = service.file("users.json", json!({ "@odata.context": context, "value": rows }).to_string());
    let empty = service.file("empty.json", json!({ "@odata.context": context, "value": [] }).to_string());
    let record = ["billable-users", "record", "--org", &member.id, "--tenant", &first, "--from-exports"];
    let told = service.text(&[&record[..], &[&users]].concat());
    assert!(told.contains("Recorded 1 billable user of") && told.contains("left out 1 without"), "{told}");

    let usage = ["usage", "record", "--org", &member.id, "--from-exports", "--tenant", &first];
    for command in [&record[..], &usage] {
        let complaint = service.failure(1, &[command, &[&empty]].concat());
        assert!(complaint.contains("the list of users is empty") && complaint.contains("--allow-empty"), "{complaint}");
    }
    let path = format!("/beta/billable-users?tenantId={first}");
    assert_eq!(service.get(&member.key, &path).1["totalBillableUsers"], 1);
    service.text(&[&record[..], &["--allow-empty", &empty]].concat());
    assert_eq!(service.get(&member.key, &path).1["totalBillableUsers"], 0);
}

#[test]
fn a_snapshot_replaces_that_of_its_day_and_no_other() {
    let (service, member, [first, second]) = service();
    let both =
        service.file("both.csv", format!("{USAGE_HEADER}{FIRST},1,1,100,2026-02-01\n{SECOND},2,2,100,2026-02-01\n"));
    let one = service.file("one.csv", format!("{USAGE_HEADER}{FIRST},5,5,100,2026-02-01\n"));
    service.text(&["usage", "record", "--org", &member.id, "--date", "2026-03-01", &both]);
    service.text(&["usage", "record", "--org", &member.id, "--date", "2026-03-02", &both]);
    let told = service.text(&["usage", "record", "--org", &member.id, "--date", "2026-03-02", &one]);
    assert!(told.contains(&format!("Not in the snapshot: {second}")), "{told}");

    assert_eq!(service.get(&member.key, "/v1/usage?asOf=2026-03-01").1["totalTenants"], 2);
    let replaced = service.get(&member.key, "/v1/usage?asOf=2026-03-02").1;
    assert_eq!(replaced["totalTenants"], 1);
    assert_eq!(replaced["tenants"][0]["serviceTenantId"], *first);
    assert_eq!(replaced["tenants"][0]["totalLicensedUsers"], 5);
}

#[test]
fn a_wrong_row_is_reported_by_file_row_and_field_and_nothing_is_recorded() {
    let (service, member, [_, second]) = service();
    let good = service.file("good.csv", format!("{USAGE_HEADER}{FIRST},1,1,100,2026-02-01\n"));
    let row = |change: serde_json::Value| {
        let mut row = json!({
            "serviceTenantId": second, "totalLicensedUsers": 1, "billableUsersThisMonth": 1,
            "proratingPercentageThisMonth": 1, "firstBillableDate": "2026-02-01",
        });
        row.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        json!([row]).to_string()
    };
    let cases = [
        (format!("{USAGE_HEADER}{SECOND},x,1,100,2026-02-01\n"), "line 2, totalLicensedUsers: must be a whole number"),
        (format!("{USAGE_HEADER}{SECOND},1,,100,2026-02-01\n"), "line 2, billableUsersThisMonth: is missing"),
        (format!("{USAGE_HEADER}{SECOND},1,1,101,2026-02-01\n"), "line 2, proratingPercentageThisMonth: must be"),
        (format!("{USAGE_HEADER}{SECOND},1,1,100,1.2.2026\n"), "line 2, firstBillableDate: must be a date"),
        (format!("{USAGE_HEADER}{SECOND},1,1,100,+12026-01-15\n"), "line 2, firstBillableDate: must be a date"),
        (format!("{USAGE_HEADER}{SECOND},1,1\n"), "line 2: has 3 fields where the header has 5"),
        (format!("{USAGE_HEADER}{FIRST},1,1,100,2026-02-01\n"), "occurs twice"),
        (
            row(json!({ "serviceTenantId": "ten_unknown" })),
            "row 1, serviceTenantId: is not a tenant of the organization",
        ),
        (row(json!({ "serviceTenantId": null })), "row 1, serviceTenantId: is missing, and so is providerTenantId"),
        (row(json!({ "providerTenantId": FIRST })), "row 1, providerTenantId: belongs to another tenant"),
        (row(json!({ "totalLicensedUsers": -1 })), "row 1, totalLicensedUsers: must be a whole number"),
        (row(json!({ "totalLicensedUsers": [1] })), "row 1, totalLicensedUsers: must be a single value"),
        (row(json!({ "billableStatus": "Gone" })), "row 1, billableStatus: must be Trial, Active, Paused or NFR"),
        (row(json!({ "totalLicencedUsers": 1 })), "row 1: has an unknown field; the fields are"),
        (format!("\n{USAGE_HEADER}{SECOND},x,1,100,2026-02-01\n"), "line 3, totalLicensedUsers"),
        ("billableStatus,billableStatus\nTrial,NFR\n".to_owned(), "has a duplicate field in its header"),
        ("[1]".to_owned(), "row 1: must be a JSON object"),
        ("[{".to_owned(), "is not valid JSON at line 1"),
    ];
    for (content, expected) in cases {
        let bad = service.file("bad.txt", &content);
        let complaint = service.failure(1, &["usage", "record", "--org", &member.id, &good, &bad]);
        assert!(complaint.contains("bad.txt") && complaint.contains(expected), "{expected}: {complaint}");
    }
    let empty = service.file("empty.csv", USAGE_HEADER);
    let complaint = service.failure(1, &["usage", "record", "--org", &member.id, &empty]);
    assert!(complaint.contains("contain no rows"), "{complaint}");
    assert_eq!(service.get(&member.key, "/v1/usage").0, 404);
    service.failure(2, &["usage", "record", "--org", &member.id, "--date", "2999-01-01", &good]);
}

#[test]
fn billable_users_are_those_with_a_licence() {
    let (service, member, [first, _]) = service();
    let table = service.file(
        "users.csv",
        "id,displayName,userPrincipalName,mail,accountEnabled,assignedLicenseSkuIds\n\
         u1,\"Oyelaran, Amara\",amara@harbour.example,amara@harbour.example,True,sku-1;sku-2\n\
         u2,Meeting Room,room@harbour.example,,TRUE,\n",
    );
    let list = service.file(
        "more.json",
        json!({
            "id": "u3", "displayName": "Bram Visser", "userPrincipalName": "bram@harbour.example", "mail": null,
            "accountEnabled": false, "assignedLicenseSkuIds": ["sku-1"],
        })
        .to_string(),
    );
    let told = service.text(&["billable-users", "record", "--org", &member.id, "--tenant", FIRST, &table, &list]);
    assert_eq!(told, format!("Recorded 2 billable users of tenant {first}; left out 1 without a licence.\n"));

    let users = service.get(&member.key, &format!("/beta/billable-users?tenantId={first}")).1;
    assert_eq!(users["totalBillableUsers"], 2);
    let expected = json!([
        {
            "id": "u1", "displayName": "Oyelaran, Amara", "userPrincipalName": "amara@harbour.example",
            "mail": "amara@harbour.example", "accountEnabled": true, "assignedLicenseSkuIds": ["sku-1", "sku-2"],
        },
        {
            "id": "u3", "displayName": "Bram Visser", "userPrincipalName": "bram@harbour.example", "mail": "",
            "accountEnabled": false, "assignedLicenseSkuIds": ["sku-1"],
        },
    ]);
    assert_eq!(users["users"], expected);
}

#[test]
fn a_wrong_user_is_reported_without_a_name() {
    let (service, member, [first, _]) = service();
    let header = "id,displayName,userPrincipalName,mail,accountEnabled,assignedLicenseSkuIds\n";
    for (rows, expected) in [
        ("u1,Amara Oyelaran,amara@harbour.example,,perhaps,sku\n", "line 2, accountEnabled: must be true or false"),
        ("u1,Amara Oyelaran,,,true,sku\n", "line 2, userPrincipalName: is missing"),
        ("u1,Amara Oyelaran,amara@harbour.example,,true,sku,more\n", "line 2: has 7 fields"),
        (
            "u1,Amara Oyelaran,amara@harbour.example,,true,sku\nu1,Amara Oyelaran,amara@harbour.example,,true,sku\n",
            "line 3, id: occurs twice",
        ),
    ] {
        let file = service.file("users.csv", format!("{header}{rows}"));
        let complaint =
            service.failure(1, &["billable-users", "record", "--org", &member.id, "--tenant", &first, &file]);
        assert!(complaint.contains(expected), "{expected}: {complaint}");
        assert!(!complaint.contains("Amara") && !complaint.contains("harbour.example"), "{complaint}");
    }
    for empty in ["", header, "[]"] {
        let file = service.file("users.csv", empty);
        let complaint =
            service.failure(1, &["billable-users", "record", "--org", &member.id, "--tenant", &first, &file]);
        assert!(complaint.contains("contain no rows"), "{empty}: {complaint}");
    }
    assert_eq!(service.get(&member.key, &format!("/beta/billable-users?tenantId={first}")).0, 404);
}

/// Returns the users of a directory as Graph returns them: two with a licence, one without.
fn exported_users(next_page: bool) -> String {
    let user = |id: &str, licences: &[&str]| {
        let licences: Vec<_> = licences.iter().map(|sku| json!({ "skuId": sku, "disabledPlans": [] })).collect();
        json!({
            "id": id, "displayName": format!("Name {id}"), "userPrincipalName": format!("{id}@example.com"),
            "mail": null, "accountEnabled": true, "assignedLicenses": licences,
        })
    };
    let mut page = json!({
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users",
        "value": [user("a", &["sku-1", "sku-2"]), user("b", &[]), user("c", &["sku-1"])],
    });
    if next_page {
        page["@odata.nextLink"] = json!("https://graph.microsoft.com/v1.0/users?$skiptoken=2");
    }
    page.to_string()
}

/// Records usage of both tenants on 1 March: 7 users of the first, 2 of the second.
fn record_both(service: &Service, member: &Member) {
    let both =
        service.file("both.csv", format!("{USAGE_HEADER}{FIRST},7,7,100,2026-02-01\n{SECOND},2,2,100,2026-02-01\n"));
    service.text(&["usage", "record", "--org", &member.id, "--date", "2026-03-01", &both]);
}

#[test]
fn a_tenants_usage_comes_from_its_exports_and_the_others_is_carried_over() {
    let (service, member, [first, second]) = service();
    record_both(&service, &member);
    let users = service.file("users.json", exported_users(false));
    let of_first = ["usage", "record", "--org", &member.id, "--from-exports", "--tenant", &first, &users];
    let recorded = service.json(&[&of_first[..], &["--trial-days", "0"]].concat());
    assert_eq!((&recorded["tenants"], &recorded["missing"]), (&json!(2), &json!([])));

    let usage = service.get(&member.key, "/v1/usage").1;
    let rows = usage["tenants"].as_array().unwrap();
    let row = |id: &str| rows.iter().find(|row| row["serviceTenantId"] == *id).unwrap();
    assert_eq!((&row(&first)["totalLicensedUsers"], &row(&first)["billableStatus"]), (&json!(2), &json!("Active")));
    assert_eq!((&row(&first)["billableUsersThisMonth"], &row(&second)["totalLicensedUsers"]), (&json!(2), &json!(2)));
    // Within the trial, nothing is billed unless it ends within the month.
    service.text(&[&of_first[..], &["--trial-days", "60"]].concat());
    let usage = service.get(&member.key, "/v1/usage").1;
    let rows = usage["tenants"].as_array().unwrap();
    let row = rows.iter().find(|row| row["serviceTenantId"] == *first).unwrap();
    assert_eq!((&row["billableStatus"], &row["billableUsersThisMonth"]), (&json!("Trial"), &json!(0)));
    service.text(&[&of_first[..], &["--trial-days", "0", "--not-for-resale"]].concat());
    let usage = service.get(&member.key, "/v1/usage").1;
    let row = usage["tenants"].as_array().unwrap().iter().find(|row| row["serviceTenantId"] == *first).unwrap();
    assert_eq!((&row["billableStatus"], &row["billableUsersThisMonth"]), (&json!("NFR"), &json!(0)));
}

#[test]
fn usage_that_is_carried_over_follows_the_tenant_and_the_month() {
    let (service, member, [first, second]) = service();
    // 20 of 29 licensed users are billed, which is the operator's own figure, and half of the month.
    let both = service
        .file("both.csv", format!("{USAGE_HEADER}{FIRST},7,7,100,2026-02-01\n{SECOND},29,20,46.43,2026-02-16\n"));
    service.text(&["usage", "record", "--org", &member.id, "--date", "2026-02-20", &both]);
    let users = service.file("users.json", exported_users(false));
    let row_of_second = |date: &str| {
        let tenant = ["--from-exports", "--tenant", &first, "--date", date, &users];
        service.text(&[&["usage", "record", "--org", &member.id][..], &tenant].concat());
        let usage = service.get(&member.key, &format!("/v1/usage?asOf={date}")).1;
        let row = usage["tenants"].as_array().unwrap().iter().find(|row| row["serviceTenantId"] == *second).unwrap();
        let fields = ["billableStatus", "billableUsersThisMonth", "proratingPercentageThisMonth", "displayName"];
        json!(fields.map(|field| &row[field]))
    };
    let name = row_of_second("2026-02-21")[3].clone();
    assert_eq!(row_of_second("2026-02-22"), json!(["Active", 20, 46.43, name]));
    assert_eq!(row_of_second("2026-03-01"), json!(["Active", 29, 100.0, name]));
    service.text(&["tenant", "pause", "--org", &member.id, &second]);
    service.text(&["tenant", "rename", "--org", &member.id, &second, "--name", "Renamed"]);
    assert_eq!(row_of_second("2026-03-02"), json!(["Paused", 0, 0.0, "Renamed"]));
    // The other tenants' usage of an already recorded day does not change.
    assert_eq!(row_of_second("2026-03-01"), json!(["Active", 29, 100.0, name]));
}

#[test]
fn usage_of_a_past_day_stays_for_tenants_that_were_removed_since() {
    let (service, member, [first, second]) = service();
    record_both(&service, &member);
    service.text(&["tenant", "remove", "--org", &member.id, &second, "--yes"]);
    let users = service.file("users.json", exported_users(false));
    let of_first = ["usage", "record", "--org", &member.id, "--from-exports", "--tenant", &first, &users];

    let again = service.json(&[&of_first[..], &["--date", "2026-03-01"]].concat());
    assert_eq!(again["tenants"], 2);
    assert_eq!(service.get(&member.key, "/v1/usage?asOf=2026-03-01").1["totalTenants"], 2);
    // Nothing is carried over to a later day for a tenant that no longer exists.
    let later = service.json(&[&of_first[..], &["--date", "2026-03-02"]].concat());
    assert_eq!(later["tenants"], 1);
}

#[test]
fn billable_users_come_from_complete_exports() {
    let (service, member, [first, _]) = service();
    let of_first = ["billable-users", "record", "--org", &member.id, "--tenant", &first, "--from-exports"];
    let part = service.file("part.json", exported_users(true));
    let complaint = service.failure(1, &[&of_first[..], &[&part]].concat());
    assert!(complaint.contains("is incomplete") && !complaint.contains("@example.com"), "{complaint}");
    let whole = service.file("users.json", exported_users(false));
    assert_eq!(service.json(&[&of_first[..], &[&whole]].concat())["billableUsers"], 2);
    let users = service.get(&member.key, &format!("/beta/billable-users?tenantId={first}")).1;
    assert_eq!(users["users"][0]["assignedLicenseSkuIds"], json!(["sku-1", "sku-2"]));
    assert_eq!((&users["users"][1]["id"], &users["totalBillableUsers"]), (&json!("c"), &json!(2)));
}
