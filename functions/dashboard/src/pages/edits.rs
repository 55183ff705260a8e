//! Edits of a report's checks and administrators.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::{Check, ControlId, GlobalAdmin, ReportId, ServiceTenantId, Severity, Status};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit, Seen, digest};
use serde::Deserialize;
use store::{EditError, StoreError};

use super::report::{Found, find};
use crate::failure::Failure;
use crate::input::{Asked, Fields, Named};
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::edit_administrator::Form as AdministratorForm;
use crate::view::edit_check::Form as CheckForm;
use crate::view::edits::{Field, field_name};
use crate::view::form::Errors;
use crate::view::{self, link, words};

#[derive(Deserialize)]
pub(crate) struct OfCheck {
    control: ControlId,
}

#[derive(Deserialize)]
pub(crate) struct OfAdministrator {
    administrator: String,
}

type Address = Named<(ServiceTenantId, ReportId)>;

pub(crate) async fn ask_check(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Asked(OfCheck { control }): Asked<OfCheck>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let check = found.check(control.as_str())?;
    let keep = viewer.organization.kept_edit(&tenant, &check.control_id).await?.is_some();
    check_form(&dashboard, &viewer, &found, check, &CheckForm::of(check, keep), Errors::default()).await
}

pub(crate) async fn edit_check(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Fields(form): Fields<CheckForm>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let check = found.check(&form.control)?;
    let wanted = match wanted(&form) {
        Ok(wanted) => wanted,
        Err(errors) => return check_form(&dashboard, &viewer, &found, check, &form, errors).await,
    };
    let change = CheckChange::between(check, wanted);
    let seen = Seen::from(form.seen.clone());
    let done = respond::see(&link::check(&tenant, &report, &check.control_id));
    let kept = viewer.organization.kept_edit(&tenant, &check.control_id).await?;
    let keep = match (kept.is_some(), form.keep) {
        (true, true) => change.can_be_kept().then_some(true),
        (before, keep) => (before != keep).then_some(keep),
    };
    if change.is_empty() && keep.is_none() && seen == Seen::check(check) {
        return Ok(done);
    }
    let edit = ReportEdit::Check { control: check.control_id.to_string(), change };
    let options = EditOptions { seen: Some(&seen), keep };
    let edited = edits::edit(&viewer.organization, &viewer.actor(), &report, &edit, options, viewer.now).await;
    match edited.map_err(refusal) {
        Ok(_) => Ok(done),
        Err(Refusal::Failed(failure)) => Err(failure),
        Err(Refusal::Wrong(errors)) => check_form(&dashboard, &viewer, &found, check, &form, errors).await,
        Err(Refusal::Changed) => {
            let found = find(&dashboard, &viewer, &tenant, &report).await?;
            let check = found.check(&form.control)?;
            let current = CheckForm::of(check, form.keep);
            let errors = differences(&form, &current);
            let form = CheckForm { seen: current.seen, ..form };
            let page = check_form(&dashboard, &viewer, &found, check, &form, errors).await?;
            Ok((StatusCode::CONFLICT, page).into_response())
        }
    }
}

pub(crate) async fn ask_administrator(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Asked(OfAdministrator { administrator }): Asked<OfAdministrator>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let admin = found.administrator(&administrator)?;
    administrator_form(&dashboard, &viewer, &found, admin, &of_administrator(admin), Errors::default()).await
}

pub(crate) async fn edit_administrator(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Fields(form): Fields<AdministratorForm>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let admin = found.administrator(&form.administrator)?;
    let Some(status) = status(&form.status) else {
        let errors = Errors::default().with("status", NO_STATUS);
        return administrator_form(&dashboard, &viewer, &found, admin, &form, errors).await;
    };
    let seen = Seen::from(form.seen.clone());
    let done = respond::see(&format!("{}#administrator-list", link::report(&tenant, &report)));
    if status == admin.status && seen == Seen::administrator(admin) {
        return Ok(done);
    }
    let options = EditOptions { seen: Some(&seen), keep: None };
    let edit = ReportEdit::Administrator { name: admin.user_principal_name.clone(), status };
    let edited = edits::edit(&viewer.organization, &viewer.actor(), &report, &edit, options, viewer.now).await;
    match edited.map_err(refusal) {
        Ok(_) => Ok(done),
        Err(Refusal::Failed(failure)) => Err(failure),
        Err(Refusal::Wrong(errors)) => administrator_form(&dashboard, &viewer, &found, admin, &form, errors).await,
        Err(Refusal::Changed) => {
            let found = find(&dashboard, &viewer, &tenant, &report).await?;
            let admin = found.administrator(&form.administrator)?;
            let is_now = format!("It is now: {}", words::status(admin.status));
            let errors = Errors::default().with("", CHANGED).with("status", is_now);
            let form = AdministratorForm { seen: of_administrator(admin).seen, ..form };
            let page = administrator_form(&dashboard, &viewer, &found, admin, &form, errors).await?;
            Ok((StatusCode::CONFLICT, page).into_response())
        }
    }
}

