//! Exports in the forms in which documented commands and settings save them.

use super::activity::observed_with_issues;
use super::*;

const LEGACY: &str = "Legacy protocols: 1 sign-in by 1 user (IMAP4 1) in the last 30 days; the last on 2026-01-20. \
                      The log covers only 2026-01-20 to 2026-01-20.";
const CONSENT: &str = "Users granted consent to 1 application; administrators to 0, in the last 30 days. The log covers \
                       only 2026-01-20 to 2026-01-20.";

fn legacy_sign_in() -> Value {
    let mut row = sign_in("1", "a", "2026-01-20T10:00:00Z", 0);
    row["clientAppUsed"] = json!("IMAP4");
    row
}

fn consent() -> Value {
    json!({
        "id": "Directory_1", "activityDisplayName": "Consent to application", "result": "success",
        "activityDateTime": "2026-01-20T10:00:00Z",
        "targetResources": [{
            "id": "app-1",
            "modifiedProperties": [
                { "displayName": "ConsentContext.IsAdminConsent", "oldValue": null, "newValue": "\"False\"" },
            ],
        }],
    })
}

/// Returns a row as cmdlets for Microsoft Graph return it: names begin with a capital letter.
fn of_cmdlet(row: &Value) -> Value {
    match row {
        Value::Array(items) => items.iter().map(of_cmdlet).collect(),
        Value::Object(fields) => {
            let capitalized = fields.iter().map(|(name, value)| {
                let (first, rest) = name.split_at(1);
                (first.to_uppercase() + rest, of_cmdlet(value))
            });
            Value::Object(capitalized.collect())
        }
        value => value.clone(),
    }
}

/// Returns a record as diagnostic settings write it.
fn record(category: &str, row: &Value) -> Value {
    json!({
        "time": "2026-01-20T10:00:00Z", "resourceId": format!("/tenants/{TENANT}/providers/Microsoft.aadiam"),
        "operationName": "An operation", "category": category, "tenantId": TENANT, "properties": row,
    })
}

/// Returns the row of the audit log of all services for a consent.
fn unified() -> [String; 2] {
    let data = json!({
        "Id": "1", "CreationTime": "2026-01-20T10:00:00", "Operation": "Consent to application.", "ResultStatus": "Success",
        "Workload": "AzureActiveDirectory", "ObjectId": "app-1",
        "ModifiedProperties": [{ "Name": "ConsentContext.IsAdminConsent", "NewValue": "False", "OldValue": "" }],
    });
    ["2026-01-20T10:00:00Z".to_owned(), data.to_string()]
}

fn said(control: &str, export: &[u8]) -> String {
    let (said, issues) = observed_with_issues(&[control], &[export.to_vec()]);
    assert!(issues.iter().all(|issue| issue.starts_with("no file contains")), "{issues:?}");
    said[0].clone().unwrap_or_default()
}

#[test]
fn logs_are_read_as_cmdlets_return_them() {
    for (control, row, sentence) in [("MS.AAD.1.1", legacy_sign_in(), LEGACY), ("MS.AAD.5.2", consent(), CONSENT)] {
        let row = of_cmdlet(&row);
        // `ConvertTo-Json` writes a single row without a list.
        for file in [json!([row]), row.clone(), json!({ "value": [row], "Count": 1 })] {
            assert_eq!(said(control, file.to_string().as_bytes()), sentence, "{file}");
        }
    }
}

#[test]
fn a_capitalized_property_changes_nothing_else() {
    let mut row = legacy_sign_in();
    row["DeviceDetail"] = json!({ "IsManaged": false });
    assert_eq!(said("MS.AAD.1.1", json!([row]).to_string().as_bytes()), LEGACY);
}

#[test]
fn members_are_read_with_their_additional_properties() {
    let member = |id: &str, kind: &str| {
        json!({
            "DeletedDateTime": null, "Id": id,
            "AdditionalProperties": {
                "@odata.type": format!("#microsoft.graph.{kind}"), "displayName": "A", "businessPhones": [],
                "userPrincipalName": format!("{id}@example.com"),
            },
        })
    };
    let members = json!([member("a", "user"), member("b", "user"), member("c", "servicePrincipal")]);
    let review = review(std::slice::from_ref(&members));
    let names: Vec<_> = review.admins.iter().map(|admin| admin.user_principal_name.as_str()).collect();
    assert_eq!((review.count, names), (Some(2), vec!["a@example.com", "b@example.com"]));
}

#[test]
fn the_audit_log_of_all_services_is_read_as_its_cmdlet_returns_it() {
    let [date, data] = unified();
    let rows = json!([{ "RecordType": 8, "CreationDate": date, "UserIds": "a", "Operations": "x", "AuditData": data }]);
    assert_eq!(said("MS.AAD.5.2", rows.to_string().as_bytes()), CONSENT);
    let quoted = data.replace('"', "\"\"");
    let table = format!(
        "\"RecordType\",\"CreationDate\",\"UserIds\",\"Operations\",\"AuditData\"\r\n\"8\",\"{date}\",\"a\",\"x\",\"{quoted}\"\r\n"
    );
    for before in ["", "#TYPE Selected.System.Management.Automation.PSCustomObject\r\n"] {
        assert_eq!(said("MS.AAD.5.2", format!("{before}{table}").as_bytes()), CONSENT, "{before}");
    }
}

#[test]
fn logs_of_diagnostic_settings_are_read_and_name_their_tenant() {
    for (control, category, row, sentence) in [
        ("MS.AAD.1.1", "SignInLogs", legacy_sign_in(), LEGACY),
        ("MS.AAD.1.1", "NonInteractiveUserSignInLogs", legacy_sign_in(), LEGACY),
        ("MS.AAD.5.2", "AuditLogs", consent(), CONSENT),
    ] {
        let record = record(category, &row);
        let mut other = record.clone();
        other["category"] = json!("ManagedIdentitySignInLogs");
        for file in [format!("{record}\r\n{other}\r\n"), json!({ "records": [record, other] }).to_string()] {
            assert_eq!(said(control, file.as_bytes()), sentence, "{category}: {file}");
            let directory = combine([read(&file.into_bytes()).unwrap()]).directory.unwrap();
            assert_eq!(directory.tenant().unwrap().as_str(), TENANT);
        }
    }
}
