//! Commands that show data, and tenants that commands name.

use serde_json::json;

use crate::samples::results;
use crate::support::{Member, Service, failed, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";
const OTHER_PROVIDER_ID: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";

/// Returns a service with a tenant, and the tenant's identifier.
fn service() -> (Service, Member, String) {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenant = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    (service, member, tenant)
}

/// Imports the results of a month, and returns the report's identifier.
fn imported(service: &Service, member: &Member, month: u32, controls: &[(&str, &str)]) -> String {
    let file = service.file("results.json", results(PROVIDER_ID, month, controls));
    let result = service.json(&["report", "import", "--org", &member.id, &file]);
    text_of(&result["reports"][0], "reportId")
}

/// Returns the usage of the tenant, and one of its users.
fn tables(service: &Service) -> [String; 2] {
    let header =
        "providerTenantId,totalLicensedUsers,billableUsersThisMonth,proratingPercentageThisMonth,firstBillableDate";
    let user = "id,displayName,userPrincipalName,mail,accountEnabled,assignedLicenseSkuIds\n\
                u1,Amara Oyelaran,amara@harbour.example,,true,sku-1;sku-2\n";
    [
        service.file("usage.csv", format!("{header}\n{PROVIDER_ID},7,5,46.43,2026-02-01\n")),
        service.file("users.csv", user),
    ]
}

/// Returns the arguments of a command on an organization's data.
fn on<'a>(organization: &'a str, command: &[&'a str]) -> Vec<&'a str> {
    [command, &["--org", organization]].concat()
}

#[test]
fn a_tenant_is_found_by_its_name() {
    let (service, member, tenant) = service();
    let [_, users] = tables(&service);
    let results = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let exported = service.file("users.json", crate::support::page("users", &[]));
    let organization = member.id.as_str();
    for name in ["Harbour Dental", " harbour DENTAL "] {
        for command in [
            &["tenant", "show", name][..],
            &["tenant", "pause", name],
            &["tenant", "resume", name],
            &["tenant", "rename", name, "--name", "Harbour Dental"],
            &["report", "import", "--tenant", name, &results],
            &["report", "list", "--tenant", name],
            &["billable-users", "record", "--tenant", name, &users],
            &["billable-users", "show", "--tenant", name],
            &["usage", "record", "--from-exports", "--allow-empty", "--tenant", name, &exported],
        ] {
            service.text(&on(organization, command));
        }
    }
    assert_eq!(
        service.json(&on(organization, &["report", "list", "--tenant", "Harbour Dental"])).as_array().unwrap().len(),
        1
    );
    let complaint = service.failure(1, &on(organization, &["tenant", "show", "Harbour"]));
    assert!(complaint.contains("has no tenant Harbour") && complaint.contains("`posture tenant list`"), "{complaint}");

    let other = service.tenant(&member, "HARBOUR DENTAL", OTHER_PROVIDER_ID);
    for command in [
        &["tenant", "pause", "harbour dental"][..],
        &["tenant", "remove", "--yes", "harbour dental"],
        &["report", "import", "--tenant", "harbour dental", &results],
        &["report", "list", "--tenant", "harbour dental"],
    ] {
        let complaint = service.failure(1, &on(organization, command));
        let expected = format!(
            "2 tenants have the name harbour dental, so name one by its identifier: {tenant} (provider {PROVIDER_ID}), \
             {other} (provider {OTHER_PROVIDER_ID})"
        );
        assert!(complaint.contains(&expected), "{complaint}");
    }
    let stranger = service.organization("Stranger");
    let complaint = service.failure(1, &["tenant", "show", "--org", &stranger.id, "Harbour Dental"]);
    assert!(complaint.contains("has no tenant Harbour Dental") && !complaint.contains(&tenant), "{complaint}");
}

#[test]
fn a_list_of_reports_says_where_it_stopped_and_is_whole_as_json() {
    let (service, member, _) = service();
    for number in 0..101 {
        let time = format!("2026-01-{:02}T{:02}:00:00.000Z", 1 + number / 4, number % 4);
        let run = results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]).replace("2026-01-01T06:00:00.000Z", &time);
        service.file(&format!("runs/{number}.json"), run);
    }
    let folder = service.folder.path().join("runs").to_str().unwrap().to_owned();
    service.text(&["report", "import", "--org", &member.id, &folder]);
    let list = ["report", "list", "--org", &member.id];
    assert_eq!(service.json(&list).as_array().unwrap().len(), 101);
    let output = service.run(&list);
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap().lines().count(), 1 + 100);
    assert_eq!(failed(0, &output), "hint: these are 100 of 101 reports; --limit 101 lists all of them\n");
}

