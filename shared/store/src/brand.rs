//! The brand of an organization's documents for its clients.

use std::fmt;

use model::OrganizationId;
use serde::{Deserialize, Serialize};

use super::audit::Deed;
use super::table::Transaction;
use super::{AdminWriter, AuditAction, Organization, StoreError};

/// A brand, as stored. Fields that the organization has not chosen are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrandRecord {
    /// Rises with every change, from 0 for a brand that was never chosen. A change is only written over the version that
    /// was read.
    #[serde(default)]
    pub version: u64,
    /// Name to show instead of the organization's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Accent colour as chosen, `#rrggbb` in lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accent: Option<String>,
    /// Line at the foot of every page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footer: Option<String>,
    /// Logo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<LogoRecord>,
}

/// A logo, as stored: decoded and measured before it was stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogoRecord {
    /// Media type: `image/png` or `image/jpeg`.
    pub media_type: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The file's bytes.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

impl LogoRecord {
    /// Returns a description without the bytes: type, pixels and size.
    fn summary(&self) -> String {
        let Self { media_type, width, height, bytes } = self;
        format!("{media_type}, {width} x {height} pixels, {} bytes", bytes.len())
    }
}

impl fmt::Debug for LogoRecord {
    /// Omits the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogoRecord({})", self.summary())
    }
}

impl Organization {
    /// Returns the brand, which is empty until the organization chooses one.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn brand(&self) -> Result<BrandRecord, StoreError> {
        let brand = self.store.get(self.partition.brand()).await?;
        Ok(brand.unwrap_or_default())
    }
}

impl AdminWriter {
    /// Replaces the brand that was read. Returns whether it was still the same.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn set_brand(&self, before: &BrandRecord, after: &BrandRecord) -> Result<bool, StoreError> {
        let next = BrandRecord { version: before.version + 1, ..after.clone() };
        let seen = (before.version > 0).then_some(before.version);
        let actions = vec![self.store.succeed(self.partition.brand(), &next, seen)?];
        Ok(self.commit(actions, || deed(&self.id, before, after)).await? == Transaction::Done)
    }
}

fn deed(organization: &OrganizationId, before: &BrandRecord, after: &BrandRecord) -> Deed {
    let logo = |brand: &BrandRecord| brand.logo.as_ref().map(LogoRecord::summary);
    let fields = [
        ("name", before.name.clone(), after.name.clone()),
        ("accent", before.accent.clone(), after.accent.clone()),
        ("footer", before.footer.clone(), after.footer.clone()),
        ("logo", logo(before), logo(after)),
    ];
    let changed = fields.into_iter().filter(|(_, before, after)| before != after);
    changed.fold(Deed::new(AuditAction::BrandChanged, organization), |deed, (field, before, after)| {
        deed.with(field, before, after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AuditChange;

    #[test]
    fn the_audit_trail_names_what_changed_and_describes_the_logo() {
        let logo = LogoRecord { media_type: "image/png".to_owned(), width: 2, height: 3, bytes: vec![0; 4] };
        let before = BrandRecord { name: Some("Northwind".to_owned()), ..BrandRecord::default() };
        let after = BrandRecord { logo: Some(logo), ..before.clone() };
        let changes = |before, after| deed(&"org_a".parse().unwrap(), before, after).changes;
        let [change] = changes(&before, &after).try_into().unwrap();
        let described = Some("image/png, 2 x 3 pixels, 4 bytes".to_owned());
        assert!(change == AuditChange { field: "logo".to_owned(), before: None, after: described }, "{change:?}");
        assert!(changes(&after, &after).is_empty());
    }
}
