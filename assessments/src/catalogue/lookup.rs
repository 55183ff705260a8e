//! The catalogue of all controls, and how a control is looked up in it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use model::{Category, ControlId, Severity};
use serde::Deserialize;

use super::entry::{Control, DEFAULT_LIKELIHOOD, Family, Placement};
use super::revised::RevisedControl;

/// Category of a control that the catalogue does not place: settings of the directory in general.
pub(crate) const DEFAULT_CATEGORY: Category = Category::AppsDirectory;

const SECTIONS: &[&str] = &[
    include_str!("../../catalogue/builtin/accounts.toml"),
    include_str!("../../catalogue/builtin/administrators.toml"),
    include_str!("../../catalogue/builtin/applications.toml"),
    include_str!("../../catalogue/builtin/conditional_access.toml"),
    include_str!("../../catalogue/builtin/mail.toml"),
    include_str!("../../catalogue/builtin/sharing.toml"),
    include_str!("../../catalogue/maester/cis.toml"),
    include_str!("../../catalogue/maester/cisa.toml"),
    include_str!("../../catalogue/maester/conditional_access.toml"),
    include_str!("../../catalogue/maester/eidsca.toml"),
    include_str!("../../catalogue/maester/entra.toml"),
    include_str!("../../catalogue/maester/orca.toml"),
    include_str!("../../catalogue/maester/services.toml"),
    include_str!("../../catalogue/prowler/entra.toml"),
    include_str!("../../catalogue/prowler/services.toml"),
    include_str!("../../catalogue/scubagear/aad.toml"),
    include_str!("../../catalogue/scubagear/defender.toml"),
    include_str!("../../catalogue/scubagear/exo.toml"),
    include_str!("../../catalogue/scubagear/powerbi.toml"),
    include_str!("../../catalogue/scubagear/powerplatform.toml"),
    include_str!("../../catalogue/scubagear/securitysuite.toml"),
    include_str!("../../catalogue/scubagear/sharepoint.toml"),
    include_str!("../../catalogue/scubagear/teams.toml"),
    include_str!("../../catalogue/securescore/identity.toml"),
    include_str!("../../catalogue/securescore/mail.toml"),
    include_str!("../../catalogue/securescore/outside.toml"),
    include_str!("../../catalogue/zerotrust/identity.toml"),
    include_str!("../../catalogue/zerotrust/pillars.toml"),
    include_str!("../../catalogue/zerotrust/planned.toml"),
];

const MOVED: &str = include_str!("../../catalogue/scubagear/moved.toml");

/// Returns the catalogue, which is parsed on first use.
pub(crate) fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::parse(SECTIONS, MOVED).expect("the embedded catalogue is valid TOML"));
    &CATALOGUE
}

/// One file of the catalogue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    #[serde(rename = "family", default)]
    families: Vec<Family>,
    #[serde(rename = "control", default)]
    controls: Vec<Control>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Moves {
    /// Old control to new control.
    moved: HashMap<RevisedControl, RevisedControl>,
}

/// All known controls of all tools.
pub(crate) struct Catalogue {
    controls: HashMap<ControlId, Control>,
    families: Vec<Family>,
    /// New control to old control.
    pub(crate) origins: HashMap<RevisedControl, RevisedControl>,
}

impl Catalogue {
    fn parse(sections: &[&str], moved: &str) -> Result<Self, toml::de::Error> {
        let mut controls = HashMap::new();
        let mut families = Vec::new();
        for section in sections {
            let section: Section = toml::from_str(section)?;
            families.extend(section.families);
            controls.extend(section.controls.into_iter().map(|control| (control.id.clone(), control)));
        }
        let Moves { moved } = toml::from_str(moved)?;
        Ok(Self { controls, families, origins: moved.into_iter().map(|(old, new)| (new, old)).collect() })
    }

    /// Returns the entry of a control, or else that of the control that it repeats.
    pub(crate) fn control(&self, id: &ControlId) -> Option<&Control> {
        self.controls.get(id).or_else(|| self.controls.get(&self.repeated(id)?))
    }

    /// Returns the control that this control repeats, or else the control itself.
    pub(crate) fn original<'a>(&self, id: &'a ControlId) -> Cow<'a, ControlId> {
        self.repeated(id).map_or(Cow::Borrowed(id), Cow::Owned)
    }

    /// Returns the severity that replaces the tool's. A tool that repeats another tool's control has its own severity.
    pub(crate) fn severity(&self, id: &ControlId) -> Option<Severity> {
        self.controls.get(id)?.severity
    }

    /// Returns the likelihood that the failing control is abused, from 1 to 5.
    pub(crate) fn likelihood(&self, id: &ControlId) -> u8 {
        self.control(id).map_or(DEFAULT_LIKELIHOOD, |control| control.likelihood)
    }

    /// Returns where a control belongs: from its own entry, else from the family of its id, else from the group that
    /// its tool assigns to it. Returns `None` if none of them is known.
    pub(crate) fn place(&self, id: &ControlId, group: Option<&str>) -> Option<Placement> {
        let entry = || self.control(id)?.category;
        let family = || self.family(id)?.category.or_else(|| self.family(&self.repeated(id)?)?.category);
        let group = || longest(&self.families, |family| family.group.as_deref(), group?)?.category;
        entry().or_else(family).or_else(group)
    }

    /// Returns the control that moved to this control in this revision, if one did.
    pub(crate) fn moved_from(&self, control: &ControlId, revision: u32) -> Option<&RevisedControl> {
        self.origins.get(&RevisedControl { control: control.clone(), revision })
    }

    fn family(&self, id: &ControlId) -> Option<&Family> {
        longest(&self.families, |family| family.prefix.as_deref(), id.as_str())
    }

    /// Returns the other tool's control that this control repeats.
    fn repeated(&self, id: &ControlId) -> Option<ControlId> {
        let family = self.family(id)?;
        let rest = id.as_str().strip_prefix(family.prefix.as_deref()?)?;
        [family.repeats.as_deref()?, rest].concat().parse().ok()
    }
}

