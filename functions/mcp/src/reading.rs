//! The data of the tools: the part of the API's responses that matters to an agent.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use api::{ApiError, App, Request, Response};
use http_body_util::BodyExt;
use lambda_http::http::StatusCode;
use lambda_http::{Body, RequestExt, http};
use model::{Check, Choice, Differences, ReportBody, Severity};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Most elements of a list of the worst.
const WORST: usize = 25;
/// Most tenants of a control with one result.
const TENANTS: &str = "50";
/// Results that do not meet best practice, the worst first.
const NOT_SECURE: [&str; 3] = ["DRIFTED", "OPEN", "IN_PROGRESS"];

const NO_CHECK: ApiError =
    ApiError::NotFound("The report has no control with this id. The tool 'report' lists those that are not secure.");
const NOT_COMPARABLE: ApiError = ApiError::Invalid(
    "The reports are of different tenants or assessment tools. Choose two of one tenant and one tool.",
);

/// The handlers of the API, asked with the key of a request.
pub(crate) struct Reading<'a> {
    pub(crate) app: &'a App,
    pub(crate) request: &'a Request,
}

impl Reading<'_> {
    pub(crate) async fn tenants(&self, name: &str) -> Result<Value, ApiError> {
        let mut all = self.ask(tenants::handle, &[], &[]).await?;
        let name = name.to_lowercase();
        let mut found = taken(&mut all["tenants"]);
        found.retain(|tenant| text(&tenant["name"]).to_lowercase().contains(&name));
        Ok(json!({ "totalTenants": found.len(), "tenants": found }))
    }

    pub(crate) async fn fleet(&self) -> Result<Value, ApiError> {
        let mut grades: BTreeMap<String, usize> = BTreeMap::new();
        let mut lowest = Vec::new();
        let query = [("latestOnly", "true"), ("limit", "500")];
        let of_page = |reports: Vec<Value>| {
            for report in &reports {
                *grades.entry(text(&report["grade"]).to_owned()).or_default() += 1;
            }
            lowest.extend(reports.iter().map(brief));
            lowest.sort_by_key(|report| report["score"].as_u64());
            lowest.truncate(WORST);
        };
        self.pages(report_summaries::handle, "reports", &query, of_page).await?;
        let total: usize = grades.values().sum();
        Ok(json!({ "tenantsWithReports": total, "grades": grades, "lowestScores": lowest }))
    }

    pub(crate) async fn worst_controls(&self, severity: Option<&str>, label: Option<&str>) -> Result<Value, ApiError> {
        let filters = [("severity", severity), ("label", label)];
        let filters = filters.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let query: Vec<_> = filters.chain([("limit", "500")]).collect();
        let mut controls = Vec::new();
        self.pages(controls::handle, "controls", &query, |page| controls.extend(page)).await?;
        let total = controls.len();
        let needs_action = |control: &Value| {
            let counts = &control["tenants"];
            let open = ["drifted", "open", "inProgress"].into_iter().filter_map(|result| counts[result].as_u64());
            open.sum::<u64>().saturating_sub(control["acceptedRisks"].as_u64().unwrap_or_default())
        };
        controls.sort_by_key(|control| (Reverse(needs_action(control)), rank(control)));
        controls.truncate(WORST);
        Ok(json!({ "totalControls": total, "controls": controls }))
    }

    pub(crate) async fn tenant(&self, id: &str) -> Result<Value, ApiError> {
        let query = [("tenantId", id), ("latestOnly", "false"), ("limit", "10")];
        let page = self.ask(report_summaries::handle, &query, &[]).await?;
        Ok(json!({ "reports": array(&page["reports"]).map(brief).collect::<Vec<_>>() }))
    }

    pub(crate) async fn report(&self, id: &str) -> Result<Value, ApiError> {
        let report = self.whole(id).await?;
        let is_open = |check: &&Value| NOT_SECURE.contains(&text(&check["status"]));
        let mut open: Vec<_> = array(&report["checks"]).filter(is_open).collect();
        open.sort_by_key(|check| (rank(check), NOT_SECURE.iter().position(|status| check["status"] == *status)));
        const FIELDS: [&str; 5] = ["controlId", "name", "severity", "status", "acceptedRisk"];
        let (open, accepted): (Vec<_>, Vec<_>) = open.into_iter().partition(|check| check["acceptedRisk"].is_null());
        let open: Vec<_> = open.iter().map(|check| picked(check, &FIELDS[..4])).collect();
        let accepted: Vec<_> = accepted.iter().map(|check| picked(check, &FIELDS)).collect();
        let (risks, report) = (&report["topRisks"], brief(&report));
        Ok(json!({ "report": report, "topRisks": risks, "openControls": open, "acceptedRisks": accepted }))
    }

    /// Returns a control as one report has it.
    pub(crate) async fn check(&self, report: &str, control: &str) -> Result<Value, ApiError> {
        let report = self.whole(report).await?;
        let check = array(&report["checks"]).find(|check| check["controlId"] == control).ok_or(NO_CHECK)?;
        Ok(json!({ "control": check, "tenants": [report["tenant"]] }))
    }

    /// Returns a control with the tenants that do not meet it.
    pub(crate) async fn control(&self, id: &str, tool: Option<&str>) -> Result<Value, ApiError> {
        let (mut control, mut found) = (Value::Null, Vec::new());
        for status in NOT_SECURE {
            let query: Vec<_> =
                [("status", status), ("limit", TENANTS)].into_iter().chain(tool.map(|tool| ("tool", tool))).collect();
            let mut page = self.ask(controls::handle, &query, &[("controlId", id)]).await?;
            found.extend(taken(&mut page["tenants"]));
            control = picked(&page, &["controlId", "name", "category", "severity", "tool"]);
        }
        Ok(json!({ "control": control, "tenants": found }))
    }

    pub(crate) async fn compare(&self, earlier: &str, later: &str) -> Result<Value, ApiError> {
        let (before, after) = (self.whole(earlier).await?, self.whole(later).await?);
        if self.tool(earlier).await? != self.tool(later).await? || before["tenant"] != after["tenant"] {
            return Err(NOT_COMPARABLE);
        }
        let body =
            |report: &Value| ReportBody::deserialize(report).map_err(|error| ApiError::Internal(Box::new(error)));
        let (older, newer) = (body(&before)?, body(&after)?);
        let found = Differences::between(&older, &newer);
        let pairs =
            |pairs: &[(&Check, &Check)]| pairs.iter().map(|(then, now)| moved(Some(then), now)).collect::<Vec<_>>();
        let alone = |checks: &[&Check]| checks.iter().map(|check| moved(None, check)).collect::<Vec<_>>();
        Ok(json!({
            "earlier": brief(&before),
            "later": brief(&after),
            "regressed": pairs(&found.regressed),
            "fixed": pairs(&found.fixed),
            "changed": pairs(&found.changed),
            "new": alone(&found.new),
            "gone": alone(&found.gone),
        }))
    }

    pub(crate) async fn events(&self, start_date: &str) -> Result<Value, ApiError> {
        let page = self.ask(events::handle, &[("startDate", start_date), ("limit", "100")], &[]).await?;
        Ok(json!({ "events": page["events"], "isComplete": page["upToDate"] }))
    }

    async fn whole(&self, report: &str) -> Result<Value, ApiError> {
        self.ask(posture_report::handle, &[], &[("reportId", report)]).await
    }

    /// Returns the assessment tool of a report, which responses do not name.
    async fn tool(&self, report: &str) -> Result<Option<String>, ApiError> {
        let organization = self.app.store.organization(&api::caller(self.request)?);
        let Ok(id) = report.parse() else { return Ok(None) };
        Ok(organization.listed_report(&id).await?.map(|listed| listed.summary.tool))
    }

    /// Reads all pages of a list.
    async fn pages<F: Future<Output = Result<Response, ApiError>>>(
        &self,
        handler: impl Fn(App, Request) -> F,
        list: &str,
        query: &[(&str, &str)],
        mut of_page: impl FnMut(Vec<Value>),
    ) -> Result<(), ApiError> {
        let mut cursor = Some(String::new());
        while let Some(position) = cursor {
            let query: Vec<_> = query.iter().copied().chain([("cursor", &*position)]).collect();
            let mut page = self.ask(&handler, &query, &[]).await?;
            of_page(taken(&mut page[list]));
            cursor = page["nextCursor"].as_str().map(str::to_owned);
        }
        Ok(())
    }

    /// Returns the body of a handler's response to the caller.
    async fn ask<F: Future<Output = Result<Response, ApiError>>>(
        &self,
        handler: impl Fn(App, Request) -> F,
        query: &[(&str, &str)],
        path: &[(&str, &str)],
    ) -> Result<Value, ApiError> {
        let named = |pairs: &[(&str, &str)]| -> HashMap<String, Vec<String>> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()])).collect()
        };
        let context = self.request.request_context_ref().cloned().ok_or("the request has no context")?;
        let asked = http::Request::new(Body::Empty).with_request_context(context);
        let asked = asked.with_query_string_parameters(named(query)).with_path_parameters(named(path));
        let response = handler(self.app.clone(), asked).await?;
        let is_success = response.status() == StatusCode::OK;
        let body = response.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        serde_json::from_slice(&body).ok().filter(|_| is_success).ok_or_else(|| "a response was cut off".into())
    }
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn taken(list: &mut Value) -> Vec<Value> {
    list.as_array_mut().map(std::mem::take).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a few fields of an object.
fn picked(of: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), of[*name].clone())).collect::<Map<_, _>>().into()
}

fn brief(report: &Value) -> Value {
    let figures = ["reportType", "completedAt", "score", "grade", "previousScore", "controls", "coverage"];
    picked(report, &[&["id", "url", "tenant"], &figures[..]].concat())
}

/// Returns the place of a control among severities, the worst first.
fn rank(control: &Value) -> usize {
    let severity = Severity::deserialize(&control["severity"]).ok();
    Severity::KNOWN.iter().position(|known| Some(*known) == severity).unwrap_or(Severity::KNOWN.len())
}

/// Returns a check that another report has differently.
fn moved(before: Option<&Check>, check: &Check) -> Value {
    json!({
        "controlId": check.control_id,
        "name": check.name,
        "severity": check.severity,
        "status": check.status,
        "statusBefore": before.map(|check| check.status),
    })
}
