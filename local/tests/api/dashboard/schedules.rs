//! Schedules, as people set them in the dashboard.

use model::Schedule;

use super::{Desk, now, send};
use crate::support::{baseline_report, time};

const ALL: &str = "/settings/schedule";

impl Desk {
    fn tenant(&self) -> String {
        format!("/tenants/{}", self.app.org_a.tenants[0])
    }

    async fn own(&self) -> Option<Schedule> {
        self.app.org_a.organization.tenant(&self.app.org_a.tenants[0]).await.unwrap().unwrap().schedule
    }
}

fn selected<'a>(page: &'a str, field: &str) -> &'a str {
    let select = page.split_once(&format!("<select id=\"{field}\"")).unwrap().1.split_once("</select>").unwrap().0;
    select.split_once(" selected>").unwrap().1.split_once('<').unwrap().0
}

#[tokio::test]
async fn people_schedule_all_tenants_and_one_of_them() {
    let desk = Desk::new().await;
    let tenant = desk.tenant();
    assert_eq!(selected(&desk.get(ALL).await, "every"), "Only on request");
    assert_eq!(selected(&desk.get(&tenant).await, "every"), "As all tenants: only on request");
    assert_eq!(desk.post(ALL, "every=weekly:mon&from=22&hours=6").await.status, 303);
    let page = desk.get(ALL).await;
    let chosen = ["every", "from", "hours"].map(|field| selected(&page, field));
    assert_eq!(chosen, ["Every Monday", "22:00 UTC", "6 hours"]);
    let page = desk.get(&tenant).await;
    assert_eq!(selected(&page, "every"), "As all tenants: every monday, 22-04 UTC");
    assert!(page.contains("The next report is due"), "{page}");
    let own = format!("{tenant}/schedule");
    assert_eq!(desk.post(&own, "every=monthly:31&from=5&hours=24").await.status, 303);
    let schedule = desk.own().await.unwrap();
    assert_eq!((schedule.to_string(), schedule.since), ("monthly:31 05-05 UTC".to_owned(), now(&desk.app)));
    assert_eq!(selected(&desk.get(&tenant).await, "every"), "Monthly, on day 31");
    for wrong in
        ["every=yearly&from=5&hours=1", "every=daily&from=24&hours=1", "every=daily&from=0&hours=25", "every=daily"]
    {
        assert_eq!(desk.post(&own, wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(desk.own().await, Some(schedule), "nothing was changed");
    assert_eq!(desk.post(&own, "every=&from=5&hours=24").await.status, 303);
    assert_eq!(desk.own().await, None);
    let trail = desk.get("/settings/audit").await;
    assert_eq!(trail.matches("Changed when reports are due").count(), 3 + 1, "three changes, and the filter");
    assert!(trail.contains("monthly:31 05-05 UTC"), "{trail}");
    assert_eq!(desk.app.org_b.organization.schedules().await.unwrap().unwrap().schedule, None);
}

#[tokio::test]
async fn admins_schedule_tenants_by_their_labels() {
    let desk = Desk::new().await;
    let writer = desk.app.org_a.writer();
    for (tenant, labels) in desk.app.org_a.tenants.iter().zip([vec!["R&D \"1\"", "Silver"], vec!["Silver"]]) {
        let labels = labels.into_iter().map(|label| label.parse().unwrap()).collect();
        writer.label_tenant(tenant, &labels).await.unwrap();
    }
    let rows = async || {
        let page = desk.get(ALL).await;
        let (_, rows) = page.split_once("<h2 id=\"labels\">").unwrap();
        let cells = rows.split("<td").skip(1).map(|cell| cell.split_once('>').unwrap().1.split_once('<').unwrap().0);
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(rows().await, ["1", "As all tenants", "2", "As all tenants"]);
    let address = "/settings/schedule?label=R%26D%20%221%22";
    assert!(desk.get(ALL).await.contains(&format!("href=\"{address}\"")));
    let page = desk.get(address).await;
    assert_eq!(selected(&page, "every"), "As all tenants: only on request");
    assert!(page.contains(r#"name="label" value="R&amp;D &quot;1&quot;""#), "{page}");
    assert_eq!(desk.post(ALL, "every=weekly:mon&from=22&hours=6&label=R%26D+%221%22").await.status, 303);
    assert_eq!(rows().await, ["1", "every monday, 22-04 UTC", "2", "As all tenants"]);
    assert_eq!(selected(&desk.get(address).await, "every"), "Every Monday");
    assert_eq!(selected(&desk.get(ALL).await, "every"), "Only on request", "not of all tenants");
    let page = desk.get(&desk.tenant()).await;
    assert_eq!(selected(&page, "every"), "As label R&amp;D &quot;1&quot;: every monday, 22-04 UTC");
    assert!(page.contains("The next report is due"), "{page}");
    for wrong in ["every=daily&from=22&hours=6&label=", "every=daily&from=22&hours=6&label=a,b"] {
        assert_eq!(desk.post(ALL, wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(send(&desk.router, "GET", "/settings/schedule?label=a,b", Some(&desk.admin), "").await.status, 400);
    let trail = desk.get("/settings/audit").await;
    assert!(trail.contains("schedule of label R&amp;D"), "{trail}");
    assert_eq!(desk.post(ALL, "every=&from=22&hours=6&label=R%26D+%221%22").await.status, 303);
    assert_eq!(rows().await, ["1", "As all tenants", "2", "As all tenants"]);
    assert_eq!(desk.app.org_b.organization.schedules().await.unwrap().unwrap().schedule, None);
}

#[tokio::test]
async fn an_admin_chooses_after_how_many_days_a_tenant_is_stale() {
    let desk = Desk::new().await;
    assert!(desk.get(ALL).await.contains(r#"name="days" value="35""#));
    assert_eq!(desk.post("/settings/schedule/stale-after", "days=14").await.status, 303);
    assert!(desk.get(ALL).await.contains(r#"name="days" value="14""#));
    for wrong in ["days=0", "days=366", "days=", ""] {
        assert_eq!(desk.post("/settings/schedule/stale-after", wrong).await.status, 400, "{wrong}");
    }
    let schedules = desk.app.org_a.organization.schedules().await.unwrap().unwrap();
    assert_eq!(schedules.stale_after, Some(14.try_into().unwrap()));
    assert!(desk.get("/settings/audit").await.contains("days without a report"));
    assert_eq!(desk.app.org_b.organization.schedules().await.unwrap().unwrap().stale_after, None);
}

#[tokio::test]
async fn a_tenant_whose_report_is_missing_is_stale_until_it_comes() {
    let desk = Desk::new().await;
    let [tenant, other] = &desk.app.org_a.tenants;
    let (every, between) = ("daily".parse().unwrap(), "22-04".parse().unwrap());
    let schedule = Schedule { every, between, since: time("2026-07-10T00:00:00Z") };
    desk.app.org_a.writer().schedule_tenant(tenant, Some(schedule)).await.unwrap();
    let said = async || {
        let (list, page) = (desk.get("/").await, desk.get(&desk.tenant()).await);
        let csv = desk.get("/portfolio.csv").await;
        let of_tenant = csv.lines().find(|line| line.contains(tenant.as_str())).unwrap().ends_with(",true");
        (list.contains("1 stale: an expected report has not come"), page.contains("Stale:"), of_tenant)
    };
    // Of another tool, so it is not the report that was due.
    desk.app.org_a.add_report(tenant, "rpt_other", &baseline_report("2026-07-15T11:00:00Z")).await;
    assert_eq!(said().await, (true, true, true));
    assert!(!desk.get(&format!("/tenants/{other}")).await.contains("Stale:"));
    desk.app
        .org_a
        .add_report_of("Built-in assessment", tenant, "rpt_own", &baseline_report("2026-07-15T10:00:00Z"))
        .await;
    assert_eq!(said().await, (false, false, false));
    desk.app.org_a.writer().pause_tenant(tenant, true).await.unwrap();
    assert!(!desk.get(&desk.tenant()).await.contains("The next report is due"));
}
