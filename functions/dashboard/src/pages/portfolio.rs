//! All tenants at a glance.

use std::collections::HashMap;

use axum::response::Response;
use futures_util::TryStreamExt;
use futures_util::future::{try_join, try_join3};
use model::{Timestamp, Week};
use operations::leading_first;
use operations::schedules::is_stale;
use store::{Organization, StoreError, TenantRecord};
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::csv;
use crate::view::portfolio::{self, Page, Query, Row, WEEKS};

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(query): Asked<Query>,
) -> Result<Response, Failure> {
    let trends = viewer.organization.trends(Week::of(viewer.now).back(WEEKS));
    let (rows, trends) = try_join(rows(&viewer.organization, viewer.now), trends).await?;
    let shell = viewer.shell(&dashboard).await?;
    let has_archives = dashboard.documents.make_archives();
    let page = Page { shell: &shell, rows: &rows, trends: &trends, query: &query, has_archives };
    Ok(respond::page(portfolio::page(&page)))
}

pub(crate) async fn download(viewer: Viewer, Asked(query): Asked<Query>) -> Result<Response, Failure> {
    let rows = rows(&viewer.organization, viewer.now).await?;
    Ok(respond::csv("portfolio.csv", csv::portfolio(&portfolio::arranged(&rows, &query))))
}

/// Every tenant with the newest report of each tool. Reads no bodies.
async fn rows(organization: &Organization, now: Timestamp) -> Result<Vec<Row>, StoreError> {
    let tenants = organization.tenants().try_concat();
    let (newest, tenants, schedules) =
        try_join3(organization.newest_of_tools(), tenants, organization.schedules()).await?;
    let mut by_tenant: HashMap<_, Vec<_>> = HashMap::new();
    for report in newest {
        by_tenant.entry(report.service_tenant_id.clone()).or_default().push(report);
    }
    let row = |tenant: TenantRecord| {
        let reports = by_tenant.remove(&tenant.service_tenant_id).unwrap_or_default();
        let is_stale = is_stale(schedules.as_ref(), &tenant, &reports, now);
        let mut reports = leading_first(reports, tenant.leading_tool.as_deref()).into_iter();
        Row {
            latest: reports.next(),
            others: reports.collect(),
            tenant: tenant.service_tenant_id,
            name: tenant.name,
            labels: tenant.labels,
            is_paused: tenant.is_paused,
            is_stale,
        }
    };
    Ok(tenants.into_iter().map(row).collect())
}
