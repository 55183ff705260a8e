//! Runs in which a tool failed, after a run in which it did not: every place says first what was lost.

use serde_json::{Value, json};

use super::imports::Uploading;
use crate::samples;

/// Number of controls of each run.
const CONTROLS: usize = 20;

/// A tool, its file of a run, and its word for the reason of a loss.
struct Tool {
    name: &'static str,
    /// Returns a file of a month from the tenant's identifier and the outcome of each control.
    file: fn(&str, u32, &[Outcome]) -> String,
    reason: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    /// The tool could not assess the control.
    Lost,
}

const TOOLS: [Tool; 5] = [
    Tool { name: "ScubaGear", file: scubagear, reason: "with an error" },
    Tool { name: "Maester", file: maester, reason: "with an error" },
    Tool { name: "Prowler", file: prowler, reason: "with an error" },
    // A licence that is gone takes its controls out of the score.
    Tool { name: "Microsoft Secure Score", file: secure_score, reason: "missing from the file" },
    Tool { name: "Zero Trust Assessment", file: zero_trust, reason: "with an error" },
];

/// Number of lost controls, the sentence about the loss without its reason, and what the overview shows as the change of
/// the score.
const LOSSES: [(usize, &str, &str); 4] = [
    (0, "", r#"<span class="change same">0</span>"#),
    (
        2,
        "2 controls assessed before were not assessed this time (2 {reason}), so the score covers 18 of those 20.",
        r#"<span class="change up" title="From {before} at the baseline to {score}. {sentence}">"#,
    ),
    (
        10,
        "10 controls assessed before were not assessed this time (10 {reason}), so the score covers 10 of those 20. The \
         scores are not comparable.",
        r#"<span class="tag warn" title="{sentence}">not comparable</span>"#,
    ),
    (
        19,
        "19 controls assessed before were not assessed this time (19 {reason}), so the score covers 1 of those 20. The \
         scores are not comparable.",
        r#"<span class="tag warn" title="{sentence}">not comparable</span>"#,
    ),
];

#[tokio::test]
async fn a_run_with_errors_says_first_what_was_lost_everywhere() {
    for tool in TOOLS {
        for (lost, sentence, overview) in LOSSES {
            let sentence = sentence.replace("{reason}", tool.reason);
            let places = Places::of(&tool, lost).await;
            let [before, score] = ["previousScore", "score"].map(|field| places.report[field].to_string());
            let overview = overview.replace("{sentence}", &sentence);
            let overview = overview.replace("{before}", &before).replace("{score}", &score);
            let name = format!("{}, {lost} lost", tool.name);
            places.assert_say(&name, lost, &sentence, &overview);
        }
    }
}

/// What each place says about the second run.
struct Places {
    import: String,
    overview: String,
    page: String,
    report: Value,
    summary: Value,
    /// The report's JSON, of which the PDF is made.
    document: Value,
}

impl Places {
    /// Uploads a whole run, and a month later a run with losses.
    async fn of(tool: &Tool, lost: usize) -> Self {
        let uploading = Uploading::new().await;
        let tenant = uploading.app.org_a.tenants[0].clone();
        // Those that failed are lost first, which raises the score.
        let whole = |number: usize| if number < CONTROLS / 2 { Outcome::Failed } else { Outcome::Passed };
        let mut import = String::new();
        for (month, lost) in [(1, 0), (2, lost)] {
            let outcome = |number| if number < lost { Outcome::Lost } else { whole(number) };
            let outcomes: Vec<_> = (0..CONTROLS).map(outcome).collect();
            let file = (tool.file)(&uploading.provider, month, &outcomes);
            import = uploading.import(&[], &[("results", file.as_bytes())]).await;
        }
        let report = uploading.newest().await;
        let page = format!("/tenants/{tenant}/reports/{}", report["id"].as_str().unwrap());
        let summaries = uploading.app.org_a().get("/v1/report-summaries").await.success();
        Self {
            overview: uploading.get("/").await,
            document: serde_json::from_str(&uploading.get(&format!("{page}/pdf")).await).unwrap(),
            page: uploading.get(&page).await,
            summary: summaries["reports"][0].clone(),
            import,
            report,
        }
    }

    fn assert_say(&self, name: &str, lost: usize, sentence: &str, overview: &str) {
        let says =
            |page: &str| page.contains(sentence) && page.contains("not assessed this time") != sentence.is_empty();
        assert!(says(&self.import), "{name}: {}", self.import);
        assert!(self.overview.contains(overview), "{name}: {overview}: {}", self.overview);
        assert!(says(&self.page), "{name}: {}", self.page);
        let remark = self.page.find(sentence).unwrap();
        assert!(remark <= self.page.find("Since the baseline").unwrap(), "{name}: the page says it first");
        let coverage = &self.report["coverage"];
        assert_eq!((&coverage["lost"], &coverage["previouslyAssessed"]), (&json!(lost), &json!(CONTROLS)), "{name}");
        assert_eq!((&self.summary["coverage"], &self.document["coverage"]), (coverage, coverage), "{name}");
    }
}

fn scubagear(provider_id: &str, month: u32, outcomes: &[Outcome]) -> String {
    let ids: Vec<_> = (1..=outcomes.len()).map(|number| format!("MS.AAD.{number}.1v1")).collect();
    let controls = ids.iter().map(String::as_str).zip(outcomes.iter().map(|it| it.word(["Pass", "Fail", "Error"])));
    samples::results(provider_id, month, &controls.collect::<Vec<_>>())
}

fn maester(provider_id: &str, month: u32, outcomes: &[Outcome]) -> String {
    let test = |(number, outcome): (usize, &Outcome)| {
        json!({
            "Id": format!("MT.{}", 1001 + number), "Title": "A title", "Name": "A title", "Severity": "High",
            "Block": "Maester/Entra", "Result": outcome.word(["Passed", "Failed", "Error"]),
        })
    };
    let tests: Vec<_> = outcomes.iter().enumerate().map(test).collect();
    let run = json!({
        "Result": "Failed", "FailedCount": 0, "PassedCount": 0, "SkippedCount": 0, "TotalCount": CONTROLS,
        "TenantId": provider_id, "ExecutedAt": time(month), "CurrentVersion": "1.3.0", "Tests": tests,
    });
    run.to_string()
}

fn prowler(provider_id: &str, month: u32, outcomes: &[Outcome]) -> String {
    let row = |(number, outcome): (usize, &Outcome)| {
        let status = outcome.word(["PASS", "FAIL", "FAIL"]);
        let text = outcome.word(["Found.", "Found.", "Cannot read the policies."]);
        format!(
            "2026-{month:02}-01 09:00:00;{provider_id};m365;entra_check_{number};A title;{status};{text};False;high\n"
        )
    };
    let header = "TIMESTAMP;ACCOUNT_UID;PROVIDER;CHECK_ID;CHECK_TITLE;STATUS;STATUS_EXTENDED;MUTED;SEVERITY\n";
    header.to_owned() + &outcomes.iter().enumerate().map(row).collect::<String>()
}

fn secure_score(provider_id: &str, month: u32, outcomes: &[Outcome]) -> String {
    let control = |(number, outcome): (usize, &Outcome)| {
        json!({
            "controlName": format!("aad_control_{number}"), "controlCategory": "Identity", "score": 1,
            "scoreInPercentage": if *outcome == Outcome::Passed { 100 } else { 0 },
        })
    };
    let known = outcomes.iter().enumerate().filter(|(_, outcome)| **outcome != Outcome::Lost);
    let score = json!({
        "id": format!("score-of-{month}"), "azureTenantId": provider_id, "createdDateTime": time(month),
        "controlScores": known.map(control).collect::<Vec<_>>(),
    });
    let context = "https://graph.microsoft.com/v1.0/$metadata#security/secureScores";
    json!({ "@odata.context": context, "value": [score] }).to_string()
}

fn zero_trust(provider_id: &str, month: u32, outcomes: &[Outcome]) -> String {
    let test = |(number, outcome): (usize, &Outcome)| {
        json!({
            "TestId": (21800 + number).to_string(), "TestTitle": "A title", "TestRisk": "High", "TestPillar": "Identity",
            "TestCategory": "Credential management", "TestDescription": "x", "TestResult": "x",
            "TestStatus": outcome.word(["Passed", "Failed", "Error"]),
        })
    };
    let tests: Vec<_> = outcomes.iter().enumerate().map(test).collect();
    let report = json!({
        "ExecutedAt": time(month), "TenantId": provider_id, "CurrentVersion": "2.2.0", "TestResultSummary": {},
        "Tests": tests,
    });
    report.to_string()
}

impl Outcome {
    /// Returns the tool's word for the outcome.
    fn word(self, [passed, failed, lost]: [&'static str; 3]) -> &'static str {
        match self {
            Self::Passed => passed,
            Self::Failed => failed,
            Self::Lost => lost,
        }
    }
}

fn time(month: u32) -> String {
    format!("2026-{month:02}-01T09:00:00Z")
}
