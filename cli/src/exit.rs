//! How the command ends: its exit codes, and failures in words.

use std::process::ExitCode;

use store::StoreError;

/// The exit codes, for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  failed; nothing was written, or what was written is told
  2  the command line is wrong
  3  some files or runs failed, the others were imported";

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    // 2 is what the parser of the command line exits with.
    SomeFilesFailed = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// How a command ended. Tells a failure with all its causes, and what to do where the store failed.
pub(crate) fn ended(result: anyhow::Result<Exit>, advice: impl FnOnce(&StoreError) -> Option<String>) -> Exit {
    result.unwrap_or_else(|error| {
        tell_failure(&format!("{error:#}"));
        let of_store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
        if let Some(advice) = of_store.and_then(advice) {
            anstream::eprintln!("hint: {advice}");
        }
        Exit::Failed
    })
}

/// Tells one failure, perhaps of several.
pub(crate) fn tell_failure(text: &str) {
    anstream::eprintln!("{style}error:{style:#} {text}", style = anstyle::AnsiColor::Red.on_default().bold());
}

/// Tells how far it is, beside the result.
pub(crate) fn tell_progress(text: &str) {
    anstream::eprintln!("{text}");
}
