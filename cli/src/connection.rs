//! The location of the data: the service on this machine or a table in AWS.

use std::{env, fmt};

use anyhow::{Context, bail};
use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, Region};
use clap::Args;
use local::Addresses;
use model::{Admin, OrganizationId};
use operations::{Queue, organizations};
use store::{AdminWriter, Cause, Organization, Store, StoreError, Timeouts, aws_settings};

use crate::arguments::{Dashboard, now};
use crate::bucket::Buckets;
use crate::defaults::{DB_PORT, TABLE};
use crate::exit::WrongOption;
use crate::output::Output;
use crate::table::Table;
use crate::usage_plan::UsagePlan;

/// The location of the data.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Where the data is")]
pub(crate) struct Connection {
    /// Use the service on this machine (`posture serve`), not AWS
    #[arg(long, global = true)]
    local: bool,

    /// Address of DynamoDB, instead of the region's or of http://127.0.0.1:8000 with --local
    #[arg(long, global = true, value_name = "URL")]
    endpoint_url: Option<String>,

    // The variables of this file are read without clap, for which they would be as explicit as options: with --local,
    // they have no effect.
    /// Name of the table [default: TABLE_NAME of the environment, or posture; with --local always posture]
    #[arg(long, global = true, value_name = "NAME")]
    table: Option<String>,
}

/// The usage plan that limits organizations in AWS.
#[derive(Debug, Clone, Args)]
pub(crate) struct InUsagePlan {
    /// Usage plan of the deployed API [default: USAGE_PLAN_ID of the environment]; refused with --local, where there is
    /// none
    #[arg(long = "usage-plan", value_name = "ID")]
    id: Option<String>,
}

/// The buckets with files about tenants in AWS.
#[derive(Debug, Clone, Args)]
pub(crate) struct InBuckets {
    /// Bucket of uploaded files [default: ASSESSMENTS_BUCKET of the environment]; refused with --local, where there is none
    #[arg(long = "bucket", value_name = "NAME")]
    uploads: Option<String>,
    /// Bucket of snapshots [default: SNAPSHOTS_BUCKET of the environment]; refused with --local, where there is none
    #[arg(long = "snapshots", value_name = "NAME")]
    snapshots: Option<String>,
}

/// The queue of requests for reports in AWS.
#[derive(Debug, Clone, Args)]
pub(crate) struct InQueue {
    /// Queue of requests for reports [default: REQUESTS_QUEUE_URL of the environment]; refused with --local, where there
    /// is none
    #[arg(long = "queue", value_name = "URL")]
    url: Option<String>,
}

/// The queue of notifications in AWS.
#[derive(Debug, Clone, Args)]
pub(crate) struct InNotifications {
    /// Queue of notifications [default: NOTIFICATIONS_QUEUE_URL of the environment]; refused with --local, where there is
    /// none
    #[arg(long = "queue", value_name = "URL")]
    url: Option<String>,
}

/// A connection to the data, and the form of results.
pub(crate) struct Session {
    pub(crate) store: Store,
    /// The client of the store.
    data: Client,
    pub(crate) output: Output,
    /// Where the data is.
    place: Place,
}

/// Where the data is.
enum Place {
    Aws(Box<SdkConfig>),
    /// On this machine, at this address.
    Local(String),
}

impl Connection {
    /// Prepares the connection without sending anything.
    ///
    /// # Errors
    /// If the AWS environment names no region.
    pub(crate) async fn open(&self, output: Output) -> anyhow::Result<Session> {
        let mut settings = aws_settings(Timeouts::PATIENT);
        if self.local {
            // The engine accepts any credentials, but requires some.
            let credentials = Credentials::new("local", "local", None, None, "local");
            settings = settings.region(Region::from_static("local")).credentials_provider(credentials);
        }
        let settings = settings.load().await;
        if settings.region().is_none() {
            bail!("no AWS region is set: set AWS_REGION or AWS_PROFILE, or use --local with `posture serve`");
        }
        let mut of_data = aws_sdk_dynamodb::config::Builder::from(&settings);
        if let Some(endpoint) = self.endpoint() {
            // Only for the data: API Gateway has another address.
            of_data = of_data.endpoint_url(endpoint);
        }
        let data = Client::from_conf(of_data.build());
        let store = Store::new(data.clone(), &self.table());
        Ok(Session { store, data, output, place: self.place(settings) })
    }

