//! The PDF of a report: made on demand, never stored.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing;
use model::{ReportId, ServiceTenantId};
use operations::documents::{self, Choice, FileName};

use crate::documents::Documents;
use crate::failure::Failure;
use crate::input::{Asked, Named};
use crate::route::{self, Access, Route};
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::text::encoded;

/// A report's PDF, which has a function of its own.
pub const PDF: Route = route::get(
    "/tenants/{tenant}/reports/{report}/pdf",
    Access::Member,
    "The report as a PDF, by a function of its own. Parameters: kind, paper, tasks, foreword.",
    || routing::get(show),
);

async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Named<(ServiceTenantId, ReportId)>,
    Asked(choice): Asked<Choice>,
) -> Result<Response, Failure> {
    let stored = viewer.report(&tenant, &report).await?;
    let Documents::Here { render, largest, .. } = dashboard.documents else { return Err(Failure::NoDocuments) };
    let (tool, completed) = (&stored.summary.tool, stored.summary.figures.completed_at);
    let disposition = attachment(&FileName { tenant: &stored.tenant_name, tool, completed, kind: choice.kind });
    let document = documents::of(&viewer.organization, &stored.summary, choice).await?;
    let json = api::reports::json(&dashboard.report_links, stored).map_err(|error| Failure::Internal(error.into()))?;
    // Typesetting takes a while, during which other requests are served.
    let made = tokio::task::spawn_blocking(move || render(&json, &document)).await;
    let pdf = made.map_err(|error| Failure::Internal(error.into()))?.map_err(Failure::Internal)?;
    if pdf.len() > largest {
        return Err(Failure::Conflict(format!(
            "The PDF of this report has {:.1} MB, more than can be sent from here. Make it with the command \
             `posture report pdf {report}`, or choose a smaller logo.",
            pdf.len() as f64 / 1e6
        )));
    }
    Ok(([(CONTENT_TYPE, "application/pdf".to_owned()), (CONTENT_DISPOSITION, disposition)], pdf).into_response())
}

/// Returns how a browser saves the document: under a name in the tenant's own script, or in ASCII if it knows no other
/// (RFC 6266).
fn attachment(name: &FileName<'_>) -> String {
    format!("attachment; filename=\"{}\"; filename*=UTF-8''{}", name.in_ascii(), encoded(&name.in_own_script()))
}

#[cfg(test)]
mod tests {
    use operations::documents::Kind;

    use super::*;

    fn named(tenant: &str, tool: &str, kind: Kind) -> String {
        let completed = "2026-11-22T10:00:00Z".parse().unwrap();
        let header = attachment(&FileName { tenant, tool, completed, kind });
        header.strip_prefix("attachment; ").unwrap().to_owned()
    }

    #[test]
    fn a_file_is_named_for_the_tenant_the_tool_the_day_and_the_kind() {
        assert_eq!(
            named("Harbour Dental", "Microsoft Secure Score", Kind::Board),
            "filename=\"harbour-dental-microsoft-secure-score-2026-11-22-board.pdf\"; \
             filename*=UTF-8''harbour-dental-microsoft-secure-score-2026-11-22-board.pdf"
        );
        assert_eq!(
            named("", "ScubaGear", Kind::Open),
            "filename=\"report-scubagear-2026-11-22-open-items.pdf\"; filename*=UTF-8''report-scubagear-2026-11-22-open-items.pdf"
        );
    }

    #[test]
    fn a_name_keeps_its_script_and_nothing_that_could_mislead() {
        assert_eq!(
            named("東京\u{202e} (株)", "Maester", Kind::Everything),
            "filename=\"report-maester-2026-11-22.pdf\"; \
             filename*=UTF-8''%E6%9D%B1%E4%BA%AC-%E6%A0%AA-maester-2026-11-22.pdf"
        );
        assert_eq!(
            named("Müller \"GmbH\"\r\nX: ../y", "Maester", Kind::Everything),
            "filename=\"m-ller-gmbh-x-y-maester-2026-11-22.pdf\"; filename*=UTF-8''m%C3%BCller-gmbh-x-y-maester-2026-11-22.pdf"
        );
        let long = named(&"W ".repeat(500), "Maester", Kind::Everything);
        assert_eq!(long.split('"').nth(1).unwrap().len(), 59 + "-maester-2026-11-22.pdf".len());
    }
}
