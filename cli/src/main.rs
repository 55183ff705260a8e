//! `posture`, the operator's command: runs the service on one machine, and manages organizations, their keys, tenants,
//! reports and usage, on that machine or in an AWS account.
//!
//! - `commands`: one file per command, which parses its arguments, calls an operation and prints the result.
//! - `connection`, `output`, `progress`, `confirmation`, `exit`, `advice`: what commands share.
//! - `table`: settings of a table in AWS.
//! - `usage_plan`: API Gateway's usage plan, for the operations on organizations.

#![allow(clippy::doc_markdown, reason = "the docs of arguments are help texts, which have no markup")]

mod advice;
mod arguments;
mod bucket;
mod commands;
mod confirmation;
mod connection;
mod defaults;
mod exit;
mod files;
mod lookup;
mod output;
mod progress;
mod run;
mod table;
mod usage_plan;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    commands::run().await.into()
}
