//! The guard of every route: who may use it, and for which organization a form is.

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, REFERER};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::{OrganizationId, Timestamp};
use store::{Organization, StoreError};

use crate::failure::{Failure, FailureText};
use crate::respond;
use crate::route::{Access, Method, Route};
use crate::sent::Sent;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view;
use crate::view::form::{ORGANIZATION, RESUME};
use crate::view::layout;
use crate::view::unsaved::{Page, Way};

/// Passes a request to its handler if the caller may use the route, and a form only to the organization that its page
/// was of.
pub(crate) async fn guard(
    State(route): State<Route>,
    dashboard: Dashboard,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    if route.access == Access::Public {
        return Ok(next.run(request).await);
    }
    let viewer = Viewer::of(&dashboard, request.headers()).await?;
    match (route.method, viewer) {
        (Method::Get, None) => Err(Failure::SignedOut { to: respond::path_of(request.uri()) }),
        (Method::Get, Some(viewer)) => {
            let address = request.uri().clone();
            let response = admitted(&route, &viewer, request, next).await?;
            viewer.page_of_failure(&dashboard, response, Some(&address)).await
        }
        (Method::Post, None) => {
            let (sent, request) = Sent::read(request).await?;
            Ok(unsaved(&route, &request, &sent, None, Way::SignIn { to: page_of(&request).as_deref() }))
        }
        (Method::Post, Some(viewer)) => {
            let (sent, request) = Sent::read(request).await?;
            let response = form(&route, &dashboard, &viewer, sent, request, next).await?;
            viewer.page_of_failure(&dashboard, response, None).await
        }
    }
}

/// Passes a form to its handler, if its page was of the organization that the person is in now.
async fn form(
    route: &Route,
    dashboard: &Dashboard,
    viewer: &Viewer,
    sent: Sent,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let organization = sent.text(ORGANIZATION).and_then(|id| id.parse::<OrganizationId>().ok());
    let organization = organization.ok_or_else(Failure::incomplete)?;
    if route.access != Access::Person && organization != *viewer.organization.id() {
        let shell = viewer.shell(dashboard).await?;
        let theirs = shell.viewer.others.iter().find(|other| other.id == organization);
        let way = Way::Switch { to: theirs, page: page_of(&request) };
        return Ok(unsaved(route, &request, &sent, Some(&shell), way));
    }
    let is_resumed = route.access != Access::Person && sent.text(RESUME).is_some();
    if is_resumed && !route.is_kept {
        return Ok(respond::see("/"));
    }
    request.extensions_mut().insert(sent);
    admitted(route, &Viewer { is_resumed, ..viewer.clone() }, request, next).await
}

/// Passes a request on if the role allows it. The audit trail records refusals, and files that the viewer takes along.
async fn admitted(route: &Route, viewer: &Viewer, mut request: Request, next: Next) -> Result<Response, Failure> {
    let path = request.uri().path().to_owned();
    let response = if route.access.allows(viewer.member.role) {
        request.extensions_mut().insert(viewer.clone());
        next.run(request).await
    } else {
        viewer.writer().record_refusal(route.path).await?;
        Failure::Forbidden.into_response()
    };
    if response.headers().contains_key(CONTENT_DISPOSITION) {
        let (subject, file) = downloaded(route.path, &path);
        viewer.writer().record_download(subject.unwrap_or(viewer.organization.id().as_str()), file).await?;
    }
    tracing::info!(
        organization.id = %viewer.organization.id(),
        member.id = %viewer.member.member_id,
        http.route = route.path,
        http.status = response.status().as_u16(),
        "request"
    );
    Ok(response)
}

/// Returns the report or tenant that a file is about, if its route has one as a parameter, and the name of the file.
fn downloaded<'a>(route: &str, path: &'a str) -> (Option<&'a str>, &'a str) {
    let is_parameter = route.rsplit('/').nth(1).is_some_and(|part| part.starts_with('{'));
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    (parts.next().filter(|_| is_parameter), file)
}

