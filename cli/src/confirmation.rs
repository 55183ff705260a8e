//! Commands that cannot be undone ask first.

use std::io::{self, IsTerminal, Write};

use clap::Args;

/// The consent to something that cannot be undone.
#[derive(Debug, Args)]
pub(crate) struct Confirmation {
    /// Do it without asking; required where no terminal can be asked
    #[arg(long)]
    yes: bool,
}

/// Nobody agreed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotConfirmed {
    /// The answer on the terminal was not yes.
    #[error("nothing was changed")]
    Declined,
    /// There is no terminal to ask on.
    #[error("nothing was changed: add --yes to do it without being asked")]
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