#[test]
fn an_import_says_first_what_a_run_lost() {
    let (service, member, _) = service();
    imported(&service, &member, 1, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]);
    let file =
        service.file("next.json", results(PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Error"), ("MS.AAD.2.1v1", "Pass")]));
    let told = service.text(&["report", "import", "--org", &member.id, &file]);
    let lost = "1 control assessed before was not assessed this time (1 with an error), so the score covers 1 of those 2. \
                The scores are not comparable.";
    assert!(told.starts_with(&format!("{file}: {lost}\n")), "{told}");
    let id = text_of(&service.json(&["report", "list", "--org", &member.id])[0], "reportId");
    let shown = service.text(&["report", "show", "--org", &member.id, &id]);
    assert!(shown.contains(&format!("\nCoverage        {lost}\n")), "{shown}");
}

#[test]
fn two_reports_are_compared() {
    let (service, member, _) = service();
    let controls = |results: [&'static str; 4]| {
        ["MS.AAD.1.1v1", "MS.AAD.2.1v1", "MS.AAD.3.1v1", "MS.AAD.3.2v1"].into_iter().zip(results).collect::<Vec<_>>()
    };
    let older = imported(&service, &member, 1, &controls(["Fail", "Pass", "Pass", "Fail"]));
    let newer = imported(&service, &member, 2, &controls(["Pass", "Fail", "Pass", "Error"]));
    let compare = ["report", "compare", "--org", &member.id, &newer, &older];
    let text = service.text(&compare);
    for line in [
        &*format!("Older     {older}, completed 2026-01-01T06:00:00.000Z, score 46 (F)"),
        &format!("Newer     {newer}, completed 2026-02-01T06:00:00.000Z, score 72 (C)"),
        "Coverage  1 control assessed before was not assessed this time, so the score covers 3 of those 4. The scores are \
         not comparable.",
        "    before SECURE: Details of month 1.",
        "    now    Details of month 2.",
        "1 control with the same result",
    ] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    let heads = ["REGRESSED: best practice was met before", "FIXED: best practice is met now", "OTHER CHANGES"];
    assert!(
        heads.iter().all(|head| text.contains(head)) && !text.contains("NEW:") && !text.contains("GONE:"),
        "{text}"
    );

    let compared = service.json(&compare);
    let ids =
        |list: &str| compared[list].as_array().unwrap().iter().map(|it| text_of(it, "controlId")).collect::<Vec<_>>();
    assert_eq!((ids("regressed"), ids("fixed")), (vec!["MS.AAD.2.1".to_owned()], vec!["MS.AAD.1.1".to_owned()]));
    assert_eq!((ids("changed"), ids("new"), ids("gone")), (vec!["MS.AAD.3.2".to_owned()], vec![], vec![]));
    assert_eq!((&compared["same"], &compared["isComparable"]), (&json!(1), &json!(false)));
    assert_eq!(compared["coverage"], json!({ "previouslyAssessed": 4, "lost": 1, "reasons": [] }));
    let outcome =
        |status: &str, month: u32| json!({ "status": status, "currentState": format!("Details of month {month}.") });
    assert_eq!(compared["regressed"][0]["before"], outcome("SECURE", 1));
    assert_eq!(compared["regressed"][0]["after"], outcome("DRIFTED", 2));

    let same = service.text(&["report", "compare", "--org", &member.id, &older, &older]);
    assert!(same.ends_with("4 controls with the same result\n"), "{same}");
    let stranger = service.organization("Stranger");
    let complaint = service.failure(1, &["report", "compare", "--org", &stranger.id, &older, &newer]);
    assert!(complaint.contains(&format!("has no report {older}")), "{complaint}");
}

#[test]
fn reports_of_different_tenants_or_tools_are_not_compared() {
    let (service, member, _) = service();
    service.tenant(&member, "Other", OTHER_PROVIDER_ID);
    let one = imported(&service, &member, 1, &[("MS.AAD.1.1v1", "Fail")]);
    let file = service.file("other.json", results(OTHER_PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let of_other = service.json(&["report", "import", "--org", &member.id, &file]);
    let test = json!({
        "Id": "MT.1001", "Title": "A title", "Name": "A title", "Severity": "High", "Result": "Failed", "Block": "Maester/Entra",
    });
    let maester = json!({
        "Result": "Failed", "FailedCount": 1, "PassedCount": 0, "SkippedCount": 0, "TotalCount": 1, "TenantId": PROVIDER_ID,
        "ExecutedAt": "2026-03-01T09:00:00Z", "CurrentVersion": "1.3.0", "Tests": [test],
    });
    let file = service.file("maester.json", maester.to_string());
    let of_maester = service.json(&["report", "import", "--org", &member.id, &file]);
    for (other, expected) in [
        (of_other, "they belong to different tenants: choose two reports of one tenant"),
        (of_maester, "they come from ScubaGear and Maester: choose two reports of one tool"),
    ] {
        let id = text_of(&other["reports"][0], "reportId");
        let complaint = service.failure(1, &["report", "compare", "--org", &member.id, &one, &id]);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn a_tenant_is_shown_with_the_newest_report_of_each_tool() {
    let (service, member, tenant) = service();
    let show = ["tenant", "show", "--org", &member.id, &tenant];
    assert!(
        service
            .text(&show)
            .ends_with("Reports         0\nThe tenant has no report yet; `posture report import` creates one.\n")
    );
    imported(&service, &member, 1, &[("MS.AAD.1.1v1", "Fail")]);
    let newest = imported(&service, &member, 2, &[("MS.AAD.1.1v1", "Pass")]);
    let shown = service.json(&show);
    let listed = service.get(&member.key, "/v1/tenants").1["tenants"][0].clone();
    for (field, value) in listed.as_object().unwrap() {
        assert_eq!(shown[field], *value, "{field}");
    }
    assert_eq!(shown["totalReports"], 2);
    assert_eq!(shown["newestReports"].as_array().unwrap().len(), 1);
    assert_eq!(shown["newestReports"][0]["reportId"], *newest);
    service.text(&["tenant", "pause", "--org", &member.id, &tenant]);
    let text = service.text(&show);
    assert!(
        text.contains(
            "State           paused, so it has no billable users\nReports         2, the newest of each tool:"
        ),
        "{text}"
    );
}

#[test]
fn usage_and_billable_users_are_shown_as_the_api_returns_them() {
    let (service, member, tenant) = service();
    let usage = ["usage", "show", "--org", &member.id];
    let users = ["billable-users", "show", "--org", &member.id, "--tenant", &tenant];
    for (command, expected) in [
        (&usage[..], "no usage is recorded for "),
        (
            &users[..],
            "no billable users are recorded for this tenant yet; `posture billable-users record` records them",
        ),
    ] {
        let complaint = service.failure(1, command);
        assert!(complaint.contains(expected), "{complaint}");
    }
    let [of_usage, of_users] = tables(&service);
    service.text(&["usage", "record", "--org", &member.id, "--date", "2026-03-01", &of_usage]);
    service.text(&["billable-users", "record", "--org", &member.id, "--tenant", &tenant, &of_users]);
    assert_eq!(service.json(&usage), service.get(&member.key, "/v1/usage").1);
    let path = format!("/beta/billable-users?tenantId={tenant}");
    assert_eq!(service.json(&users), service.get(&member.key, &path).1);
    let text = service.text(&[&usage[..], &["--date", "2026-03-02"]].concat());
    assert!(text.starts_with("Usage of 2026-03-01, recorded ") && text.contains("46.43 %"), "{text}");
    let complaint = service.failure(1, &[&usage[..], &["--date", "2026-02-28"]].concat());
    assert!(complaint.contains("no usage is recorded for 2026-02-28 or a day before it"), "{complaint}");
    let text = service.text(&users);
    assert!(text.starts_with(&format!("1 billable user of tenant {tenant}, \"Harbour Dental\", recorded ")), "{text}");
    assert!(text.contains("Amara Oyelaran  amara@harbour.example"), "{text}");

    service.text(&["tenant", "pause", "--org", &member.id, &tenant]);
    assert_eq!(service.json(&users), service.get(&member.key, &path).1);
    let text = service.text(&users);
    assert!(text.starts_with("0 billable users") && text.ends_with("so none of its users is billed.\n"), "{text}");
}

#[test]
fn an_unknown_number_of_administrators_is_not_zero() {
    let (service, member, _) = service();
    let first = imported(&service, &member, 1, &[("MS.AAD.1.1v1", "Fail")]);
    let next = imported(&service, &member, 2, &[("MS.AAD.1.1v1", "Fail")]);
    let text = |id: &str| service.text(&["report", "show", "--org", &member.id, id]);
    let of_first = text(&first);
    assert!(of_first.contains("\nNumber: unknown, at most 8 recommended; with strong MFA: unknown\n"), "{of_first}");
    let of_next = text(&next);
    assert!(of_next.contains("\nNumber: unknown, at most 8 recommended, before unknown; with"), "{of_next}");
}

#[test]
fn an_edit_shows_what_changed() {
    let (service, member, _) = service();
    let id = imported(&service, &member, 1, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]);
    let edit = ["report", "edit", "--org", &member.id, &id, "--control", "MS.AAD.1.1", "--status", "secure"];
    let why = ["--why", "It matters.", "--keep"];
    let edited = service.json(&[&edit[..], &why].concat());
    let why_before =
        edited["changes"].as_array().unwrap().iter().find(|it| it["field"] == "MS.AAD.1.1 why").unwrap()["before"]
            .clone();
    assert_eq!(
        edited["changes"],
        json!([
            { "field": "MS.AAD.1.1 status", "before": "OPEN", "after": "SECURE" },
            { "field": "MS.AAD.1.1 why", "before": why_before, "after": "It matters." },
            { "field": "MS.AAD.1.1 kept for later reports", "before": null, "after": "yes" },
            { "field": "score", "before": "42", "after": "100" },
        ])
    );
    let text = service.text(&[&edit[..8], &["in-progress"]].concat());
    let lines: Vec<Vec<_>> =
        text.lines().map(|line| line.split("  ").map(str::trim).filter(|it| !it.is_empty()).collect()).collect();
    assert_eq!(
        lines[2..],
        [
            vec!["FIELD", "BEFORE", "NOW"],
            vec!["MS.AAD.1.1 status", "SECURE", "IN_PROGRESS"],
            vec!["score", "100", "42"]
        ]
    );
    let again = service.text(&[&edit[..8], &["in-progress"]].concat());
    assert_eq!(again, format!("Report {id} is already like that; nothing changed.\n"));
}
