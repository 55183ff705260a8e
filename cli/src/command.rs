//! The command line as a whole.

use clap::{Args, Parser, Subcommand};

use crate::connection::{Connection, Session};
use crate::exit::{EXIT_CODES, Exit, ended};
use crate::output::Output;
use crate::{billable_users, bootstrap, check, key, org, report, serve, tenant, usage};

/// Run and operate the Security Posture Reporting API
#[derive(Debug, Parser)]
#[command(name = "posture", version, after_help = EXIT_CODES, propagate_version = true)]
struct Posture {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the whole service on this machine
    Serve(serve::Serve),
    /// Make the first organization and key of a fresh deployment, and call its API
    Bootstrap(bootstrap::Bootstrap),
    /// Check whether the data agree with each other, after a restore or in doubt
    Check(check::Check),
    /// Organizations: each sees its own data and nothing else
    Org(OnData<org::Command>),
    /// API keys of an organization
    Key(OnData<key::Command>),
    /// Tenants of an organization
    Tenant(OnData<tenant::Command>),
    /// Posture reports, from the results of assessment tools
    Report(OnData<report::Command>),
    /// Usage of an organization's tenants
    Usage(OnData<usage::Command>),
    /// Billable users of a tenant
    BillableUsers(OnData<billable_users::Command>),
}

/// A command on the data, wherever that is.
#[derive(Debug, Args)]
struct OnData<C: Subcommand> {
    #[command(subcommand)]
    command: C,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// A command on the data.
pub(crate) trait Run {
    async fn run(self, session: &Session) -> anyhow::Result<Exit>;
}

/// Runs what the command line asks for.
pub(crate) async fn run() -> Exit {
    match Posture::parse().command {
        Command::Serve(command) => ended(command.run().await, |_| None),
        Command::Bootstrap(command) => command.run().await,
        Command::Check(command) => command.run().await,
        Command::Org(command) => command.run().await,
        Command::Key(command) => command.run().await,
        Command::Tenant(command) => command.run().await,
        Command::Report(command) => command.run().await,
        Command::Usage(command) => command.run().await,
        Command::BillableUsers(command) => command.run().await,
    }
}

impl<C: Subcommand + Run> OnData<C> {
    async fn run(self) -> Exit {
        let done = async { self.command.run(&self.connection.open(self.output).await?).await };
        ended(done.await, |error| self.connection.advice(error))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Posture::command().debug_assert();
    }
}
