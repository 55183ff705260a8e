//! `posture report edit`.

use anyhow::Context;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use model::{Check, ReportBody, ReportId, ReportType, Severity, Status};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};
use store::EditError;

use super::show::{as_returned, readable};
use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::serve::DASHBOARD_URL;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("subject").args(["control", "admin"]).required(true),
    group = ArgGroup::new("change")
        .args(["status", "severity", "current_state", "why", "suggested_fix"]).required(true).multiple(true),
)]
pub(crate) struct Edit {
    #[command(flatten)]
    organization: OfOrganization,
    /// The report
    #[arg(value_name = "REPORT_ID")]
    report: ReportId,
    /// Edit the check of this control
    #[arg(long, value_name = "CONTROL_ID")]
    control: Option<String>,
    /// Edit the administrator with this sign-in name; only the status can be edited
    #[arg(long, value_name = "NAME", conflicts_with_all = ["severity", "current_state", "why", "suggested_fix"])]
    admin: Option<String>,
    /// SECURE, FIXED, OPEN, DRIFTED, IN_PROGRESS or NOT_ASSESSED
    #[arg(long, value_parser = wire_value::<Status>)]
    status: Option<Status>,
    /// CRITICAL, HIGH, MEDIUM or LOW
    #[arg(long, value_parser = wire_value::<Severity>)]
    severity: Option<Severity>,
    /// What is configured now
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    current_state: Option<String>,
    /// Why the control matters; an empty text removes it
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// The recommended change; an empty text removes it
    #[arg(long, value_name = "TEXT")]
    suggested_fix: Option<String>,
    /// Address of the dashboard that the report's link points into
    #[arg(long, value_name = "URL", env = "DASHBOARD_URL", default_value = DASHBOARD_URL)]
    dashboard_url: String,
}

impl Edit {
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let edited = organization.edit_report(&self.report, now(), |body| self.apply(body)).await;
        let edited = edited.map_err(|error| match error {
            EditError::Refused(refusal) => refusal,
            EditError::NotFound => {
                anyhow::anyhow!("the organization has no report {}; `posture report list` lists them", self.report)
            }
            EditError::Store(error) => anyhow::Error::new(error).context("the report cannot be edited"),
        })?;
        session.output.show(&as_returned(&self.dashboard_url, edited)?, readable)?;
        Ok(Exit::Done)
    }

    /// Makes the changes; score, grade, counts and top risks follow.
    fn apply(&self, body: &mut ReportBody) -> anyhow::Result<()> {
        if self.status.is_some_and(is_comparison) && body.report_type == ReportType::Baseline {
            anyhow::bail!("only a follow-up has fixed or drifted results, and this report is a baseline");
        }
        match (&self.control, &self.admin) {
            (Some(control), _) => self.apply_to_check(check_of(body, control)?),
            (None, Some(admin)) => self.apply_to_admin(body, admin)?,
            (None, None) => unreachable!("the command line requires one of them"),
        }
        assessments::rescore(body).context("with this edit, nothing in the report would be assessed")
    }

    fn apply_to_check(&self, check: &mut Check) {
        check.status = self.status.unwrap_or(check.status);
        check.previous_state = check.previous_state.take().filter(|_| is_comparison(check.status));
        check.severity = self.severity.or(check.severity);
        if let Some(text) = &self.current_state {
            check.current_state.clone_from(text);
        }
        for (field, text) in [(&mut check.why, &self.why), (&mut check.suggested_fix, &self.suggested_fix)] {
            if let Some(text) = text {
                *field = Some(text.clone()).filter(|text| !text.is_empty());
            }
        }
    }

    fn apply_to_admin(&self, body: &mut ReportBody, name: &str) -> anyhow::Result<()> {
        let admins = &mut body.global_admins.admins;
        let admin = admins.iter_mut().find(|admin| admin.user_principal_name.eq_ignore_ascii_case(name));
        let admin = admin
            .context("the report has no administrator with this sign-in name; `posture report show` lists them")?;
        admin.status = self.status.unwrap_or(admin.status);
        Ok(())
    }
}

fn check_of<'a>(body: &'a mut ReportBody, control: &str) -> anyhow::Result<&'a mut Check> {
    let check = body.checks.iter_mut().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control));
    check.with_context(|| format!("the report has no control {control}; `posture report show` lists them"))
}

/// Whether a status says what changed since the baseline. Only then is there a previous state.
fn is_comparison(status: Status) -> bool {
    matches!(status, Status::Fixed | Status::Drifted)
}

/// A value by its name on the wire, in any case.
fn wire_value<T: DeserializeOwned>(text: &str) -> Result<T, ValueError> {
    let name = text.to_ascii_uppercase().replace('-', "_");
    T::deserialize(StrDeserializer::new(&name))
}
