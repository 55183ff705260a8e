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
        if self.yes {
            return Ok(());
        }
        self.required()?;
        anstream::eprint!("{question} [y/N] ");
        io::stderr().flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        match answer.trim().to_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => Err(NotConfirmed::Declined.into()),
        }
    }
}
