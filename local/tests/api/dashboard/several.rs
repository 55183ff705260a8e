//! A control edited for several tenants: few clicks, and nothing lost where it cannot be done.

use axum::Router;
use model::{AcceptedRisk, Actor, Label, ReportBody, Role, ServiceTenantId, Status};
use operations::risks;
use serde_json::{Value, json};
use store::StoreError;

use super::{Received, dashboard_of, join, now, send, sign_in};
use crate::support::{TestApp, baseline_report, tenant};

const CONTROL: &str = "/controls?tool=scubagear&control=X.1";
const ACCEPTED: &str = "2026-07-31";

/// A member at the dashboard.
struct Member {
    app: TestApp,
    router: Router,
    cookie: String,
    clicks: usize,
    page: String,
}

impl Member {
    /// Returns a member of an organization in which tenants with a label do not meet a control, and another one neither.
    async fn of(tenants: usize) -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "Amara").await;
        let add = async |id: &ServiceTenantId, number: usize| {
            let report = baseline_report("2026-07-01T00:00:00Z");
            app.org_a.add_report(id, &format!("rpt_{number}"), &report).await;
        };
        for number in 1..=tenants {
            let id = gold(number);
            app.org_a.add_tenant(&tenant(&id, &format!("Gold {number}"))).await;
            let labels = ["Gold".parse::<Label>().unwrap()];
            app.org_a.writer().label_tenant(&id, &labels.into()).await.unwrap();
            add(&id, number).await;
        }
        add(&app.org_a.tenants[0], 0).await;
        let (router, cookie) = (dashboard_of(&app), sign_in(&app, &member).await);
        Self { app, router, cookie, clicks: 0, page: "<a href=\"/controls\">".to_owned() }
    }

    async fn open(&mut self, path: &str) {
        self.page = send(&self.router, "GET", path, Some(&self.cookie), "").await.text;
    }

    /// Clicks a link of the page whose address ends so.
    async fn follow(&mut self, end: &str) {
        let mut links = self.page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let link = links.find(|link| link.ends_with(&end.replace('&', "&amp;"))).unwrap().replace("&amp;", "&");
        self.clicks += 1;
        self.open(&link).await;
    }

    /// Returns the boxes of the tenants: their values, and whether they are ticked.
    fn boxes(&self) -> Vec<(String, bool)> {
        let boxes = self.page.split("name=\"tenant\" value=\"").skip(1);
        boxes
            .map(|rest| rest.split_once('"').unwrap())
            .map(|(of, rest)| (of.to_owned(), rest.starts_with(" checked")))
            .collect()
    }

    /// Clicks a button of the form, with the ticked boxes and fields.
    async fn press(&mut self, button: &str, fields: &[(&str, &str)]) -> Received {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("filter", &super::hidden(&self.page, "filter").unwrap().replace("&amp;", "&"));
        form.extend_pairs(self.boxes().iter().filter(|(_, ticked)| *ticked).map(|(of, _)| ("tenant", of)));
        form.extend_pairs(fields).append_pair("do", button);
        self.clicks += 1;
        let response = send(&self.router, "POST", "/controls/edit", Some(&self.cookie), &form.finish()).await;
        self.page.clone_from(&response.text);
        response
    }

    /// Returns a field of the control's check in the report of a tenant.
    async fn check(&self, report: usize, field: &str) -> Value {
        let report = self.app.org_a().get(&format!("/v1/posture-reports/rpt_{report}")).await.success();
        report["checks"][0][field].clone()
    }

    async fn accepted(&self) -> Value {
        let list = self.app.org_a().get("/v1/controls").await.success();
        list["controls"][0]["acceptedRisks"].clone()
    }
}

fn gold(number: usize) -> ServiceTenantId {
    format!("ten_gold{number:02}").parse().unwrap()
}

