//! Accepted risks that end soon: told of once, 14 days before.
//!
//! Whoever looks at an organization for reports that are due also tells of them. Accepting a risk lets the organization be
//! looked at in time.

use backon::Retryable;
use chrono::{Days, NaiveDate, NaiveTime};
use model::{AcceptedRisk, Timestamp};

use super::audit::{AuditAction, Deed};
use super::events::{ControlChange, EventContent};
use super::reports::ListedReport;
use super::table::{Action, CONTENDERS, Transaction, backoff};
use super::{KeptEdit, StoreError, Writer};

/// How many days before its end an accepted risk is told of.
const DAYS: u64 = 14;

impl KeptEdit {
    /// Returns when its accepted risk is to be told of, because it ends soon. `None` if it was told of, or was accepted so
    /// late that people know.
    pub fn reminds_at(&self) -> Option<Timestamp> {
        let risk = self.values.accepted_risk.as_ref().filter(|_| !self.is_reminded)?;
        reminds_at(risk.until, self.at)
    }

    /// Returns the accepted risk, if it is to be told of now.
    fn expiring(&self, now: Timestamp) -> Option<&AcceptedRisk> {
        let is_due = self.reminds_at().is_some_and(|at| at <= now);
        self.values.accepted_risk.as_ref().filter(|risk| is_due && !risk.is_over(now))
    }
}

fn reminds_at(until: NaiveDate, accepted_at: Timestamp) -> Option<Timestamp> {
    let day = until.checked_sub_days(Days::new(DAYS))?;
    let at = Timestamp::try_from(day.and_time(NaiveTime::MIN).and_utc()).ok()?;
    (at > accepted_at).then_some(at)
}

impl Writer {
    /// Returns the actions that let the organization be looked at when a risk that is accepted now ends soon.
    pub(crate) async fn watch_risk(&self, risk: &AcceptedRisk) -> Result<Vec<Action>, StoreError> {
        match reminds_at(risk.until, self.at) {
            Some(at) => self.look_by(at).await,
            None => Ok(Vec::new()),
        }
    }

    /// Tells that an accepted risk ends soon, unless it was told, or has changed since it was read. Returns whether it was
    /// told now.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tell_expiring(&self, seen: &KeptEdit) -> Result<bool, StoreError> {
        let attempt = || async {
            let Some(tenant) = self.tenant(&seen.service_tenant_id).await? else { return Ok(false) };
            let kept = self.kept_edit(&seen.service_tenant_id, &seen.control_id).await?;
            let Some((before, risk)) = kept.as_ref().and_then(|kept| Some((kept, kept.expiring(self.at)?))) else {
                return Ok(false);
            };
            let content = self.of_expiring(before, risk, EventContent::of_tenant(&tenant)).await?;
            let after = KeptEdit { is_reminded: true, version: before.version + 1, ..before.clone() };
            let key = self.partition.kept_edit(&before.service_tenant_id, &before.control_id);
            let actions = vec![
                self.store.replace(key, &after, before.version)?,
                self.store.require_version(self.partition.tenant(&tenant.service_tenant_id), tenant.version),
            ];
            let deed = || {
                let deed = Deed::new(AuditAction::RiskExpiring, &before.control_id);
                let deed = deed.with("tenant", None, Some(tenant.service_tenant_id.to_string()));
                deed.with("accepted until", None, Some(risk.until.to_string())).telling(content)
            };
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(true),
                Transaction::Refused(_) => Err(StoreError::Contended("telling of an accepted risk that ends soon")),
            }
        };
        attempt.retry(backoff(CONTENDERS)).when(|error| matches!(error, StoreError::Contended(_))).await
    }

    /// Returns what is told of an accepted risk: with the newest report that has it, if there is one.
    async fn of_expiring(
        &self,
        kept: &KeptEdit,
        risk: &AcceptedRisk,
        content: EventContent,
    ) -> Result<EventContent, StoreError> {
        let accepted_until = Some(risk.until);
        let control_id = kept.control_id.clone();
        let mut control =
            ControlChange { control_id, severity: None, drift_id: None, open_since: None, accepted_until };
        let newest: Vec<ListedReport> = self.store.all(self.partition.newest_of(&kept.service_tenant_id, None)).await?;
        for ListedReport { summary, .. } in newest {
            let Some(report) = self.report(&summary.report_id).await? else { continue };
            let body = report.open()?.body;
            let has_risk = |check: &&model::Check| check.control_id == kept.control_id && check.accepted_risk.is_some();
            if let Some(check) = body.checks.iter().find(has_risk) {
                control.severity = check.severity;
                return Ok(content.with_report(&summary, None).with_expiring(control));
            }
        }
        Ok(content.with_expiring(control))
    }
}
