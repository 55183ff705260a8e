//! Tasks: who is responsible for a control of a tenant that does not meet best practice, and by when.
//!
//! A task is no part of a report. It changes without an edit of one, and readers of the API do not see it. The newest report
//! of a tool also marks the tasks as done whose controls it finds secure, in its own transaction.

use std::fmt;

use backon::Retryable;
use chrono::NaiveDate;
use model::{Check, ControlId, ReportBody, ReportId, ServiceTenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, AuditChange, Deed, word};
use super::table::{Action, CONTENDERS, Transaction, backoff, next_version};
use super::{Organization, StoreError, TenantRecord, Writer};

/// A task, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// The tenant.
    pub service_tenant_id: ServiceTenantId,
    /// The control.
    pub control_id: ControlId,
    /// Owner, day and note.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// Completion of the report for which it was set. Documents of earlier reports do not have it.
    pub since: Timestamp,
    /// Name of the member who set it last.
    pub by: String,
    /// When it was set last.
    pub at: Timestamp,
    /// Completion of the report that found the control secure; `None` while there is something to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
    /// Incremented by every change. A change is only written over the version that was read.
    pub version: u64,
}

/// Owner, day and note; at least one of the three.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Assignment {
    /// The responsible person: a member, or somebody at the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Day (UTC) by which it is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<NaiveDate>,
    /// A note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The reason why a task was not set or removed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The tenant has no such report, or is removed.
    #[error("the tenant has no report with the control: import one, or name another tool")]
    NoReport,
    /// The report has no check of that control.
    #[error("the report has no control {0}")]
    NoSuchControl(String),
    /// A newer report of the tool exists.
    #[error("a newer report of the tool was added: set the task in that one")]
    NotNewest,
    /// There is nothing to do.
    #[error("only a control that is open, in progress or drifted can have a task")]
    NothingToDo,
    /// Somebody else has changed the task since the editor saw it.
    #[error("this was changed since you opened it: check the new values, then save again")]
    ChangedMeanwhile,
    /// The control has no task.
    #[error("the control has no task")]
    NotFound,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Task {
    /// Returns whether there is something to do.
    pub fn is_open(&self) -> bool {
        self.done_at.is_none()
    }

    /// Returns whether the day by which it is due has passed, and it is not done.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.is_open() && self.assignment.due.is_some_and(|due| due < now.date())
    }

    /// Returns what its end changes, as the audit trail writes it.
    pub(crate) fn end(&self) -> AuditChange {
        AuditChange { field: format!("{} task", self.control_id), before: word(&self.assignment), after: None }
    }
}

impl Organization {
    /// Returns the tasks of a tenant, done ones included, in order of their controls.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tasks(&self, tenant: &ServiceTenantId) -> Result<Vec<Task>, StoreError> {
        self.store.all(self.partition.tasks(tenant)).await
    }

    /// Returns the tasks of all tenants, also of those that are being removed.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn all_tasks(&self) -> Result<Vec<Task>, StoreError> {
        self.store.all(self.partition.all_tasks()).await
    }

    /// Returns the task of a control.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn task(&self, tenant: &ServiceTenantId, control: &ControlId) -> Result<Option<Task>, StoreError> {
        self.store.get(self.partition.task(tenant, control)).await
    }
}

