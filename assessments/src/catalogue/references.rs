//! References of controls to frameworks such as the CIS benchmark.
//!
//! The data is in `catalogue/frameworks/`, one file for each framework. Changing it needs no change here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use model::{ControlId, Reference};
use serde::Deserialize;

use super::lookup::catalogue;
use crate::natural_order::natural;

const CIS: &str = include_str!("../../catalogue/frameworks/cis.toml");
const SCUBA: &str = include_str!("../../catalogue/frameworks/scuba.toml");

/// Returns the recommendations with the same requirement as the control: CIS before SCuBA, each in order of their
/// numbers. Returns an empty list if none is known.
pub(crate) fn references(control: &ControlId) -> Vec<Reference> {
    let original = catalogue().original(control);
    frameworks().iter().flat_map(|framework| framework.references(&original)).collect()
}

/// Returns whether a recommendation, as a [`Reference`] is written, has controls.
#[cfg(test)]
pub(crate) fn is_recommendation(text: &str) -> bool {
    let listed = |framework: &Framework| {
        framework.recommendations.keys().any(|id| framework.reference(id.clone()).to_string() == text)
    };
    let own = text.rsplit(' ').next().and_then(|id| id.parse().ok());
    frameworks().iter().any(listed) || own.is_some_and(|id| catalogue().control(&id).is_some())
}

/// Returns the frameworks, which are parsed on first use.
fn frameworks() -> &'static [Framework; 2] {
    static FRAMEWORKS: LazyLock<[Framework; 2]> =
        LazyLock::new(|| [CIS, SCUBA].map(|text| toml::from_str(text).expect("the embedded framework is valid TOML")));
    &FRAMEWORKS
}

/// References of one framework, from one file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Framework {
    name: String,
    /// Version, if the numbers of the recommendations depend on it.
    version: Option<String>,
    /// Controls that are recommendations of the framework themselves.
    own: OwnControls,
    /// Each recommendation with the controls that have the same requirement.
    recommendations: BTreeMap<String, Vec<ControlId>>,
}

impl Framework {
    /// Returns the recommendations of the control in order of their numbers.
    fn references(&self, control: &ControlId) -> Vec<Reference> {
        let listed = self.recommendations.iter().filter(|(_, controls)| controls.contains(control));
        let mut all: Vec<_> = self.own.recommendation(control).into_iter().collect();
        all.extend(listed.map(|(recommendation, _)| recommendation.clone()));
        all.sort_by(|a, b| natural(a, b));
        all.into_iter().map(|id| self.reference(id)).collect()
    }

    fn reference(&self, id: String) -> Reference {
        Reference { framework: self.name.clone(), version: self.version.clone(), id }
    }
}

/// Ids of the controls that are recommendations of the framework themselves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnControls {
    /// Beginning of the ids.
    prefix: String,
    /// Text that replaces the prefix in the recommendation.
    replacement: String,
    /// Ids with the prefix that are not recommendations of this version.
    #[serde(default)]
    except: BTreeSet<ControlId>,
}

impl OwnControls {
    fn recommendation(&self, control: &ControlId) -> Option<String> {
        let rest = control.as_str().strip_prefix(&self.prefix)?;
        (!self.except.contains(control)).then(|| [&self.replacement, rest].concat())
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::catalogue::entry::Placement;

    fn references_of(id: &str) -> Vec<String> {
        references(&id.parse().unwrap()).iter().map(Reference::to_string).collect()
    }

    #[test]
    fn a_control_has_what_is_listed_for_it() {
        assert_eq!(references_of("entra_legacy_authentication_blocked"), ["CIS 7.0: 5.2.2.3", "SCuBA: MS.AAD.1.1"]);
        assert_eq!(references_of("ORCA.103"), ["CIS 7.0: 2.1.15"]);
        assert_eq!(references_of("unheard_of"), [""; 0]);
    }

    #[test]
    fn numbers_count_as_numbers() {
        assert_eq!(references_of("MS.SHAREPOINT.1.3")[..2], ["CIS 7.0: 7.2.6", "CIS 7.0: 7.2.8"]);
        assert_eq!(
            references_of("defender_antispam_outbound_policy_configured"),
            ["CIS 7.0: 2.1.6", "CIS 7.0: 2.1.15"]
        );
    }

    #[test]
    fn a_control_of_a_framework_is_its_own_reference() {
        assert_eq!(references_of("MS.AAD.3.5"), ["CIS 7.0: 5.2.3.5", "CIS 7.0: 5.2.3.7", "SCuBA: MS.AAD.3.5"]);
        assert_eq!(references_of("MS.AAD.99.1"), ["SCuBA: MS.AAD.99.1"]);
        assert_eq!(references_of("CIS.M365.5.1.5.2"), ["CIS 7.0: 5.1.5.2", "SCuBA: MS.AAD.5.3"]);
        assert_eq!(references_of("CIS.GH.1.2.2"), [""; 0], "another benchmark");
    }

    #[test]
    fn a_number_whose_meaning_has_changed_is_not_a_reference() {
        assert_eq!(references_of("CIS.M365.5.1.3.1"), [""; 0]);
        assert_eq!(references_of("MT.1069"), ["CIS 7.0: 5.1.3.1"]);
    }

    #[test]
    fn a_control_that_repeats_another_has_its_references() {
        assert_eq!(references_of("CISA.MS.AAD.1.1"), ["CIS 7.0: 5.2.2.3", "SCuBA: MS.AAD.1.1"]);
    }

    #[test]
    fn numbers_and_ids_are_well_formed() {
        let [cis, scuba] = frameworks();
        for number in cis.recommendations.keys() {
            let parts = number.split('.').map(|part| part.parse::<u8>().map(|value| value.to_string() == part));
            assert!(parts.clone().all(|part| part == Ok(true)) && (2..=4).contains(&parts.count()), "{number:?}");
        }
        for policy in scuba.recommendations.keys() {
            let id: ControlId = policy.parse().unwrap();
            assert!(catalogue().control(&id).is_some(), "{policy} is not in the catalogue");
            assert!(catalogue().origins.values().all(|old| old.control != id), "{policy} has a newer id");
        }
    }

    #[test]
    fn the_controls_of_a_recommendation_are_in_order_and_in_a_report() {
        for (recommendation, controls) in frameworks().iter().flat_map(|framework| &framework.recommendations) {
            assert!(!controls.is_empty(), "{recommendation} lists nothing");
            for [a, b] in controls.array_windows() {
                assert_eq!(natural(a.as_str(), b.as_str()), Ordering::Less, "{recommendation}: {a} and {b}");
            }
            for control in controls {
                let place = catalogue().place(control, None);
                assert!(matches!(place, Some(Placement::Section(_))), "{control} of {recommendation}: {place:?}");
            }
        }
    }

    #[test]
    fn controls_of_a_rule_are_not_listed() {
        for framework in frameworks() {
            for control in framework.recommendations.values().flatten() {
                assert_eq!(framework.own.recommendation(control), None, "{control} is a recommendation itself");
                assert_eq!(*catalogue().original(control), *control, "{control} repeats another");
            }
        }
    }
}
