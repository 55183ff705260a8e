//! `posture bootstrap`: from a new deployment to the first response of its API.

use std::collections::HashMap;
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, bail};
use clap::Args;
use model::{DisplayName, OrganizationId, Role};
use operations::{invitation_link, organizations};
use serde::{Deserialize, Serialize};
use store::OrganizationRecord;

use crate::advice;
use crate::arguments::now;
use crate::connection::{Connection, InUsagePlan, Session, by_operator};
use crate::exit::{Exit, WrongOption, ended, print_progress};
use crate::output::Output;

const AFTER_HELP: &str = "\
Example:
  sam list stack-outputs --stack-name posture --output json | posture bootstrap --outputs - --name 'My company'

If an organization of that name exists, it is completed and gets another key.";

/// Description of the key, and note of the invitation.
const BY_BOOTSTRAP: &str = "posture bootstrap";
/// A new key takes about ten seconds to reach all of API Gateway.
const CALLS: u32 = 20;
const BETWEEN_CALLS: Duration = Duration::from_secs(3);
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Bootstrap {
    /// Name of the first organization
    #[arg(long)]
    name: DisplayName,
    /// The stack's outputs as JSON, or - to read them from the standard input
    #[arg(long, value_name = "FILE")]
    outputs: Option<String>,
    /// The API's base address, instead of the output BaseUrl
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The dashboard's address, instead of the output DashboardUrl
    #[arg(long, value_name = "URL")]
    dashboard_url: Option<String>,
    #[command(flatten)]
    usage_plan: InUsagePlan,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// An output of a stack, as AWS tools write it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StackOutput {
    output_key: String,
    output_value: String,
}

/// The result of the bootstrap.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    base_url: String,
    organization_id: OrganizationId,
    key: String,
    /// Link by which the first Admin becomes a member, if the dashboard's address is known and there is no member yet.
    admin_link: Option<String>,
    /// Commands to run next.
    next: Vec<String>,
}

impl Bootstrap {
    pub(crate) async fn run(mut self) -> Exit {
        let outputs = match self.outputs.as_deref().map(read_outputs).transpose() {
            Ok(outputs) => outputs.unwrap_or_default(),
            Err(error) => return ended(Err(error), |_| None),
        };
        self.fill_in(outputs);
        ended(self.steps().await, |error| advice::about(error, &self.connection))
    }

    /// Sets from the outputs what no option sets.
    fn fill_in(&mut self, mut outputs: HashMap<String, String>) {
        self.base_url = self.base_url.take().or(outputs.remove("BaseUrl"));
        self.dashboard_url = self.dashboard_url.take().or(outputs.remove("DashboardUrl"));
        self.usage_plan.fill_in(outputs.remove("UsagePlanId"));
        self.connection.fill_in_table(outputs.remove("TableName"));
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let base_url = self.base_url.as_deref().context("the API's address is unknown: set --outputs or --base-url")?;
        let base_url = base_url.trim_end_matches('/').to_owned();
        let session = self.connection.open(self.output).await?;
        if session.is_local() && self.outputs.is_some() {
            return Err(WrongOption::WithLocal("--outputs").into());
        }
        let usage_plan = session.usage_plan(&self.usage_plan)?;

        let organization = self.organization(&session).await?;
        organizations::admit(usage_plan.as_ref(), &organization).await?;
        let id = organization.organization_id;
        let key = by_operator(&session.store.organization(&id)).create_key(Some(BY_BOOTSTRAP.parse()?)).await;
        let key = key.context("the key was not created")?.key;
        let admin_link = self.admin_link(&session, &id).await?;
        let next = self.next(&session, &id);
        let key = key.reveal().to_owned();
        let ready = Ready { next, base_url, organization_id: id, key, admin_link };
        // Printed before the call, which may fail: the key is shown only once.
        session.output.show(&ready, readable)?;
        call(&ready).await?;
        print_progress("The API responds.");
        Ok(Exit::Done)
    }

    /// Returns the organization of that name, which an interrupted bootstrap may have created.
    async fn organization(&self, session: &Session) -> anyhow::Result<OrganizationRecord> {
        let existing =
            session.store.as_operator().organizations().await.context("the organizations cannot be listed")?;
        match existing.into_iter().find(|organization| organization.name == self.name.as_str()) {
            Some(organization) => Ok(organization),
            None => {
                let id = OrganizationId::generate(now());
                let created = organizations::create(&session.store, id, self.name.clone(), now()).await;
                created.context("the organization was not created")
            }
        }
    }

