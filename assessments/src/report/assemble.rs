//! Assembles the body of a report from a run.

use model::{
    Check, GlobalAdmin, GlobalAdmins, MfaEnforcement, MfaMethod, ReportBody, ReportFigures, ReportType, Status,
    without_hidden,
};

use super::coverage::coverage;
use super::follow_up::{Comparison, Earlier, Revisions};
use super::no_report::{NoReport, completed_at};
use super::order::report_order;
use super::score::{NothingAssessed, Rating};
use crate::natural_order::natural;
use crate::run::{Administrator, Finding, Run};

/// Days of activity that a report covers if neither the operator nor the file says otherwise.
pub const DEFAULT_LOOKBACK_DAYS: u32 = 30;

/// Age in days above which a password causes a warning.
const PASSWORD_AGE_LIMIT_DAYS: u32 = 100;

/// Settings of a report that do not come from the run.
#[derive(Clone, Copy, Default)]
pub struct Settings<'a> {
    /// Days of activity, if the operator specifies them.
    pub lookback_days: Option<u32>,
    /// The report to compare with; `None` for a baseline report.
    pub earlier: Option<Earlier<'a>>,
}

/// A report ready to be stored.
#[derive(Clone, PartialEq)]
pub struct Assembled {
    /// The report.
    pub body: ReportBody,
    /// The revisions of its controls, which a later comparison needs.
    pub revisions: Revisions,
}

/// Assembles the report of a run: a follow-up if the settings name an earlier report, else a baseline. The report of a
/// part of a run is always a follow-up, because nothing may be compared with it.
///
/// The order of the findings does not matter.
///
/// # Errors
/// Returns the reason if the run cannot become a report, see [`NoReport`].
pub fn assemble(run: &Run, settings: &Settings<'_>) -> Result<Assembled, NoReport> {
    let completed_at = completed_at(run)?;
    let earlier = settings.earlier.as_ref();
    let comparison = earlier.map(Comparison::with);
    let checks = checks(&run.findings, comparison.as_ref());
    let rating = Rating::of(&checks).map_err(|NothingAssessed| NoReport::nothing_assessed(run))?;
    let figures = ReportFigures {
        report_type: if run.is_part || earlier.is_some() { ReportType::FollowUp } else { ReportType::Baseline },
        baseline: earlier.map(Earlier::as_baseline),
        created_at: run.started.unwrap_or(completed_at),
        completed_at,
        activity_lookback_days: settings.lookback_days.or(run.lookback_days).unwrap_or(DEFAULT_LOOKBACK_DAYS),
        score: rating.score,
        grade: rating.grade,
        previous_score: earlier.map(|earlier| earlier.body.figures.score),
        previous_grade: earlier.map(|earlier| earlier.body.figures.grade),
        controls: rating.controls,
        coverage: earlier.map(|earlier| coverage(&run.findings, earlier.body)),
    };
    let body = ReportBody {
        figures,
        global_admins: GlobalAdmins {
            previous_count: earlier.map(|earlier| earlier.body.global_admins.count),
            ..review(run, comparison.as_ref())
        },
        top_risks: rating.top_risks,
        checks,
    };
    Ok(Assembled { body, revisions: revisions(&run.findings) })
}

fn checks(findings: &[Finding], comparison: Option<&Comparison<'_>>) -> Vec<Check> {
    let mut checks: Vec<Check> = findings
        .iter()
        .map(|finding| comparison.map_or_else(|| finding.check.clone(), |comparison| comparison.check(finding)))
        .collect();
    checks.sort_by(report_order);
    checks
}

fn revisions(findings: &[Finding]) -> Revisions {
    findings
        .iter()
        .filter(|finding| finding.revision != 1)
        .map(|finding| (finding.check.control_id.clone(), finding.revision))
        .collect()
}

/// Returns the administrators in order of their sign-in names, without the number at the baseline.
fn review(run: &Run, comparison: Option<&Comparison<'_>>) -> GlobalAdmins {
    let mut admins: Vec<GlobalAdmin> = run.admins.admins.iter().map(|admin| reviewed(admin, comparison)).collect();
    admins.sort_by(|a, b| natural(&a.user_principal_name, &b.user_principal_name));
    GlobalAdmins {
        count: run.admins.count.unwrap_or(count(admins.len())),
        previous_count: None,
        best_practice_max: run.tool.best_practice_max_admins(),
        strong_mfa_count: count(admins.iter().filter(|admin| admin.mfa_method_strong).count()),
        data_complete: run.admins.complete,
        admins,
    }
}

fn reviewed(admin: &Administrator, comparison: Option<&Comparison<'_>>) -> GlobalAdmin {
    let now = admin_status(admin.mfa_method, admin.mfa_enforcement);
    let name = without_hidden(admin.user_principal_name.clone());
    GlobalAdmin {
        status: comparison.map_or(now, |comparison| comparison.admin(&name, now)),
        user_principal_name: name,
        mfa_enforcement: admin.mfa_enforcement,
        mfa_method: admin.mfa_method,
        mfa_method_strong: admin.mfa_method.is_strong(),
        password_age_days: admin.password_age_days,
        password_age_warning: admin.password_age_days.is_some_and(|days| days > PASSWORD_AGE_LIMIT_DAYS),
        failed_sign_ins: admin.failed_sign_ins,
    }
}

/// Returns secure for a strong method that is enforced, or of which the enforcement is unknown.
fn admin_status(method: MfaMethod, enforcement: MfaEnforcement) -> Status {
    match (method, enforcement) {
        (MfaMethod::Unknown, _) => Status::NotAssessed,
        (_, MfaEnforcement::None) => Status::Open,
        _ if method.is_strong() => Status::Secure,
        _ => Status::Open,
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