/// Returns the page that says that nothing was saved, with what was sent.
fn unsaved(route: &Route, request: &Request, sent: &Sent, shell: Option<&layout::Shell>, way: Way<'_>) -> Response {
    let status = if shell.is_some() { StatusCode::CONFLICT } else { StatusCode::UNAUTHORIZED };
    let page = Page { shell, action: request.uri().path(), is_kept: route.is_kept, sent, way };
    (status, respond::page(view::unsaved::page(&page))).into_response()
}

/// Returns the page that a form was on, as the browser says it.
fn page_of(request: &Request) -> Option<String> {
    let page: Uri = request.headers().get(REFERER)?.to_str().ok()?.parse().ok()?;
    respond::path_of(&page).filter(|path| respond::is_own_path(path))
}

/// Responds to a request for an address that no route has.
pub(crate) async fn nowhere(dashboard: Dashboard, headers: HeaderMap) -> Response {
    failed(&dashboard, &headers, Failure::NotFound).await
}

/// Responds to a request with a method that the route does not take.
pub(crate) async fn wrong_method(dashboard: Dashboard, headers: HeaderMap) -> Response {
    failed(&dashboard, &headers, Failure::WrongMethod).await
}

async fn failed(dashboard: &Dashboard, headers: &HeaderMap, failure: Failure) -> Response {
    let response = failure.into_response();
    match Viewer::of(dashboard, headers).await {
        Ok(Some(viewer)) => {
            viewer.page_of_failure(dashboard, response, None).await.unwrap_or_else(Failure::into_response)
        }
        _ => response,
    }
}

/// Returns whether an organization has the tenant or the import that a path names.
///
/// # Errors
/// If the store fails.
pub async fn has_page(organization: &Organization, path: &str, now: Timestamp) -> Result<bool, StoreError> {
    let mut parts = path.split(['/', '?']).skip(1);
    let (Some(kind), Some(id)) = (parts.next(), parts.next()) else { return Ok(false) };
    match (kind, id.parse(), id.parse()) {
        ("tenants" | "billable-users", Ok(tenant), _) => Ok(organization.tenant(&tenant).await?.is_some()),
        ("imports", _, Ok(import)) => Ok(organization.import(&import, now).await?.is_some()),
        _ => Ok(false),
    }
}

impl Viewer {
    /// Puts the page of a failure into the frame of the viewer's pages. A page that is not found, but exists in another
    /// organization of the person, says so.
    async fn page_of_failure(
        &self,
        dashboard: &Dashboard,
        response: Response,
        address: Option<&Uri>,
    ) -> Result<Response, Failure> {
        let Some(shown) = response.extensions().get::<FailureText>() else { return Ok(response) };
        // Without the table there is no frame, which is what the page is about.
        let Ok(shell) = self.shell(dashboard).await else { return Ok(response) };
        let address = address.and_then(respond::path_of).filter(|_| response.status() == StatusCode::NOT_FOUND);
        if let Some(address) = address {
            for other in &shell.viewer.others {
                if has_page(&dashboard.store.organization(&other.id), &address, self.now).await? {
                    let page = view::unsaved::Elsewhere { shell: &shell, organization: other, address: &address };
                    let page = respond::page(view::unsaved::elsewhere(&page));
                    return Ok((StatusCode::NOT_FOUND, page).into_response());
                }
            }
        }
        Ok(shown.page(Some(&shell)))
    }
}

#[cfg(test)]
mod tests {
    use super::downloaded;

    #[test]
    fn a_file_is_about_what_its_path_names_last() {
        for (route, path, about) in [
            ("/tenants/{tenant}/reports/{report}/pdf", "/tenants/ten_1/reports/rpt_1/pdf", (Some("rpt_1"), "pdf")),
            ("/tenants/{tenant}/reports.csv", "/tenants/ten_1/reports.csv", (Some("ten_1"), "reports.csv")),
            ("/settings/audit.csv", "/settings/audit.csv", (None, "audit.csv")),
            ("/portfolio.csv", "/portfolio.csv", (None, "portfolio.csv")),
        ] {
            assert_eq!(downloaded(route, path), about, "{path}");
        }
    }
}
