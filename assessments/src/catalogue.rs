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
    origins: HashMap<RevisedControl, RevisedControl>,
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
