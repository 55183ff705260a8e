//! The result of a control: secure, open, or the reason why neither is known.

use model::NotAssessedReason;

/// The result of a control.
pub(super) type Judged = Result<Verdict, NotAssessed>;

/// A control that was assessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Whether the requirement is met.
    pub(super) is_secure: bool,
    /// The configuration that was found, in plain words.
    pub(super) state: String,
}

/// The reason why a control cannot be assessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotAssessed {
    pub(super) reason: NotAssessedReason,
    pub(super) sentence: String,
}

impl NotAssessed {
    /// Creates a reason, with the sentence that says it.
    pub(super) fn new(reason: NotAssessedReason, sentence: impl Into<String>) -> Self {
        Self { reason, sentence: sentence.into() }
    }
}

/// The requirement is met.
pub(super) fn secure(state: impl Into<String>) -> Judged {
    Ok(Verdict { is_secure: true, state: state.into() })
}

/// The requirement is not met.
pub(super) fn open(state: impl Into<String>) -> Judged {
    Ok(Verdict { is_secure: false, state: state.into() })
}

/// Nothing is known about the requirement, because what shows it cannot be read or understood.
pub(super) fn not_assessed<T>(sentence: impl Into<String>) -> Result<T, NotAssessed> {
    Err(NotAssessed::new(NotAssessedReason::Error, sentence))
}

/// Nothing is known about the requirement, because the tenant has no licence for it, or this release leaves it out.
pub(super) fn skipped<T>(sentence: impl Into<String>) -> Result<T, NotAssessed> {
    Err(NotAssessed::new(NotAssessedReason::Skipped, sentence))
}

/// Returns the result of a condition, each with its state.
pub(super) fn secure_if(condition: bool, met: impl Into<String>, not_met: impl Into<String>) -> Judged {
    if condition { secure(met) } else { open(not_met) }
}
