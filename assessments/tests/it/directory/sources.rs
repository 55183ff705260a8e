//! Every source of activity, in the form that its vendor documents, under every condition in which its export can be.
//!
//! Whatever names a person contains [`CANARY`], which no sentence and no issue may contain.

use super::activity::{CANARY, observed_with_issues, saved, saved_by_excel};
use super::*;

/// A source, with two rows of its export.
struct Case {
    name: &'static str,
    control: &'static str,
    form: Form,
    /// The sentence from both rows, and from the first one alone.
    expected: [&'static str; 2],
}

enum Form {
    /// Columns and rows of a table.
    Table(&'static str, [String; 2]),
    /// A list and its rows.
    List(&'static str, [Value; 2]),
}

const BOTH_DAYS: &str = " The log covers only 2026-01-20 to 2026-01-30.";
const FIRST_DAY: &str = " The log covers only 2026-01-20 to 2026-01-20.";

/// Returns a row of JSON or of a table with a marked address in place of each `PERSON`.
fn marked(row: &str) -> String {
    row.replace("PERSON", &format!("{CANARY}@example.com"))
}

fn list_row(row: &str) -> Value {
    serde_json::from_str(&marked(row)).unwrap()
}

fn cases() -> Vec<Case> {
    let mut cases = logs();
    cases.extend(tables_of_logs());
    cases.extend(usage_reports());
    cases
}

fn sign_in_of(id: &str, day: &str, more: &str) -> Value {
    list_row(&format!(
        r#"{{"id": "{id}", "createdDateTime": "{day}T09:41:41.6195833Z", "userDisplayName": "PERSON",
        "userPrincipalName": "PERSON", "userId": "{CANARY}-{id}", "appId": "app-{CANARY}", "appDisplayName": "Portal",
        "ipAddress": "203.0.113.7", "correlationId": "c-{CANARY}", "conditionalAccessStatus": "notApplied",
        "riskDetail": "none", "riskLevelAggregated": "none", "riskLevelDuringSignIn": "none", "riskState": "none",
        "riskEventTypes": [], "resourceDisplayName": "Graph", "resourceId": "resource",
        "status": {{"errorCode": 0, "failureReason": null, "additionalDetails": null}},
        "deviceDetail": {{"deviceId": "", "displayName": "PERSON", "operatingSystem": "Windows", "browser": "Edge",
        "isCompliant": null, "isManaged": null, "trustType": null}},
        "location": {{"city": "Oslo", "state": "Oslo", "countryOrRegion": "NO", "geoCoordinates": {{"altitude": null}}}},
        "appliedConditionalAccessPolicies": [] {more}}}"#
    ))
}

fn logs() -> Vec<Case> {
    let beta = |id: &str, day: &str, kind: &str, more: &str| {
        let more = format!(
            r#", "clientAppUsed": "Mobile Apps and Desktop clients", "signInEventTypes": ["{kind}"],
            "isInteractive": {}, "authenticationProtocol": "deviceCode", "userType": "member",
            "crossTenantAccessType": "none", "authenticationRequirement": "singleFactorAuthentication",
            "authenticationRequirementPolicies": [], "authenticationDetails": [], "uniqueTokenIdentifier": "{CANARY}",
            "servicePrincipalId": "", "managedServiceIdentity": null {more}"#,
            kind == "interactiveUser"
        );
        sign_in_of(id, day, &more)
    };
    let audit = |id: &str, day: &str, application: &str| {
        list_row(&format!(
            r#"{{"id": "Directory_{id}", "category": "ApplicationManagement", "correlationId": "c-{id}",
            "result": "success", "resultReason": "", "activityDisplayName": "Consent to application",
            "activityDateTime": "{day}T09:41:41.6195833Z", "loggedByService": "Core Directory",
            "operationType": "Assign", "initiatedBy": {{"app": null, "user": {{"id": "{CANARY}", "displayName": null,
            "userPrincipalName": "PERSON", "ipAddress": ""}}}},
            "targetResources": [{{"id": "{application}", "displayName": "PERSON", "type": "ServicePrincipal",
            "userPrincipalName": null, "groupType": null, "modifiedProperties": [{{"displayName":
            "ConsentContext.IsAdminConsent", "oldValue": null, "newValue": "\"False\""}}]}}], "additionalDetails": []}}"#
        ))
    };
    vec![
        Case {
            name: "sign-ins of version 1.0",
            control: "MS.AAD.1.1",
            form: Form::List(
                SIGN_INS,
                ["20", "30"].map(|day| {
                    sign_in_of(day, &format!("2026-01-{day}"), r#", "clientAppUsed": "IMAP4", "isInteractive": true"#)
                }),
            ),
            expected: [
                "Legacy protocols: 2 sign-ins by 2 users (IMAP4 2) in the last 30 days; the last on 2026-01-30.",
                "Legacy protocols: 1 sign-in by 1 user (IMAP4 1) in the last 30 days; the last on 2026-01-20.",
            ],
        },
        Case {
            name: "sign-ins of the beta version, interactive and not",
            control: "MS.AAD.3.9",
            form: Form::List(
                SIGN_INS,
                [beta("20", "2026-01-20", "interactiveUser", ""), beta("30", "2026-01-30", "nonInteractiveUser", "")],
            ),
            expected: [
                "Device code: 2 sign-ins by 2 users in the last 30 days; the last on 2026-01-30.",
                "Device code: 1 sign-in by 1 user in the last 30 days; the last on 2026-01-20.",
            ],
        },
        Case {
            name: "directory audit",
            control: "MS.AAD.5.2",
            form: Form::List(
                "auditLogs/directoryAudits",
                [audit("20", "2026-01-20", "app-1"), audit("30", "2026-01-30", "app-2")],
            ),
            expected: [
                "Users granted consent to 2 applications; administrators to 0, in the last 30 days.",
                "Users granted consent to 1 application; administrators to 0, in the last 30 days.",
            ],
        },
    ]
}

