//! Invented data for the gallery and for tests of pages.

use std::collections::BTreeMap;

use dashboard::view::edits::{Edit, Field};
use dashboard::view::history::{Point, Series};
use dashboard::view::layout::{Organization, Shell, Viewer};
use dashboard::view::portfolio;
use model::Role;
use model::{Check, ControlId, ControlsRollup, Grade, PostureReport, ReportType, ServiceTenantId, Status, Timestamp};
use serde_json::{Value, json};

/// Texts that try to break a page.
pub(crate) const ATTACKS: [&str; 4] = [
    "<script>document.title='taken'</script>",
    "\"><svg onload=alert(1)>",
    "invoice\u{202e}fdp.exe",
    "=HYPERLINK(\"http://attacker.example\")",
];

/// Section, name, state, reason and fix of controls that are repeated until there are enough.
const CONTROLS: [(&str, &str, &str, &str, &str); 12] = [
    (
        "CONDITIONAL_ACCESS",
        "Legacy authentication should be blocked",
        "No policy blocks legacy protocols.",
        "Legacy protocols know no second factor, so a guessed password is enough.",
        "Create a conditional access policy that blocks legacy clients for all users.",
    ),
    (
        "CONDITIONAL_ACCESS",
        "Users at high risk should be blocked",
        "A policy blocks users at high risk.",
        "An account that is known to be compromised must not sign in.",
        "Block sign-in for users whose risk is high.",
    ),
    (
        "CONDITIONAL_ACCESS",
        "Device code sign-in should be blocked",
        "Device code sign-in is allowed for all users.",
        "Attackers send device codes to take over a session.",
        "Block the device code flow, except for devices that need it.",
    ),
    (
        "CONDITIONAL_ACCESS",
        "Multifactor authentication that resists phishing should be required of all users",
        "0 conditional access policies meet all requirements.",
        "Codes and push requests can be passed on to an attacker in real time.",
        "Require the phishing-resistant authentication strength by conditional access for all users.",
    ),
    (
        "ACCOUNTS",
        "Passwords should not expire",
        "Passwords expire after 90 days.",
        "Forced changes lead to weak passwords.",
        "Set passwords to never expire.",
    ),
    (
        "ACCOUNTS",
        "Only administrators should be able to invite guests",
        "All members may invite guests.",
        "Guests who nobody decided on keep access that nobody reviews.",
        "Allow guest invitations by the guest inviter role alone.",
    ),
    (
        "GLOBAL_ADMINS",
        "Two to eight users should be global administrators",
        "2 users are global administrators.",
        "Each global administrator is a way to take over the tenant.",
        "Keep two to eight global administrators, and give the others narrower roles.",
    ),
    (
        "GLOBAL_ADMINS",
        "Privileged roles should not be assigned permanently",
        "11 permanent assignments of privileged roles.",
        "A permanent role is there for whoever takes over the account.",
        "Make privileged roles eligible, and require activation.",
    ),
    (
        "APPS_DIRECTORY",
        "Only administrators should be able to consent to applications",
        "Users may consent to applications of verified publishers.",
        "A malicious application asks for access to mail and files.",
        "Turn user consent off, and set up the workflow for administrators' consent.",
    ),
    (
        "EXTERNAL_SHARING",
        "Files should be shared with existing guests at most",
        "Anyone with the link can open files.",
        "Links that need no sign-in spread beyond the people that they were meant for.",
        "Limit sharing to existing guests.",
    ),
    (
        "EXCHANGE",
        "Mail should not be forwarded to other domains automatically",
        "Automatic forwarding is on for the default domain.",
        "Forwarding rules are how a taken mailbox leaks unnoticed.",
        "Turn automatic forwarding to remote domains off.",
    ),
    (
        "EXCHANGE",
        "DKIM should be enabled for all domains",
        "DKIM is enabled for 3 of 4 domains.",
        "Without DKIM others can send in the name of the domain.",
        "Publish both DKIM records for each domain and enable signing.",
    ),
];

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn now() -> Timestamp {
    at("2026-11-28T14:05:00Z")
}

