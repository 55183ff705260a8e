//! `posture`, the operator's command: runs the service on one machine, and looks after organizations, their keys,
//! tenants, reports and usage, there or in an AWS account.

#![allow(clippy::doc_markdown, reason = "the docs of arguments are help texts, which have no markup")]

mod arguments;
mod billable_users;
mod bootstrap;
mod brand;
mod check;
mod command;
mod connection;
mod demo;
mod exit;
mod files;
mod gateway;
mod key;
mod org;
mod output;
mod progress;
mod records;
mod report;
mod serve;
mod tenant;
mod usage;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    command::run().await.into()
}
