//! The reports of a response.
//!
//! The state of a selection is known before a pointer is read, so a client that already has the response causes no
//! further reads. Pointers are read afterwards and strongly consistent, so a response is never older than its state.

use std::sync::{Arc, OnceLock};

use futures_util::future::try_join;
use futures_util::stream;
use futures_util::{StreamExt, TryStreamExt};

use super::names::Names;
use super::place::ReportPosition;
use super::read::{Pointers, Reports};
use super::{ListedReport, Selection};
use crate::table::Order;
use crate::{Organization, StoreError};

/// Size of the first page of pointers if their reports are read: small, so that the first reports are read while the
/// other pointers are found.
const FIRST_PAGE: usize = 50;
/// Maximum number of pointers that are read as one page nevertheless.
const FEW: usize = 110;

/// A selection of an organization's reports, none of which is read yet.
pub struct Selected {
    organization: Organization,
    selection: Selection,
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

impl Organization {
    /// Returns a selection of reports. Reads nothing.
    pub fn select(&self, selection: Selection) -> Selected {
        Selected { organization: self.clone(), selection, next: NextPage::default() }
    }
}

impl Selected {
    /// Returns a text that changes with every change of a selectable report or tenant. It contains names, so it must be
    /// hashed and never shown.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn state(&self) -> Result<String, StoreError> {
        match &self.selection.tenant {
            Some(tenant) => {
                let reports = self.organization.reports_state_of(&tenant.service_tenant_id).await?;
                Ok(format!("{reports} {} {}", tenant.service_tenant_id, tenant.name))
            }
            None => self.organization.reports_state().await,
        }
    }

    /// Returns the position at which the next page will begin.
    pub fn next(&self) -> NextPage {
        self.next.clone()
    }

    /// Returns the reports, a batch at a time.
    pub fn reports(self) -> Reports {
        let wanted = self.selection.wanted();
        let pointers =
            if wanted > FEW { self.pointers(&[FIRST_PAGE, wanted - FIRST_PAGE]) } else { self.pointers(&[wanted]) };
        self.organization.reports_at(pointers)
    }

    /// Returns the summaries of the reports. Reads no bodies.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn listed(self) -> Result<Vec<ListedReport>, StoreError> {
        self.pointers(&[self.selection.wanted()]).try_concat().await
    }

    /// Returns the pointers of the reports, without those of tenants whose removal is in progress.
    fn pointers(&self, sizes: &[usize]) -> Pointers {
        let walk = Walk {
            organization: self.organization.clone(),
            pages: self.pages(sizes),
            names: self.selection.tenant.as_ref().map(Names::of),
            left: self.selection.most(),
            looks_ahead: !self.selection.is_one(),
            last: None,
            next: self.next.clone(),
        };
        let pointers = stream::try_unfold(walk, |mut walk| async move {
            let pointers = walk.next().await?;
            Ok(pointers.map(|pointers| (pointers, walk)))
        });
        pointers.boxed()
    }

    /// Returns pages of these sizes from the range of the selection, with the names that are stored in the pointers.
    fn pages(&self, sizes: &[usize]) -> Pointers {
        let after = self.selection.after.clone();
        if self.selection.is_one() && after.is_some() {
            return stream::empty().boxed();
        }
        let range = self.selection.range(&self.organization.partition);
        let follows =
            move |pointer: &ListedReport| after.as_ref().is_none_or(|after| pointer.summary.position() < *after);
        let pages = self.organization.store.query::<ListedReport>(range, Order::NewestFirst, sizes);
        pages.map_ok(move |page| page.into_iter().filter(&follows).collect()).boxed()
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
                if let Some(last) = self.last.take() {
                    self.next.0.get_or_init(|| last);
                }
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
