//! Maps controls to usage sentences.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use model::ControlId;
use serde::Deserialize;

use super::measure::Measure;
use super::sentence::Template;
use crate::catalogue::references;

const TABLE: &str = include_str!("../../catalogue/activity.toml");

/// A log or report that shows use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Source {
    /// The sign-in log.
    SignIns,
    /// The sign-ins of administrators, if the whole log is not among the files.
    AdministratorSignIns,
    /// The sign-ins by old protocols, if the whole log is not among the files.
    LegacySignIns,
    /// The directory's audit log.
    DirectoryAudit,
    /// The audit log of all services, where the directory's own is not among the files.
    UnifiedAudit,
    /// The report of messages that were forwarded.
    Forwarding,
    /// The usage report of mail apps.
    MailApps,
    /// The usage report of mailboxes.
    Mailboxes,
    /// The usage reports of SharePoint and OneDrive.
    Files,
    /// The usage report of Teams.
    Teams,
}

impl Source {
    /// Returns the name by which issues call the log or report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SignIns => "sign-ins",
            Self::AdministratorSignIns => "sign-ins of administrators",
            Self::LegacySignIns => "sign-ins by old protocols",
            Self::DirectoryAudit => "directory audit entries",
            Self::UnifiedAudit => "audit records",
            Self::Forwarding => "forwarded messages",
            Self::MailApps => "users of mail apps",
            Self::Mailboxes => "mailboxes",
            Self::Files => "users who share files",
            Self::Teams => "users of Teams",
        }
    }
}

/// A sentence about some controls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sentence {
    pub(crate) measure: Measure,
    pub(crate) source: Source,
    /// Framework recommendations whose controls it speaks about: `CIS 7.0: 5.2.2.3`.
    #[serde(default)]
    recommendations: BTreeSet<String>,
    /// Controls that no framework lists.
    #[serde(default)]
    controls: BTreeSet<ControlId>,
    /// Counts administrators alone.
    #[serde(default)]
    pub(crate) administrators: bool,
    /// Measures whose sentence is added if they have events.
    #[serde(default)]
    pub(crate) also: Vec<Measure>,
    /// The sentence if there were events.
    pub(crate) some: Template,
    /// The sentence if there were none. Without it, nothing is said.
    pub(crate) none: Option<Template>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sentences: Vec<Sentence>,
}

/// The table, parsed on first use.
fn sentences() -> &'static [Sentence] {
    static SENTENCES: LazyLock<Vec<Sentence>> = LazyLock::new(|| {
        let table: Table = toml::from_str(TABLE).expect("the embedded table is valid TOML");
        table.sentences
    });
    &SENTENCES
}

/// Returns the sentences that speak about a control, the most specific first.
pub(crate) fn about(control: &ControlId) -> impl Iterator<Item = &'static Sentence> + use<> {
    static ABOUT: LazyLock<BTreeMap<String, Vec<&'static Sentence>>> = LazyLock::new(|| {
        let mut about: BTreeMap<String, Vec<&'static Sentence>> = BTreeMap::new();
        for sentence in sentences() {
            let controls = sentence.controls.iter().map(ToString::to_string);
            for name in sentence.recommendations.iter().cloned().chain(controls) {
                about.entry(name).or_default().push(sentence);
            }
        }
        about
    });
    let names = references(control).into_iter().map(|reference| reference.to_string());
    let mut seen = BTreeSet::new();
    let mut found: Vec<&'static Sentence> = Vec::new();
    for sentence in std::iter::once(control.to_string()).chain(names).filter_map(|name| ABOUT.get(&name)).flatten() {
        if seen.insert(std::ptr::from_ref(*sentence)) {
            found.push(sentence);
        }
    }
    found.into_iter()
}

/// Returns the sentence that is added for a measure.
pub(crate) fn added(measure: Measure) -> Option<&'static Sentence> {
    sentences().iter().find(|sentence| sentence.measure == measure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::is_recommendation;

    #[test]
    fn sentences_name_labels_of_their_measure() {
        for sentence in sentences() {
            for template in std::iter::once(&sentence.some).chain(&sentence.none) {
                assert_eq!(template.unknown_label(sentence.measure), None, "{:?}", sentence.measure);
            }
            for measure in &sentence.also {
                assert!(added(*measure).is_some(), "{measure:?} has no sentence of its own");
            }
        }
    }

    #[test]
    fn every_recommendation_has_controls() {
        for sentence in sentences() {
            for recommendation in &sentence.recommendations {
                assert!(is_recommendation(recommendation), "{recommendation} is in no framework's table");
            }
        }
    }

    #[test]
    fn the_table_of_the_documentation_has_every_sentence() {
        let rows: Vec<&str> =
            include_str!("../../../docs/INTAKE.md").lines().filter(|row| row.starts_with('|')).collect();
        for sentence in sentences() {
            let text = sentence.some.beginning();
            let names = sentence.recommendations.iter().map(|name| name.replace(" 7.0:", "").replace("SCuBA: ", ""));
            let names: Vec<String> = names.collect();
            let has = |row: &&str| {
                let cells: Vec<&str> = row.split(['(', ')', ',', '|']).map(str::trim).collect();
                row.contains(text) && names.iter().all(|name| cells.contains(&name.as_str()))
            };
            assert!(rows.iter().any(has), "{text:?} of {names:?} is in no row");
        }
    }

    #[test]
    fn the_same_recommendation_has_the_same_sentence_in_every_tool() {
        let about = |control: &str| about(&control.parse().unwrap()).map(|it| it.measure).collect::<Vec<_>>();
        let legacy = about("MS.AAD.1.1");
        assert_eq!(legacy.first(), Some(&Measure::LegacyProtocol));
        for control in ["BlockLegacyAuthentication", "MT.1009", "21796", "entra_legacy_authentication_blocked"] {
            assert_eq!(about(control), legacy, "{control}");
        }
        assert_eq!(about("MS.EXO.5.1").first(), Some(&Measure::SmtpAuth));
        assert_eq!(about("unheard_of"), []);
    }
}