pub(crate) fn shell(role: Role) -> Shell {
    Shell {
        viewer: Viewer {
            name: "Alex Rivera".to_owned(),
            email: Some("alex@northwind.example".to_owned()),
            role,
            organization: Organization {
                id: "org_northwind".parse().unwrap(),
                name: "Northwind Managed IT".to_owned(),
            },
            others: vec![Organization { id: "org_contoso".parse().unwrap(), name: "Contoso Service Desk".to_owned() }],
        },
        now: now(),
    }
}

fn status(place: usize) -> &'static str {
    match place % 11 {
        0 | 5 | 8 => "OPEN",
        3 => "FIXED",
        6 => "NOT_ASSESSED",
        7 if place.is_multiple_of(2) => "DRIFTED",
        9 if place.is_multiple_of(3) => "IN_PROGRESS",
        _ => "SECURE",
    }
}

fn check(place: usize, of: usize) -> Value {
    let (category, name, state, why, fix) = CONTROLS[place * CONTROLS.len() / of];
    let status = status(place);
    let severity = [json!("CRITICAL"), json!("HIGH"), json!("MEDIUM"), json!("LOW"), json!("HIGH"), Value::Null];
    let section = category.chars().next().unwrap();
    json!({
        "controlId": format!("MS.{section}.{}.{}", place / 10 + 1, place % 10 + 1),
        "category": category,
        "name": if place < CONTROLS.len() { name.to_owned() } else { format!("{name} ({})", place / 4) },
        "status": status,
        "severity": severity[place % severity.len()],
        "currentState": state,
        "previousState": matches!(status, "FIXED" | "DRIFTED").then_some("A policy was in place for 214 of 230 users."),
        "why": why,
        "suggestedFix": fix,
        "observedUsage": place.is_multiple_of(4).then_some("214 sign-ins by 6 users in the last 30 days; the last on 2026-11-20."),
    })
}

/// A follow-up report with this many checks; with `attacks`, some of them try to break the page.
pub(crate) fn report(checks: usize, attacks: bool) -> PostureReport {
    let mut list: Vec<_> = (0..checks).map(|place| check(place, checks)).collect();
    if attacks {
        for (place, attack) in ATTACKS.iter().enumerate() {
            list[place * 2]["name"] = json!(attack);
            list[place * 2]["currentState"] = json!(format!("{attack}\nsecond line"));
        }
        list[9]["name"] = json!("W".repeat(10_000));
    }
    let risks = list.iter().filter(|check| matches!(check["status"].as_str(), Some("OPEN" | "DRIFTED"))).take(5);
    let risks: Vec<_> = risks.map(|check| json!({
        "controlId": check["controlId"], "name": check["name"], "status": check["status"], "severity": check["severity"],
    })).collect();
    let admin = |name: &str, status: &str, method: &str, enforcement: &str, age: Value, failed: u32| {
        let strong = matches!(method, "PHISHING_RESISTANT" | "AUTHENTICATOR");
        json!({
            "userPrincipalName": name, "status": status, "mfaEnforcement": enforcement, "mfaMethod": method, "mfaMethodStrong": strong,
            "passwordAgeDays": age, "passwordAgeWarning": age.as_u64().is_some_and(|days| days > 100), "failedSignIns": failed,
        })
    };
    let count = |status: &str| list.iter().filter(|check| check["status"] == status).count();
    serde_json::from_value(json!({
        "id": "rpt_0198c2f1", "url": "https://dashboard.example/tenants/ten_fabrikam/reports/rpt_0198c2f1",
        "tenant": { "serviceTenantId": "ten_fabrikam", "name": "Fabrikam 日本株式会社 – مجموعة فابريكام",
            "providerTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269" },
        "reportType": "FOLLOW_UP",
        "baseline": { "id": "rpt_0198aaaa", "score": 61, "completedAt": "2026-02-03T08:00:00Z" },
        "createdAt": "2026-11-19T09:12:00Z", "completedAt": "2026-11-19T09:30:11Z", "activityLookbackDays": 30,
        "score": 74, "grade": "C", "previousScore": 61, "previousGrade": "D",
        "controls": { "assessed": checks - count("NOT_ASSESSED"), "secure": count("SECURE"), "fixed": count("FIXED"),
            "inProgress": count("IN_PROGRESS"), "open": count("OPEN"), "drifted": count("DRIFTED"), "notAssessed": count("NOT_ASSESSED") },
        "globalAdmins": { "count": 5, "previousCount": 7, "bestPracticeMax": 4, "strongMfaCount": 3, "dataComplete": false, "admins": [
            admin("maria.silva@fabrikam.example", "SECURE", "PHISHING_RESISTANT", "CA_POLICY", json!(34), 0),
            admin("chen.wei@fabrikam.example", "FIXED", "AUTHENTICATOR", "CA_POLICY", json!(88), 2),
            admin("break-glass@fabrikam.example", "OPEN", "NONE", "NONE", json!(412), 19),
            admin("o.haddad@fabrikam.example", "DRIFTED", "SMS", "PER_USER", json!(141), 1),
            admin("sync@fabrikam.example", "NOT_ASSESSED", "UNKNOWN", "UNKNOWN", Value::Null, 0),
        ] },
        "topRisks": risks,
        "checks": list,
    }))
    .unwrap()
}

