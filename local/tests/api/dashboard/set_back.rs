//! Edited values of a check are set back to the tool's.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream;
use model::Actor;
use operations::InputFile;
use operations::import::{self, Options};
use serde_json::{Value, json};

use super::texts::Writing;
use super::{Received, now};
use crate::samples::results;
use crate::support::{provider_id, time};

const CONTROL: &str = "MS.AAD.1.1";

impl Writing {
    fn form(report: &str) -> String {
        format!("{report}/set-back?control={CONTROL}")
    }

    async fn set_back(&self, report: &str, seen: &str, fields: &[&str]) -> Received {
        let fields: Vec<_> = fields.iter().map(|field| ("field", *field)).collect();
        let form = [&[("control", CONTROL), ("seen", seen)], &fields[..]].concat();
        self.post(&format!("{report}/set-back"), &form).await
    }

    /// Returns the report as the API returns it.
    async fn report(&self, report: &str) -> Value {
        let id = report.rsplit('/').next().unwrap();
        self.app.org_a().get(&format!("/v1/posture-reports/{id}")).await.success()
    }

    /// Replaces the report of a run by that of a copy with one control more.
    async fn replace(&self, month: u32) {
        let controls = [(CONTROL, "Fail"), ("MS.AAD.2.1", "Pass"), ("MS.AAD.3.1", "Pass")];
        let file = results(&provider_id(self.tenant(0)), month, &controls);
        let files = stream::iter([InputFile::new("results.json", file.into_bytes())]);
        let options = Options::at(time("2026-07-14T08:00:00Z"));
        import::import(&self.app.org_a.organization, &Actor::operator(), files, &options, &mut ()).await.unwrap();
    }

    async fn kept(&self) -> Value {
        let kept = self.app.org_a.organization.kept_edits(self.tenant(0)).await.unwrap();
        json!(kept.into_iter().map(|kept| kept.values).collect::<Vec<_>>())
    }

    /// Removes the tool's values from the marks of all reports: release 1.0 did not store them.
    async fn forget_found(&self) {
        for mut item in self.app.items().await {
            let Some(AttributeValue::L(marks)) = item.get_mut("edits") else { continue };
            for mark in marks {
                let AttributeValue::M(fields) = mark else { panic!("a mark is a map") };
                assert!(fields.remove("found").is_some());
            }
            self.app.put(item).await;
        }
    }
}

