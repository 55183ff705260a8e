//! The use of controls in logs and usage reports.

use chrono::NaiveDate;

use super::*;

const AUDITS: &str = "auditLogs/directoryAudits";

/// Text that occurs only in a person's name, address or identifier.
pub(super) const CANARY: &str = "canary";

/// Returns the observed usage of each control of a run that is imported with these exports. It ends on 2026-02-01.
fn observed(controls: &[&str], exports: &[Vec<u8>]) -> Vec<Option<String>> {
    observed_with_issues(controls, exports).0
}

/// The same, with the issues of the import.
pub(super) fn observed_with_issues(controls: &[&str], exports: &[Vec<u8>]) -> (Vec<Option<String>>, Vec<String>) {
    let rows: Vec<Value> = controls.iter().map(|control| row(&format!("{control}v1"), "Pass")).collect();
    let mut file: Value = serde_json::from_slice(&results(&rows)).unwrap();
    file["MetaData"]["TimestampZulu"] = json!("2026-02-01T00:00:00Z");
    let files = [file.to_string().into_bytes()].into_iter().chain(exports.iter().cloned());
    let mut combined = combine(files.map(|file| read(&file).unwrap()));
    combined.review_admins(Some(30));
    let checks = combined.runs[0].findings.iter().map(|finding| &finding.check);
    let said: Vec<(String, Option<String>)> =
        checks.map(|check| (check.control_id.to_string(), check.observed_usage.clone())).collect();
    let texts: String = said.iter().filter_map(|(_, text)| text.as_deref()).collect();
    assert!(!texts.to_lowercase().contains(CANARY), "{texts}");
    let issues: Vec<String> = combined.issues.iter().map(ToString::to_string).collect();
    assert!(!issues.concat().to_lowercase().contains(CANARY), "{issues:?}");
    (controls.iter().map(|control| said.iter().find(|(id, _)| id == control).unwrap().1.clone()).collect(), issues)
}

fn one(control: &str, exports: &[Vec<u8>]) -> Option<String> {
    observed(&[control], exports).remove(0)
}

fn json_page(list: &str, rows: &[Value]) -> Vec<u8> {
    page(list, rows).to_string().into_bytes()
}

/// Returns a sign-in with other fields, as the beta version of Microsoft Graph returns it.
fn used(id: &str, user: &str, time: &str, fields: Value) -> Value {
    let mut row = sign_in(id, &format!("{CANARY}-{user}"), time, 0);
    row["isInteractive"] = json!(false);
    row["authenticationProtocol"] = json!("none");
    row["clientAppUsed"] = json!("Browser");
    row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    row
}

/// Returns two sign-ins at the ends of the window, so that the log covers it.
fn ends() -> [Value; 2] {
    [used("first", "z", "2026-01-02T00:30:00Z", json!({})), used("last", "z", "2026-01-31T23:59:00Z", json!({}))]
}

fn log(rows: &[Value]) -> Vec<u8> {
    json_page(SIGN_INS, &[&ends()[..], rows].concat())
}

#[test]
fn legacy_protocols_are_counted_by_protocol_and_user_within_the_window() {
    let legacy = |id: &str, user: &str, time: &str, app: &str| used(id, user, time, json!({ "clientAppUsed": app }));
    let page = log(&[
        legacy("1", "a", "2026-01-10T10:00:00Z", "IMAP4"),
        legacy("2", "a", "2026-01-11T10:00:00Z", "IMAP4"),
        legacy("3", "b", "2026-01-20T10:00:00Z", "Authenticated SMTP"),
        legacy("4", "c", "2026-01-01T23:59:59Z", "POP3"),
        legacy("5", "c", "2026-02-01T00:00:01Z", "POP3"),
        legacy("6", CANARY, "2026-01-12T10:00:00Z", CANARY),
    ]);
    let expected = "Legacy protocols: 3 sign-ins by 2 users (IMAP4 2, SMTP AUTH 1) in the last 30 days; the last on \
                    2026-01-20. 1 value is not understood.";
    assert_eq!(one("MS.AAD.1.1", &[page.clone(), page.clone()]).as_deref(), Some(expected), "a page that comes twice");
    assert_eq!(
        one("MS.EXO.5.1", &[page]).as_deref(),
        Some("SMTP AUTH: 1 sign-in by 1 user in the last 30 days; the last on 2026-01-20. 1 value is not understood.")
    );
    assert_eq!(one("MS.AAD.1.1", &[log(&[])]).as_deref(), Some("No sign-in by a legacy protocol in the last 30 days."));
    assert_eq!(one("MS.AAD.1.1", &[]), None, "no export, no sentence");
}