fn tables_of_logs() -> Vec<Case> {
    let sign_in = |day: &str| {
        marked(&format!(
            "2026-01-{day}T09:41:41Z,request-{day},Edge,c-{day},{CANARY}-{day},PERSON,PERSON,Member,None,None,None,token,,\
             Portal,app,Graph,resource,tenant,tenant,PERSON,203.0.113.7,\"Oslo, Oslo, NO\",Success,,Other.,Authenticated \
             SMTP,{{PERSON}},Edge,Windows,,,,,,,Single-factor authentication,PERSON,203.0.113.7,64500,No,Microsoft Entra \
             ID,,120,Not Applied"
        ))
    };
    let audit = |day: &str, application: &str| {
        marked(&format!(
            "2026-01-{day}T09:41:41Z,c-{day},Core Directory,ApplicationManagement,Consent to application,success,,Edge,\
             User,,{CANARY},PERSON,203.0.113.7,tenant,PERSON,,,ServicePrincipal,PERSON,{application},,\
             ConsentContext.IsAdminConsent,,\"\"\"False\"\"\",ConsentAction.Reason,,\"\"\"PERSON\"\"\",User-Agent,PERSON"
        ))
    };
    let record = |day: &str, application: &str| {
        let data = marked(&format!(
            r#"{{"CreationTime":"2026-01-{day}T09:41:41","Id":"r-{day}","Operation":"Consent to application.",
            "OrganizationId":"tenant","RecordType":8,"ResultStatus":"Success","UserKey":"PERSON","UserType":0,"Version":1,
            "Workload":"AzureActiveDirectory","ClientIP":"203.0.113.7","ObjectId":"{application}","UserId":"PERSON",
            "AzureActiveDirectoryEventType":1,"ExtendedProperties":[{{"Name":"additionalDetails","Value":"{{}}"}}],
            "ModifiedProperties":[{{"Name":"ConsentContext.IsAdminConsent","NewValue":"True","OldValue":""}}],
            "Actor":[{{"ID":"PERSON","Type":5}}],"Target":[{{"ID":"PERSON","Type":2}}]}}"#
        ));
        marked(&format!(
            "r-{day},2026-01-{day}T09:41:41.0000000Z,8,Consent to application.,PERSON,\"{}\",,",
            data.replace('"', "\"\"").replace('\n', "")
        ))
    };
    vec![
        Case {
            name: "sign-ins of the admin centre",
            control: "MS.EXO.5.1",
            form: Form::Table(
                "Date (UTC),Request ID,User agent,Correlation ID,User ID,User,Username,User type,Cross tenant access \
                 type,Incoming token type,Authentication Protocol,Unique token identifier,Client credential \
                 type,Application,Application ID ,Resource,Resource ID ,Resource tenant ID,Home tenant ID,Home tenant \
                 name,IP address,Location,Status,Sign-in error code,Failure reason,Client app,Device \
                 ID,Browser,Operating System,Compliant,Managed,Join Type,Multifactor authentication result,Multifactor \
                 authentication auth method,Multifactor authentication auth detail,Authentication \
                 requirement,Sign-in identifier,IP address (seen by resource),Autonomous system  number,Flagged for \
                 review,Token issuer type,Incoming token type,Latency,Conditional Access",
                ["20", "30"].map(sign_in),
            ),
            expected: [
                "SMTP AUTH: 2 sign-ins by 2 users in the last 30 days; the last on 2026-01-30.",
                "SMTP AUTH: 1 sign-in by 1 user in the last 30 days; the last on 2026-01-20.",
            ],
        },
        Case {
            name: "directory audit of the admin centre",
            control: "MS.AAD.5.2",
            form: Form::Table(
                "Date (UTC),CorrelationId,Service,Category,Activity,Result,ResultReason,User Agent,ActorType,\
                 ActorDisplayName,ActorObjectId,ActorUserPrincipalName,IPAddress,ActorHomeTenantId,\
                 ActorHomeTenantName,ActorServicePrincipalId,ActorServicePrincipalName,Target1Type,\
                 Target1DisplayName,Target1ObjectId,Target1UserPrincipalName,Target1ModifiedProperty1Name,\
                 Target1ModifiedProperty1OldValue,Target1ModifiedProperty1NewValue,Target1ModifiedProperty2Name,\
                 Target1ModifiedProperty2OldValue,Target1ModifiedProperty2NewValue,AdditionalDetail1Key,\
                 AdditionalDetail1Value",
                [audit("20", "app-1"), audit("30", "app-2")],
            ),
            expected: [
                "Users granted consent to 2 applications; administrators to 0, in the last 30 days.",
                "Users granted consent to 1 application; administrators to 0, in the last 30 days.",
            ],
        },
        Case {
            name: "audit search",
            control: "MS.AAD.5.2",
            form: Form::Table(
                "RecordId,CreationDate,RecordType,Operation,UserId,AuditData,AssociatedAdminUnits,\
                 AssociatedAdminUnitsNames",
                [record("20", "app-1"), record("30", "app-2")],
            ),
            expected: [
                "Users granted consent to 0 applications; administrators to 2, in the last 30 days.",
                "Users granted consent to 0 applications; administrators to 1, in the last 30 days.",
            ],
        },
        Case {
            name: "forwarded messages by day",
            control: "MS.EXO.1.1",
            form: Form::Table(
                "Date,Forwarder,Forwarding type,Recipient name,Recipient domain,Forward count",
                [
                    marked("2026-01-20,PERSON,Mailbox rule,PERSON,elsewhere.example,9"),
                    marked("2026-01-30,PERSON,SMTP forwarding,PERSON,elsewhere.example,2"),
                ],
            ),
            expected: [
                "Mail forwarded outside: 11 messages of 1 mailbox (inbox rules 9, mailbox forwarding 2) in the last 30 \
                 days.",
                "Mail forwarded outside: 9 messages of 1 mailbox (inbox rules 9) in the last 30 days.",
            ],
        },
    ]
}