    /// Returns the link of an invitation for the first Admin.
    async fn admin_link(&self, session: &Session, id: &OrganizationId) -> anyhow::Result<Option<String>> {
        let (Some(dashboard), organization) = (&self.dashboard_url, session.store.organization(id)) else {
            return Ok(None);
        };
        let members = organization.members().await.context("the members cannot be listed")?;
        if !members.is_empty() {
            return Ok(None);
        }
        let invited = by_operator(&organization).invite(Role::Admin, Some(BY_BOOTSTRAP.parse()?)).await;
        let (secret, _) = invited.context("the first Admin was not invited")?;
        Ok(Some(invitation_link(dashboard, &secret)))
    }

    fn next(&self, session: &Session, organization: &OrganizationId) -> Vec<String> {
        let table = self.connection.environment();
        let usage_plan = if session.is_local() { None } else { self.usage_plan.environment() };
        let dashboard = self.dashboard_url.as_ref().filter(|_| !session.is_local());
        let dashboard = dashboard.map(|url| format!("DASHBOARD_URL={url}"));
        let settings =
            table.into_iter().chain(usage_plan).chain(dashboard).chain([format!("POSTURE_ORG={organization}")]);
        vec![
            format!("export {}", settings.collect::<Vec<_>>().join(" ")),
            "posture tenant add --name NAME --provider-tenant-id GUID".to_owned(),
            "posture report import FILE".to_owned(),
        ]
    }
}

/// Reads the outputs of a stack, by name.
fn read_outputs(file: &str) -> anyhow::Result<HashMap<String, String>> {
    let text = if file == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(file) };
    let text = text.with_context(|| format!("the outputs cannot be read from {file}"))?;
    let outputs: Vec<StackOutput> = serde_json::from_str(&text)
        .context("the outputs must be a JSON list of objects with OutputKey and OutputValue")?;
    Ok(outputs.into_iter().map(|output| (output.output_key, output.output_value)).collect())
}

fn readable(ready: &Ready) -> String {
    let Ready { base_url, organization_id, key, admin_link, next } = ready;
    let next = next.join("\n  ");
    let link = |link| {
        format!("The first person who signs in with this link within 7 days becomes the first Admin:\n  {link}\n\n")
    };
    let link = admin_link.as_ref().map(link).unwrap_or_default();
    format!(
        "Organization {organization_id} is ready at {base_url}\nkey: {key}\nThe key is not shown again.\n\n{link}\
         Next:\n  {next}\n  curl -sS --compressed -H 'Authorization: Bearer {key}' '{base_url}/v1/posture-reports'"
    )
}

/// Calls the API for the organization's tenants until it responds.
async fn call(ready: &Ready) -> anyhow::Result<()> {
    let url = format!("{}/v1/tenants", ready.base_url);
    let authorization = format!("Bearer {}", ready.key);
    for attempt in 1.. {
        match tokio::task::block_in_place(|| status_of(&url, &authorization)) {
            Ok(200) => break,
            Ok(401) => {
                bail!("{url} does not know the key: check that the address and the table belong to the same deployment")
            }
            Ok(status @ (404 | 405)) => {
                bail!("{url} is not the address of the API (status {status}): set --base-url to the output BaseUrl")
            }
            response if attempt == CALLS => {
                let response = response.map_or_else(|error| error.to_string(), |status| format!("status {status}"));
                bail!("{url} does not respond ({response}): repeat the request above in a minute");
            }
            _ => {}
        }
        if attempt == 1 {
            print_progress("Waiting for API Gateway to accept the key.");
        }
        tokio::time::sleep(BETWEEN_CALLS).await;
    }
    Ok(())
}

fn status_of(url: &str, authorization: &str) -> Result<u16, ureq::Error> {
    let request = ureq::get(url).header("Authorization", authorization);
    let request = request.config().http_status_as_error(false).timeout_global(Some(CALL_TIMEOUT)).build();
    Ok(request.call()?.status().as_u16())
}
