//! Coverage: how many of the controls that an earlier report assessed a report assesses again.

use serde::{Deserialize, Serialize};

use crate::counted;

/// How many of the controls that the compared report assessed this report does not assess, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Controls that the compared report assessed.
    pub previously_assessed: u32,
    /// Those of them that this report does not assess.
    pub lost: u32,
    /// The lost controls by reason, most frequent first.
    pub reasons: Vec<CoverageLoss>,
}

/// The number of controls that were not assessed for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CoverageLoss {
    /// Why they were not assessed.
    pub reason: NotAssessedReason,
    /// Number of controls.
    pub controls: u32,
}

/// Why a control was not assessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NotAssessedReason {
    /// The file does not contain the control.
    Missing,
    /// The operator has muted, omitted or ignored the control.
    Ignored,
    /// The tool leaves the control to people.
    Manual,
    /// The tool skipped the control, such as for want of a licence.
    Skipped,
    /// The result has an unknown meaning.
    NotUnderstood,
    /// The tool failed, or was not allowed to read.
    Error,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

impl Coverage {
    /// Returns whether the scores of the two reports are comparable: at most a tenth of the controls was lost. A grade
    /// spans ten points, so with a greater loss, the score can change by a grade without any change of the tenant.
    pub fn is_comparable(&self) -> bool {
        u64::from(self.lost) * 10 <= u64::from(self.previously_assessed)
    }

    /// Says what was lost, and whether the scores are comparable. Returns `None` if nothing was lost.
    pub fn in_words(&self) -> Option<String> {
        let Self { previously_assessed: before, lost, reasons } = self;
        if *lost == 0 {
            return None;
        }
        let reasons: Vec<_> = reasons.iter().map(|it| format!("{} {}", it.controls, it.reason.words())).collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
        let (controls, were) = (counted(*lost as usize, "control"), if *lost == 1 { "was" } else { "were" });
        let limit = if self.is_comparable() { "" } else { " The scores are not comparable." };
        Some(format!(
            "{controls} assessed before {were} not assessed this time{reasons}, so the score covers {} of those {before}.{limit}",
            before.saturating_sub(*lost),
        ))
    }
}

impl NotAssessedReason {
    /// Returns the words that follow a number of controls.
    fn words(self) -> &'static str {
        match self {
            Self::Missing => "missing from the file",
            Self::Ignored => "muted or ignored",
            Self::Manual => "left to people",
            Self::Skipped => "skipped",
            Self::NotUnderstood => "with an unknown result",
            Self::Error => "with an error",
            Self::Unknown => "for another reason",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(previously_assessed: u32, lost: u32) -> Coverage {
        let reasons = vec![CoverageLoss { reason: NotAssessedReason::Error, controls: lost }];
        Coverage { previously_assessed, lost, reasons }
    }

    #[test]
    fn scores_are_comparable_up_to_a_loss_of_a_tenth() {
        for (before, lost, is_comparable) in
            [(19, 0, true), (20, 2, true), (20, 3, false), (19, 2, false), (0, 0, true)]
        {
            assert_eq!(coverage(before, lost).is_comparable(), is_comparable, "{lost} of {before}");
        }
    }

    #[test]
    fn the_words_say_what_was_lost_and_why() {
        assert_eq!(coverage(19, 0).in_words(), None);
        assert_eq!(
            coverage(19, 18).in_words().unwrap(),
            "18 controls assessed before were not assessed this time (18 with an error), so the score covers 1 of those 19. \
             The scores are not comparable."
        );
        assert_eq!(
            coverage(19, 1).in_words().unwrap(),
            "1 control assessed before was not assessed this time (1 with an error), so the score covers 18 of those 19."
        );
    }
}
