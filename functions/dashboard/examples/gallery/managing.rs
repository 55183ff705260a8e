//! Pages on which people manage tenants, imports and settings.

use dashboard::view::form::Errors;
use dashboard::view::{
    api_key_created, api_key_deletion, api_keys, audit, billable_users, brand, comparison, edit_administrator,
    edit_check, error, import, imports, invitation, invitation_created, kept_edits, member_removal, members,
    organizations, sign_in, signed_out, tenant, tenant_removal, tenants, usage,
};
use maud::Markup;
use model::{
    ApiKey, BillableUser, BillableUsersHead, ControlsRollup, Grade, ReportType, Role, Severity, Status, TenantListItem,
    UsageHead, UsageTenant,
};
use serde_json::json;
use store::{KeptEdit, KeptValues};

use super::sample::{self, ATTACKS, at};

type Pages = Vec<(&'static str, Markup)>;

fn tenant_item(id: &str, name: &str, paused: bool) -> TenantListItem {
    serde_json::from_value(json!({
        "serviceTenantId": id, "name": name, "providerTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269",
        "isPaused": paused, "onboardingDate": "2024-08-02T19:25:11Z",
    }))
    .unwrap()
}

fn all_tenants() -> Vec<TenantListItem> {
    vec![
        tenant_item("ten_1", "Oakfield Community Trust", false),
        tenant_item("ten_2", "Margie's Travel", true),
        tenant_item("ten_3", ATTACKS[1], false),
        tenant_item("ten_4", &"Very".repeat(2500), false),
    ]
}

fn counts(secure: u32, open: u32) -> ControlsRollup {
    ControlsRollup { assessed: secure + open + 2, secure, open, drifted: 2, not_assessed: 5, ..Default::default() }
}

pub(crate) fn pages(pages: &mut Pages) {
    tenant_pages(pages);
    report_pages(pages);
    import_pages(pages);
    usage_pages(pages);
    settings_pages(pages);
    public_pages(pages);
}

fn tenant_pages(pages: &mut Pages) {
    let (shell, errors, all) = (sample::shell(Role::Admin), Errors::default(), all_tenants());
    let form = tenants::Form::default();
    pages.push((
        "tenants",
        tenants::page(&tenants::Page { shell: &shell, tenants: &all, form: &form, errors: &errors }),
    ));
    let wrong = Errors::default()
        .with("providerTenantId", "This is not a GUID. Copy the tenant identifier from the provider's portal.");
    let form = tenants::Form { name: "Fabrikam".to_owned(), provider_tenant_id: "fabrikam.example".to_owned() };
    pages.push((
        "tenants-wrong",
        tenants::page(&tenants::Page { shell: &shell, tenants: &[], form: &form, errors: &wrong }),
    ));
    let report = |id: &str, completed: &str, tool: &str, score, grade, previous_score, kind| tenant::Report {
        id: id.parse().unwrap(),
        tool: tool.to_owned(),
        kind,
        completed: at(completed),
        score,
        grade,
        previous_score,
        controls: counts(u32::from(score), 100 - u32::from(score)),
    };
    let reports = [
        report("rpt_6", "2026-11-19T09:30:11Z", "ScubaGear", 74, Grade::C, Some(61), ReportType::FollowUp),
        report("rpt_5", "2026-10-20T08:00:00Z", "Maester", 83, Grade::B, Some(79), ReportType::FollowUp),
        report("rpt_4", "2026-09-21T08:00:00Z", "ScubaGear", 72, Grade::C, Some(61), ReportType::FollowUp),
        report("rpt_3", "2026-06-01T08:00:00Z", "Maester", 79, Grade::C, None, ReportType::Baseline),
        report("rpt_2", "2026-05-04T08:00:00Z", "ScubaGear", 58, Grade::F, Some(61), ReportType::FollowUp),
        report("rpt_1", "2026-02-03T08:00:00Z", "ScubaGear", 61, Grade::D, None, ReportType::Baseline),
    ];
    let tenant = tenant_item("ten_fabrikam", "Fabrikam 日本株式会社 – مجموعة فابريكام", false);
    let page = |reports| {
        tenant::page(&tenant::Page {
            shell: &shell,
            tenant: &tenant,
            reports,
            typed_name: &tenant.name,
            errors: &errors,
        })
    };
    pages.push(("tenant", page(&reports)));
    pages.push(("tenant-empty", page(&[])));
    let wrong = Errors::default().with("name", "This is not the tenant's name. Type it as it is shown.");
    pages.push((
        "tenant-removal",
        tenant_removal::page(&tenant_removal::Page {
            shell: &shell,
            tenant: &tenant.service_tenant_id,
            name: &tenant.name,
            typed: "Fabrikan",
            errors: &wrong,
        }),
    ));
    let kept = [KeptEdit {
        service_tenant_id: tenant.service_tenant_id.clone(),
        control_id: "MS.AAD.3.1".parse().unwrap(),
        revision: 1,
        since: at("2026-11-19T09:30:11Z"),
        values: KeptValues {
            status: Some(Status::InProgress),
            severity: Some(Some(Severity::Medium)),
            why: Some(Some("The customer accepted the risk until the new devices arrive.".to_owned())),
            suggested_fix: Some(None),
        },
        by: "Alex Rivera".to_owned(),
        at: sample::now(),
        version: 1,
    }];
    let page = |kept| {
        kept_edits::page(&kept_edits::Page {
            shell: &shell,
            tenant: &tenant.service_tenant_id,
            name: &tenant.name,
            kept,
        })
    };
    pages.push(("kept-edits", page(&kept)));
    pages.push(("kept-edits-empty", page(&[])));
}

fn report_pages(pages: &mut Pages) {
    let (shell, report) = (sample::shell(Role::FullMember), sample::report(40, true));
    let mut other = sample::report(36, false);
    other.body.completed_at = at("2026-09-21T08:00:00Z");
    (other.body.score, other.body.grade) = (66, Grade::D);
    for (place, check) in other.body.checks.iter_mut().enumerate() {
        check.status = if place % 3 == 0 { Status::Open } else { Status::Secure };
    }
    let others = [comparison::Other {
        id: "rpt_4".parse().unwrap(),
        completed: other.body.completed_at,
        score: 66,
        grade: Grade::D,
    }];
    let id = "rpt_4".parse().unwrap();
    let page = |others, with| {
        comparison::page(&comparison::Page {
            shell: &shell,
            head: &report.head,
            body: &report.body,
            tool: "ScubaGear",
            others,
            with,
        })
    };
    pages.push(("comparison", page(&others, Some((&id, &other.body)))));
    pages.push(("comparison-same", page(&others, Some((&id, &report.body)))));
    pages.push(("comparison-choice", page(&others, None)));
    pages.push(("comparison-none", page(&[], None)));
    let check = &report.body.checks[0];
    let (filled, none) = (edit_check::Form::of(check, true), Errors::default());
    let page = |form: &edit_check::Form, errors| {
        edit_check::page(&edit_check::Page {
            shell: &shell,
            head: &report.head,
            kind: ReportType::FollowUp,
            check,
            form,
            errors,
        })
    };
    pages.push(("edit-check", page(&filled, &none)));
    let empty = edit_check::Form { current_state: String::new(), ..edit_check::Form::of(check, false) };
    let wrong = Errors::default().with("currentState", "Say what is configured now: this cannot be empty.");
    pages.push(("edit-check-wrong", page(&empty, &wrong)));
    pages.push((
        "edit-administrator",
        edit_administrator::page(&edit_administrator::Page {
            shell: &shell,
            head: &report.head,
            kind: ReportType::Baseline,
            administrator: &report.body.global_admins.admins[2],
            form: &edit_administrator::Form { status: "OPEN".to_owned(), ..Default::default() },
            errors: &Errors::default(),
        }),
    ));
}

fn import_pages(pages: &mut Pages) {
    let (shell, all) = (sample::shell(Role::Admin), all_tenants());
    let form = imports::Form::default();
    let earlier = [
        imports::Import {
            id: "imp_1".parse().unwrap(),
            at: sample::now(),
            by: "Alex Rivera".to_owned(),
            files: 4,
            added: 2,
            already_there: 1,
            failed: 1,
        },
        imports::Import {
            id: "imp_2".parse().unwrap(),
            at: at("2026-10-28T09:00:00Z"),
            by: ATTACKS[0].to_owned(),
            files: 1,
            added: 1,
            already_there: 0,
            failed: 0,
        },
    ];
    let page = |errors: &Errors, imports| {
        imports::page(&imports::Page { shell: &shell, tenants: &all, form: &form, errors, limit: 6_000_000, imports })
    };
    pages.push(("imports", page(&Errors::default(), &earlier)));
    let wrong = Errors::default().with("files", "No file was chosen. Choose the results of a tool.");
    pages.push(("imports-wrong", page(&wrong, &[])));
    let report = import::Report {
        files: vec!["ScubaResults.json".to_owned(), "users.csv".to_owned()],
        already_there: false,
        id: "rpt_1".parse().unwrap(),
        tenant: "ten_1".parse().unwrap(),
        tenant_name: Some("Oakfield Community Trust".to_owned()),
        tool: "ScubaGear".to_owned(),
        kind: ReportType::FollowUp,
        completed: at("2026-11-19T09:30:11Z"),
        score: 74,
        grade: Grade::C,
        previous_score: Some(61),
        controls: counts(74, 26),
        issues: (1..=14).map(|row| format!("users.csv: skipped row {row}, which has no sign-in name")).collect(),
        left_out: vec![(
            "MS.TEAMS.1.1".to_owned(),
            "Meetings are recorded in the cloud".to_owned(),
            "Teams".to_owned(),
        )],
    };
    let there = import::Report {
        id: "rpt_2".parse().unwrap(),
        already_there: true,
        issues: Vec::new(),
        left_out: Vec::new(),
        previous_score: None,
        ..report.clone()
    };
    let both = [report, there];
    let failures = [import::Failure {
        of: "TestResults.json".to_owned(),
        error: "This is ScubaGear's TestResults.json: import ScubaResults.json beside it.".to_owned(),
    }];
    let skipped = [("BaselineReports.html".to_owned(), "a page for people".to_owned())];
    let page = |reports, failures| {
        import::page(&import::Page {
            shell: &shell,
            at: sample::now(),
            by: "Alex Rivera",
            reports,
            failures,
            issues: &[],
            skipped: &skipped,
        })
    };
    pages.push(("import", page(&both, &failures)));
    pages.push(("import-empty", page(&[], &[])));
}

fn usage_pages(pages: &mut Pages) {
    let shell = sample::shell(Role::FullMember);
    let head: UsageHead = serde_json::from_value(json!({
        "asOf": "2026-11-28", "reportGeneratedAt": "2026-11-28T03:00:00Z", "organizationName": "Northwind",
    }))
    .unwrap();
    let states = ["Active", "Paused", "Trial", "NFR"];
    let rows: Vec<UsageTenant> = all_tenants().iter().enumerate().map(|(place, tenant)| serde_json::from_value(json!({
        "serviceTenantId": tenant.service_tenant_id, "providerTenantId": tenant.provider_tenant_id, "onboardingDate": "2024-08-02",
        "displayName": tenant.name, "service": "Monitoring", "isPaused": tenant.is_paused, "firstBillableDate": "2024-09-01",
        "billableStatus": states[place % 4], "totalLicensedUsers": 1234 * (place + 1),
        "billableUsersThisMonth": 1200 * place, "proratingPercentageThisMonth": 45.5,
    })).unwrap()).collect();
    let page = |as_of, errors: &Errors, usage| usage::page(&usage::Page { shell: &shell, as_of, errors, usage });
    pages.push(("usage", page("2026-11-28", &Errors::default(), Some((&head, &rows)))));
    pages.push((
        "usage-wrong",
        page(
            "2027-11-28",
            &Errors::default().with("asOf", "This day is in the future. Choose today or an earlier day."),
            None,
        ),
    ));
    let head: BillableUsersHead = serde_json::from_value(json!({
        "tenantId": "ten_1", "tenantDisplayName": "Oakfield Community Trust", "microsoftTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269",
        "providerTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269", "reportGeneratedAt": "2026-11-28T03:00:00Z",
    })).unwrap();
    let user = |name: &str, enabled: bool| -> BillableUser {
        serde_json::from_value(json!({
        "id": "1", "displayName": name, "userPrincipalName": "someone@oakfield.example", "mail": "someone@oakfield.example",
        "accountEnabled": enabled, "assignedLicenseSkuIds": ["a", "b"],
    })).unwrap()
    };
    let users = [user("Maria Silva", true), user(ATTACKS[2], false)];
    pages.push((
        "billable-users",
        billable_users::page(&billable_users::Page { shell: &shell, head: &head, users: &users }),
    ));
    pages.push((
        "billable-users-empty",
        billable_users::page(&billable_users::Page { shell: &shell, head: &head, users: &[] }),
    ));
    pages.push((
        "billable-users-choice",
        billable_users::choice(&billable_users::Choice { shell: &shell, tenants: &all_tenants() }),
    ));
}

fn settings_pages(pages: &mut Pages) {
    let (admin, member) = (sample::shell(Role::Admin), sample::shell(Role::FullMember));
    let key = |description: Option<&str>| api_keys::Key {
        id: "key_1".parse().unwrap(),
        description: description.map(str::to_owned),
        created: at("2026-03-04T10:00:00Z"),
    };
    let keys = [key(Some("Power BI")), key(None), key(Some(ATTACKS[0]))];
    let page =
        |shell, keys| api_keys::page(&api_keys::Page { shell, keys, description: "", errors: &Errors::default() });
    pages.push(("api-keys", page(&admin, &keys)));
    pages.push(("api-keys-member", page(&member, &keys)));
    pages.push(("api-keys-empty", page(&admin, &[])));
    let new = ApiKey::generate().unwrap();
    pages.push((
        "api-key-created",
        api_key_created::page(&api_key_created::Page {
            shell: &admin,
            key: &new,
            description: Some("Power BI"),
            api_url: "https://api.example/prod",
        }),
    ));
    pages.push(("api-key-deletion", api_key_deletion::page(&api_key_deletion::Page { shell: &admin, key: &keys[0] })));
    let person = |id: &str, name: &str, role, is_viewer, is_last_admin| members::Member {
        id: id.to_owned(),
        name: name.to_owned(),
        email: Some("someone@northwind.example".to_owned()),
        role,
        since: at("2026-03-04T10:00:00Z"),
        is_viewer,
        is_last_admin,
    };
    let people = [
        person("1", "Alex Rivera", Role::Admin, true, true),
        person("2", "Sam Okafor", Role::FullMember, false, false),
        person("3", ATTACKS[1], Role::FullMember, false, false),
    ];
    let invitations = [members::Invitation {
        id: "1".to_owned(),
        note: Some("Priya".to_owned()),
        role: Role::FullMember,
        by: "Alex Rivera".to_owned(),
        expires: at("2026-12-04T10:00:00Z"),
    }];
    pages.push((
        "members",
        members::page(&members::Page {
            shell: &admin,
            members: &people,
            invitations: &invitations,
            note: "",
            errors: &Errors::default(),
        }),
    ));
    pages.push(("member-removal", member_removal::page(&member_removal::Page { shell: &admin, member: &people[1] })));
    pages.push((
        "invitation-created",
        invitation_created::page(&invitation_created::Page {
            shell: &admin,
            link: "https://dashboard.example/invitations/5f1c0c6be0f94d0b8b2a7f9f7a3b1a2c",
            role: Role::FullMember,
            expires: at("2026-12-05T10:00:00Z"),
        }),
    ));
    let form = brand::Form {
        seen: "3".to_owned(),
        name: "Northwind Managed IT".to_owned(),
        accent: "blue".to_owned(),
        footer: "Confidential".to_owned(),
    };
    let preview = brand::Preview {
        name: ATTACKS[0].to_owned(),
        accent: "#3450c8".to_owned(),
        footer: "Confidential".to_owned(),
        logo: Some("data:image/png;base64,iVBORw0KGgo=".to_owned()),
    };
    let wrong =
        Errors::default().with("accent", "This is not a colour: write six hexadecimal digits, such as #3450c8.");
    pages.push(("brand", brand::page(&brand::Page { shell: &admin, form: &form, preview: &preview, errors: &wrong })));
    let entry = |action: &str, subject: &str, changes: &[(&str, Option<&str>, Option<&str>)]| audit::Entry {
        at: sample::now(),
        by: "Alex Rivera".to_owned(),
        action: action.to_owned(),
        subject: subject.to_owned(),
        address: Some("/".to_owned()),
        changes: changes
            .iter()
            .map(|(name, before, after)| ((*name).to_owned(), before.map(str::to_owned), after.map(str::to_owned)))
            .collect(),
    };
    let entries = [
        entry(
            "Edited a check",
            "MS.AAD.3.1",
            &[
                ("Status", Some("Open"), Some("In progress")),
                ("Why it matters", None, Some("The customer accepted the risk.")),
                ("Suggested fix", Some(ATTACKS[0]), None),
            ],
        ),
        entry("Created an API key", "Power BI", &[]),
        entry("Renamed a tenant", ATTACKS[2], &[("Name", Some("Fabrikan"), Some("Fabrikam"))]),
    ];
    pages.push(("audit", audit::page(&audit::Page { shell: &admin, entries: &entries, older: Some("2026-11-01#1") })));
    pages.push(("audit-empty", audit::page(&audit::Page { shell: &admin, entries: &[], older: None })));
}

fn public_pages(pages: &mut Pages) {
    let shell = sample::shell(Role::FullMember);
    pages.push(("sign-in", sign_in::page(&sign_in::Page { to: Some("/usage?asOf=2026-11-28"), problem: None })));
    pages.push((
        "sign-in-problem",
        sign_in::page(&sign_in::Page {
            to: None,
            problem: Some("The sign-in took longer than 10 minutes. Sign in again."),
        }),
    ));
    pages.push(("signed-out", signed_out::page()));
    pages.push((
        "invitation",
        invitation::page(&invitation::Page {
            organization: "Northwind Managed IT",
            role: Role::FullMember,
            expires: at("2026-12-05T10:00:00Z"),
            action: "/invitations/abc",
        }),
    ));
    let viewer = &shell.viewer;
    let all = [(viewer.organization.clone(), Role::FullMember), (viewer.others[0].clone(), Role::Admin)];
    pages.push(("organizations", organizations::page(&organizations::Page { shell: &shell, organizations: &all })));
    let failure = |status, shell| error::page(&error::Page { shell, status, happened: None, advice: None });
    pages.push(("error-400", failure(400, Some(&shell))));
    pages.push(("error-403", failure(403, Some(&shell))));
    pages.push(("error-404", failure(404, Some(&shell))));
    pages.push(("error-409", failure(409, Some(&shell))));
    pages.push(("error-413", failure(413, Some(&shell))));
    pages.push(("error-500", failure(500, None)));
    pages.push(("error-503", failure(503, None)));
}
