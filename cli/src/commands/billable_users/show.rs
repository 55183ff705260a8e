//! `posture billable-users show`.

use anyhow::Context;
use clap::Args;
use model::{BillableUser, BillableUsersHead, counted};
use serde::Serialize;

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::output::{Column, plain, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(long)]
    tenant: String,
}

/// The users that are billed for a tenant, as the API returns them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(flatten)]
    head: BillableUsersHead,
    users: Vec<BillableUser>,
    total_billable_users: usize,
}

impl Run for Show {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_SHOWN: &str = "the users cannot be shown";
        let organization = session.organization(&self.organization.id).await?;
        let tenant = lookup::tenant(&organization, &self.tenant).await.context(NOT_SHOWN)?;
        let recorded = organization.billable_users(&tenant.service_tenant_id).await.context(NOT_SHOWN)?;
        let recorded = recorded.context(
            "no billable users are recorded for this tenant yet; `posture billable-users record` records them",
        )?;
        let head = recorded.head(&tenant);
        let users = recorded.read(&tenant).await.context(NOT_SHOWN)?;
        let shown = Shown { head, total_billable_users: users.len(), users };
        session.output.show(&shown, |shown| readable(shown, tenant.is_paused))?;
        Ok(Exit::Done)
    }
}

fn readable(shown: &Shown, is_paused: bool) -> String {
    let (name, id) = (plain(&shown.head.tenant_display_name), &shown.head.tenant_id);
    let recorded_at = shown.head.report_generated_at;
    let users = counted(shown.total_billable_users, "billable user");
    let paused = if is_paused { "\nThe tenant is paused, so none of its users is billed." } else { "" };
    let text = format!("{users} of tenant {id}, \"{name}\", recorded {recorded_at}{paused}");
    if shown.users.is_empty() {
        return text;
    }
    let row = |user: &BillableUser| {
        vec![
            user.display_name.clone(),
            user.user_principal_name.clone(),
            user.mail.clone(),
            if user.account_enabled { "enabled" } else { "disabled" }.to_owned(),
            user.assigned_license_sku_ids.len().to_string(),
        ]
    };
    let columns = [
        Column::text("NAME"),
        Column::text("SIGN-IN NAME"),
        Column::text("MAIL"),
        Column::text("ACCOUNT"),
        Column::number("LICENCES"),
    ];
    format!("{text}\n\n{}", table(&columns, shown.users.iter().map(row)))
}
