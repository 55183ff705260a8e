//! Parts of bodies that equal reports share.
//!
//! A run often equals the one before: other times, and perhaps other ages of passwords, but the same risks and checks,
//! which are most of a report. Such a report has an item with the beginning of its body, and refers to an item with the
//! rest, which the reports of a tenant share. The rest never changes: an edit gives the report a whole body of its own, and
//! the deletion of the last report that refers to it deletes it.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt};
use model::{Check, ReportBody, TopRisk};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{ListedReport, ReportItem, ReportSummary};
use crate::fragment::StoredText;
use crate::keys::Key;
use crate::table::{Action, Decoded, Order};
use crate::{Fragment, Organization, StoreError, Writer};

/// Number of reports next to a deleted one that are looked at first.
const NEAREST: usize = 8;
/// Number of bytes of a digest that are used.
const DIGEST_LENGTH: usize = 16;

/// Identifies a shared part by its text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyDigest(String);

/// The item of a shared part.
///
/// Its text is the risks and checks, and the closing brace.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SharedBody(StoredText);

/// The fields that can be shared. They are the last ones of a body.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LastFields<T, C> {
    top_risks: T,
    checks: C,
}

/// A new report that shares a part of its body.
pub(super) struct Sharing {
    pub(super) digest: BodyDigest,
    /// Length of the beginning, which is not shared.
    pub(super) own: usize,
    /// Creates the shared part, if it does not exist.
    pub(super) creation: Option<Action>,
}

impl BodyDigest {
    fn of(text: &[u8]) -> Self {
        Self(hex::encode(&Sha256::digest(text)[..DIGEST_LENGTH]))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl SharedBody {
    fn of(text: &[u8]) -> Self {
        Self(Fragment::stored(text).into())
    }

    pub(crate) fn fragment(&self, key: Key) -> Fragment {
        self.0.clone().of_item(key)
    }

    /// Reads the text, and compares it with the key.
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        let fragment = self.fragment(key.clone());
        let text = fragment.inflate()?;
        let object = [b"{".as_slice(), &text].concat();
        let is_whole = serde_json::from_slice::<LastFields<Vec<TopRisk>, Vec<Check>>>(&object).is_ok();
        match is_whole && key.part(2) == Some(BodyDigest::of(&text).as_str()) {
            true => Ok(()),
            false => Err(fragment.unexpected("the shared part of reports is not what its key says")),
        }
    }
}

/// Returns the part of a body's text that can be shared: the end of it.
fn last_fields<'a>(text: &'a [u8], body: &ReportBody) -> Option<&'a [u8]> {
    let last = LastFields { top_risks: &body.top_risks, checks: &body.checks };
    let last = serde_json::to_vec(&last).ok()?;
    let own = text.strip_suffix(&last[1..])?;
    text.get(own.len()..)
}

impl Writer {
    /// Returns how a new report shares a part of its body with the newest report of its tool, if that is equal.
    pub(super) async fn sharing(
        &self,
        summary: &ReportSummary,
        before: Option<&ListedReport>,
        (text, body): (&[u8], &ReportBody),
    ) -> Result<Option<Sharing>, StoreError> {
        let before = before.filter(|before| before.summary.position() < summary.position());
        let Some(before) = before.filter(|_| self.store.shares_equal_bodies()) else { return Ok(None) };
        let Some(shared) = last_fields(text, body) else { return Ok(None) };
        let (digest, own) = (BodyDigest::of(shared), text.len() - shared.len());
        let key = self.partition.shared_body(&summary.service_tenant_id, &digest);
        let creation = match &before.summary.shared_body {
            Some(of_before) if *of_before == digest => None,
            Some(_) => return Ok(None),
            None => {
                let item = self.store.get::<ReportItem>(self.key_of(&before.summary.place())).await?;
                let is_equal = item.is_some_and(|item| item.ends_with(shared));
                if !is_equal {
                    return Ok(None);
                }
                match self.store.get_item(key.clone()).await? {
                    Some(_) => None,
                    None => Some(self.store.create(key, &SharedBody::of(shared))?),
                }
            }
        };
        Ok(Some(Sharing { digest, own, creation }))
    }

    /// Returns the action that deletes the shared part of a deleted report, if no other report refers to it.
    ///
    /// Equal reports follow each other, so those after the deleted one are looked at first, then those before it, from
    /// the nearest on: one of the first few refers to the part, unless none does. The version of the tenant shows whether
    /// another report was added meanwhile.
    pub(crate) async fn release_body(&self, deleted: &ReportSummary) -> Result<Option<Action>, StoreError> {
        let Some(digest) = &deleted.shared_body else { return Ok(None) };
        let (tenant, at) = (&deleted.service_tenant_id, deleted.figures.completed_at);
        let after = self.partition.history_of(tenant, Some(at));
        let before = self.partition.history_of(tenant, None).up_to_report(at, &deleted.report_id);
        let nearest = |range, order| self.store.query::<ListedReport>(range, order, &[NEAREST]);
        let history = nearest(after, Order::OldestFirst).chain(nearest(before, Order::NewestFirst));
        let refers = |other: &ListedReport| {
            other.summary.report_id != deleted.report_id && other.summary.shared_body.as_ref() == Some(digest)
        };
        let is_kept = history.try_any(async |page| page.iter().any(refers)).await?;
        Ok((!is_kept).then(|| self.store.erase(self.partition.shared_body(tenant, digest))))
    }
}

impl Organization {
    /// Returns the shared parts that items refer to, each read once.
    pub(crate) async fn shared_bodies<'a>(
        &self,
        items: impl Iterator<Item = &'a ReportItem>,
    ) -> Result<HashMap<Key, SharedBody>, StoreError> {
        let mut keys: Vec<_> = items.filter_map(|item| item.shared_key(&self.partition)).collect();
        keys.sort();
        keys.dedup();
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let found = self.store.batch_get(&keys).await?;
        let found = keys.into_iter().zip(found).filter_map(|(key, item)| Some((key, item?)));
        found.map(|(key, item)| Ok((key, SharedBody::decoded(item)?))).collect()
    }
}