fn usage_reports() -> Vec<Case> {
    // Organizations can have names concealed: a digest is in place of each.
    const CONCEALED: &str = "C9F4D6F7C6B1D4A3E6B8F0A9D2E1C3B5";
    let report = |name, control, columns, rows: [&str; 2], expected| Case {
        name,
        control,
        form: Form::Table(columns, rows.map(|row| marked(row).replace("CONCEALED", CONCEALED))),
        expected,
    };
    vec![
        report(
            "mail apps",
            "MS.AAD.1.1",
            "Report Refresh Date,User Principal Name,Display Name,Is Deleted,Deleted Date,Last Activity Date,Mail For \
             Mac,Outlook For Mac,Outlook For Windows,Outlook For Mobile,Other For Mobile,Outlook For Web,POP3 App,IMAP4 \
             App,SMTP App,Report Period",
            [
                "2026-01-30,PERSON,PERSON,False,,2026-01-29,,,,,,,,Yes,Yes,30",
                "2026-01-30,CONCEALED,CONCEALED,False,,2026-01-20,,,,,,,,Yes,,30",
            ],
            [
                "Mail protocols: 2 users used them (IMAP4 2, SMTP 1) in the 30 days to 2026-01-30.",
                "Mail protocols: 1 user used them (IMAP4 1, SMTP 1) in the 30 days to 2026-01-30.",
            ],
        ),
        report(
            "mailboxes",
            "MS.EXO.13.1",
            "Report Refresh Date,User Principal Name,Display Name,Is Deleted,Deleted Date,Created Date,Last Activity \
             Date,Item Count,Storage Used (Byte),Issue Warning Quota (Byte),Prohibit Send Quota (Byte),Prohibit \
             Send/Receive Quota (Byte),Deleted Item Count,Deleted Item Size (Byte),Report Period",
            [
                "2026-01-30,PERSON,PERSON,False,,2025-01-13,2026-01-29,7,900,1000,1000,1000,0,0,30",
                "2026-01-30,CONCEALED,CONCEALED,False,,2025-01-13,2025-12-13,7,900,1000,1000,1000,0,0,30",
            ],
            [
                "Mailboxes: 1 of 2 were used in the 30 days to 2026-01-30.",
                "Mailboxes: 1 of 1 were used in the 30 days to 2026-01-30.",
            ],
        ),
        report(
            "files of SharePoint",
            "MS.SHAREPOINT.1.1",
            "Report Refresh Date,User Principal Name,Is Deleted,Deleted Date,Last Activity Date,Viewed Or Edited File \
             Count,Synced File Count,Shared Internally File Count,Shared Externally File Count,Visited Page \
             Count,Assigned Products,Report Period",
            [
                "2026-01-30,PERSON,False,,2026-01-29,3,0,1,12,4,MICROSOFT 365 E3,30",
                "2026-01-30,CONCEALED,False,,2026-01-29,3,0,1,5,4,MICROSOFT 365 E3,30",
            ],
            [
                "Files shared outside: 17 by 2 users (SharePoint 17) in the 30 days to 2026-01-30.",
                "Files shared outside: 12 by 1 user (SharePoint 12) in the 30 days to 2026-01-30.",
            ],
        ),
        report(
            "files of OneDrive",
            "MS.SHAREPOINT.1.1",
            "Report Refresh Date,User Principal Name,Is Deleted,Deleted Date,Last Activity Date,Viewed Or Edited File \
             Count,Synced File Count,Shared Internally File Count,Shared Externally File Count,Assigned Products,Report \
             Period",
            [
                "2026-01-30,PERSON,False,,2026-01-29,3,0,1,4,MICROSOFT 365 E3,30",
                "2026-01-30,CONCEALED,False,,2026-01-29,3,0,1,5,MICROSOFT 365 E3,30",
            ],
            [
                "Files shared outside: 9 by 2 users (OneDrive 9) in the 30 days to 2026-01-30.",
                "Files shared outside: 4 by 1 user (OneDrive 4) in the 30 days to 2026-01-30.",
            ],
        ),
        report(
            "users of Teams",
            "MS.TEAMS.1.1",
            "Report Refresh Date,Tenant Display Name,Shared Channel Tenant Display Names,User Id,User Principal Name,\
             Last Activity Date,Is Deleted,Deleted Date,Assigned Products,Team Chat Message Count,Private Chat Message \
             Count,Call Count,Meeting Count,Post Messages,Reply Messages,Urgent Messages,Meetings Organized \
             Count,Meetings Attended Count,Has Other Action,Is Licensed,Report Period",
            [
                "2026-01-30,PERSON,,PERSON,PERSON,2026-01-29,False,,SUITE,1,2,3,4,5,6,7,8,9,No,Yes,30",
                "2026-01-30,PERSON,,CONCEALED,CONCEALED,2026-01-29,False,,SUITE,1,2,3,4,5,6,7,5,9,No,Yes,30",
            ],
            [
                "Meetings: 13 organized by 2 users in the 30 days to 2026-01-30.",
                "Meetings: 8 organized by 1 user in the 30 days to 2026-01-30.",
            ],
        ),
    ]
}

