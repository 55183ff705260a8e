//! Texts of the organization: why a control of a tool matters, and its fix, written once for all tenants.
//!
//! Each later import uses them where no kept edit of the tenant has a value. Reports that exist do not change.

use std::fmt;

use backon::Retryable;
use model::{ControlId, Timestamp};
use serde::{Deserialize, Serialize};

use super::audit::{AuditAction, Deed};
use super::table::{CONTENDERS, Transaction, backoff, next_version};
use super::{Located, Organization, StoreError, Writer};

/// Most texts for the controls of a tool: an import stores a mark for each in the report.
const MOST: usize = 300;
/// Most bytes of the texts for the controls of a tool together: an import adds them to the report, which is one item.
const MOST_BYTES: usize = 100 * 1024;

/// The organization's text for a control of a tool, as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlText {
    /// Name of the tool.
    pub tool: String,
    /// The control.
    pub control_id: ControlId,
    /// The texts.
    #[serde(flatten)]
    pub texts: Texts,
    /// Name of the member who set it last.
    pub by: String,
    /// When it was set last.
    pub at: Timestamp,
    /// Incremented by every change. A change is only written over the version that was read.
    pub version: u64,
}

/// Reason and fix; at least one of the two. `None` leaves what the tool says.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Texts {
    /// Reason why the control matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The recommended change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_fix: Option<String>,
}

/// The reason why a text was not set or removed.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// No report has had the control.
    #[error("no report of the tool has had control {0}: write it as the reports do")]
    NoSuchControl(ControlId),
    /// Several tools have a control with this identifier.
    #[error("several tools have a control {0}: name the tool")]
    SeveralTools(ControlId),
    /// Somebody else has changed the text since the editor saw it.
    #[error("this was changed since you opened it: check the new values, then save again")]
    ChangedMeanwhile,
    /// The texts for the controls of the tool would be too many or too long.
    #[error(
        "a tool can have at most {MOST} texts with {} KB in total: shorten or remove some",
        MOST_BYTES / 1024
    )]
    TooMany,
    /// There is no text for the control.
    #[error("there is no text for the control")]
    NotFound,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Organization {
    /// Returns the texts for the controls of a tool, in order of the controls.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn texts(&self, tool: &str) -> Result<Vec<ControlText>, StoreError> {
        self.store.all(self.partition.texts(tool)).await
    }

    /// Returns all texts, by tool and control.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn all_texts(&self) -> Result<Vec<ControlText>, StoreError> {
        self.store.all(self.partition.all_texts()).await
    }

    /// Returns the tool of a control that has a text or that a report has had, and the text. `tool` may be missing if
    /// only one tool has the control.
    ///
    /// # Errors
    /// If no report or several tools have had the control, or the store fails.
    pub async fn text_of(
        &self,
        tool: Option<&str>,
        control: &ControlId,
    ) -> Result<(String, Option<ControlText>), TextError> {
        if let Some(tool) = tool
            && let Some(text) = self.text(tool, control).await?
        {
            return Ok((tool.to_owned(), Some(text)));
        }
        match self.fleet().await?.locate(control, tool).await? {
            Located::In { tool, .. } => {
                let text = self.text(&tool, control).await?;
                Ok((tool, text))
            }
            Located::Several => Err(TextError::SeveralTools(control.clone())),
            Located::Nowhere => Err(TextError::NoSuchControl(control.clone())),
        }
    }

    /// Returns the text for a control of a tool.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn text(&self, tool: &str, control: &ControlId) -> Result<Option<ControlText>, StoreError> {
        self.store.get(self.partition.text(tool, control)).await
    }
}

impl Writer {
    /// Sets the text for a control, as [`text_of`](Organization::text_of) finds it. `seen` is the version of the text
    /// that the editor saw, 0 if there was none, and `None` for an editor who saw nothing.
    ///
    /// # Errors
    /// As [`text_of`](Organization::text_of), and if the text was changed since it was seen, or the texts for the
    /// controls of the tool would be too many or too long.
    pub async fn set_text(
        &self,
        (tool, control): (Option<&str>, &ControlId),
        texts: &Texts,
        seen: Option<u64>,
    ) -> Result<ControlText, TextError> {
        let attempt = || async {
            let (tool, before) = self.text_of(tool, control).await?;
            let version = before.as_ref().map(|before| before.version);
            if seen.is_some_and(|seen| seen != version.unwrap_or_default()) {
                return Err(TextError::ChangedMeanwhile);
            }
            let text = ControlText {
                tool: tool.clone(),
                control_id: control.clone(),
                texts: texts.clone(),
                by: self.actor.name().to_owned(),
                at: self.at,
                version: next_version(version, self.at),
            };
            self.require_room_for(&text).await?;
            let action = self.store.succeed(self.partition.text(&tool, control), &text, version)?;
            let deed = || {
                let before = before.map(|before| before.texts).unwrap_or_default();
                let deed = Deed::new(AuditAction::TextSet, control).with("tool", None, Some(tool.clone()));
                changes(deed, before, texts.clone())
            };
            match self.commit(vec![action], deed).await? {
                Transaction::Done => Ok(text),
                Transaction::Refused(_) => Err(StoreError::Contended("setting a text").into()),
            }
        };
        let came_between = |error: &TextError| matches!(error, TextError::Store(StoreError::Contended(_)));
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }

    async fn require_room_for(&self, text: &ControlText) -> Result<(), TextError> {
        let mut all = self.texts(&text.tool).await?;
        all.retain(|other| other.control_id != text.control_id);
        all.push(text.clone());
        let size: usize =
            all.iter().flat_map(|of| [&of.texts.why, &of.texts.suggested_fix]).flatten().map(String::len).sum();
        if all.len() > MOST || size > MOST_BYTES { Err(TextError::TooMany) } else { Ok(()) }
    }

    /// Removes a text. Later imports have the tool's values again. `seen` is the version that the editor saw, and
    /// `None` for an editor who saw nothing.
    ///
    /// # Errors
    /// If there is none, it was changed or removed since it was seen, or the store fails.
    pub async fn remove_text(&self, tool: &str, control: &ControlId, seen: Option<u64>) -> Result<(), TextError> {
        let before = self.text(tool, control).await?.filter(|before| seen.is_none_or(|seen| seen == before.version));
        let missing = if seen.is_some() { TextError::ChangedMeanwhile } else { TextError::NotFound };
        let before = before.ok_or(missing)?;
        let erase = self.store.erase_version(self.partition.text(tool, control), before.version);
        let deed = || {
            let deed = Deed::new(AuditAction::TextRemoved, control).with("tool", Some(tool.to_owned()), None);
            changes(deed, before.texts, Texts::default())
        };
        match self.commit(vec![erase], deed).await? {
            Transaction::Done => Ok(()),
            Transaction::Refused(_) => Err(TextError::ChangedMeanwhile),
        }
    }
}

/// Adds the texts that change to the entry of the audit trail.
fn changes(deed: Deed, before: Texts, after: Texts) -> Deed {
    let texts = [("why", before.why, after.why), ("suggestedFix", before.suggested_fix, after.suggested_fix)];
    let changed = texts.into_iter().filter(|(_, before, after)| before != after);
    changed.fold(deed, |deed, (field, before, after)| deed.with(field, before, after))
}

impl fmt::Debug for ControlText {
    /// Leaves out names and texts, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlText").field("control_id", &self.control_id).finish_non_exhaustive()
    }
}

impl fmt::Debug for Texts {
    /// Leaves out the texts, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").finish_non_exhaustive()
    }
}