#[test]
fn protocols_that_the_log_does_not_contain_are_not_denied() {
    let mut rows = ends();
    for row in &mut rows {
        row["authenticationProtocol"] = Value::Null;
    }
    assert_eq!(one("MS.AAD.3.9", &[json_page(SIGN_INS, &rows)]), None, "version 1.0 has no protocols");
    assert_eq!(one("MS.AAD.3.9", &[log(&[])]).as_deref(), Some("No sign-in by device code in the last 30 days."));
}

#[test]
fn a_sentence_says_which_part_of_the_window_the_log_covers() {
    let device = |id: &str, time: &str| used(id, "a", time, json!({ "authenticationProtocol": "deviceCode" }));
    let part = json_page(SIGN_INS, &[device("1", "2026-01-20T10:00:00Z"), device("2", "2026-01-25T10:00:00Z")]);
    let expected = "Device code: 2 sign-ins by 1 user in the last 30 days; the last on 2026-01-25. The log covers only \
                    2026-01-20 to 2026-01-25.";
    assert_eq!(one("MS.AAD.3.9", &[part]).as_deref(), Some(expected));
    let unfinished = open(page(SIGN_INS, &ends())).to_string().into_bytes();
    let expected = "No sign-in by device code in the last 30 days. Part of the log is missing.";
    assert_eq!(one("MS.AAD.3.9", &[unfinished]).as_deref(), Some(expected));
    let mut rows = ends();
    rows.iter_mut().for_each(|row| row["isInteractive"] = json!(true));
    let expected = "No sign-in by device code in the last 30 days. The log has interactive sign-ins only.";
    assert_eq!(one("MS.AAD.3.9", &[json_page(SIGN_INS, &rows)]).as_deref(), Some(expected));
}

#[test]
fn factors_methods_risks_devices_guests_and_policies_are_read() {
    let interactive = |id: &str, user: &str, fields: Value| {
        let mut row = used(id, user, "2026-01-15T10:00:00Z", fields);
        row["isInteractive"] = json!(true);
        row
    };
    let method = |name: &str| json!([{ "authenticationMethod": name, "succeeded": true }]);
    let page = log(&[
        interactive(
            "1",
            "a",
            json!({
                "authenticationRequirement": "singleFactorAuthentication",
                "authenticationDetails": method("Password"),
                "appliedConditionalAccessPolicies": [{ "displayName": CANARY, "result": "reportOnlyFailure" }],
                "deviceDetail": { "displayName": CANARY, "isCompliant": false, "isManaged": false },
            }),
        ),
        interactive(
            "2",
            "b",
            json!({
                "authenticationRequirement": "multiFactorAuthentication",
                "authenticationDetails": method("Text message"),
                "riskLevelDuringSignIn": "medium",
                "deviceDetail": { "isCompliant": true },
                "userType": "guest",
                "crossTenantAccessType": "b2bCollaboration",
            }),
        ),
        sign_in("3", CANARY, "2026-01-15T10:00:00Z", 50126),
    ]);
    let controls = ["MS.AAD.2.1", "MS.AAD.3.2", "MS.AAD.3.5", "MS.AAD.3.7", "MS.AAD.8.1"];
    let expected = [
        "Risky sign-ins: 1 of 1 user succeeded (medium 1) in the last 30 days; the last on 2026-01-15. Policies in \
         report-only mode would have stopped 1 sign-in of 1 user.",
        "One factor alone was enough for 1 of 2 interactive sign-ins, by 1 user, in the last 30 days. Policies in \
         report-only mode would have stopped 1 sign-in of 1 user.",
        "Weak methods: 1 sign-in by 1 user (text message 1) in the last 30 days; the last on 2026-01-15.",
        "Devices: 1 of 2 sign-ins came from a device that is neither compliant nor managed, by 1 user, in the last 30 \
         days. Policies in report-only mode would have stopped 1 sign-in of 1 user.",
        "Guests: 1 sign-in by 1 guest (B2B collaboration 1) in the last 30 days; the last on 2026-01-15.",
    ];
    assert_eq!(observed(&controls, &[page]), expected.map(|text| Some(text.to_owned())));
}

#[test]
fn administrators_are_counted_alone_where_the_control_is_about_them() {
    let strong = json!([{ "authenticationMethod": "FIDO2 security key", "succeeded": true }]);
    let fields = json!({ "authenticationDetails": strong, "isInteractive": true });
    let mut admin = used("1", "a", "2026-01-15T10:00:00Z", fields.clone());
    admin["userId"] = json!("a");
    let files = [log(&[admin, used("2", "b", "2026-01-15T10:00:00Z", fields)])];
    assert_eq!(one("MS.AAD.3.6", &files), None, "no file lists the administrators");
    let roles = json_page(ROLES, &[role(&[member("a")])]);
    let expected = "Administrators: 1 of 1 interactive sign-in used a phishing-resistant method, in the last 30 days.";
    assert_eq!(one("MS.AAD.3.6", &[files[0].clone(), roles]).as_deref(), Some(expected));
}