impl Case {
    /// Asserts the sentence that these files result in.
    fn assert(&self, condition: &str, files: &[Vec<u8>], expected: Option<&str>, issue: Option<&str>) {
        let (said, issues) = observed_with_issues(&[self.control], files);
        let said = said[0].as_deref().map(|said| {
            // Whether the whole window is covered has tests of its own.
            [BOTH_DAYS, FIRST_DAY].iter().fold(said.to_owned(), |said, gap| said.replace(gap, ""))
        });
        assert_eq!(said.as_deref(), expected, "{}, {condition}", self.name);
        let of_rows: Vec<_> = issues
            .iter()
            .filter(|it| it.contains("malformed rows") || it.contains("before they are complete"))
            .collect();
        match issue {
            Some(part) => {
                assert!(of_rows.len() == 1 && of_rows[0].contains(part), "{}, {condition}: {issues:?}", self.name);
            }
            None => assert!(of_rows.is_empty(), "{}, {condition}: {of_rows:?}", self.name),
        }
    }

    fn assert_table(&self, columns: &str, rows: &[String; 2]) {
        let [both, first] = self.expected.map(Some);
        let table = |rows: &[String]| format!("{columns}\n{}\n", rows.join("\n"));
        let whole = table(rows);
        self.assert("as it is", &[whole.clone().into_bytes()], both, None);
        self.assert(
            "CRLF and a byte order mark",
            &[format!("\u{feff}{}", whole.replace('\n', "\r\n")).into()],
            both,
            None,
        );
        self.assert("days first, with points", &[saved_by_excel(&whole)], both, None);
        self.assert("months first", &[saved(&whole, b',', "%m/%d/%Y")], both, None);
        self.assert("days first", &[saved(&whole, b';', "%d/%m/%Y")], both, None);
        self.assert("two exports that overlap", &[table(&rows[..1]).into(), whole.clone().into()], both, None);
        self.assert("an empty export", &[table(&[]).into()], None, None);
        let cut = &whole[..whole.len() - rows[1].len() / 2 - 1];
        let first = first.map(|first| format!("{first} 1 row could not be read."));
        self.assert("cut off", &[cut.into()], first.as_deref(), Some("malformed rows"));
    }

