//! Where the data is: the service on this machine or a table in an AWS account.

use std::fmt;

use anyhow::{Context, bail};
use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region};
use clap::Args;
use model::OrganizationId;
use store::{Cause, Organization, Store, StoreError, Timeouts, aws_settings};

use crate::gateway::UsagePlan;
use crate::output::Output;
use crate::serve::{DB_PORT, LOCAL_TABLE};

/// Where the data is.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Where the data is")]
pub(crate) struct Connection {
    /// In the service on this machine (`posture serve`), not in AWS
    #[arg(long, global = true)]
    local: bool,

    /// At this address instead of DynamoDB's own, or instead of http://127.0.0.1:8000 with --local
    #[arg(long, global = true, value_name = "URL")]
    endpoint_url: Option<String>,

    /// In this table [default: posture]; the service on this machine has one of its own
    #[arg(long, global = true, value_name = "NAME", env = "TABLE_NAME")]
    table: Option<String>,
}

/// The usage plan that limits organizations in AWS.
#[derive(Debug, Clone, Args)]
pub(crate) struct InUsagePlan {
    /// Usage plan of the deployed API; the service on this machine needs none
    #[arg(long = "usage-plan", value_name = "ID", env = "USAGE_PLAN_ID")]
    id: Option<String>,
}

/// The data, connected, and where the results go.
pub(crate) struct Session {
    pub(crate) store: Store,
    pub(crate) output: Output,
    /// None where the data are on this machine.
    aws: Option<SdkConfig>,
}

impl Connection {
    /// Connects, without a word to the other side yet.
    ///
    /// # Errors
    /// When the AWS environment names no region.
    pub(crate) async fn open(&self, output: Output) -> anyhow::Result<Session> {
        let mut settings = aws_settings(Timeouts::PATIENT);
        if self.local {
            // The engine takes any credentials, but they have to be there.
            let credentials = Credentials::new("local", "local", None, None, "local");
            settings = settings.region(Region::from_static("local")).credentials_provider(credentials);
        }
        let settings = settings.load().await;
        if settings.region().is_none() {
            bail!("no AWS region is set: set AWS_REGION or AWS_PROFILE, or use --local with `posture serve`");
        }
        let mut of_data = aws_sdk_dynamodb::config::Builder::from(&settings);
        if let Some(endpoint) = self.endpoint() {
            // Of the data alone: the gateway is somewhere else.
            of_data = of_data.endpoint_url(endpoint);
        }
        let store = Store::new(Client::from_conf(of_data.build()), self.table());
        Ok(Session { store, output, aws: (!self.local).then_some(settings) })
    }

    /// Names the table, unless one is named already.
    pub(crate) fn fill_in_table(&mut self, name: Option<String>) {
        self.table = self.table.take().or(name);
    }

    /// The variables that make other commands use the same table.
    pub(crate) fn environment(&self) -> Vec<String> {
        if self.local { Vec::new() } else { vec![format!("TABLE_NAME={}", self.table())] }
    }

    /// What to do about a failure of the store.
    pub(crate) fn advice(&self, error: &StoreError) -> Option<String> {
        match error {
            StoreError::Unavailable { cause: Cause::NoConnection, .. } if self.local => {
                Some(format!("nothing answers at {self}; start the service with `posture serve`"))
            }
            StoreError::Unavailable { cause: Cause::NoConnection, .. } => {
                Some("check the network, and the AWS credentials with `aws sts get-caller-identity`".to_owned())
            }
            StoreError::Refused { cause: Cause::NoTable, .. } => {
                Some(format!("there is no table {} at {self}; name it with --table", self.table()))
            }
            StoreError::Refused { cause: Cause::NotAllowed, .. } => Some(
                "the AWS credentials do not allow it; `aws sts get-caller-identity` tells whose they are".to_owned(),
            ),
            error if error.is_transient() => Some("try again in a moment; a repeated command does no harm".to_owned()),
            _ => None,
        }
    }

    fn endpoint(&self) -> Option<String> {
        self.endpoint_url.clone().or_else(|| self.local.then(|| format!("http://127.0.0.1:{DB_PORT}")))
    }

    fn table(&self) -> &str {
        self.table.as_deref().filter(|_| !self.local).unwrap_or(LOCAL_TABLE)
    }
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.endpoint().as_deref().unwrap_or("DynamoDB"))
    }
}

impl InUsagePlan {
    /// Names the usage plan, unless one is named already.
    pub(crate) fn fill_in(&mut self, id: Option<String>) {
        self.id = self.id.take().or(id);
    }

    /// The variable that makes other commands use the same usage plan.
    pub(crate) fn environment(&self) -> Option<String> {
        self.id.as_ref().map(|id| format!("USAGE_PLAN_ID={id}"))
    }
}

impl Session {
    /// The gateway's usage plan; none where the data are on this machine.
    pub(crate) fn usage_plan(&self, of: &InUsagePlan) -> anyhow::Result<Option<UsagePlan>> {
        let Some(aws) = &self.aws else { return Ok(None) };
        let id = of.id.as_ref().context(
            "the gateway's usage plan is not named: set --usage-plan or USAGE_PLAN_ID to the stack's output UsagePlanId",
        )?;
        Ok(Some(UsagePlan::new(aws, id)))
    }

    /// The data of an organization that exists.
    pub(crate) async fn organization(&self, id: &OrganizationId) -> anyhow::Result<Organization> {
        let organization = self.store.organization(id);
        if organization.record().await.context("the organization cannot be read")?.is_none() {
            bail!("there is no organization {id}; `posture org list` lists them");
        }
        Ok(organization)
    }
}
