//! One row per test: its result, and the tool's texts about it.

use model::NotAssessedReason;
use serde::Deserialize;

use crate::catalogue::RevisedControl;
use crate::file::{Field, damaged, rows};
use crate::run::{ControlResult, Describe, Description, Outcome};
use crate::text::{CountingTests, Document, markdown_to_lines, non_empty, reason, severity};

/// Beginnings of the headings of a remediation, in lower case.
const FIX_HEADINGS: &[&str] = &["remediat", "how to fix", "mitigation steps", "investigation steps"];

/// Beginnings of the headings of a reason, in lower case.
const REASON_HEADINGS: &[&str] = &["rationale", "why this matters", "security impact"];

/// Label of a paragraph with the reason why the test matters.
const REASON_LABEL: &str = "Rationale:";

/// Label of a paragraph that describes the test.
const DESCRIPTION_LABEL: &str = "Description:";

/// Tests whose results contain the number of top-privilege administrators.
pub(super) const ADMINISTRATORS: CountingTests =
    &[("MT.1024.oneAdmin", &["You currently have "]), ("CISA.MS.AAD.7.2", &["Current Ratio:", "="])];

/// The test of which every recommendation of Microsoft Entra is a result.
const RECOMMENDATION: &str = "MT.1024";

/// Beginning of the title of a recommendation in older versions.
const RECOMMENDATION_TITLE: &str = "Entra Recommendation - ";

/// Longest name of a recommendation that is made of its title, in characters.
const RECOMMENDATION_LENGTH: usize = 60;

/// Recommendations by their titles, with the names that later versions use in ids.
const RECOMMENDATIONS: [(&str, &str); 17] = [
    ("Require multifactor authentication for administrative roles", "adminMFAV2"),
    ("Renew expiring application credentials", "applicationCredentialExpiry"),
    ("Enable policy to block legacy authentication", "blockLegacyAuthentication"),
    (
        "Start your Defender for Identity deployment, installing Sensors on Domain Controllers and other eligible servers",
        "DefenderForIdentityIsNotInstalled",
    ),
    ("Protect your tenant with Insider Risk condition in Conditional Access policy", "insiderRiskPolicy"),
    ("Do not allow users to grant consent to unreliable applications", "integratedApps"),
    ("Ensure all users can complete multifactor authentication", "mfaRegistrationV2"),
    ("Designate more than one global admin", "oneAdmin"),
    ("Enable password hash sync if hybrid", "passwordHashSync"),
    ("Do not expire passwords", "pwagePolicyNew"),
    ("Use least privileged administrative roles", "roleOverlap"),
    ("Enable self-service password reset", "selfServicePasswordReset"),
    ("Renew expiring service principal credentials", "servicePrincipalKeyExpiry"),
    ("Protect all users with a sign-in risk policy", "signinRiskPolicy"),
    ("Remove unused credentials from applications", "staleAppCreds"),
    ("Remove unused applications", "staleApps"),
    ("Protect all users with a user risk policy", "userRiskPolicy"),
];

/// The fields of a row that are read.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TestRow {
    /// Since 1.0.
    #[serde(default)]
    id: Field<String>,
    /// The id and the title, with a colon between them.
    #[serde(default)]
    name: Field<String>,
    #[serde(default)]
    title: Field<String>,
    #[serde(default)]
    severity: Field<String>,
    #[serde(default)]
    result: Field<String>,
    #[serde(default)]
    block: Field<String>,
    #[serde(default)]
    result_detail: Field<Detail>,
    #[serde(default)]
    error_record: Field<ErrorRecords>,
}

/// The test's own report.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Detail {
    #[serde(default)]
    test_description: Field<String>,
    #[serde(default)]
    test_result: Field<String>,
    #[serde(default)]
    skipped_reason: Field<String>,
}

#[derive(Deserialize)]
struct ErrorRecords(#[serde(deserialize_with = "rows")] Vec<Option<ErrorRecord>>);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ErrorRecord {
    exception: Exception,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Exception {
    message: String,
}

/// The tool's texts about a test.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MaesterTest {
    title: String,
    severity: Option<String>,
    block: Option<String>,
    description: Option<String>,
}