    /// Sets the table, unless one is named.
    pub(crate) fn fill_in_table(&mut self, name: Option<String>) {
        self.table = self.table.take().or(name);
    }

    /// Returns the table that an option names.
    ///
    /// # Errors
    /// If no option names one.
    pub(crate) fn named_table(&self) -> Result<&str, WrongOption> {
        self.table.as_deref().ok_or(WrongOption::NoTable)
    }

    /// Returns the variables that make other commands use the same table.
    pub(crate) fn environment(&self) -> Option<String> {
        (!self.local).then(|| format!("TABLE_NAME={}", self.table()))
    }

    /// Returns what to do about a failure of the store.
    pub(crate) fn advice(&self, error: &StoreError) -> Option<String> {
        match error {
            StoreError::Unavailable { cause: Cause::NoConnection, .. } if self.local => {
                Some(format!("nothing responds at {self}; start the service with `posture serve`"))
            }
            StoreError::Unavailable { cause: Cause::NoConnection, .. } => {
                Some("check the network, and the AWS credentials with `aws sts get-caller-identity`".to_owned())
            }
            StoreError::Refused { cause: Cause::NoTable, .. } => {
                Some(format!("there is no table {} at {self}; name it with --table", self.table()))
            }
            StoreError::Refused { cause: Cause::NotAllowed, .. } => Some(
                "the AWS credentials do not allow it; `aws sts get-caller-identity` shows whose they are".to_owned(),
            ),
            error if error.is_transient() => {
                Some("run the command again in a moment; repeating it does no harm".to_owned())
            }
            _ => None,
        }
    }

    fn endpoint(&self) -> Option<String> {
        self.endpoint_url.clone().or_else(|| self.local.then(|| format!("http://127.0.0.1:{DB_PORT}")))
    }

    fn place(&self, settings: SdkConfig) -> Place {
        match self.endpoint() {
            Some(address) if self.local => Place::Local(address),
            _ => Place::Aws(settings.into()),
        }
    }

    fn table(&self) -> String {
        let in_aws = || if self.local { None } else { variable("TABLE_NAME") };
        self.table.clone().or_else(in_aws).unwrap_or_else(|| TABLE.to_owned())
    }
}

impl fmt::Display for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.endpoint().as_deref().unwrap_or("DynamoDB"))
    }
}

impl InUsagePlan {
    /// Sets the usage plan, unless one is named.
    pub(crate) fn fill_in(&mut self, id: Option<String>) {
        self.id = self.id.take().or(id);
    }

    /// Returns the variable that makes other commands use the same usage plan.
    pub(crate) fn environment(&self) -> Option<String> {
        self.id().map(|id| format!("USAGE_PLAN_ID={id}"))
    }

    fn id(&self) -> Option<String> {
        self.id.clone().or_else(|| variable("USAGE_PLAN_ID"))
    }
}

/// Asks the service on this machine for its addresses.
fn addresses_at(data: &str) -> anyhow::Result<Addresses> {
    let url = format!("{}{}", data.trim_end_matches('/'), Addresses::PATH);
    let asked = || ureq::get(&url).call()?.body_mut().read_to_string();
    let unknown = || format!("the service at {data} does not name its dashboard: set --dashboard-url");
    let text = tokio::task::block_in_place(asked).with_context(unknown)?;
    serde_json::from_str(&text).with_context(unknown)
}

/// Returns a variable of the environment that is not empty.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

