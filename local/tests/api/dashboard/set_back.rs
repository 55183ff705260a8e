//! The tool's values of what was edited in a check are restored.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream;
use model::Actor;
use operations::InputFile;
use operations::import::{self, Options};
use serde_json::{Value, json};
use store::AuditAction;

use super::texts::Writing;
use super::{Received, hidden, now};
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

    /// Edits the control's check with an accepted risk, as its form does.
    async fn accept(&self, report: &str, status: &str) {
        let seen = self.seen(&format!("{report}/edit/check?control={CONTROL}")).await;
        let check = self.check(report, CONTROL).await;
        let now = |name: &'static str| (name, check[name].as_str().unwrap_or_default());
        let texts = ["severity", "currentState", "why", "suggestedFix"].map(now);
        let risk = [("until", "2027-03-31"), ("reason", "It waits."), ("status", status)];
        let form = [&[("control", CONTROL), ("seen", &*seen)], &risk[..], &texts[..]].concat();
        let accepted = self.post(&format!("{report}/edit/check"), &form).await;
        assert_eq!(accepted.status, 303, "{}", accepted.text);
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
    assert_eq!(
        form.matches("The edit is kept for later reports. Restoring the tool's value ends that.").count(),
        3,
        "{form}"
    );
    let seen = of.seen(&Writing::form(&report)).await;
    let nothing = of.set_back(&report, &seen, &[]).await;
    assert!(nothing.status == 200 && nothing.text.contains("Choose what to restore."), "{}", nothing.text);
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
    let ended = async || {
        let (trail, _) = of.app.org_a.organization.audit_trail(None, 100, now(&of.app)).await.unwrap();
        let changes = trail.into_iter().flat_map(|entry| entry.changes);
        let fields = ["status", "severity", "why", "suggestedFix"].map(|field| format!("{CONTROL} kept {field}"));
        let ended = changes.filter(|change| fields.contains(&change.field)).map(|change| (change.before, change.after));
        ended.collect::<BTreeSet<_>>()
    };
    let was = |value: &str| (Some(value.to_owned()), None);
    assert_eq!(ended().await, [was("IN_PROGRESS"), was("Once more.")].into());

    // A tab that was open meanwhile.
    let late = of.set_back(&report, &seen, &["severity"]).await;
    assert!(late.status == 409 && late.text.contains("This was changed since you opened it"), "{}", late.text);
    let seen = of.seen(&Writing::form(&report)).await;
    let again = of.set_back(&report, &seen, &["why"]).await;
    assert!(again.text.contains("The tool's value is not known"), "{}", again.text);
    assert_eq!(of.set_back(&report, &seen, &["severity"]).await.status, 303);
    assert_eq!(ended().await, [was("LOW"), was("IN_PROGRESS"), was("Once more.")].into());
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
    assert_eq!(of.set_back(&report, &seen, &["why"]).await.status, 409, "the tool's value was not seen");
    let seen = of.seen(&Writing::form(&report)).await;
    assert_eq!(of.set_back(&report, &seen, &["why"]).await.status, 303);
    assert_eq!(of.check(&report, CONTROL).await, tools);
}

#[tokio::test]
async fn an_earlier_report_ends_nothing_that_was_kept_in_a_later_one() {
    let of = Writing::new().await;
    let earlier = of.run(0, 1).await;
    of.edit(&earlier, "why", "Earlier.", false).await;
    let later = of.run(0, 2).await;
    of.edit(&later, "why", "Later.", true).await;
    let form = of.get(&Writing::form(&earlier)).await;
    assert!(!form.contains("is kept for later reports"), "{form}");
    let seen = hidden(&form, "seen").unwrap();
    assert_eq!(of.set_back(&earlier, seen, &["why"]).await.status, 303);
    assert_eq!(of.kept().await, json!([{ "why": "Later." }]));
    assert_eq!(of.check(&of.run(0, 3).await, CONTROL).await["why"], "Later.");
}

#[tokio::test]
async fn a_form_that_is_shown_again_has_the_boxes_that_were_chosen() {
    let of = Writing::new().await;
    let report = of.run(0, 1).await;
    let tools = of.check(&report, CONTROL).await["why"].clone();
    of.edit(&report, "severity", "LOW", false).await;
    of.edit(&report, "why", "Of the tenant.", false).await;
    let seen = of.seen(&Writing::form(&report)).await;
    of.edit(&report, "currentState", "Another.", false).await;
    let again = of.set_back(&report, &seen, &["why"]).await;
    assert_eq!(again.status, 409);
    let is_chosen = |field: &str| again.text.contains(&format!("value=\"{field}\" checked"));
    assert_eq!(["why", "severity", "currentState"].map(is_chosen), [true, false, false], "{}", again.text);
    assert_eq!(of.set_back(&report, hidden(&again.text, "seen").unwrap(), &["why"]).await.status, 303);
    let check = of.check(&report, CONTROL).await;
    assert_eq!(
        [&check["why"], &check["severity"], &check["currentState"]],
        [&tools, &json!("LOW"), &json!("Another.")]
    );
}

#[tokio::test]
async fn restoring_a_status_ends_an_accepted_risk_that_it_does_not_have() {
    let of = Writing::new().await;
    let report = of.run_with(0, 1, "Pass").await;
    let tools = of.report(&report).await;
    of.accept(&report, "OPEN").await;
    let form = of.get(&Writing::form(&report)).await;
    assert!(form.contains("Restoring this status also ends the accepted risk."), "{form}");
    assert_eq!(of.kept().await.as_array().unwrap().len(), 1);
    assert_eq!(of.set_back(&report, hidden(&form, "seen").unwrap(), &["status"]).await.status, 303);
    assert_eq!((of.report(&report).await, of.kept().await), (tools, json!([])));
    let (trail, _) = of.app.org_a.organization.audit_trail(None, 100, now(&of.app)).await.unwrap();
    let ended = trail.iter().filter(|entry| entry.action == AuditAction::RiskAcceptanceEnded).count();
    assert_eq!(ended, 1);
    assert!(!of.get(&report).await.contains("tag edited"));

    // An edit of the status ended the risk: with the status, nothing is edited.
    let report = of.run(0, 2).await;
    of.accept(&report, "DRIFTED").await;
    of.edit(&report, "status", "SECURE", false).await;
    let form = of.get(&Writing::form(&report)).await;
    assert!(!form.contains("ends the accepted risk"), "{form}");
    assert_eq!(of.set_back(&report, hidden(&form, "seen").unwrap(), &["status"]).await.status, 303);
    assert!(!of.get(&report).await.contains("tag edited"));
}
