//! `posture bootstrap`: from a fresh deployment to the first answer.

use std::collections::HashMap;
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context, bail};
use clap::Args;
use model::OrganizationId;
use serde::{Deserialize, Serialize};
use store::OrganizationRecord;

use crate::arguments::{display_name, now};
use crate::connection::{Connection, InUsagePlan, Session};
use crate::exit::{Exit, ended, tell_progress};
use crate::output::Output;
use crate::{key, org};

const AFTER_HELP: &str = "\
Example:
  sam list stack-outputs --stack-name posture --output json | posture bootstrap --outputs - --name 'My company'

Where an organization of that name is there already, it is completed and gets another key.";

/// A new key spreads in the gateway within some ten seconds.
const CALLS: u32 = 20;
const BETWEEN_CALLS: Duration = Duration::from_secs(3);
const CALL_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Bootstrap {
    /// Name of the first organization
    #[arg(long, value_parser = display_name)]
    name: String,
    /// The stack's outputs as JSON, or - to read them from the standard input
    #[arg(long, value_name = "FILE")]
    outputs: Option<String>,
    /// The API's base address, in place of the output BaseUrl
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[command(flatten)]
    usage_plan: InUsagePlan,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// An output of a stack, as the tools of AWS write it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct StackOutput {
    output_key: String,
    output_value: String,
}

/// What is ready now.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    base_url: String,
    organization_id: OrganizationId,
    key: String,
    /// Commands that go on from here.
    next: Vec<String>,
}

impl Bootstrap {
    pub(crate) async fn run(mut self) -> Exit {
        let outputs = match self.outputs.as_deref().map(read_outputs).transpose() {
            Ok(outputs) => outputs.unwrap_or_default(),
            Err(error) => return ended(Err(error), |_| None),
        };
        self.fill_in(outputs);
        ended(self.steps().await, |error| self.connection.advice(error))
    }

    /// Takes from the outputs what no option says.
    fn fill_in(&mut self, mut outputs: HashMap<String, String>) {
        self.base_url = self.base_url.take().or(outputs.remove("BaseUrl"));
        self.usage_plan.fill_in(outputs.remove("UsagePlanId"));
        self.connection.fill_in_table(outputs.remove("TableName"));
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let base_url =
            self.base_url.as_deref().context("the API's address is not known: set --outputs or --base-url")?;
        let base_url = base_url.trim_end_matches('/').to_owned();
        let session = self.connection.open(self.output).await?;
        let usage_plan = session.usage_plan(&self.usage_plan)?;

        let organization = self.organization(&session).await?;
        org::admit(usage_plan.as_ref(), &organization).await?;
        let id = organization.organization_id;
        let key = key::create(&session.store.organization(&id), Some("posture bootstrap".to_owned())).await?.key;
        let ready = Ready { next: self.next(&id), base_url, organization_id: id, key: key.reveal().to_owned() };
        // Before the call, which may fail: the key is shown this once.
        session.output.show(&ready, in_words)?;
        call(&ready).await?;
        tell_progress("The API answers.");
        Ok(Exit::Done)
    }

    /// The organization of that name, which an interruption may have left.
    async fn organization(&self, session: &Session) -> anyhow::Result<OrganizationRecord> {
        let mut there = org::all(&session.store).await?.into_iter();
        match there.find(|organization| organization.name == self.name) {
            Some(organization) => Ok(organization),
            None => org::create(&session.store, OrganizationId::generate(now()), self.name.clone()).await,
        }
    }

    fn next(&self, organization: &OrganizationId) -> Vec<String> {
        let mut settings = self.connection.environment();
        settings.extend(self.usage_plan.environment());
        settings.push(format!("POSTURE_ORG={organization}"));
        vec![
            format!("export {}", settings.join(" ")),
            "posture tenant add --name NAME --provider-tenant-id GUID".to_owned(),
            "posture report import FILE".to_owned(),
        ]
    }
}

/// The outputs of a stack, by their keys.
fn read_outputs(file: &str) -> anyhow::Result<HashMap<String, String>> {
    let text = if file == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(file) };
    let text = text.with_context(|| format!("the outputs cannot be read from {file}"))?;
    let outputs: Vec<StackOutput> = serde_json::from_str(&text)
        .context("the outputs must be a JSON list of objects with OutputKey and OutputValue")?;
    Ok(outputs.into_iter().map(|output| (output.output_key, output.output_value)).collect())
}

fn in_words(ready: &Ready) -> String {
    let Ready { base_url, organization_id, key, next } = ready;
    let next = next.join("\n  ");
    format!(
        "Organization {organization_id} is ready at {base_url}\nkey: {key}\nThe key is not shown again.\n\n\
         Next:\n  {next}\n  curl -sS --compressed -H 'Authorization: Bearer {key}' '{base_url}/v1/posture-reports'"
    )
}

/// Asks the API for the organization's tenants, until it answers.
async fn call(ready: &Ready) -> anyhow::Result<()> {
    let (url, authorization) = (format!("{}/v1/tenants", ready.base_url), format!("Bearer {}", ready.key));
    for attempt in 1.. {
        match tokio::task::block_in_place(|| status_of(&url, &authorization)) {
            Ok(200) => break,
            Ok(401) => bail!("{url} does not know the key: are the address and the table of one deployment?"),
            Ok(status @ (404 | 405)) => bail!("{url} is no address of the API (status {status})"),
            answer if attempt == CALLS => {
                let answer = answer.map_or_else(|error| error.to_string(), |status| format!("status {status}"));
                bail!("{url} does not answer ({answer}); try the request above in a minute");
            }
            _ => {}
        }
        if attempt == 1 {
            tell_progress("Waiting for the gateway to take up the key.");
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
