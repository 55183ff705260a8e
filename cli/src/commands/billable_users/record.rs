//! `posture billable-users record`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use model::{Actor, counted};
use operations::billable_users::{self, RecordedUsers};
use operations::{exports, rows};
use store::Organization;

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::files;
use crate::lookup;
use crate::run::Run;

pub(super) const FILES: &str = "\
Each file is a CSV table with a header line, or a JSON list of objects, with these fields:
  id                     identifier in the provider's directory
  displayName
  userPrincipalName      sign-in name
  mail                   may be empty
  accountEnabled         true or false
  assignedLicenseSkuIds  a JSON list; in CSV, with semicolons between them
Users without a licence are not billable and are left out. If one row is wrong, nothing is recorded.";

#[derive(Debug, Args)]
pub(crate) struct Recording {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(long)]
    tenant: String,
    /// Read the files, and folders of them, as exports of the tenant's directory from Microsoft Graph, with all pages
    /// of `users`
    #[arg(long)]
    from_exports: bool,
    /// Record an empty list of users; by default it is refused, because its export may have failed
    #[arg(long, requires = "from_exports")]
    allow_empty: bool,
    /// Files that together contain all users of the tenant
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Run for Recording {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let recorded = self.record(&organization).await.context("the users were not recorded")?;
        session.output.show(&recorded, readable)?;
        Ok(Exit::Done)
    }
}

impl Recording {
    async fn record(self, organization: &Organization) -> anyhow::Result<RecordedUsers> {
        let tenant = lookup::tenant(organization, &self.tenant).await?;
        let users = match self.from_exports {
            true => {
                let mut directory = exports::directory_of(&tenant, files::inputs(&self.files))?;
                if self.allow_empty {
                    directory.allow_no_users();
                }
                directory.users()?
            }
            false => billable_users::of_rows(rows::read(files::contents(&self.files)?)?)?,
        };
        Ok(billable_users::record(organization, &Actor::operator(), &tenant, users, now()).await?)
    }
}

fn readable(recorded: &RecordedUsers) -> String {
    format!(
        "Recorded {} of tenant {}; left out {} without a licence.",
        counted(recorded.billable_users, "billable user"),
        recorded.service_tenant_id,
        recorded.without_licence
    )
}