/// Returns the family with the longest matching beginning.
fn longest<'a>(families: &'a [Family], beginning: impl Fn(&Family) -> Option<&str>, text: &str) -> Option<&'a Family> {
    let fitting = |family: &Family| beginning(family).filter(|start| text.starts_with(start)).map(str::len);
    families.iter().filter(|family| fitting(family).is_some()).max_by_key(|family| fitting(family))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::catalogue::entry::Subject;

    fn sections() -> impl Iterator<Item = Section> {
        SECTIONS.iter().map(|text| toml::from_str(text).unwrap())
    }

    fn place(id: &str, group: Option<&str>) -> Option<Placement> {
        catalogue().place(&id.parse().unwrap(), group)
    }

    #[test]
    fn every_control_is_listed_once_and_has_a_place() {
        let mut seen = HashSet::new();
        for control in sections().flat_map(|section| section.controls) {
            assert!(place(control.id.as_str(), None).is_some(), "{} belongs nowhere", control.id);
            assert!(seen.insert(control.id.clone()), "{} is listed twice", control.id);
        }
        assert_eq!(seen.len(), catalogue().controls.len());
    }

    #[test]
    fn every_control_is_described_in_one_line_each() {
        for control in catalogue().controls.values() {
            assert!((1..=5).contains(&control.likelihood), "{}: likelihood {}", control.id, control.likelihood);
            assert_eq!(control.why.is_some(), control.suggested_fix.is_some(), "{}: half of it", control.id);
            for text in control.why.iter().chain(&control.suggested_fix) {
                assert!((20..=130).contains(&text.len()) && !text.contains('\n'), "{}: {text:?}", control.id);
                assert!(text.ends_with('.') && text.trim() == text, "{}: {text:?}", control.id);
            }
        }
    }

    #[test]
    fn a_tool_without_explanations_gets_those_of_the_catalogue() {
        let baselines = catalogue().controls.values().filter(|control| control.id.as_str().starts_with("MS."));
        assert!(baselines.clone().count() > 100 && baselines.clone().all(|control| control.why.is_some()));
    }

    #[test]
    fn families_are_distinguished_by_one_prefix() {
        let mut seen = HashSet::new();
        for family in &catalogue().families {
            assert!(family.prefix.is_some() != family.group.is_some(), "{family:?}");
            assert!(family.category.is_some() != family.repeats.is_some(), "{family:?}");
            assert!(seen.insert((&family.prefix, &family.group)), "{family:?} is listed twice");
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
    fn a_control_belongs_where_its_entry_or_its_family_says() {
        let section = |category| Some(Placement::Section(category));
        assert_eq!(place("MS.EXO.6.1", None), section(Category::ExternalSharing), "its entry");
        assert_eq!(place("MS.EXO.99.1", None), section(Category::Exchange), "its family");
        assert_eq!(place("EIDSCA.AP99", None), section(Category::AppsDirectory), "the nearer family");
        assert_eq!(place("99999", Some("SecOps/Something")), Some(Placement::Outside(Subject::SecurityOperations)));
        assert_eq!(place("99999", Some("Identity/Access control")), section(Category::ConditionalAccess));
        assert_eq!(place("ORCA.999", Some("Maester/Intune")), section(Category::Exchange), "ids before groups");
        assert_eq!(place("MS.UNHEARD.1.1", Some("Unheard of")), None);
    }

    #[test]
    fn a_repeated_control_is_described_by_the_original() {
        let (repeated, original) = ("CISA.MS.AAD.1.1".parse().unwrap(), "MS.AAD.1.1".parse().unwrap());
        assert_eq!(catalogue().control(&repeated).map(|control| &control.id), Some(&original));
        assert_eq!(catalogue().likelihood(&repeated), catalogue().likelihood(&original));
        assert_eq!(place("CISA.MS.AAD.1.1", None), place("MS.AAD.1.1", None));
        assert_eq!(catalogue().severity(&original), Some(Severity::Critical));
        assert_eq!(catalogue().severity(&repeated), None, "which the tool tells");
        assert_eq!(place("CISA.MS.EXO.99.1", None), Some(Placement::Section(Category::Exchange)));
        assert!(catalogue().control(&"CISA.MS.EXO.99.1".parse().unwrap()).is_none());
    }
}
