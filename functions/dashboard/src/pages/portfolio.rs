//! All tenants at a glance.

use std::collections::HashMap;

use axum::response::Response;
use futures_util::TryStreamExt;
use store::{Organization, Selection, StoreError};

use super::MOST;
use crate::failure::Failure;
use crate::input::Asked;
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::csv;
use crate::view::portfolio::{self, Page, Query, Row};

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(query): Asked<Query>,
) -> Result<Response, Failure> {
    let rows = rows(&viewer.organization).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(portfolio::page(&Page { shell: &shell, rows: &rows, query: &query })))
}

pub(crate) async fn download(viewer: Viewer, Asked(query): Asked<Query>) -> Result<Response, Failure> {
    let rows = rows(&viewer.organization).await?;
    Ok(respond::csv("portfolio.csv", csv::portfolio(&portfolio::arranged(&rows, &query))))
}

/// Every tenant with the summary of its newest report. Reads no bodies.
async fn rows(organization: &Organization) -> Result<Vec<Row>, StoreError> {
    let listed = organization.select(Selection::latest(MOST)).listed().await?;
    let latest = listed.into_iter().map(|listed| (listed.summary.service_tenant_id.clone(), listed.summary));
    let mut latest: HashMap<_, _> = latest.collect();
    let tenants: Vec<_> = organization.tenants().try_concat().await?;
    Ok(tenants
        .into_iter()
        .map(|tenant| Row {
            latest: latest.remove(&tenant.service_tenant_id),
            tenant: tenant.service_tenant_id,
            name: tenant.name,
            is_paused: tenant.is_paused,
        })
        .collect())
}