fn audit(id: &str, activity: &str, target: &str, admin: Option<&str>) -> Value {
    json!({
        "id": id,
        "activityDisplayName": activity,
        "activityDateTime": "2026-01-20T10:00:00Z",
        "result": "success",
        "initiatedBy": { "user": { "userPrincipalName": format!("{CANARY}@example.com") }, "app": null },
        "targetResources": [{
            "id": target,
            "displayName": CANARY,
            "modifiedProperties": admin.map(|value| json!([
                { "displayName": "ConsentContext.IsAdminConsent", "oldValue": null, "newValue": format!("\"{value}\"") },
            ])),
        }],
    })
}

#[test]
fn the_audit_log_shows_consents_applications_guests_roles_and_resets() {
    let mut early = audit("0", "Nothing", "t", None);
    early["activityDateTime"] = json!("2026-01-02T00:10:00Z");
    let mut late = audit("9", "Nothing", "t", None);
    late["activityDateTime"] = json!("2026-01-31T23:00:00Z");
    let mut failed = audit("5", "Consent to application", "app-9", Some("False"));
    failed["result"] = json!("failure");
    let mut by_service = audit("12", "Add member to role", "user-4", None);
    by_service["initiatedBy"] = json!({ "user": null, "app": { "displayName": "MS-PIM" } });
    let page = json_page(
        AUDITS,
        &[
            early,
            late,
            failed,
            by_service,
            audit("1", "Consent to application", "app-1", Some("False")),
            audit("2", "Consent to application", "app-2", Some("False")),
            audit("3", "Consent to application", "app-2", Some("False")),
            audit("4", "Consent to application", "app-3", Some("True")),
            audit("6", "Add application", "app-1", None),
            audit("7", "Update application \u{2013} Certificates and secrets management ", "app-1", None),
            audit("8", "Invite external user", "guest-1", None),
            audit("10", "Add member to role completed (PIM activation)", "user-1", None),
            audit("11", "Add member to role", "user-2", None),
        ],
    );
    let controls = ["MS.AAD.5.1", "MS.AAD.5.2", "MS.AAD.5.5", "MS.AAD.7.4", "MS.AAD.8.2"];
    let expected = [
        "1 application registered in the last 30 days; the last on 2026-01-20.",
        "Users granted consent to 2 applications; administrators to 1, in the last 30 days.",
        "Secrets or certificates were added 1 time to 1 application in the last 30 days; the last on 2026-01-20.",
        "Roles: 1 direct assignment, 0 made eligible, 1 activation, in the last 30 days.",
        "Guests: 1 invited, 0 accepted, in the last 30 days; the last on 2026-01-20.",
    ];
    assert_eq!(observed(&controls, &[page]), expected.map(|text| Some(text.to_owned())));
}

/// Returns the observed usage from tables, which must not change when Excel saves them.
fn of_tables(control: &str, tables: &[&str]) -> Option<String> {
    let of = |save: fn(&str) -> Vec<u8>| one(control, &tables.iter().map(|table| save(table)).collect::<Vec<_>>());
    let said = of(|table| table.as_bytes().to_vec());
    assert_eq!(of(saved_by_excel), said);
    said
}

/// Returns a table as a German Excel saves it: with semicolons, and its own dates and booleans.
pub(crate) fn saved_by_excel(table: &str) -> Vec<u8> {
    saved(table, b';', "%d.%m.%Y")
}

/// Returns a table with a byte order mark, a delimiter, lines that end as on Windows, and local dates.
pub(super) fn saved(table: &str, delimiter: u8, date: &str) -> Vec<u8> {
    let table = table.trim_start_matches('\u{feff}');
    let end = csv::Terminator::CRLF;
    let mut saved =
        csv::WriterBuilder::new().delimiter(delimiter).terminator(end).from_writer(b"\xef\xbb\xbf".to_vec());
    for row in csv::ReaderBuilder::new().has_headers(false).from_reader(table.as_bytes()).records() {
        saved.write_record(row.unwrap().iter().map(|cell| local_cell(cell, date))).unwrap();
    }
    saved.into_inner().unwrap()
}

