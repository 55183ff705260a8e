//! The PDF of a report: made on demand, never stored.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use model::{ReportId, ServiceTenantId, Timestamp};
use operations::brand::{self, Paper};
use serde::Deserialize;

use super::report::stored;
use crate::documents::Documents;
use crate::failure::Failure;
use crate::input::{Asked, Named};
use crate::session::Viewer;
use crate::state::Dashboard;

/// Maximum length of the tenant's part of a file name, in characters.
const LONGEST_NAME: usize = 60;

#[derive(Deserialize)]
pub(crate) struct Choice {
    /// Size of the pages; A4 unless named.
    #[serde(default)]
    paper: Paper,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Named<(ServiceTenantId, ReportId)>,
    Asked(Choice { paper }): Asked<Choice>,
) -> Result<Response, Failure> {
    let stored = stored(&viewer, &tenant, &report).await?;
    let Documents::Here { render, largest } = dashboard.documents else { return Err(Failure::NoDocuments) };
    let name = file_name(&stored.tenant_name, stored.summary.completed_at);
    let brand = brand::get(&viewer.organization).await?;
    let json = api::reports::json(&dashboard.report_links, stored).map_err(|error| Failure::Internal(error.into()))?;
    // Typesetting takes a while, in which other requests are answered.
    let made = tokio::task::spawn_blocking(move || render(&json, &brand, paper)).await;
    let document = made.map_err(|error| Failure::Internal(error.into()))?.map_err(Failure::Internal)?;
    if document.len() > largest {
        return Err(Failure::Conflict(format!(
            "The PDF of this report has {:.1} MB, more than can be sent from here. Make it with the command \
             `posture report pdf {report}`, or choose a smaller logo.",
            document.len() as f64 / 1e6
        )));
    }
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok(([(CONTENT_TYPE, "application/pdf".to_owned()), (CONTENT_DISPOSITION, disposition)], document).into_response())
}

/// Returns the name of the file: the tenant's, as far as it has Latin letters and digits, and the day.
fn file_name(tenant: &str, completed: Timestamp) -> String {
    let words = tenant.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    name.truncate(LONGEST_NAME);
    let name = if name.is_empty() { "report" } else { name.trim_end_matches('-') };
    format!("{name}-{}.pdf", completed.date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_for_the_tenant_and_the_day() {
        let at = "2026-11-22T10:00:00Z".parse().unwrap();
        for (tenant, name) in [
            ("Harbour Dental", "harbour-dental-2026-11-22.pdf"),
            ("Müller & Söhne \"GmbH\"\r\nX: y", "m-ller-s-hne-gmbh-x-y-2026-11-22.pdf"),
            ("株式会社", "report-2026-11-22.pdf"),
            ("", "report-2026-11-22.pdf"),
        ] {
            assert_eq!(file_name(tenant, at), name);
        }
        assert!(file_name(&"W ".repeat(500), at).len() <= LONGEST_NAME + "-2026-11-22.pdf".len());
    }
}
