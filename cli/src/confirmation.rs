//! Confirmation of commands that cannot be undone.

use std::io::{self, IsTerminal, Write};

use clap::Args;

/// Confirmation of an action that cannot be undone.
#[derive(Debug, Args)]
pub(crate) struct Confirmation {
    /// Do not ask for confirmation; required without a terminal
    #[arg(long)]
    yes: bool,
}

/// The action was not confirmed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotConfirmed {
    /// The answer on the terminal was not yes.
    #[error("nothing was changed")]
    Declined,
    /// There is no terminal to ask on.
    #[error("nothing was changed: without a terminal, confirm with --yes")]
    NobodyToAsk,
}

impl Confirmation {
    /// Returns an error at once if there is neither `--yes` nor a terminal.
    pub(crate) fn required(&self) -> Result<(), NotConfirmed> {
        let possible = self.yes || (io::stdin().is_terminal() && io::stderr().is_terminal());
        possible.then_some(()).ok_or(NotConfirmed::NobodyToAsk)
    }

    /// Asks on the terminal, unless `--yes` is given.
    pub(crate) fn ask(&self, question: &str) -> anyhow::Result<()> {
        let is_yes = |answer: &str| matches!(answer.to_lowercase().as_str(), "y" | "yes");
        self.ask_whether(&format!("{question} [y/N]"), is_yes)
    }

    /// Asks on the terminal for a name, unless `--yes` is given.
    pub(crate) fn ask_for_name(&self, question: &str, name: &str) -> anyhow::Result<()> {
        self.ask_whether(question, |answer| answer == name.trim())
    }

    fn ask_whether(&self, question: &str, confirms: impl Fn(&str) -> bool) -> anyhow::Result<()> {
        if self.yes {
            return Ok(());
        }
        self.required()?;
        anstream::eprint!("{question} ");
        io::stderr().flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        if confirms(answer.trim()) { Ok(()) } else { Err(NotConfirmed::Declined.into()) }
    }
}