impl TestRow {
    /// Returns the result. Returns `None` if the row does not name its test.
    pub(super) fn into_result(self) -> Option<ControlResult<MaesterTest>> {
        let control = control_of(self.id()?, self.title())?;
        let outcome = outcome(self.result.text().unwrap_or_default());
        let state = self.state(outcome == Ok(Outcome::Failed));
        let title = self.title().to_owned();
        let outcome = outcome.map_err(str::to_owned);
        let damaged = self.damaged();
        let texts = MaesterTest {
            title,
            severity: non_empty(self.severity.value()),
            block: non_empty(self.block.value()),
            description: self.result_detail.value().and_then(|detail| detail.test_description.value()),
        };
        Some(ControlResult { control, outcome, state, texts, damaged })
    }

    /// Returns the report of a test, as in the file, if the row is of that test.
    pub(super) fn reported_by(&self, test: &str) -> Option<String> {
        let control = control_of(self.id()?, self.title()).filter(|it| it.control.as_str() == test);
        control.and(self.result_detail.get())?.test_result.text().map(str::to_owned)
    }

    fn id(&self) -> Option<&str> {
        self.id.text().or_else(|| Some(self.name.text()?.split_once(':')?.0)).map(str::trim)
    }

    fn title(&self) -> &str {
        let named = || self.name.text()?.split_once(':').map(|(_, title)| title);
        self.title.text().or_else(named).unwrap_or_default().trim()
    }

    /// Returns the test's report, else the reason why it was skipped, else the error of a failed test.
    fn state(&self, failed: bool) -> String {
        let detail = self.result_detail.get();
        let reported = detail.and_then(|detail| markdown_to_lines(detail.test_result.text()?));
        let skipped = || detail.and_then(|detail| markdown_to_lines(detail.skipped_reason.text()?));
        let records = || self.error_record.get().into_iter().flat_map(|records| records.0.iter().flatten());
        let error = || records().next().map(|error| error.exception.message.trim().to_owned()).filter(|_| failed);
        reported.or_else(skipped).or_else(error).unwrap_or_default()
    }

    fn damaged(&self) -> Vec<&'static str> {
        let in_detail = |is_damaged: fn(&Detail) -> bool| self.result_detail.get().is_some_and(is_damaged);
        damaged([
            ("Title", self.title.is_damaged()),
            ("Severity", self.severity.is_damaged()),
            ("Result", self.result.is_damaged()),
            ("Block", self.block.is_damaged()),
            ("ResultDetail", self.result_detail.is_damaged()),
            ("ResultDetail.TestDescription", in_detail(|detail| detail.test_description.is_damaged())),
            ("ResultDetail.TestResult", in_detail(|detail| detail.test_result.is_damaged())),
            ("ResultDetail.SkippedReason", in_detail(|detail| detail.skipped_reason.is_damaged())),
            ("ErrorRecord", self.error_record.is_damaged()),
        ])
    }
}

impl MaesterTest {
    /// Returns whether a paragraph only repeats the title, or is the title of a benchmark, which begins with a number.
    fn is_title(&self, paragraph: &str) -> bool {
        let title = self.title.trim_end_matches('.');
        paragraph.trim_end_matches('.') == title || paragraph.starts_with(|first: char| first.is_ascii_digit())
    }
}

impl Describe for MaesterTest {
    fn describe(self) -> Description {
        let document = Document::parse(self.description.as_deref().unwrap_or_default());
        let introduction = || document.introduction().filter(|paragraph| !self.is_title(paragraph));
        let labelled = || introduction().find_map(|paragraph| paragraph.strip_prefix(REASON_LABEL)).map(str::to_owned);
        let why = labelled().or_else(|| document.section(starts_with_any(REASON_HEADINGS)));
        Description {
            proposed_risk: None,
            severity: self.severity.as_deref().and_then(severity),
            why: why.as_deref().map(reason),
            summary: introduction().next().map(|text| text.strip_prefix(DESCRIPTION_LABEL).unwrap_or(text)).map(reason),
            suggested_fix: document.section(starts_with_any(FIX_HEADINGS)),
            name: self.title,
            group: self.block,
        }
    }
}

/// Returns a predicate for headings that start with one of these texts, in any case.
fn starts_with_any(headings: &[&str]) -> impl Fn(&str) -> bool {
    |heading| headings.iter().any(|beginning| heading.to_lowercase().starts_with(beginning))
}

