//! `posture billable-users`: billable users of a tenant.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use model::{BillableUser, ServiceTenantId, Timestamp};
use serde::Serialize;
use store::{Organization, TenantRecord};

use crate::arguments::{OfOrganization, now};
use crate::command::Run;
use crate::connection::Session;
use crate::exit::Exit;
use crate::files::directory_of;
use crate::records::{self, Record, RecordError};
use crate::tenant;

const FILES: &str = "\
Each file is a CSV table with a header line, or a JSON list of objects, with these fields:
  id                     identifier in the provider's directory
  displayName
  userPrincipalName      sign-in name
  mail                   may be empty
  accountEnabled         true or false
  assignedLicenseSkuIds  a JSON list; in CSV, with semicolons between them
Users without a licence are not billable and are left out. If one row is wrong, nothing is recorded.";

const FIELDS: [&str; 6] = ["id", "displayName", "userPrincipalName", "mail", "accountEnabled", "assignedLicenseSkuIds"];

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Record the users of a tenant, in place of those recorded before
    #[command(after_help = FILES)]
    Record(Recording),
}

#[derive(Debug, Args)]
pub(crate) struct Recording {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its service identifier or its provider identifier
    #[arg(long)]
    tenant: String,
    /// The files, and folders of them, are exports of the tenant's directory as Graph returns them, all pages of `users`
    #[arg(long)]
    from_exports: bool,
    /// Files that hold all users of the tenant together
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What was recorded.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recorded {
    service_tenant_id: ServiceTenantId,
    generated_at: Timestamp,
    billable_users: usize,
    without_licence: usize,
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self::Record(Recording { organization, tenant, from_exports, files }) = self;
        let organization = session.organization(&organization.id).await?;
        let tenant = tenant::find(&organization, &tenant).await?;
        let users = match from_exports {
            true => directory_of(&tenant, &files)?.billable_users().context("the users are not recorded")?,
            false => users(&records::read(&files, &FIELDS)?)?,
        };
        let recorded = record(&organization, &tenant, users).await?;
        session.output.show(&recorded, |recorded| {
            format!(
                "Recorded {} billable users of tenant {}; left out {} without a licence.",
                recorded.billable_users, recorded.service_tenant_id, recorded.without_licence
            )
        })?;
        Ok(Exit::Done)
    }
}

/// Records those users that have a licence.
pub(crate) async fn record(
    organization: &Organization,
    tenant: &TenantRecord,
    users: Vec<BillableUser>,
) -> anyhow::Result<Recorded> {
    let all = users.len();
    let users: Vec<_> = users.into_iter().filter(|user| !user.assigned_license_sku_ids.is_empty()).collect();
    let (id, generated_at) = (tenant.service_tenant_id.clone(), now());
    organization.record_billable_users(&id, generated_at, &users).await.context("the users are not recorded")?;
    Ok(Recorded {
        service_tenant_id: id,
        generated_at,
        billable_users: users.len(),
        without_licence: all - users.len(),
    })
}

/// The users in a text of the form that `record` reads.
pub(crate) fn parse(text: &str) -> Result<Vec<BillableUser>, RecordError> {
    users(&records::parse("the text", text, &FIELDS)?)
}

fn users(rows: &[Record]) -> Result<Vec<BillableUser>, RecordError> {
    let mut ids = HashSet::new();
    let users = rows.iter().map(|row| {
        let user = user(row)?;
        ids.insert(user.id.clone()).then_some(user).ok_or_else(|| row.error("id", "is there twice"))
    });
    users.collect()
}

fn user(row: &Record) -> Result<BillableUser, RecordError> {
    Ok(BillableUser {
        id: row.text("id")?,
        display_name: row.text("displayName")?,
        user_principal_name: row.text("userPrincipalName")?,
        mail: row.optional_text("mail")?.unwrap_or_default(),
        account_enabled: row.boolean("accountEnabled")?,
        assigned_license_sku_ids: row.texts("assignedLicenseSkuIds")?,
    })
}