fn local_cell(cell: &str, date: &str) -> String {
    let (day, time) = cell.split_once('T').unwrap_or((cell, ""));
    let Ok(day) = day.parse::<NaiveDate>() else {
        return match cell {
            "True" => "WAHR".to_owned(),
            "False" => "FALSCH".to_owned(),
            other => other.to_owned(),
        };
    };
    format!("{} {}", day.format(date), time.trim_end_matches('Z')).trim_end().to_owned()
}

#[test]
fn usage_reports_are_read_as_the_service_writes_them() {
    let mail = "\u{feff}Report Refresh Date,User Principal Name,Display Name,Is Deleted,Deleted Date,Last Activity \
                Date,Mail For Mac,POP3 App,IMAP4 App,SMTP App,Report Period\n\
                2026-01-30,canary-a@example.com,canary,False,,2026-01-29,,,Yes,Yes,30\n\
                2026-01-30,canary-b@example.com,canary,False,,2026-01-20,,,Yes,,30\n\
                2026-01-30,canary-c@example.com,canary,True,2026-01-10,2026-01-09,,Yes,,,30\n";
    let expected = "Mail protocols: 2 users used them (IMAP4 2, SMTP 1) in the 30 days to 2026-01-30.";
    assert_eq!(of_tables("MS.AAD.1.1", &[mail]).as_deref(), Some(expected));

    let header = "Report Refresh Date,User Principal Name,Is Deleted,Deleted Date,Last Activity Date,Viewed Or Edited \
                  File Count,Synced File Count,Shared Internally File Count,Shared Externally File Count";
    let sites = format!(
        "{header},Visited Page Count,Assigned Products,Report Period\n\
         2026-01-30,canary-a@example.com,False,,2026-01-29,3,0,1,12,4,SUITE,30\n"
    );
    let files =
        format!("{header},Assigned Products,Report Period\n2026-01-30,a@example.com,False,,,3,0,1,4,SUITE,30\n");
    let expected = "Files shared outside: 16 by 2 users (SharePoint 12, OneDrive 4) in the 30 days to 2026-01-30.";
    assert_eq!(of_tables("MS.SHAREPOINT.1.1", &[&sites, &files]).as_deref(), Some(expected));

    let old = mail.replace("2026-01-30", "2025-12-30").into_bytes();
    assert_eq!(one("MS.AAD.1.1", &[old]), None, "a report of another month");
}

#[test]
fn the_admin_centres_tables_say_the_same_as_microsoft_graph() {
    let table = "Date (UTC),Request ID,User ID,User,Username,User type,Authentication Protocol,Location,Status,Sign-in \
                 error code,Client app,Compliant,Managed,Authentication requirement\n\
                 2026-01-02T00:30:00Z,r0,canary-z,Canary,canary@example.com,Member,None,\"Oslo, Oslo, NO\",Success,0,\
                 Browser,,,Single-factor authentication\n\
                 2026-01-31T23:30:00Z,r1,canary-a,Canary,canary@example.com,Member,None,\"Oslo, Oslo, NO\",Success,0,\
                 IMAP4,,,Single-factor authentication\n";
    let said = of_tables("MS.AAD.1.1", &[table]).unwrap();
    assert!(said.starts_with("Legacy protocols: 1 sign-in by 1 user (IMAP4 1) in the last 30 days"), "{said}");

    let audit = "Date (UTC),CorrelationId,Service,Category,Activity,Result,ActorType,ActorDisplayName,\
                 Target1ObjectId,Target1DisplayName,Target1ModifiedProperty1Name,Target1ModifiedProperty1NewValue\n\
                 2026-01-02T00:30:00Z,c0,Core Directory,ApplicationManagement,Consent to application,success,User,,\
                 app-1,Canary,ConsentContext.IsAdminConsent,\"\"\"True\"\"\"\n\
                 2026-01-31T23:30:00Z,c1,Core Directory,ApplicationManagement,Consent to application,success,User,,\
                 app-2,Canary,ConsentContext.IsAdminConsent,\"\"\"False\"\"\"\n";
    assert_eq!(
        of_tables("MS.AAD.5.2", &[audit]).as_deref(),
        Some("Users granted consent to 1 application; administrators to 1, in the last 30 days.")
    );

    let forwarded = "Date,Forwarder,Forwarding type,Recipient name,Recipient domain,Forward count\n\
                     2026-01-03,canary@example.com,Inbox rules,canary,elsewhere.example,9\n\
                     2026-01-31,canary@example.com,SMTP forwarding,canary,elsewhere.example,2\n";
    let said = of_tables("MS.EXO.1.1", &[forwarded]).unwrap();
    assert!(said.starts_with("Mail forwarded outside: 11 messages of 1 mailbox (inbox rules 9, mailbox forwarding 2)"));
}
