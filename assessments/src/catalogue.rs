//! What the tools leave unsaid about their controls: category, severity, likelihood, why, and the fix.
//!
//! The data is in `catalogue/`, one folder per tool, written for this service. Changing it needs no change here.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;
use shared::model::{Category, ControlId, InvalidId, Severity};

/// Likelihood of a control that the catalogue lacks: the middle of 1 to 5.
const DEFAULT_LIKELIHOOD: u8 = 3;

/// Category of a control whose product the catalogue lacks: settings of the directory at large.
const DEFAULT_CATEGORY: Category = Category::AppsDirectory;

const SECTIONS: &[&str] = &[
    include_str!("../catalogue/scubagear/aad.toml"),
    include_str!("../catalogue/scubagear/defender.toml"),
    include_str!("../catalogue/scubagear/exo.toml"),
    include_str!("../catalogue/scubagear/powerbi.toml"),
    include_str!("../catalogue/scubagear/powerplatform.toml"),
    include_str!("../catalogue/scubagear/securitysuite.toml"),
    include_str!("../catalogue/scubagear/sharepoint.toml"),
    include_str!("../catalogue/scubagear/teams.toml"),
];

const MOVED: &str = include_str!("../catalogue/scubagear/moved.toml");

/// The catalogue, parsed on first use.
pub(crate) fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::parse(SECTIONS, MOVED).expect("the embedded catalogue is valid TOML"));
    &CATALOGUE
}

/// What is known about one control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// Identifier, without revision.
    pub(crate) id: ControlId,
    /// Report section.
    pub(crate) category: Category,
    /// Severity, where it differs from what the tool's own words imply.
    pub(crate) severity: Option<Severity>,
    /// How likely a failing control is to be abused: 1 (rarely) to 5 (attacked every day).
    likelihood: u8,
    /// One line on why the control matters.
    pub(crate) why: String,
    /// One line on how to meet best practice.
    pub(crate) suggested_fix: String,
}

/// A control in one revision of its meaning, written `MS.AAD.1.1v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct RevisedControl {
    /// Identifier, without revision.
    pub(crate) control: ControlId,
    /// Revision, 1 where the text names none.
    pub(crate) revision: u32,
}

impl FromStr for RevisedControl {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let text = text.trim();
        let suffixed = text.rsplit_once('v').and_then(|(id, suffix)| Some((id, suffix.parse().ok()?)));
        let (id, revision) = suffixed.unwrap_or((text, 1));
        Ok(Self { control: id.parse()?, revision })
    }
}

impl fmt::Display for RevisedControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.control, self.revision)
    }
}

impl TryFrom<String> for RevisedControl {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

/// One file of the catalogue: the controls of one product.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    /// What the product's control ids begin with.
    prefix: String,
    /// Category of the product's controls that the section lacks.
    category: Category,
    #[serde(rename = "control")]
    controls: Vec<Control>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    /// Old control to new control.
    moved: HashMap<RevisedControl, RevisedControl>,
}

/// All controls that are known, of all tools.
pub(crate) struct Catalogue {
    controls: HashMap<ControlId, Control>,
    products: Vec<(String, Category)>,
    /// New control to old control.
    pub(crate) origins: HashMap<RevisedControl, RevisedControl>,
}

impl Catalogue {
    fn parse(sections: &[&str], moved: &str) -> Result<Self, toml::de::Error> {
        let sections = sections.iter().map(|text| toml::from_str(text)).collect::<Result<Vec<Section>, _>>()?;
        let Moves { moved } = toml::from_str(moved)?;
        let products = sections.iter().map(|section| (section.prefix.clone(), section.category)).collect();
        let controls = sections.into_iter().flat_map(|section| section.controls);
        Ok(Self {
            controls: controls.map(|control| (control.id.clone(), control)).collect(),
            products,
            origins: moved.into_iter().map(|(old, new)| (new, old)).collect(),
        })
    }

    /// What is known about a control.
    pub(crate) fn control(&self, id: &ControlId) -> Option<&Control> {
        self.controls.get(id)
    }

    /// Likelihood that the failing control is abused, 1 to 5.
    pub(crate) fn likelihood(&self, id: &ControlId) -> u8 {
        self.control(id).map_or(DEFAULT_LIKELIHOOD, |control| control.likelihood)
    }

    /// Category of a control that is not listed: that of its product.
    pub(crate) fn product_category(&self, id: &ControlId) -> Category {
        let product = self.products.iter().find(|(prefix, _)| id.as_str().starts_with(prefix.as_str()));
        product.map_or(DEFAULT_CATEGORY, |(_, category)| *category)
    }

    /// Where the control, in that revision, was before it moved.
    pub(crate) fn moved_from(&self, control: &ControlId, revision: u32) -> Option<&RevisedControl> {
        self.origins.get(&RevisedControl { control: control.clone(), revision })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn sections() -> Vec<Section> {
        SECTIONS.iter().map(|text| toml::from_str(text).unwrap()).collect()
    }

    #[test]
    fn every_control_is_listed_once_in_the_section_of_its_product() {
        let mut seen = HashSet::new();
        for section in sections() {
            for control in section.controls {
                assert!(control.id.as_str().starts_with(&section.prefix), "{} is in the wrong section", control.id);
                assert!(seen.insert(control.id.clone()), "{} is listed twice", control.id);
            }
        }
        assert_eq!(seen.len(), catalogue().controls.len());
    }

    #[test]
    fn every_control_is_described_in_one_line_each() {
        for control in catalogue().controls.values() {
            assert!((1..=5).contains(&control.likelihood), "{}: likelihood {}", control.id, control.likelihood);
            for text in [&control.why, &control.suggested_fix] {
                assert!((20..=130).contains(&text.len()) && !text.contains('\n'), "{}: {text:?}", control.id);
                assert!(text.ends_with('.') && text.trim() == text, "{}: {text:?}", control.id);
            }
        }
    }

    #[test]
    fn controls_move_to_other_ids_that_are_known() {
        assert!(!catalogue().origins.is_empty());
        for (new, old) in &catalogue().origins {
            assert_ne!(new.control, old.control);
            assert!(catalogue().control(&new.control).is_some(), "{new} is not listed");
            assert!(catalogue().control(&old.control).is_some(), "{old} is not listed");
        }
        let Moves { moved } = toml::from_str(MOVED).unwrap();
        assert_eq!(moved.len(), catalogue().origins.len(), "two controls moved to the same one");
    }

    #[test]
    fn a_revision_is_the_suffix_and_1_without_one() {
        let parsed = |text: &str| text.parse::<RevisedControl>().map(|id| (id.control.to_string(), id.revision));
        assert_eq!(parsed("MS.AAD.3.2v2"), Ok(("MS.AAD.3.2".to_owned(), 2)));
        assert_eq!(parsed(" MS.EXO.10.1v12 "), Ok(("MS.EXO.10.1".to_owned(), 12)));
        assert_eq!(parsed("MS.AAD.3.2"), Ok(("MS.AAD.3.2".to_owned(), 1)));
        assert_eq!(parsed("level"), Ok(("level".to_owned(), 1)));
        assert!(parsed("v2").is_err() && parsed(" ").is_err());
    }

    #[test]
    fn a_control_that_is_not_listed_has_its_products_category() {
        let category = |id: &str| catalogue().product_category(&id.parse().unwrap());
        assert_eq!(category("MS.TEAMS.99.1"), Category::ExternalSharing);
        assert_eq!(category("MS.EXO.99.1"), Category::Exchange);
        assert_eq!(category("MS.UNHEARD.1.1"), DEFAULT_CATEGORY);
    }
}
