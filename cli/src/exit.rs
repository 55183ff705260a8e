//! How the command ends: exit codes and error messages.

use std::process::ExitCode;

use model::visible_lines;

use crate::confirmation::NotConfirmed;

/// The exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed; nothing was written, or the message says what was
  2  the command line is wrong
  3  some files or runs failed, the others were imported";

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    // Also the exit code of the command line's parser.
    WrongCommandLine = 2,
    SomeFilesFailed = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An option that would have no effect, or that is missing. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WrongOption {
    /// The option is about a deployment in AWS.
    #[error("{0} cannot be used with --local: it is about a deployment in AWS")]
    WithLocal(&'static str),
    /// The table has to be named by the option, because the variable names the one in service.
    #[error("name the restored table with --table")]
    NoTable,
    /// A key that reads is not limited to a tenant.
    #[error("--tenant can only be used with --scope import: a key that reads, reads everything of its organization")]
    TenantOfReader,
    /// There are no documents to which it could apply.
    #[error("only --label can be used with --every never, which ends the schedule")]
    OfEnded,
    /// The same part is to be reset.
    #[error("{0} cannot be used with --reset of the same part")]
    Contradicts(&'static str),
}

/// Returns how a command ended. Prints a failure with all its causes, and advice about it.
pub(crate) fn ended(result: anyhow::Result<Exit>, advice: impl FnOnce(&anyhow::Error) -> Option<String>) -> Exit {
    result.unwrap_or_else(|error| {
        let mut causes: Vec<_> = error.chain().map(ToString::to_string).collect();
        // An error that forwards another has the same text.
        causes.dedup();
        print_failure(&causes.join(": "));
        if let Some(advice) = advice(&error) {
            print_hint(&advice);
        }
        let cannot_ask = matches!(error.downcast_ref(), Some(NotConfirmed::NobodyToAsk));
        match cannot_ask || error.is::<WrongOption>() {
            true => Exit::WrongCommandLine,
            false => Exit::Failed,
        }
    })
}

/// Prints one of possibly several failures.
pub(crate) fn print_failure(text: &str) {
    let style = anstyle::AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{style}error:{style:#} {}", visible_lines(text));
}

/// Prints advice after a failure.
pub(crate) fn print_hint(text: &str) {
    anstream::eprintln!("hint: {}", visible_lines(text));
}

/// Prints progress to the standard error.
pub(crate) fn print_progress(text: &str) {
    anstream::eprintln!("{}", visible_lines(text));
}
