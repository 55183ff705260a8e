//! The command line as a whole.

mod billable_users;
mod bootstrap;
mod certificate;
mod check;
mod collect;
mod controls;
mod demo;
mod demo_exports;
mod key;
mod member;
mod notify;
#[cfg(test)]
mod option_tests;
mod org;
mod recorded;
mod repair;
mod report;
mod restore;
mod risk;
mod schedule;
mod serve;
mod task;
mod tenant;
mod text;
mod upgrade;
mod usage;

use std::borrow::Cow;
use std::collections::BTreeSet;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand};
use model::visible_lines;

use crate::advice;
use crate::connection::Connection;
use crate::exit::{EXIT_CODES, Exit, ended, print_progress};
use crate::output::Output;
use crate::run::Run;

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
    /// Create the first organization and key of a new deployment, and call its API
    Bootstrap(bootstrap::Bootstrap),
    /// Check that the stored data is consistent, for example after a restore
    Check(check::Check),
    /// Mend damaged items of an organization: rebuild what can be derived, set the rest aside into a file
    Repair(repair::Repair),
    /// Prepare a restored table for service: its settings, and a list of whatever gives access again
    Restore(restore::Restore),
    /// Rewrite the stored data of earlier releases in the format of this one
    Upgrade(upgrade::Upgrade),
    /// Collect a tenant's configuration into a snapshot, read-only
    Collect(collect::Collect),
    /// Make the certificate of the application that reads tenants, of its key in AWS
    Certificate(certificate::MakeCertificate),
    /// Organizations: each sees only its own data
    Org(OnData<org::Command>),
    /// API keys of an organization
    Key(OnData<key::Command>),
    /// Members of an organization, who use the dashboard
    Member(OnData<member::Command>),
    /// Tenants of an organization
    Tenant(OnData<tenant::Command>),
    /// Posture reports, from the results of assessment tools or made by the service itself
    Report(OnData<report::Command>),
    /// Accepted risks: controls that nobody needs to act on for a time
    Risk(OnData<risk::Command>),
    /// Tasks: owners, due days and notes of controls that do not meet best practice
    Task(OnData<task::Command>),
    /// Texts of an organization: why a control matters, and its fix, for all tenants
    Text(OnData<text::Command>),
    /// Schedules: when the service makes reports by itself
    Schedule(OnData<schedule::Command>),
    /// Notifications: who is told of events, by signed messages
    Notify(OnData<notify::Command>),
    /// Usage of an organization's tenants
    Usage(OnData<usage::Command>),
    /// Billable users of a tenant
    BillableUsers(OnData<billable_users::Command>),
}

/// A command on the data, on this machine or in AWS.
#[derive(Debug, Args)]
struct OnData<C: Subcommand> {
    #[command(subcommand)]
    command: C,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// Runs the command that the command line names.
pub(crate) async fn run() -> Exit {
    let posture = match Posture::try_parse() {
        Ok(posture) => posture,
        Err(error) => return wrong(error),
    };
    match posture.command {
        Command::Serve(command) => ended(command.run().await, |_| None),
        Command::Bootstrap(command) => command.run().await,
        Command::Check(command) => command.run().await,
        Command::Repair(command) => command.run().await,
        Command::Restore(command) => command.run().await,
        Command::Upgrade(command) => command.run().await,
        Command::Collect(command) => command.run().await,
        Command::Certificate(command) => command.run().await,
        Command::Org(command) => command.run().await,
        Command::Key(command) => command.run().await,
        Command::Member(command) => command.run().await,
        Command::Tenant(command) => command.run().await,
        Command::Report(command) => command.run().await,
        Command::Risk(command) => command.run().await,
        Command::Task(command) => command.run().await,
        Command::Text(command) => command.run().await,
        Command::Schedule(command) => command.run().await,
        Command::Notify(command) => command.run().await,
        Command::Usage(command) => command.run().await,
        Command::BillableUsers(command) => command.run().await,
    }
}

/// Prints help, the version, or the error in the command line. Repeats an argument only if it contains no character
/// that could control the terminal.
fn wrong(mut error: clap::Error) -> Exit {
    if let (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    {
        let mut command = Posture::command();
        command.build();
        let tips =
            variables(&command, missing).into_iter().map(|name| format!("the variable {name} does the same").into());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips.collect()));
    }
    match visible_lines(&error.render().to_string()) {
        Cow::Borrowed(_) => error.exit(),
        Cow::Owned(text) => print_progress(text.trim_end()),
    }
    Exit::WrongCommandLine
}

/// Returns the variables of the environment that take the place of missing options.
fn variables(command: &clap::Command, missing: &[String]) -> BTreeSet<String> {
    let options = command.get_arguments().filter(|option| missing.contains(&option.to_string()));
    let own = options.filter_map(|option| Some(option.get_env()?.to_string_lossy().into_owned()));
    own.chain(command.get_subcommands().flat_map(|command| variables(command, missing))).collect()
}

impl<C: Subcommand + Run> OnData<C> {
    async fn run(self) -> Exit {
        let done = async { self.command.run(&self.connection.open(self.output).await?).await };
        ended(done.await, |error| advice::about(error, &self.connection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Posture::command().debug_assert();
    }
}