    fn assert_list(&self, list: &str, rows: &[Value; 2]) {
        let [both, first] = self.expected.map(Some);
        let bytes = |value: Value| value.to_string().into_bytes();
        let whole = page(list, rows);
        self.assert("as it is", &[bytes(whole.clone())], both, None);
        let lines = format!("\u{feff}{}\r\n{}\r\n", rows[0], rows[1]);
        self.assert("JSON lines, CRLF and a byte order mark", &[lines.into()], both, None);
        self.assert("a bare list", &[bytes(json!(rows))], both, None);
        let pages = [open(page(list, &rows[..1])), page(list, &rows[1..])];
        self.assert("two pages", &pages.clone().map(bytes), both, None);
        self.assert("two pages in one file", &[pages.map(|page| page.to_string()).concat().into()], both, None);
        self.assert("two exports that overlap", &[bytes(page(list, &rows[..1])), bytes(whole.clone())], both, None);
        self.assert("an empty export", &[bytes(page(list, &[]))], None, None);
        let whole = whole.to_string();
        let cut = &whole[..whole.len() - rows[1].to_string().len() / 2];
        let (said, issues) = observed_with_issues(&[self.control], &[cut.into()]);
        let first = first.unwrap();
        assert!(said[0].as_deref().is_some_and(|said| said.starts_with(first)), "{}: {said:?}", self.name);
        assert!(
            issues.iter().any(|issue| issue.contains("end before they are complete: 1")),
            "{}: {issues:?}",
            self.name
        );
    }
}

