//! The exact text of reports: clients and the table have what earlier releases wrote.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;

const HEAD: &str = r#""id":"rpt_2","url":"https://example.com/r","tenant":{"serviceTenantId":"ten_1","name":"Contoso","providerTenantId":"01234567-89ab-cdef-0123-456789abcdef"},"#;
const BASELINE: &str = r#""reportType":"BASELINE","baseline":null,"createdAt":"2026-07-01T07:00:00.000Z","completedAt":"2026-07-01T08:00:00.000Z","activityLookbackDays":30,"score":0,"grade":"F","previousScore":null,"previousGrade":null,"controls":{"assessed":1,"secure":0,"fixed":0,"inProgress":0,"open":1,"drifted":0,"notAssessed":0},"#;
const FOLLOW_UP: &str = r#""reportType":"FOLLOW_UP","baseline":{"id":"rpt_1","score":0,"completedAt":null},"createdAt":"2026-07-01T07:00:00.000Z","completedAt":"2026-07-01T08:00:00.000Z","activityLookbackDays":30,"score":100,"grade":"A","previousScore":0,"previousGrade":"F","controls":{"assessed":6,"secure":1,"fixed":2,"inProgress":3,"open":0,"drifted":0,"notAssessed":4},"coverage":{"previouslyAssessed":3,"lost":1,"reasons":[{"reason":"MISSING","controls":1}]},"#;
const REST: &str = r#""globalAdmins":{"count":0,"previousCount":null,"bestPracticeMax":4,"strongMfaCount":0,"dataComplete":false,"admins":[]},"topRisks":[],"checks":[]}"#;

fn assert_kept<T: Serialize + DeserializeOwned + Debug>(text: &str) {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
}

#[test]
fn reports_and_summaries_have_the_text_that_earlier_releases_wrote() {
    for figures in [BASELINE, FOLLOW_UP] {
        assert_kept::<ReportBody>(&format!("{{{figures}{REST}"));
        assert_kept::<PostureReport>(&format!("{{{HEAD}{figures}{REST}"));
        assert_kept::<PostureReportSummary>(&format!("{{{HEAD}{figures}\"updatedAt\":\"2026-07-01T09:00:00.000Z\"}}"));
    }
}