#[tokio::test]
async fn a_risk_of_40_tenants_is_accepted_and_ended_in_8_clicks_each() {
    let mut member = Member::of(40).await;
    member.follow("/controls").await;
    member.follow(CONTROL).await;
    // Chooses the label, and clicks Filter.
    member.clicks += 2;
    member.open(&format!("{CONTROL}&q=&status=&label=Gold")).await;
    member.follow("&chosen=all").await;
    // Clicks into both fields.
    member.clicks += 2;
    let accepted = member.press("accept", &[("reason", "The license comes."), ("until", ACCEPTED)]).await;
    assert_eq!(
        (accepted.status, accepted.location()),
        (303, "/controls?control=X.1&tool=scubagear&label=Gold"),
        "{}",
        accepted.text
    );
    assert_eq!((member.clicks, member.accepted().await), (8, json!(40)));
    let risk = json!({ "reason": "The license comes.", "until": ACCEPTED });
    assert_eq!((member.check(40, "acceptedRisk").await, member.check(0, "acceptedRisk").await), (risk, Value::Null));

    member.open(&format!("{CONTROL}&label=Gold&chosen=all")).await;
    assert_eq!(member.press("end", &[]).await.status, 303);
    assert_eq!(member.accepted().await, 0);
    assert_eq!(member.app.org_a.organization.all_kept_edits().await.unwrap().len(), 0);
    assert_eq!(member.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn what_cannot_be_done_for_a_tenant_is_said_and_done_for_the_others() {
    let mut member = Member::of(4).await;
    member.open(&format!("{CONTROL}&chosen=all")).await;
    let organization = member.app.org_a.organization.clone();
    // Meanwhile one risk is accepted by somebody else, one is gone, and one tenant is.
    let newest = organization.newest_of_tools().await.unwrap();
    let own = newest.iter().filter(|report| report.service_tenant_id == gold(1));
    let theirs = AcceptedRisk { reason: "Theirs.".to_owned(), until: "2026-08-01".parse().unwrap() };
    let (operator, at) = (Actor::operator(), now(&member.app));
    risks::accept(&organization, &operator, own, "X.1", Some(theirs), at).await.unwrap();
    let secure = |body: &mut ReportBody| {
        body.checks[0].status = Status::Secure;
        Ok::<_, StoreError>(())
    };
    member.app.org_a.writer().edit_report(&"rpt_2".parse().unwrap(), secure).await.unwrap();
    member.app.org_a.remove_tenant(&gold(3)).await;

    let fields = [("reason", "Ours."), ("until", ACCEPTED)];
    let said = member.press("accept", &fields).await;
    assert_eq!(said.status, 200);
    for (tenant, reason) in [
        ("Gold 1", "This was changed since you opened it: check the new values, then save again."),
        ("Gold 2", "Only a risk of a control that is open, in progress or drifted can be accepted."),
        (
            "ten_gold03",
            "The tenant has no report in which the control could be edited: import one, or name another tool.",
        ),
    ] {
        assert!(said.text.contains(&format!("{tenant}</bdi>: {reason}")), "{tenant}: {}", said.text);
    }
    assert!(said.text.contains("Done for 2 tenants, and not for 3"), "{}", said.text);
    assert_eq!(member.check(1, "acceptedRisk").await["reason"], "Theirs.");
    assert_eq!(
        (member.check(0, "acceptedRisk").await["reason"].clone(), member.accepted().await),
        (json!("Ours."), json!(3))
    );
    // The form still has everything, so that it can be sent again.
    assert!(said.text.contains("\nOurs.</textarea>") && said.text.contains(&format!("value=\"{ACCEPTED}\"")));
    let ticked: Vec<_> = member.boxes().into_iter().filter(|(_, ticked)| *ticked).map(|(of, _)| of).collect();
    assert_eq!(ticked, ["ten_gold01 2026-08-01", "ten_gold02"]);
    let again = member.press("accept", &fields).await;
    assert!(again.text.contains("Done for 1 tenant, and not for 1"), "{}", again.text);
    assert_eq!(member.check(1, "acceptedRisk").await["reason"], "Ours.");
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_wrong_form_changes_nothing_and_keeps_what_was_entered() {
    let mut member = Member::of(1).await;
    let before = member.app.items().await;
    for (chosen, button, fields, said) in [
        ("", "accept", [("reason", "Typed."), ("until", ACCEPTED)], "Choose the tenants in the list."),
        ("&chosen=all", "accept", [("reason", "Typed."), ("until", "tomorrow")], "Enter the day on which it ends."),
        ("&chosen=all", "accept", [("reason", " "), ("until", ACCEPTED)], "An accepted risk needs a reason"),
        (
            "&chosen=all",
            "accept",
            [("reason", "Typed."), ("until", "2036-01-01")],
            "must end after today (UTC) and within",
        ),
        ("&chosen=all", "edit", [("reason", "Typed."), ("severity", "")], "Choose a severity, or enter a text."),
    ] {
        member.open(&format!("{CONTROL}{chosen}")).await;
        let again = member.press(button, &fields).await;
        assert!(again.status == 200 && again.text.contains(said), "{said}: {}", again.text);
        let reason = fields[0].1;
        assert!(again.text.contains(&format!("\n{reason}</textarea>")), "{said}");
        assert_eq!(member.boxes().iter().all(|(_, ticked)| *ticked), !chosen.is_empty(), "{said}");
    }
    // A tenant of another organization is none of this one.
    let foreign = member.app.org_b.tenants[0].to_string();
    member.open(CONTROL).await;
    let refused = member.press("end", &[("tenant", &foreign)]).await;
    assert!(refused.text.contains("Done for 0 tenants, and not for 1"), "{}", refused.text);
    assert_eq!(member.app.items().await, before);
}

#[tokio::test]
async fn a_control_is_edited_for_the_chosen_tenants_and_kept() {
    let mut member = Member::of(2).await;
    member.open(&format!("{CONTROL}&label=Gold&chosen=all")).await;
    let fields = [("severity", "HIGH"), ("why", "It is theirs."), ("suggestedFix", ""), ("keep", "on")];
    assert_eq!(member.press("edit", &fields).await.status, 303);
    for (report, severity, why) in [(1, json!("HIGH"), json!("It is theirs.")), (0, Value::Null, Value::Null)] {
        assert_eq!((member.check(report, "severity").await, member.check(report, "why").await), (severity, why));
    }
    let kept = member.app.org_a.organization.all_kept_edits().await.unwrap();
    let kept: Vec<_> = kept.into_iter().map(|kept| (kept.values.why.flatten(), kept.values.suggested_fix)).collect();
    assert_eq!(kept, [(Some("It is theirs.".to_owned()), None), (Some("It is theirs.".to_owned()), None)]);
}