pub(crate) fn edits(checks: &[Check]) -> BTreeMap<ControlId, Edit> {
    let open = checks.iter().filter(|check| check.status == Status::InProgress);
    let edit = |(place, check): (usize, &Check)| {
        let fields = vec![Field::Status, Field::Why];
        let edit = Edit { fields, by: "Alex Rivera".to_owned(), at: at("2026-11-20T10:00:00Z"), kept: place == 1 };
        (check.control_id.clone(), edit)
    };
    open.take(2).enumerate().map(edit).collect()
}

pub(crate) fn series() -> Vec<Series> {
    let point = |completed: &str, score, kind| Point { completed: at(completed), score, kind };
    vec![Series {
        tool: "ScubaGear".to_owned(),
        points: vec![
            point("2026-02-03T08:00:00Z", 61, ReportType::Baseline),
            point("2026-05-04T08:00:00Z", 58, ReportType::FollowUp),
            point("2026-07-30T08:00:00Z", 66, ReportType::FollowUp),
            point("2026-09-21T08:00:00Z", 72, ReportType::FollowUp),
            point("2026-11-19T09:30:11Z", 74, ReportType::FollowUp),
        ],
    }]
}

/// Tenants of all kinds: good and bad, old, paused, without a report, with names that attack.
pub(crate) fn portfolio_rows() -> Vec<portfolio::Row> {
    let names = [
        "Oakfield Community Trust",
        "Harbour Dental Group",
        "Fabrikam 日本株式会社 – مجموعة فابريكام",
        "Lindqvist Architects",
        "Blue Yonder Airlines",
        "Litware Legal LLP",
        "Proseware Labs",
        "Tailspin Toys",
        "Wide World Importers",
        "Margie's Travel",
        "Trey Research",
        "Coho Winery",
        "School of Fine Art",
        "Alpine Ski House",
        ATTACKS[0],
        ATTACKS[2],
    ];
    let scores: [u8; 16] = [9, 62, 74, 81, 93, 88, 55, 71, 79, 64, 97, 84, 68, 90, 47, 76];
    let row = |(place, name): (usize, &str)| {
        let score = scores[place];
        let tenant: ServiceTenantId = format!("ten_{place}").parse().unwrap();
        let secure = u32::from(score);
        let completed = match place {
            0 => at("2026-07-04T09:30:00Z"),
            6 => at("2025-09-06T19:25:11Z"),
            _ => at(&format!("2026-11-{:02}T08:15:00Z", 27 - place)),
        };
        let latest = (place != 13).then(|| portfolio::Latest {
            report: format!("rpt_{place}").parse().unwrap(),
            tool: "ScubaGear".to_owned(),
            completed,
            score,
            grade: match score {
                90.. => Grade::A,
                80.. => Grade::B,
                70.. => Grade::C,
                60.. => Grade::D,
                _ => Grade::F,
            },
            previous_score: (place % 5 != 0).then_some(score.saturating_add([7, 0, 3][place % 3]).saturating_sub(5)),
            controls: ControlsRollup {
                assessed: 100,
                secure: secure * 4 / 5,
                fixed: secure / 5,
                in_progress: u32::from(place % 4 == 1) * 3,
                open: (100 - secure) * 3 / 4,
                drifted: (100 - secure) / 8 * u32::from(place % 3 != 0),
                not_assessed: 12,
            },
        });
        portfolio::Row { tenant, name: name.to_owned(), is_paused: place == 9, latest }
    };
    names.into_iter().enumerate().map(row).collect()
}
