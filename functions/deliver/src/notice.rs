//! An event in words, for the chats and mails whose people read it.

use chrono::Days;
use model::{Event, EventKind, EventReport, Period, Wire, counted, visible_lines};

use crate::subject::{ABOUT_TEST, Subject};

/// Controls, administrators and reasons that are listed. The page in the dashboard has all.
const LISTED: usize = 10;
/// Longest value, in characters. With every character escaped, it is within the 2,000 that Slack accepts in a field.
const LONGEST: usize = 300;

/// An event in words. Texts of others are as they are: whoever shows them escapes them.
pub(crate) struct Notice {
    /// The event, without any text of others.
    pub(crate) headline: String,
    /// Names with values: the tenant, then the control, the report and so on, as far as the event has them.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// Address in the dashboard.
    pub(crate) link: String,
}

impl Notice {
    pub(crate) fn of(subject: Subject, dashboard_url: &str) -> Self {
        match subject {
            Subject::Event(event) => Self::of_event(*event, dashboard_url),
            Subject::Period(period, events) => {
                Self { headline: of_period(period, events.len()), facts: Vec::new(), link: dashboard_url.to_owned() }
            }
            Subject::Test(_) => Self {
                headline: "Test".to_owned(),
                facts: vec![("About", ABOUT_TEST.to_owned())],
                link: format!("{dashboard_url}/settings/notifications"),
            },
        }
    }

    pub(crate) fn of_event(event: Event, dashboard_url: &str) -> Self {
        let Event { kind, tenant, report, url, control, controls, administrators, failures, .. } =
            event.linked(dashboard_url);
        let is_gone = matches!(kind, EventKind::TenantRemoved | EventKind::TenantErased);
        let page = match &tenant {
            Some(tenant) if !is_gone => format!("{dashboard_url}/tenants/{}", tenant.service_tenant_id),
            _ => dashboard_url.to_owned(),
        };
        let tenant = tenant.map(|tenant| tenant.name.unwrap_or_else(|| tenant.service_tenant_id.to_string()));
        let accepted_until = control.as_ref().and_then(|control| control.accepted_until);
        let control = control.map(|control| match control.severity {
            Some(severity) => format!("{} ({})", control.id, Wire(severity).to_string().to_lowercase()),
            None => control.id.to_string(),
        });
        let failures: Vec<_> = failures.iter().map(|failure| format!("{}: {}", failure.of, failure.reason)).collect();
        let facts = [
            ("Tenant", tenant),
            ("Control", control),
            ("Accepted until", accepted_until.map(|until| until.to_string())),
            ("Report", report.as_ref().map(of_report)),
            ("Controls", listed(&controls, ", ")),
            ("Administrators", listed(&administrators, ", ")),
            ("Reason", listed(&failures, "\n")),
        ];
        let facts = facts.into_iter().filter_map(|(name, value)| Some((name, cut(&value?))));
        Self { headline: kind.words(), facts: facts.collect(), link: url.unwrap_or(page) }
    }
}

fn of_period(Period { start, end }: Period, events: usize) -> String {
    let (first, last) = (start.to_datetime().date_naive(), end.to_datetime().date_naive() - Days::new(1));
    let events = counted(events, "event");
    if first == last { format!("{events} of {first}") } else { format!("{events} of {first} to {last}") }
}

fn of_report(report: &EventReport) -> String {
    let before = report.score_before.filter(|before| *before != report.score);
    let before = before.map(|before| format!(", {before} before")).unwrap_or_default();
    let completed = report.completed_at.to_datetime().format("%Y-%m-%d %H:%M UTC");
    format!("{} of {completed}: score {}{before}", report.tool, report.score)
}

/// Returns some of a list as text, and the number of the others; `None` for an empty list.
fn listed<T: ToString>(all: &[T], between: &str) -> Option<String> {
    let mut shown: Vec<_> = all.iter().take(LISTED).map(ToString::to_string).collect();
    if all.len() > LISTED {
        shown.push(format!("and {} more", all.len() - LISTED));
    }
    (!shown.is_empty()).then(|| shown.join(between))
}

/// Returns a text without hidden characters, which is cut if it is long.
fn cut(text: &str) -> String {
    let text = visible_lines(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