#[test]
fn every_source_is_read_under_every_condition() {
    for case in cases() {
        match &case.form {
            Form::Table(columns, rows) => case.assert_table(columns, rows),
            Form::List(list, rows) => case.assert_list(list, rows),
        }
    }
}

#[test]
fn a_report_without_days_is_counted_completely() {
    let details = marked(
        "Forwarders,Forwarding type,Recipient name,Recipient domain,Details,Count,First forward date\n\
         PERSON,Mailbox rule,PERSON,elsewhere.example,rule,9,2025-06-20\n\
         Transport rule,Transport rule,PERSON,elsewhere.example,rule,2,2026-01-20\n",
    );
    let (said, issues) = observed_with_issues(&["MS.EXO.1.1"], &[details.into()]);
    let expected = "Mail forwarded outside: 11 messages of 2 mailboxes (inbox rules 9, mail flow rules 2) in the period of \
                    the report.";
    assert_eq!((said[0].as_deref(), issues.iter().any(|issue| issue.contains("malformed"))), (Some(expected), false));
}

#[test]
fn sign_ins_of_applications_say_nothing_of_users() {
    let by_application = |id: &str| {
        json!({
            "id": id, "createdDateTime": "2026-01-20T09:41:41Z", "userId": "", "userPrincipalName": null,
            "appDisplayName": "Portal", "servicePrincipalId": format!("{CANARY}-{id}"), "servicePrincipalName": CANARY,
            "signInEventTypes": ["servicePrincipal"], "isInteractive": false, "authenticationProtocol": "deviceCode",
            "status": { "errorCode": 0 },
        })
    };
    let managed = json!({
        "id": "m", "createdDateTime": "2026-01-20T09:41:41Z", "userId": null, "appDisplayName": "Portal",
        "servicePrincipalId": CANARY, "signInEventTypes": ["managedIdentity"],
        "managedServiceIdentity": { "msiType": "systemAssigned", "associatedResourceId": CANARY },
    });
    let of_applications = page(SIGN_INS, &[by_application("1"), managed]);
    let table = format!(
        "Date (UTC),Request ID,Correlation ID,Service principal ID,Service principal name,Application,Status\n\
         2026-01-20T09:41:41Z,request,c,{CANARY},{CANARY},Portal,Success\n"
    );
    let files = [of_applications.to_string().into_bytes(), table.into_bytes()];
    let (said, issues) = observed_with_issues(&["MS.AAD.3.9"], &files);
    assert_eq!(said, [None]);
    assert!(issues.iter().any(|issue| issue.contains("no file contains the list of sign-ins")), "{issues:?}");
    assert!(!issues.iter().any(|issue| issue.contains("malformed")), "{issues:?}");
}

#[test]
fn a_message_trace_says_what_to_export_instead() {
    let table = "Received,SenderAddress,RecipientAddress,Subject,Status,Size\n2026-01-20,a,b,c,Delivered,7\n";
    let rows = json!([{ "SenderAddress": "a", "RecipientAddress": "b", "Status": "Delivered", "Received": "x" }]);
    let historical = "origin_timestamp_utc,sender_address,recipient_status,message_subject\n2026-01-20,a,b,c\n";
    for trace in [table.to_owned(), rows.to_string(), historical.to_owned()] {
        let error = read(&trace.into_bytes()).unwrap_err().to_string();
        assert!(error.contains("a message trace: it does not say what forwarded a message"), "{error}");
    }
}
