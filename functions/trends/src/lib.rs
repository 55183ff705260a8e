//! `GET /v1/trends`: the figures of all tenants, week by week.
//!
//! A week is one item, so a response reads the items of its weeks and the names of renamed tenants: at most 1 MB and a
//! small read.

use std::fmt;

use api::query::{Described, Moment, Parameter, Text};
use api::response::{List, Row};
use api::{ApiError, App, Query, Request, Response};
use futures_util::stream;
use model::{Timestamp, Trend, TrendFixed, TrendMoved, Week};
use store::{StoreError, ToolTrend, WeekTrend};

/// Number of weeks if no date is given: a quarter of a year.
const WEEKS: u32 = 13;

const TOOL: Parameter<Text> = Parameter {
    name: "tool",
    description: "Only trends of this tool, by its name, such as `ScubaGear`. None for an unknown tool.",
    kind: Text,
};
const START_DATE: Parameter<Moment> = Parameter {
    name: "startDate",
    description: "Only weeks that ended after this ISO 8601 date or date-time, of the last 52. A date means its beginning \
                  in UTC; a date-time without an offset is in UTC. By default, the last 13 weeks.",
    kind: Moment,
};

/// Every parameter, in the order of the documentation.
pub const PARAMETERS: [&dyn Described; 2] = [&TOOL, &START_DATE];

/// The requested trends.
struct Asked {
    tool: Option<String>,
    first: Week,
}

impl Asked {
    fn of(request: &Request, now: Timestamp) -> Result<Self, ApiError> {
        let query = Query::of(request, &PARAMETERS)?;
        let current = Week::of(now);
        let first = query.moment(&START_DATE)?.map_or(current.back(WEEKS), Week::of);
        Ok(Self { tool: query.text(&TOOL)?.map(str::to_owned), first: first.max(current.back(Trend::MOST_WEEKS)) })
    }
}

impl fmt::Display for Asked {
    /// Writes all parameters, so that the responses to two different requests do not share a tag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.tool, self.first)
    }
}

/// Returns the trends that the parameters select.
///
/// # Errors
/// 400 for a bad parameter, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let now = Timestamp::try_from((app.clock)()).map_err(|error| ApiError::Internal(error.into()))?;
    let asked = Asked::of(&request, now)?;
    // It also changes with every new trend.
    let tag = app.tag("trends", organization.id()).with(&asked).with(organization.tenants_state().await?);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let trends =
        organization.trends(asked.first).await?.into_iter().flat_map(|WeekTrend { week, tools, .. }| {
            tools.into_iter().map(move |(tool, figures)| (week, tool, figures))
        });
    let trends = trends.filter(|(_, tool, _)| asked.tool.as_ref().is_none_or(|asked| asked == tool));
    let rows = trends.map(|of| Row::element(&listed(&app.dashboard_url, of))).collect();
    let rows = stream::iter([Ok::<_, StoreError>(rows)]);
    api::list(&request, &tag, List::new("trends", "totalTrends", rows)).await
}

fn listed(dashboard_url: &str, (week, tool, figures): (Week, String, ToolTrend)) -> Trend {
    let average_score = figures.average();
    let ToolTrend { tenants, open, fixed, moved, .. } = figures;
    let fixed = fixed.map(|fixed| {
        let listed =
            |of: &store::Fixed| TrendFixed { severity: of.severity, controls: of.controls(), median_days: of.median() };
        fixed.iter().map(listed).collect()
    });
    let moved = moved.into_iter().map(|moved| TrendMoved {
        url: format!("{dashboard_url}/tenants/{}", moved.service_tenant_id),
        service_tenant_id: moved.service_tenant_id,
        name: moved.tenant_name,
        score_before: moved.before,
        score: moved.after,
    });
    Trend {
        week,
        ends_at: week.ends(),
        tool,
        tenants,
        average_score,
        open_controls: open,
        fixed,
        moved: moved.collect(),
    }
}
