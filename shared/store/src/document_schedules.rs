//! Sets of documents that are requested unasked, such as every month.
//!
//! They are in the item of all schedules. A set is requested in the transaction that writes that it was due, over the version
//! that was read, so there is one for each moment, however often it is looked for.

use chrono::TimeDelta;
use model::{Label, Schedule, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::schedules::MOST_LABELS;
use super::table::Transaction;
use super::{AdminWriter, DocumentSet, ScheduleError, Schedules, StoreError, Which, Writer};

/// Documents that are made on the days of a schedule, at the beginning of its window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentSchedule {
    /// Only those of tenants with this label.
    pub label: Option<Label>,
    /// Its days. It applies from the last set that it requested.
    pub schedule: Schedule,
    /// Only documents of reports that were added since the time before.
    pub only_new: bool,
    /// The options of all documents, as JSON.
    pub choice: String,
}

impl DocumentSchedule {
    /// Returns the last moment at which a set was due and is not requested, up to a time.
    fn due(&self, now: Timestamp) -> Option<Timestamp> {
        self.schedule.opened(now).filter(|at| *at > self.schedule.since)
    }

    /// Returns which documents a set has that was due at a moment. If sets were missed, it has the reports of all of them.
    fn which(&self, due_at: Timestamp) -> Which {
        let before = Timestamp::try_from(due_at.to_datetime() - TimeDelta::milliseconds(1)).unwrap_or(due_at);
        let since = self.schedule.opened(before).unwrap_or(before).min(self.schedule.since);
        Which { label: self.label.clone(), since: self.only_new.then_some(since) }
    }
}

impl Writer {
    /// Requests the first set of documents that is due, and returns it with the schedules as they are now. Returns `None` if
    /// none is, or the schedules changed since they were read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn request_due_documents(
        &self,
        seen: &Schedules,
    ) -> Result<Option<(Schedules, DocumentSet)>, StoreError> {
        let due = |of: &DocumentSchedule| of.due(self.at);
        let Some((place, due_at)) = seen.documents.iter().enumerate().find_map(|(place, of)| Some((place, due(of)?)))
        else {
            return Ok(None);
        };
        let mut changed = Schedules { version: seen.version + 1, ..seen.clone() };
        let of = &mut changed.documents[place];
        let set = self.new_documents(of.which(due_at), of.choice.clone());
        of.schedule.since = due_at;
        let mut actions = self.write_schedules(Some(seen), &changed)?;
        let (action, deed) = self.request_of(&set)?;
        actions.push(action);
        let written = self.commit(actions, || deed).await? == Transaction::Done;
        Ok(written.then_some((changed, set)))
    }
}

impl AdminWriter {
    /// Sets when documents of the tenants with a label, or of all, are made unasked, or with `None` that they are not.
    ///
    /// # Errors
    /// If too many labels have one, or the store fails.
    pub async fn schedule_documents(
        &self,
        label: Option<&Label>,
        new: Option<&DocumentSchedule>,
    ) -> Result<(), ScheduleError> {
        self.change_schedules(|changed| {
            let documents = &mut changed.documents;
            let before =
                documents.iter().position(|of| of.label.as_ref() == label).map(|place| documents.remove(place));
            if documents.len() >= MOST_LABELS {
                return Err(ScheduleError::TooMany);
            }
            documents.extend(new.cloned());
            documents.sort_by(|a, b| a.label.cmp(&b.label));
            let field = label.map_or_else(|| "documents".to_owned(), |label| format!("documents of label {label}"));
            let [before, after] = [before.as_ref(), new].map(|of| of.map(|of| of.schedule.every.to_string()));
            Ok(Deed::new(AuditAction::ScheduleChanged, self.id()).with(&field, before, after))
        })
        .await
    }
}