#[tokio::test]
async fn values_are_set_back_and_no_longer_kept() {
    let of = Writing::new().await;
    of.run_with(0, 1, "Pass").await;
    let report = of.run(0, 2).await;
    let tools = of.report(&report).await;
    let check = of.check(&report, CONTROL).await;
    assert_eq!((&check["status"], check["previousState"].is_string()), (&json!("DRIFTED"), true));
    of.edit(&report, "status", "IN_PROGRESS", false).await;
    of.edit(&report, "severity", "LOW", false).await;
    of.edit(&report, "why", "Of the tenant.", true).await;
    of.edit(&report, "why", "Once more.", true).await;
    assert_eq!(of.kept().await, json!([{ "status": "IN_PROGRESS", "severity": "LOW", "why": "Once more." }]));

    let form = of.get(&Writing::form(&report)).await;
    assert!(form.contains("Once more.") && form.contains(check["why"].as_str().unwrap()), "{form}");
    assert_eq!(form.matches("The edit is kept for later reports. Setting it back ends that.").count(), 3, "{form}");
    let seen = of.seen(&Writing::form(&report)).await;
    let nothing = of.set_back(&report, &seen, &[]).await;
    assert!(nothing.status == 200 && nothing.text.contains("Choose what to set back."), "{}", nothing.text);
    let set = of.set_back(&report, &seen, &["why", "status"]).await;
    assert_eq!((set.status, set.location()), (303, &*format!("{report}#check-{CONTROL}")), "{}", set.text);
    assert_eq!(of.check(&report, CONTROL).await, {
        let mut expected = check.clone();
        expected["severity"] = json!("LOW");
        expected
    });
    assert_eq!(of.kept().await, json!([{ "severity": "LOW" }]));
    let page = of.get(&report).await;
    assert!(page.contains("Edited: severity, by") && !page.contains("why it matters, by"), "{page}");
    let (trail, _) = of.app.org_a.organization.audit_trail(None, 100, now(&of.app)).await.unwrap();
    let ended = trail.iter().flat_map(|entry| &entry.changes).filter(|change| change.field == "MS.AAD.1.1 kept why");
    let ended: Vec<_> = ended.map(|change| (change.before.as_deref(), change.after.as_deref())).collect();
    assert_eq!(ended, [(Some("Once more."), None)]);

    // A tab that was open meanwhile.
    let late = of.set_back(&report, &seen, &["severity"]).await;
    assert!(late.status == 409 && late.text.contains("This was changed since you opened it"), "{}", late.text);
    let seen = of.seen(&Writing::form(&report)).await;
    let again = of.set_back(&report, &seen, &["why"]).await;
    assert!(again.text.contains("The tool's value is not known"), "{}", again.text);
    assert_eq!(of.set_back(&report, &seen, &["severity"]).await.status, 303);
    assert_eq!(of.report(&report).await, tools);
    assert_eq!(of.kept().await, json!([]));
    let page = of.get(&report).await;
    assert!(!page.contains("tag edited") && !page.contains("/set-back?"), "{page}");
    assert!(of.get(&Writing::form(&report)).await.contains("This check has the tool's values."));
    assert_eq!(of.check(&of.run(0, 3).await, CONTROL).await["why"], check["why"]);
    assert_eq!(of.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_text_of_the_organization_is_set_back_in_one_report() {
    let of = Writing::new().await;
    let tools = of.check(&of.run(0, 1).await, CONTROL).await["why"].clone();
    let set =
        [("tool", "ScubaGear"), ("control", CONTROL), ("seen", "0"), ("why", "Of all."), ("suggestedFix", "Call.")];
    assert_eq!(of.post("/settings/texts/edit", &set).await.status, 303);
    let report = of.run(0, 2).await;
    // An edit of one of the two leaves the other as the organization's, and keeps nothing but itself.
    of.edit(&report, "suggestedFix", "Write.", true).await;
    assert_eq!(of.kept().await, json!([{ "suggestedFix": "Write." }]));
    let page = of.get(&report).await;
    assert!(page.contains("Edited: suggested fix, by") && page.contains("texts: why it matters, by"), "{page}");
    let form = of.get(&Writing::form(&report)).await;
    assert_eq!(form.matches("Later imports use the organization's text again").count(), 2, "{form}");
    let seen = of.seen(&Writing::form(&report)).await;
    assert_eq!(of.set_back(&report, &seen, &["why"]).await.status, 303);
    let check = of.check(&report, CONTROL).await;
    assert_eq!((&check["why"], &check["suggestedFix"]), (&tools, &json!("Write.")));
    let check = of.check(&of.run(0, 3).await, CONTROL).await;
    assert_eq!((&check["why"], &check["suggestedFix"]), (&json!("Of all."), &json!("Write.")));
}

#[tokio::test]
async fn a_value_that_the_tool_gave_to_release_1_0_is_not_known_until_the_run_comes_again() {
    let of = Writing::new().await;
    let report = of.run(0, 1).await;
    let tools = of.check(&report, CONTROL).await;
    of.edit(&report, "why", "Of the tenant.", false).await;
    of.forget_found().await;
    of.edit(&report, "why", "Once more.", false).await;
    let form = of.get(&Writing::form(&report)).await;
    assert!(form.contains("Not known: release 1.0 did not store it") && !form.contains("name=\"field\""), "{form}");
    let seen = of.seen(&Writing::form(&report)).await;
    let refused = of.set_back(&report, &seen, &["why"]).await;
    assert!(refused.status == 200 && refused.text.contains("The tool's value is not known"), "{}", refused.text);
    of.replace(1).await;
    assert_eq!(of.check(&report, CONTROL).await["why"], "Once more.");
    assert_eq!(of.set_back(&report, &seen, &["why"]).await.status, 303);
    assert_eq!(of.check(&report, CONTROL).await, tools);
}