/// Returns the outcome of a result, or the result itself if its meaning is unknown.
fn outcome(result: &str) -> Result<Outcome, &str> {
    match result.trim().to_lowercase().as_str() {
        "passed" => Ok(Outcome::Passed),
        "failed" => Ok(Outcome::Failed),
        "skipped" | "notrun" => Ok(Outcome::NotAssessed(NotAssessedReason::Skipped)),
        "error" => Ok(Outcome::NotAssessed(NotAssessedReason::Error)),
        "investigate" => Ok(Outcome::NotAssessed(NotAssessedReason::Manual)),
        _ => Err(result),
    }
}

/// Returns the test that an id names. A recommendation that older versions numbered by position is named by its title.
fn control_of(id: &str, title: &str) -> Option<RevisedControl> {
    if is_numbered_recommendation(id) && !title.is_empty() {
        return recommendation(title).parse().ok();
    }
    normalized(id)
}

/// Returns whether an id is that of a recommendation with its position in the run, which changes from run to run.
fn is_numbered_recommendation(id: &str) -> bool {
    id.strip_prefix(RECOMMENDATION).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('.').is_some_and(is_number))
}

/// Returns the id of a recommendation by its title: the named id of later versions, else one made of the title.
fn recommendation(title: &str) -> String {
    let title = title.strip_prefix(RECOMMENDATION_TITLE).unwrap_or(title);
    let title = title.split(". See http").next().unwrap_or(title).trim_end_matches(['.', ' ']);
    let known = RECOMMENDATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(title));
    let name = known.map_or_else(|| camel_case(title), |(_, name)| (*name).to_owned());
    format!("{RECOMMENDATION}.{name}")
}

fn camel_case(title: &str) -> String {
    let words = title.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.enumerate().map(|(index, word)| match (index, word.split_at(1)) {
        (0, (first, rest)) => first.to_ascii_lowercase() + rest,
        (_, (first, rest)) => first.to_ascii_uppercase() + rest,
    });
    words.collect::<String>().chars().take(RECOMMENDATION_LENGTH).collect()
}

/// Returns the test that an id names, without the suffix for one of several objects: a digest of the object, or its
/// number in the run.
fn normalized(id: &str) -> Option<RevisedControl> {
    let object = |(test, object): &(&str, &str)| is_digest(object) || (is_number(object) && is_own_test(test));
    let test = id.rsplit_once('.').filter(object).map_or(id, |(test, _)| test);
    test.parse().ok()
}

fn is_digest(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether an id belongs to one of the tool's own tests, such as `MT.1033`.
fn is_own_test(id: &str) -> bool {
    id.strip_prefix("MT.").is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_tests_and_not_objects() {
        let control =
            |id: &str| normalized(id).map(|RevisedControl { control, revision }| (control.to_string(), revision));
        for (id, test, revision) in [
            ("MT.1001", "MT.1001", 1),
            ("MT.1033.12", "MT.1033", 1),
            ("MT.1059.d41d8cd98f00b204e9800998ecf8427e", "MT.1059", 1),
            ("MT.1024.adminMFAV2", "MT.1024.adminMFAV2", 1),
            ("MT.INV.001", "MT.INV.001", 1),
            ("CISA.MS.AAD.1.1", "CISA.MS.AAD.1.1", 1),
            ("CISA.MS.AAD.3.2v2", "CISA.MS.AAD.3.2", 2),
            ("CT.IPv4", "CT.IPv4", 1),
            ("CT.IPv6", "CT.IPv6", 1),
            ("CIS.M365.1.1.1", "CIS.M365.1.1.1", 1),
            ("ORCA.108.1", "ORCA.108.1", 1),
            ("EIDSCA.AV01", "EIDSCA.AV01", 1),
        ] {
            assert_eq!(control(id), Some((test.to_owned(), revision)), "{id}");
        }
        assert_eq!(normalized(" "), None::<RevisedControl>);
    }

    #[test]
    fn a_numbered_recommendation_is_named_by_its_title() {
        let control = |id, title| control_of(id, title).unwrap().control.to_string();
        for (id, title, named) in [
            ("MT.1024.1", "Entra Recommendation - Remove unused applications", "MT.1024.staleApps"),
            (
                "MT.1024",
                "Entra Recommendation - Do not expire passwords. See https://example.com",
                "MT.1024.pwagePolicyNew",
            ),
            ("MT.1024.9", "Something new (preview)", "MT.1024.somethingNewPreview"),
            ("MT.1024.oneAdmin", "Designate more than one global admin.", "MT.1024.oneAdmin"),
            ("MT.1033.9", "User", "MT.1033"),
        ] {
            assert_eq!(control(id, title), named);
        }
    }
}