pub(super) const CHANGED: &str = "Someone else changed this since you opened it, so nothing was saved. The form has what you entered. \
                       Save again to replace the new values.";
const NO_STATUS: &str = "Choose a status.";

/// Why an edit was not made.
enum Refusal {
    /// The form is shown again.
    Wrong(Errors),
    /// The form is shown again, with what has changed.
    Changed,
    /// Another page is shown.
    Failed(Failure),
}

fn refusal(error: EditError<edits::Refusal>) -> Refusal {
    use edits::Refusal as Edit;
    let message = error.to_string();
    let field = match error {
        EditError::Refused(Edit::ChangedMeanwhile) => return Refusal::Changed,
        EditError::NotFound(_) | EditError::Refused(Edit::NoSuchControl(_) | Edit::NoSuchAdministrator) => {
            return Refusal::Failed(Failure::NotFound);
        }
        EditError::Refused(Edit::NotInBaseline | Edit::NothingAssessed) => "status",
        EditError::NothingToKeep => "keep",
        EditError::Refused(Edit::NoCurrentState) => field_name(Field::CurrentState),
        EditError::Refused(Edit::BadText(field)) => field_name(field),
        EditError::Store(StoreError::TooLarge { .. }) => {
            let sentence = "With these texts, the report is larger than can be stored. Shorten them.";
            return Refusal::Wrong(Errors::default().with("", sentence));
        }
        EditError::Store(error) => return Refusal::Failed(error.into()),
    };
    Refusal::Wrong(Errors::default().with(field, words::sentence(&message)))
}

/// Reads what the editor wants the check to be.
fn wanted(form: &CheckForm) -> Result<CheckChange, Errors> {
    let severity: Option<Severity> =
        words::SEVERITIES.into_iter().find(|of| words::severity_wire(*of) == form.severity);
    let status = status(&form.status);
    let mut errors = Errors::default();
    if status.is_none() {
        errors = errors.with("status", NO_STATUS);
    }
    if severity.is_none() && !form.severity.is_empty() {
        errors = errors.with("severity", "Choose a severity.");
    }
    match errors.is_empty() {
        true => Ok(CheckChange {
            status,
            severity: Some(severity),
            current_state: Some(form.current_state.clone()),
            why: Some(form.why.clone()),
            suggested_fix: Some(form.suggested_fix.clone()),
        }),
        false => Err(errors),
    }
}

fn status(text: &str) -> Option<Status> {
    words::STATUSES.into_iter().find(|status| words::status_wire(*status) == text)
}

/// Says for every field in which a form and the check differ what the check has now.
fn differences(form: &CheckForm, now: &CheckForm) -> Errors {
    let fields = [
        ("status", &form.status, &now.status),
        ("severity", &form.severity, &now.severity),
        ("currentState", &form.current_state, &now.current_state),
        ("why", &form.why, &now.why),
        ("suggestedFix", &form.suggested_fix, &now.suggested_fix),
    ];
    let differing = fields.into_iter().filter(|(_, typed, now)| typed.replace("\r\n", "\n") != **now);
    differing
        .fold(Errors::default().with("", CHANGED), |errors, (field, _, now)| errors.with(field, words::is_now(now)))
}

fn of_administrator(admin: &GlobalAdmin) -> AdministratorForm {
    AdministratorForm {
        administrator: digest(&admin.user_principal_name),
        seen: Seen::administrator(admin).as_str().to_owned(),
        status: words::status_wire(admin.status).to_owned(),
    }
}

async fn check_form(
    dashboard: &Dashboard,
    viewer: &Viewer,
    found: &Found,
    check: &Check,
    form: &CheckForm,
    errors: Errors,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    let (head, kind) = (&found.head, found.body.report_type);
    let page = view::edit_check::Page { shell: &shell, head, kind, check, form, errors: &errors };
    Ok(respond::page(view::edit_check::page(&page)))
}

async fn administrator_form(
    dashboard: &Dashboard,
    viewer: &Viewer,
    found: &Found,
    administrator: &GlobalAdmin,
    form: &AdministratorForm,
    errors: Errors,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    let (head, kind) = (&found.head, found.body.report_type);
    let page = view::edit_administrator::Page { shell: &shell, head, kind, administrator, form, errors: &errors };
    Ok(respond::page(view::edit_administrator::page(&page)))
}

impl Found {
    fn check(&self, control: &str) -> Result<&Check, Failure> {
        self.body.checks.iter().find(|check| check.control_id.as_str() == control).ok_or(Failure::NotFound)
    }

    fn administrator(&self, of: &str) -> Result<&GlobalAdmin, Failure> {
        let mut admins = self.body.global_admins.admins.iter();
        admins.find(|admin| digest(&admin.user_principal_name) == of).ok_or(Failure::NotFound)
    }
}