impl Session {
    /// Returns whether the data is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.place, Place::Local(_))
    }

    /// Returns the address of the dashboard, where people accept invitations.
    pub(crate) fn dashboard(&self, of: &Dashboard) -> anyhow::Result<String> {
        self.address(of, |addresses| addresses.dashboard)
    }

    /// Returns the address that links of reports lead to.
    pub(crate) fn report_links(&self, of: &Dashboard) -> anyhow::Result<String> {
        self.address(of, |addresses| addresses.report_links)
    }

    /// Returns an address without a slash at the end: the named one, or the one that the service on this machine names.
    fn address(&self, of: &Dashboard, one: impl FnOnce(Addresses) -> String) -> anyhow::Result<String> {
        let named = match (&of.url, &self.place) {
            (Some(url), _) => url.clone(),
            (None, Place::Local(data)) => one(addresses_at(data)?),
            (None, Place::Aws(_)) => variable("DASHBOARD_URL").context(
                "the dashboard's address is unknown: set --dashboard-url or DASHBOARD_URL to the stack's output DashboardUrl",
            )?,
        };
        Ok(named.trim_end_matches('/').to_owned())
    }

    /// Returns the settings of AWS for an option that is about a deployment, or `None` if the data is on this machine.
    ///
    /// # Errors
    /// If the data is on this machine and the option has a value.
    fn aws_for(&self, option: &'static str, value: Option<&String>) -> Result<Option<&SdkConfig>, WrongOption> {
        match (&self.place, value) {
            (Place::Local(_), Some(_)) => Err(WrongOption::WithLocal(option)),
            (Place::Local(_), None) => Ok(None),
            (Place::Aws(settings), _) => Ok(Some(settings)),
        }
    }

    /// Returns a table in AWS, whose settings can be changed.
    ///
    /// # Errors
    /// If the data is on this machine, where tables have no settings.
    pub(crate) fn table(&self, name: &str) -> Result<Table, WrongOption> {
        match self.is_local() {
            true => Err(WrongOption::WithLocal("restore")),
            false => Ok(Table::new(self.data.clone(), name)),
        }
    }

    /// Returns the usage plan, or `None` if the data is on this machine.
    pub(crate) fn usage_plan(&self, of: &InUsagePlan) -> anyhow::Result<Option<UsagePlan>> {
        let Some(aws) = self.aws_for("--usage-plan", of.id.as_ref())? else { return Ok(None) };
        let id = of
            .id()
            .context("no usage plan is named: set --usage-plan or USAGE_PLAN_ID to the stack's output UsagePlanId")?;
        Ok(Some(UsagePlan::new(aws, &id)))
    }

    /// Returns the queue of requests for reports. On this machine, the service looks for them itself.
    pub(crate) fn queue(&self, of: &InQueue) -> anyhow::Result<Queue> {
        self.queue_of(of.url.as_ref(), "REQUESTS_QUEUE_URL", "RequestsQueue")
    }

    /// Returns the queue of notifications. On this machine, the service looks for them itself.
    pub(crate) fn notifications(&self, of: &InNotifications) -> anyhow::Result<Queue> {
        self.queue_of(of.url.as_ref(), "NOTIFICATIONS_QUEUE_URL", "NotificationsQueue")
    }

    /// Returns the queue with an address, else with that in a variable, which is an output of the stack.
    fn queue_of(&self, url: Option<&String>, name: &str, output: &str) -> anyhow::Result<Queue> {
        let Some(aws) = self.aws_for("--queue", url)? else { return Ok(Queue::Table) };
        let url = url.cloned().or_else(|| variable(name));
        let url =
            url.with_context(|| format!("no queue is named: set --queue or {name} to the stack's output {output}"))?;
        Ok(Queue::Sqs { client: aws_sdk_sqs::Client::new(aws), url: url.into() })
    }

    /// Returns the buckets of files, or `None` if the data is on this machine.
    pub(crate) fn buckets(&self, of: &InBuckets) -> anyhow::Result<Option<Buckets>> {
        self.aws_for("--snapshots", of.snapshots.as_ref())?;
        let Some(aws) = self.aws_for("--bucket", of.uploads.as_ref())? else { return Ok(None) };
        let uploads = of.uploads.clone().or_else(|| variable("ASSESSMENTS_BUCKET"));
        let uploads = uploads.context(
            "no bucket is named: set --bucket or ASSESSMENTS_BUCKET to the stack's output AssessmentsBucket",
        )?;
        let snapshots = of.snapshots.clone().or_else(|| variable("SNAPSHOTS_BUCKET"));
        let snapshots = snapshots.context(
            "no bucket of snapshots is named: set --snapshots or SNAPSHOTS_BUCKET to the stack's output SnapshotsBucket",
        )?;
        Ok(Some(Buckets::new(aws, uploads, snapshots)))
    }

    /// Returns the data of an existing organization.
    pub(crate) async fn organization(&self, id: &OrganizationId) -> anyhow::Result<Organization> {
        Ok(organizations::open(&self.store, id).await?)
    }
}

/// Returns the changes of an organization, made by the operator now.
pub(crate) fn by_operator(organization: &Organization) -> AdminWriter {
    organization.by_admin(&Admin::operator(), now())
}
