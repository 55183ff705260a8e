//! Restores the tool's values of what was edited in a check.

use axum::response::Response;
use futures_util::future::try_join;
use model::ControlId;
use operations::edits::{ReportEdit, Seen};
use web::failure::Failure;
use web::input::{Asked, Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::conflict;
use super::edits::{Problem, save};
use super::report::{Found, find};
use super::sent::Sent;
use super::tasks::{Address, Of};
use crate::view::edits::{Field, field_name};
use crate::view::set_back::{FIELDS, Page};
use crate::view::{self, link};

pub(crate) async fn ask(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Asked(Of { control, filter }): Asked<Of>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    page(&dashboard, &viewer, &found, (&control, &filter), None, &Errors::default()).await
}

pub(crate) async fn set(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    let control: ControlId = sent.one("control").parse().map_err(|_| Failure::NotFound)?;
    let filter = sent.one("filter");
    let fields: Vec<Field> =
        FIELDS.into_iter().filter(|field| sent.all("field").any(|it| it == field_name(*field))).collect();
    let edit = match fields.is_empty() {
        true => Err(Errors::default().with("", "Choose what to restore.")),
        false => Ok(ReportEdit::SetBack { control: control.to_string(), fields: fields.clone() }),
    };
    let Some((stored, problem)) = save(&viewer, (&tenant, &report), edit, sent.one("seen"), None).await? else {
        return Ok(respond::see(&link::filtered_check(&tenant, &report, filter, &control)));
    };
    let found = Found::of(&dashboard, stored)?;
    match problem {
        Problem::Wrong(errors) => page(&dashboard, &viewer, &found, (&control, filter), Some(&fields), &errors).await,
        Problem::Changed => {
            let errors = conflict::differences([]);
            let page = page(&dashboard, &viewer, &found, (&control, filter), Some(&fields), &errors).await?;
            Ok(conflict::response(page))
        }
    }
}

async fn page(
    dashboard: &Dashboard,
    viewer: &Viewer,
    found: &Found,
    (control, filter): (&ControlId, &str),
    chosen: Option<&[Field]>,
    errors: &Errors,
) -> Result<Response, Failure> {
    let check = found.check(control.as_str())?;
    let organization = &viewer.organization;
    let kept = organization.kept_edit(&found.head.tenant.service_tenant_id, control);
    let (kept, text) = try_join(kept, organization.text(&found.tool, control)).await?;
    let completed_at = found.body.figures.completed_at;
    let kept = kept.filter(|kept| kept.is_known_to(&found.revisions, completed_at));
    let shell = viewer.shell(dashboard).await?;
    let mark = found.mark(control);
    let page = Page {
        shell: &shell,
        head: &found.head,
        check,
        mark,
        kept: &kept.map(|kept| kept.values).unwrap_or_default(),
        text: &text.map(|text| text.texts).unwrap_or_default(),
        seen: &Seen::restorable(check, mark),
        chosen,
        filter,
        errors,
    };
    Ok(respond::page(view::set_back::page(&page)))
}
