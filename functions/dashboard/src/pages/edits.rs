//! Edits of a report's checks and administrators.

use axum::response::Response;
use model::{
    AcceptedRisk, Check, ControlId, GlobalAdmin, ReportId, ServiceTenantId, Severity, Status, Wire, calendar_date,
};
use operations::edits::{self, CheckChange, EditOptions, Refusal, ReportEdit, Seen, digest};
use serde::Deserialize;
use store::{EditError, StoreError, StoredReport};
use web::failure::Failure;
use web::input::{Asked, Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::conflict;
use super::report::{Found, find};
use crate::view::edit_administrator::Form as AdministratorForm;
use crate::view::edit_check::Form as CheckForm;
use crate::view::edits::{Field, field_name};
use crate::view::{self, link, words};

#[derive(Deserialize)]
pub(crate) struct OfCheck {
    control: ControlId,
    #[serde(default)]
    filter: String,
    /// `yes` to begin with what the tool's file says for accepting the risk.
    #[serde(default)]
    proposed: String,
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
    Asked(OfCheck { control, filter, proposed }): Asked<OfCheck>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let check = found.check(control.as_str())?;
    let kept = viewer.organization.kept_edit(&tenant, &check.control_id).await?;
    let keep = kept.is_some_and(|kept| kept.values.has_fields());
    let form = CheckForm { filter, ..CheckForm::of(check, keep) };
    let form = if proposed == "yes" { form.proposing(check) } else { form };
    check_form(&dashboard, &viewer, &found, check, &form, Errors::default()).await
}

pub(crate) async fn edit_check(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Fields(form): Fields<CheckForm>,
) -> Result<Response, Failure> {
    let edit = wanted(&form).map(|change| ReportEdit::Check { control: form.control.clone(), change });
    let saved = save(&viewer, (&tenant, &report), edit, &form.seen, Some(form.keep)).await?;
    let Some((stored, problem)) = saved else {
        let control = form.control.parse().map_err(|_| Failure::NotFound)?;
        return Ok(respond::see(&link::filtered_check(&tenant, &report, &form.filter, &control)));
    };
    let found = Found::of(&dashboard, stored)?;
    let check = found.check(&form.control)?;
    match problem {
        Problem::Wrong(errors) => check_form(&dashboard, &viewer, &found, check, &form, errors).await,
        Problem::Changed => {
            let now = CheckForm::of(check, form.keep);
            let errors = differences(&form, &now);
            let form = CheckForm { seen: now.seen, ..form };
            Ok(conflict::response(check_form(&dashboard, &viewer, &found, check, &form, errors).await?))
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
    let name = form.administrator.clone();
    let edit = status(&form.status).map(|status| ReportEdit::Administrator { name, status });
    let edit = edit.ok_or_else(|| Errors::default().with("status", NO_STATUS));
    let saved = save(&viewer, (&tenant, &report), edit, &form.seen, None).await?;
    let Some((stored, problem)) = saved else {
        return Ok(respond::see(&format!("{}#administrator-list", link::report(&tenant, &report))));
    };
    let found = Found::of(&dashboard, stored)?;
    let admin = found.administrator(&form.administrator)?;
    match problem {
        Problem::Wrong(errors) => administrator_form(&dashboard, &viewer, &found, admin, &form, errors).await,
        Problem::Changed => {
            let errors = conflict::differences([("status", &*form.status, words::status(admin.status))]);
            let form = AdministratorForm { seen: of_administrator(admin).seen, ..form };
            Ok(conflict::response(administrator_form(&dashboard, &viewer, &found, admin, &form, errors).await?))
        }
    }
}

const NO_STATUS: &str = "Choose a status.";

/// Why a form is shown again.
pub(super) enum Problem {
    /// Something in it is wrong.
    Wrong(Errors),
    /// Someone else has changed what it is about.
    Changed,
}

/// Edits a report as a form describes. Returns the unchanged report and the reason if it cannot be edited.
pub(super) async fn save(
    viewer: &Viewer,
    (tenant, report): (&ServiceTenantId, &ReportId),
    edit: Result<ReportEdit, Errors>,
    seen: &str,
    keep: Option<bool>,
) -> Result<Option<(StoredReport, Problem)>, Failure> {
    let edit = match viewer.resumed().map_or(edit, Err) {
        Ok(edit) => edit,
        Err(errors) => return Ok(Some((viewer.report(tenant, report).await?, Problem::Wrong(errors)))),
    };
    let seen = Seen::from(seen.to_owned());
    let options = EditOptions { tenant: Some(tenant), seen: Some(&seen), keep, ..EditOptions::default() };
    let edited = edits::edit(&viewer.organization, &viewer.actor(), report, &edit, options, viewer.now).await;
    let Err(error) = edited else { return Ok(None) };
    let message = words::sentence(&error.to_string());
    let (stored, field, message) = match error {
        EditError::Refused(Refusal::ChangedMeanwhile, stored) => return Ok(Some((*stored, Problem::Changed))),
        EditError::Refused(refusal, stored) => (*stored, field_of(&refusal).ok_or(Failure::NotFound)?, message),
        EditError::NothingToKeep(stored) => (*stored, "keep", message),
        EditError::NotFound(_) => return Err(Failure::NotFound),
        EditError::Store(StoreError::TooLarge { .. }) => {
            let message = "The report would be larger than can be stored. Shorten a text of it.".to_owned();
            (viewer.report(tenant, report).await?, "", message)
        }
        EditError::Store(error) => return Err(error.into()),
    };
    Ok(Some((stored, Problem::Wrong(Errors::default().with(field, message)))))
}

/// Returns the field that a refusal is about, or `None` if what is edited does not exist.
fn field_of(refusal: &Refusal) -> Option<&'static str> {
    match refusal {
        Refusal::NotInBaseline | Refusal::NothingAssessed => Some("status"),
        Refusal::NothingToAccept | Refusal::BadReason => Some("reason"),
        Refusal::BadEnd => Some("until"),
        Refusal::NoCurrentState => Some(field_name(Field::CurrentState)),
        Refusal::NotKnown(_) => Some(""),
        Refusal::BadText(field) | Refusal::UnknownValue(field) => Some(field_name(*field)),
        _ => None,
    }
}

/// Reads what the editor wants the check to be.
fn wanted(form: &CheckForm) -> Result<CheckChange, Errors> {
    let severity = severity(&form.severity);
    let status = status(&form.status);
    let is_accepted = !form.until.trim().is_empty() || !form.reason.trim().is_empty();
    let until = calendar_date(form.until.trim());
    let mut errors = Errors::default();
    if status.is_none() {
        errors = errors.with("status", NO_STATUS);
    }
    if severity.is_none() && !form.severity.is_empty() {
        errors = errors.with("severity", "Choose a severity.");
    }
    if is_accepted && until.is_none() {
        errors = errors.with("until", "Enter the day on which it ends, or no reason.");
    }
    match errors.is_empty() {
        true => Ok(CheckChange {
            status,
            severity: Some(severity),
            current_state: Some(form.current_state.clone()),
            why: Some(form.why.clone()),
            suggested_fix: Some(form.suggested_fix.clone()),
            accepted_risk: Some(until.map(|until| AcceptedRisk { reason: form.reason.clone(), until })),
        }),
        false => Err(errors),
    }
}

/// Returns the status of this name. An unknown one can be left as it is, but not chosen.
fn status(text: &str) -> Option<Status> {
    words::chosen(words::STATUSES.into_iter().chain([Status::Unknown]), text)
}

/// Returns the severity of this name. An unknown one can be left as it is, but not chosen.
fn severity(text: &str) -> Option<Severity> {
    words::chosen(words::SEVERITIES.into_iter().chain([Severity::Unknown]), text)
}

/// Returns an error with the current value for each field that differs from the form.
fn differences(form: &CheckForm, now: &CheckForm) -> Errors {
    let fields = [
        ("status", &*form.status, &*now.status),
        ("severity", &*form.severity, &*now.severity),
        ("currentState", &*form.current_state, &*now.current_state),
        ("why", &*form.why, &*now.why),
        ("suggestedFix", &*form.suggested_fix, &*now.suggested_fix),
        ("until", &*form.until, &*now.until),
        ("reason", &*form.reason, &*now.reason),
    ];
    conflict::differences(fields)
}

fn of_administrator(admin: &GlobalAdmin) -> AdministratorForm {
    AdministratorForm {
        administrator: digest(&admin.user_principal_name),
        seen: Seen::administrator(admin).as_str().to_owned(),
        status: Wire(admin.status).to_string(),
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
    let head = &found.head;
    let kind = found.body.figures.report_type;
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
    let head = &found.head;
    let kind = found.body.figures.report_type;
    let page = view::edit_administrator::Page { shell: &shell, head, kind, administrator, form, errors: &errors };
    Ok(respond::page(view::edit_administrator::page(&page)))
}

impl Found {
    pub(super) fn check(&self, control: &str) -> Result<&Check, Failure> {
        self.body.checks.iter().find(|check| check.control_id.as_str() == control).ok_or(Failure::NotFound)
    }

    fn administrator(&self, of: &str) -> Result<&GlobalAdmin, Failure> {
        let mut admins = self.body.global_admins.admins.iter();
        admins.find(|admin| digest(&admin.user_principal_name) == of).ok_or(Failure::NotFound)
    }
}
