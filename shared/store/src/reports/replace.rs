//! Replacing a report by that of another copy of the same run.

use super::{EditMark, NewReport, ReportError, ReportItem, StoredReport};
use crate::Writer;
use crate::audit::{AuditAction, Deed};
use crate::table::Transaction;

impl Writer {
    /// Replaces a report, as it was read, by that of another copy of the same run, with the edits that were kept.
    ///
    /// # Errors
    /// [`ReportError::TenantChanged`] if the report or its tenant was changed since it was read; or if the report exceeds
    /// the size limit of an item, or the store fails.
    pub async fn replace_report(
        &self,
        stored: &StoredReport,
        new: NewReport<'_>,
        edits: Vec<EditMark>,
    ) -> Result<(), ReportError> {
        let rows = |content: Option<usize>| content.map(|rows| rows.to_string());
        let before = (rows(stored.content.as_ref().map(|it| it.rows)), stored.summary.figures.score.to_string());
        let after = (rows(new.content.as_ref().map(|it| it.rows)), new.body.figures.score.to_string());
        let summary = stored.summary.edited(new.body, self.at);
        let item = ReportItem::new(summary, new.body, new.revisions, edits, new.content)?;
        let event = self.new_event();
        let results = (new.body, new.revisions);
        let (actions, content, ended) = self.replacing(&item, results, (stored, new.tenant), &event).await?;
        let deed = || {
            let deed = Deed::new(AuditAction::ReportReplaced, new.id).with("rows", before.0, after.0);
            let deed = deed.with("score", Some(before.1), Some(after.1)).telling(content);
            let changes = deed.changes.into_iter().chain(ended).collect();
            Deed { changes, event: Some(event), ..deed }
        };
        match self.commit(actions, deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(ReportError::TenantChanged),
        }
    }
}
