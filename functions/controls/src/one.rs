//! The tenants of one control.

use std::future::ready;
use std::sync::{Arc, OnceLock};

use api::response::{List, Row};
use api::{ApiError, App, Request, Response, cursor};
use futures_util::{StreamExt, TryStreamExt, stream};
use model::{ControlTenant, ServiceTenantId};
use store::{ControlResult, Located, StoreError};

use crate::list::described;
use crate::parameters::{Asked, SEVERAL_TOOLS};

const NO_CONTROL: ApiError = ApiError::NotFound(
    "No newest report of the organization has a control with this id. GET /v1/controls lists its controls.",
);

/// Returns the tenants whose newest reports have a control, by their identifiers.
pub(crate) async fn handle(app: App, request: &Request, control: &str) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(request)?);
    let asked = Asked::of(request, organization.id(), control.parse().map_err(|_| NO_CONTROL)?)?;
    let tag = app.tag("control", organization.id()).with(&asked).with(organization.fleet_state().await?);
    let fleet = organization.fleet().await?;
    let (tool, control) = match fleet.locate(&asked.control, asked.tool.as_deref()).await? {
        Located::In { tool, control } => (tool, control),
        Located::Several => return Err(SEVERAL_TOOLS),
        Located::Nowhere => return Err(NO_CONTROL),
    };
    if let Some(response) = tag.not_modified(request) {
        return Ok(response);
    }
    let results = fleet.results(&tool, &asked.control, asked.after.as_ref(), Some(asked.limit + 1));
    let mut results = results.map_ok(|page| stream::iter(page.into_iter().map(Ok))).try_flatten();
    let first = results.try_next().await?;
    if first.is_none() && asked.after.is_none() {
        return Err(NO_CONTROL);
    }
    let results = stream::iter(first.map(Ok)).chain(results);
    let selects = asked.selection();
    let results = results.try_filter(move |result| ready(selects(result))).boxed();
    let next: Arc<OnceLock<ServiceTenantId>> = Arc::default();
    let page = Page { results, left: asked.limit, last: None, next: Arc::clone(&next) };
    let row = move |result| vec![Row::element(&listed(&app.dashboard_url, result))];
    let next_cursor = move || next.get().map(|last| cursor::write(&asked.list(), last.as_str()));
    let list = List::after(&described(tool, control), "tenants", "totalTenants", page.rows().map_ok(row));
    api::list(request, &tag, list.paged(next_cursor)).await
}

/// The results that are sent, up to a limit.
struct Page<S> {
    results: S,
    left: usize,
    last: Option<ServiceTenantId>,
    /// The last tenant of the page, once another one is known to follow.
    next: Arc<OnceLock<ServiceTenantId>>,
}

impl<S> Page<S>
where
    S: stream::Stream<Item = Result<ControlResult, StoreError>> + Unpin + Send + 'static,
{
    fn rows(self) -> impl stream::Stream<Item = Result<ControlResult, StoreError>> + Send + 'static {
        stream::try_unfold(self, async |mut page| {
            let Some(result) = page.results.try_next().await? else { return Ok(None) };
            if page.left == 0 {
                if let Some(last) = page.last.take() {
                    page.next.get_or_init(|| last);
                }
                return Ok(None);
            }
            page.left -= 1;
            page.last = Some(result.service_tenant_id.clone());
            Ok(Some((result, page)))
        })
    }
}

fn listed(dashboard_url: &str, result: ControlResult) -> ControlTenant {
    let ControlResult {
        service_tenant_id,
        provider_tenant_id,
        tenant_name,
        report_id,
        completed_at,
        status,
        since,
        accepted_until,
        ..
    } = result;
    let url = format!("{dashboard_url}/tenants/{service_tenant_id}/reports/{report_id}");
    ControlTenant {
        service_tenant_id,
        name: tenant_name,
        provider_tenant_id,
        status,
        since,
        accepted_until,
        report_id,
        completed_at,
        url,
    }
}
