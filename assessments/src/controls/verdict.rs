//! The result of a control: secure, open, or the reason why neither is known.

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

/// The reason why a control cannot be assessed, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotAssessed(pub(super) String);

/// The requirement is met.
pub(super) fn secure(state: impl Into<String>) -> Judged {
    Ok(Verdict { is_secure: true, state: state.into() })
}

/// The requirement is not met.
pub(super) fn open(state: impl Into<String>) -> Judged {
    Ok(Verdict { is_secure: false, state: state.into() })
}

/// Nothing is known about the requirement.
pub(super) fn not_assessed<T>(reason: impl Into<String>) -> Result<T, NotAssessed> {
    Err(NotAssessed(reason.into()))
}

/// Returns the result of a condition, each with its state.
pub(super) fn secure_if(condition: bool, met: impl Into<String>, not_met: impl Into<String>) -> Judged {
    if condition { secure(met) } else { open(not_met) }
}