impl Writer {
    /// Sets the task of a control in a report, the newest of its tool. `control` is in any case; `seen` is the version of
    /// the task that the editor saw, 0 if there was none, and `None` for an editor who saw nothing.
    ///
    /// # Errors
    /// If there is no such report or control, the report is not the newest of its tool, the control is secure or not
    /// assessed, the task was changed since it was seen, or the store fails.
    pub async fn set_task(
        &self,
        report: &ReportId,
        control: &str,
        assignment: &Assignment,
        seen: Option<u64>,
    ) -> Result<Task, TaskError> {
        let attempt = || async {
            let found = self.report_with_tenant(report).await?;
            let (stored, tenant) = found.ok_or(TaskError::NoReport)?;
            let newest = self.newest_like(&stored.summary).await?;
            if newest.is_none_or(|newest| newest.summary.report_id != *report) {
                return Err(TaskError::NotNewest);
            }
            let summary = stored.summary.clone();
            let body = stored.open()?.body;
            let is_it = |check: &&Check| check.control_id.as_str().eq_ignore_ascii_case(control);
            let check = body.checks.iter().find(is_it);
            let check = check.ok_or_else(|| TaskError::NoSuchControl(control.to_owned()))?;
            if !check.status.is_failing() {
                return Err(TaskError::NothingToDo);
            }
            let of = &tenant.service_tenant_id;
            let before = self.task(of, &check.control_id).await?;
            let version = before.as_ref().map(|before| before.version);
            if seen.is_some_and(|seen| seen != version.unwrap_or_default()) {
                return Err(TaskError::ChangedMeanwhile);
            }
            let task = Task {
                service_tenant_id: of.clone(),
                control_id: check.control_id.clone(),
                assignment: assignment.clone(),
                since: summary.figures.completed_at,
                by: self.actor.name().to_owned(),
                at: self.at,
                done_at: None,
                version: next_version(version, self.at),
            };
            let next = TenantRecord { version: tenant.version + 1, ..tenant.clone() };
            let actions = vec![
                self.store.succeed(self.partition.task(of, &task.control_id), &task, version)?,
                // Neither a report nor an edit made the control secure meanwhile, and neither will without this task.
                self.store.require_revision(self.key_of(&summary.place()), summary.revision),
                self.store.replace(self.partition.tenant(of), &next, tenant.version)?,
            ];
            let deed = || {
                let before = before.filter(Task::is_open).and_then(|before| word(&before.assignment));
                let deed = Deed::new(AuditAction::TaskSet, &task.control_id).with("tenant", None, Some(of.to_string()));
                deed.with("task", before, word(&task.assignment))
            };
            match self.commit(actions, deed).await? {
                Transaction::Done => Ok(task),
                Transaction::Refused(_) => Err(StoreError::Contended("setting a task").into()),
            }
        };
        let came_between = |error: &TaskError| matches!(error, TaskError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    /// Removes the task of a control, done or not. `seen` is as for [`set_task`](Self::set_task).
    ///
    /// # Errors
    /// If the control has no task, the task was changed since it was seen, or the store fails.
    pub async fn remove_task(
        &self,
        tenant: &ServiceTenantId,
        control: &ControlId,
        seen: Option<u64>,
    ) -> Result<(), TaskError> {
        let key = self.partition.task(tenant, control);
        let (erase, refused) = match seen {
            Some(seen) => (self.store.erase_version(key, seen), TaskError::ChangedMeanwhile),
            None => (self.store.erase_existing(key), TaskError::NotFound),
        };
        let deed = || Deed::new(AuditAction::TaskRemoved, control).with("tenant", Some(tenant.to_string()), None);
        match self.commit(vec![erase], deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(refused),
        }
    }

    /// Returns the open tasks, up to `most`, whose controls the newest report of a tool finds secure.
    pub(crate) async fn tasks_done_by(
        &self,
        tenant: &ServiceTenantId,
        report: &ReportBody,
        most: usize,
    ) -> Result<Vec<Task>, StoreError> {
        let is_secure = |control: &ControlId| {
            report.checks.iter().any(|check| check.control_id == *control && check.status.is_secure())
        };
        let mut tasks = self.tasks(tenant).await?;
        tasks.retain(|task| task.is_open() && is_secure(&task.control_id));
        tasks.truncate(most);
        Ok(tasks)
    }

    /// Returns the action that marks a task as done by a report.
    pub(crate) fn finish_task(&self, task: &Task, report: &ReportBody) -> Result<Action, StoreError> {
        let done_at = Some(report.figures.completed_at);
        let done = Task { done_at, version: task.version + 1, ..task.clone() };
        self.store.replace(self.partition.task(&task.service_tenant_id, &task.control_id), &done, task.version)
    }
}

impl fmt::Debug for Task {
    /// Leaves out names and notes, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").field("control_id", &self.control_id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Assignment {
    /// Leaves out names and notes, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assignment").field("due", &self.due).finish_non_exhaustive()
    }
}
