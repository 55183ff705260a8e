//! The brand of an organization: name, accent colour, logo and footer of the documents for its clients.
//!
//! Only an Admin can change it. The colours of states and severities are not part of it.

mod accent;
mod logo;

use model::{Admin, Timestamp, fits_line};
use store::{BrandRecord, LogoRecord, Organization, StoreError};

pub use accent::{Accent, AccentError};
pub use logo::{LOGO_LIMIT, LOGO_SIDE, LogoError, logo};

/// Longest name, in characters.
pub const NAME_LIMIT: usize = 100;
/// Longest footer, in characters.
pub const FOOTER_LIMIT: usize = 200;

/// The brand that documents show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    /// Name.
    pub name: String,
    /// Accent colour, dark enough for text on white.
    pub accent: Accent,
    /// Line at the foot of every page.
    pub footer: String,
    /// Logo.
    pub logo: Option<LogoRecord>,
}

/// A change of one part of a brand; `None` returns to the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Name to show instead of the organization's.
    Name(Option<String>),
    /// Accent colour.
    Accent(Option<Accent>),
    /// Line at the foot of every page.
    Footer(Option<String>),
    /// Logo, as [`logo`] returned it.
    Logo(Option<LogoRecord>),
}

/// The text is not allowed in a brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {limit} characters without control characters")]
pub struct TextError {
    limit: usize,
}

/// Why a brand was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// It was changed meanwhile. Contains the brand as it is.
    #[error("the brand was changed meanwhile: check the new values, then change it again")]
    ChangedMeanwhile(BrandRecord),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the text of a name, without spaces around it.
///
/// # Errors
/// If it is empty, longer than [`NAME_LIMIT`], or has control characters.
pub fn name(text: &str) -> Result<String, TextError> {
    line(text, NAME_LIMIT)
}

/// Returns the text of a footer, without spaces around it.
///
/// # Errors
/// If it is empty, longer than [`FOOTER_LIMIT`], or has control characters.
pub fn footer(text: &str) -> Result<String, TextError> {
    line(text, FOOTER_LIMIT)
}

fn line(text: &str, limit: usize) -> Result<String, TextError> {
    let text = text.trim();
    let fits = !text.is_empty() && fits_line(text, limit);
    fits.then(|| text.to_owned()).ok_or(TextError { limit })
}

/// Returns the brand, with defaults for the parts that the organization has not chosen.
///
/// # Errors
/// If the store fails.
pub async fn get(organization: &Organization) -> Result<Brand, StoreError> {
    let chosen = organization.brand().await?;
    let name = match chosen.name.clone() {
        Some(name) => name,
        None => organization.name().await?,
    };
    Ok(with_defaults(chosen, name))
}

/// Changes the brand and returns it. Writes nothing if nothing changes. `seen` is the version that the change was made
/// for, or `None` to replace any version.
///
/// # Errors
/// If someone else changed the brand since that version, or at the same moment, or the store fails. It is unchanged then.
pub async fn change(
    organization: &Organization,
    admin: &Admin,
    changes: impl IntoIterator<Item = Change>,
    seen: Option<u64>,
    changed_at: Timestamp,
) -> Result<Brand, ChangeError> {
    let before = organization.brand().await?;
    if seen.is_some_and(|version| version != before.version) {
        return Err(ChangeError::ChangedMeanwhile(before));
    }
    let mut brand = before.clone();
    for change in changes {
        match change {
            Change::Name(name) => brand.name = name,
            Change::Accent(accent) => brand.accent = accent.map(|accent| accent.to_string()),
            Change::Footer(footer) => brand.footer = footer,
            Change::Logo(logo) => brand.logo = logo,
        }
    }
    if brand != before && !organization.by_admin(admin, changed_at).set_brand(&before, &brand).await? {
        return Err(ChangeError::ChangedMeanwhile(organization.brand().await?));
    }
    Ok(get(organization).await?)
}

fn with_defaults(chosen: BrandRecord, name: String) -> Brand {
    let accent: Accent = chosen.accent.and_then(|accent| accent.parse().ok()).unwrap_or_default();
    Brand {
        accent: accent.readable_on_white(),
        footer: chosen.footer.unwrap_or_else(|| format!("{name} · Confidential")),
        logo: chosen.logo,
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_without_choices_shows_the_organization() {
        let brand = with_defaults(BrandRecord::default(), "Northwind".to_owned());
        assert_eq!((brand.name.as_str(), brand.footer.as_str()), ("Northwind", "Northwind · Confidential"));
        assert_eq!((brand.accent, brand.logo), (Accent::default(), None));
    }

    #[test]
    fn texts_have_limits() {
        assert_eq!(name("  Northwind  ").unwrap(), "Northwind");
        for bad in ["", "   ", "a\u{0}b", "a\nb", &"x".repeat(NAME_LIMIT + 1)] {
            assert_eq!(name(bad).unwrap_err().to_string(), "must be 1 to 100 characters without control characters");
        }
        assert!(footer(&"x".repeat(FOOTER_LIMIT)).is_ok() && footer(&"x".repeat(FOOTER_LIMIT + 1)).is_err());
    }
}
