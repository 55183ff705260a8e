//! The PDFs of many reports, which are made one by one into an archive.

use std::collections::BTreeSet;

use axum::Extension;
use axum::response::Response;
use futures_util::TryStreamExt;
use model::{FormId, Label};
use operations::Queues;
use operations::documents::{self, Choice, Foreword, Kind, Paper, Tasks};
use serde::Deserialize;
use store::{DocumentSet, Which};
use web::failure::Failure;
use web::input::Fields;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use crate::view;
use crate::view::documents::Page;
use crate::view::report_request::REFRESH;

/// Which documents are requested.
#[derive(Deserialize)]
pub(crate) struct NewSet {
    form: FormId,
    #[serde(default)]
    label: String,
    #[serde(default)]
    reports: Reports,
    #[serde(default)]
    kind: Kind,
    #[serde(default)]
    paper: Paper,
    #[serde(default)]
    tasks: Tasks,
    #[serde(default)]
    foreword: String,
}

#[derive(Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Reports {
    #[default]
    All,
    /// Those that were added since the last set was requested.
    New,
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, &Errors::default()).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, errors: &Errors) -> Result<Response, Failure> {
    if !dashboard.documents.make_archives() {
        return Err(Failure::NoDocuments);
    }
    let mut sets = viewer.organization.document_sets(viewer.now).await?;
    sets.reverse();
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let labels: BTreeSet<_> = tenants.into_iter().flat_map(|tenant| tenant.labels).collect();
    let shell = viewer.shell(dashboard).await?;
    let page = respond::page(view::documents::page(&Page { shell: &shell, labels: &labels, sets: &sets, errors }));
    let is_open = errors.is_empty() && sets.iter().any(DocumentSet::is_open);
    Ok(if is_open { respond::refreshing(page, REFRESH) } else { page })
}

pub(crate) async fn request(
    dashboard: Dashboard,
    Extension(queues): Extension<Queues>,
    viewer: Viewer,
    Fields(sent): Fields<NewSet>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &errors).await;
    }
    let label = Some(sent.label.trim()).filter(|label| !label.is_empty()).map(str::parse::<Label>).transpose();
    let (label, foreword) = match (label, sent.foreword.parse::<Foreword>()) {
        (Ok(label), Ok(foreword)) => (label, foreword),
        (Err(error), _) => return refused(&dashboard, &viewer, "label", format!("The label {error}.")).await,
        (_, Err(error)) => return refused(&dashboard, &viewer, "foreword", format!("The words {error}.")).await,
    };
    let last = viewer.organization.document_sets(viewer.now).await?.pop();
    let since = last.filter(|_| sent.reports == Reports::New).map(|last| last.requested_at);
    let choice = Choice { kind: sent.kind, paper: sent.paper, foreword, tasks: sent.tasks };
    let writer = viewer.writer().once(sent.form);
    documents::request(&writer, Which { label, since }, &choice, &queues.documents).await?;
    Ok(respond::see("/documents"))
}

async fn refused(
    dashboard: &Dashboard,
    viewer: &Viewer,
    field: &'static str,
    sentence: String,
) -> Result<Response, Failure> {
    listed(dashboard, viewer, &Errors::default().with(field, sentence)).await
}
