//! The PDFs of many reports, which are made one by one into an archive.

use std::collections::BTreeSet;

use axum::Extension;
use axum::response::Response;
use futures_util::TryStreamExt;
use maud::Markup;
use model::{Every, FormId, Hours, Label, Schedule};
use operations::Queues;
use operations::documents::{self, Choice, Foreword, Kind, Paper, Tasks};
use serde::Deserialize;
use store::{DocumentSchedule, DocumentSet, Which};
use web::failure::Failure;
use web::input::Fields;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use crate::view;
use crate::view::documents::Page;
use crate::view::report_request::REFRESH;

/// The documents that are requested, once or unasked.
#[derive(Deserialize)]
pub(crate) struct NewSet {
    form: FormId,
    /// The days of a schedule; `never` ends it.
    every: Option<String>,
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

impl NewSet {
    /// Returns the label and the options.
    fn chosen(&self) -> Result<(Option<Label>, Choice), Errors> {
        let wrong = |field, sentence| Errors::default().with(field, sentence);
        let label = Some(self.label.trim()).filter(|label| !label.is_empty()).map(str::parse::<Label>).transpose();
        let label = label.map_err(|error| wrong("label", format!("The label {error}.")))?;
        let foreword = self.foreword.parse::<Foreword>();
        let foreword = foreword.map_err(|error| wrong("foreword", format!("The words {error}.")))?;
        Ok((label, Choice { kind: self.kind, paper: self.paper, foreword, tasks: self.tasks }))
    }
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let sets = viewer.organization.document_sets(viewer.now).await?;
    let is_open = sets.iter().any(DocumentSet::is_open);
    let page = shown_with(sets, &dashboard, &viewer, &Errors::default(), view::documents::page).await?;
    Ok(if is_open { respond::refreshing(page, REFRESH) } else { page })
}

pub(crate) async fn show_schedule(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    shown(&dashboard, &viewer, &Errors::default(), view::documents::schedule_page).await
}

async fn shown(
    dashboard: &Dashboard,
    viewer: &Viewer,
    errors: &Errors,
    view: fn(&Page<'_>) -> Markup,
) -> Result<Response, Failure> {
    let sets = viewer.organization.document_sets(viewer.now).await?;
    shown_with(sets, dashboard, viewer, errors, view).await
}

async fn shown_with(
    mut sets: Vec<DocumentSet>,
    dashboard: &Dashboard,
    viewer: &Viewer,
    errors: &Errors,
    view: fn(&Page<'_>) -> Markup,
) -> Result<Response, Failure> {
    if !dashboard.documents.make_archives() {
        return Err(Failure::NoDocuments);
    }
    sets.reverse();
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let labels: BTreeSet<_> = tenants.into_iter().flat_map(|tenant| tenant.labels).collect();
    let scheduled = viewer.organization.schedules().await?.map(|of| of.documents).unwrap_or_default();
    let shell = viewer.shell(dashboard).await?;
    let page = Page { shell: &shell, labels: &labels, sets: &sets, scheduled: &scheduled, errors };
    Ok(respond::page(view(&page)))
}

pub(crate) async fn request(
    dashboard: Dashboard,
    Extension(queues): Extension<Queues>,
    viewer: Viewer,
    Fields(sent): Fields<NewSet>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return shown(&dashboard, &viewer, &errors, view::documents::page).await;
    }
    let (label, choice) = match sent.chosen() {
        Ok(chosen) => chosen,
        Err(errors) => return shown(&dashboard, &viewer, &errors, view::documents::page).await,
    };
    let last = viewer.organization.document_sets(viewer.now).await?.pop();
    let since = last.filter(|_| sent.reports == Reports::New).map(|last| last.requested_at);
    let writer = viewer.writer().once(sent.form);
    documents::request(&writer, Which { label, since }, &choice, &queues.documents).await?;
    Ok(respond::see("/documents"))
}

pub(crate) async fn schedule(
    dashboard: Dashboard,
    viewer: Viewer,
    Fields(sent): Fields<NewSet>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return shown(&dashboard, &viewer, &errors, view::documents::schedule_page).await;
    }
    let every = sent.every.as_deref().and_then(|every| every.parse::<Every>().ok()).ok_or_else(Failure::incomplete)?;
    let (label, choice) = match sent.chosen() {
        Ok(chosen) => chosen,
        Err(errors) => return shown(&dashboard, &viewer, &errors, view::documents::schedule_page).await,
    };
    let new = (every != Every::Never).then(|| DocumentSchedule {
        label: label.clone(),
        schedule: Schedule { every, between: Hours::default(), since: viewer.now },
        only_new: sent.reports == Reports::New,
        choice: documents::stored(&choice),
    });
    viewer.admin_writer()?.schedule_documents(label.as_ref(), new.as_ref()).await?;
    Ok(respond::see("/documents/schedule"))
}
