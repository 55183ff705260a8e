//! Every source of activity, in the form that its vendor documents, under every condition in which its export can be.
//!
//! Whatever names a person contains [`CANARY`], which no sentence and no issue may contain.

mod cases;

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
    let mut cases = cases::logs();
    cases.extend(cases::tables_of_logs());
    cases.extend(cases::usage_reports());
    cases
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
