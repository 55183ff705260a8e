//! The reports of a response: their pointers are found while the first reports are already read and sent.

use std::sync::{Arc, OnceLock};

use futures_util::future::try_join;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};

use super::names::Names;
use super::place::ReportPosition;
use super::read::Reports;
use super::{ListedReport, Selection};
use crate::{Organization, StoreError};

/// Pointers as they are read, a page at a time.
pub(super) type Pointers = BoxStream<'static, Result<Vec<ListedReport>, StoreError>>;

/// The reports of a response.
pub struct Chosen {
    organization: Organization,
    pointers: Pointers,
    next: NextPage,
}

/// The position at which the next page of a list begins. Known once the list has been read to its end.
#[derive(Clone, Default)]
pub struct NextPage(Arc<OnceLock<ReportPosition>>);

impl NextPage {
    /// Returns the position of the last report of the list if others follow it.
    pub fn position(&self) -> Option<&ReportPosition> {
        self.0.get()
    }
}

impl Chosen {
    /// Returns the reports of a selection, with their pointers from all pages of its range.
    pub(super) fn new(organization: &Organization, selection: &Selection, pages: Pointers) -> Self {
        let next = NextPage::default();
        let walk = Walk {
            organization: organization.clone(),
            pages,
            names: selection.tenant.as_ref().map(Names::of),
            left: selection.most(),
            looks_ahead: !selection.is_one(),
            last: None,
            next: next.clone(),
        };
        let pointers = stream::try_unfold(walk, |mut walk| async move {
            let pointers = walk.next().await?;
            Ok(pointers.map(|pointers| (pointers, walk)))
        });
        Self { organization: organization.clone(), pointers: pointers.boxed(), next }
    }

    /// Returns the position at which the next page will begin.
    pub fn next(&self) -> NextPage {
        self.next.clone()
    }

    /// Returns the reports, a batch at a time.
    pub fn reports(self) -> Reports {
        self.organization.reports_at(self.pointers)
    }

    /// Returns the summaries of the reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed(self) -> Result<Vec<ListedReport>, StoreError> {
        self.pointers.try_concat().await
    }
}

/// A walk through the pointers of a selection, up to its limit.
struct Walk {
    organization: Organization,
    pages: Pointers,
    /// `None` until the first page is read.
    names: Option<Names>,
    /// Maximum number of further reports.
    left: usize,
    /// Whether to find out if other reports follow the last one.
    looks_ahead: bool,
    /// Position of the last report.
    last: Option<ReportPosition>,
    next: NextPage,
}

impl Walk {
    /// Returns the next pointers, or `None` after the last one.
    async fn next(&mut self) -> Result<Option<Vec<ListedReport>>, StoreError> {
        while self.left > 0 || self.looks_ahead {
            let Some(mut page) = self.page().await? else { break };
            let others_follow = page.len() > self.left;
            page.truncate(self.left);
            self.left -= page.len();
            if let Some(last) = page.last() {
                self.last = Some(last.summary.position());
            }
            if others_follow {
                self.looks_ahead = false;
                self.last.take().map(|last| self.next.0.set(last));
            }
            if !page.is_empty() {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }

    /// Returns the next page with current names. The names are read together with the first page, which is after the
    /// selection's state.
    async fn page(&mut self) -> Result<Option<Vec<ListedReport>>, StoreError> {
        let page = self.pages.try_next();
        let (page, names) = match self.names.take() {
            Some(names) => (page.await?, names),
            None => try_join(page, self.organization.names()).await?,
        };
        let names = self.names.insert(names);
        Ok(page.map(|page| names.correct(page)))
    }
}
