//! Edits of a report: its body is written anew, so that the API returns what the report shows.

use aws_sdk_dynamodb::types::AttributeValue;
use backon::Retryable;

use super::reports::StoredReport;
use super::table::{CONTENDERS, Item, backoff};
use super::{Organization, StoreError};
use model::{ReportBody, ReportId};

/// The attributes of a stored report that its body decides.
const OF_BODY: [&str; 5] = ["crc32", "grade", "length", "score", "tail"];

/// Why a report was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The organization has no such report.
    #[error("the organization has no such report")]
    NoReport,
    /// The edit was refused; nothing is changed.
    #[error(transparent)]
    Refused(E),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Organization {
    /// Edits a report's body and gives the edited report. The edit is made again on what another editor left when one
    /// came between, so nobody's edit is lost.
    ///
    /// # Errors
    /// When there is no such report, `edit` refuses, the report becomes too large, or the store fails. Nothing is
    /// changed then.
    pub async fn edit_report<E>(
        &self,
        id: &ReportId,
        edit: impl Fn(&mut ReportBody) -> Result<(), E>,
    ) -> Result<StoredReport, EditError<E>> {
        let attempt = || async {
            let stored = self.report(id).await?.ok_or(EditError::NoReport)?;
            let mut body = stored.clone().open()?.body;
            edit(&mut body).map_err(EditError::Refused)?;
            let edited = stored.with_body(&body)?;
            let mut attributes: Item = serde_dynamo::to_item(&edited).map_err(StoreError::from)?;
            attributes.retain(|name, _| OF_BODY.contains(&name.as_str()));
            let unchanged = ("crc32", AttributeValue::N(stored.checksum().to_string()));
            match self.store.set(self.key_of(&stored.place()), attributes, Some(unchanged)).await? {
                true => Ok(edited),
                false => Err(StoreError::Contended("editing a report").into()),
            }
        };
        let came_between = |error: &EditError<E>| matches!(error, EditError::Store(error) if error.is_contended());
        attempt.retry(backoff(CONTENDERS)).when(came_between).await
    }
}
