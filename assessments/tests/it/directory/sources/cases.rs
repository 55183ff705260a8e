//! The sources, with the rows that their vendors document.

use super::*;

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

pub(super) fn logs() -> Vec<Case> {
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

pub(super) fn tables_of_logs() -> Vec<Case> {
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

pub(super) fn usage_reports() -> Vec<Case> {
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
