//! `posture tenant label`.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use clap::Args;
use model::Label;

use super::one::{INCOMPLETE, OneTenant, show};
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct GiveLabels {
    #[command(flatten)]
    tenant: OneTenant,
    /// A label that the tenant has from now on, in place of those before; repeat it for more, leave it out for none
    #[arg(long = "label", value_name = "LABEL")]
    labels: Vec<Label>,
}

impl Run for GiveLabels {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let (organization, tenant) = self.tenant.find_to_change(session).await?;
        let labels: BTreeSet<_> = self.labels.into_iter().collect();
        ensure!(labels.len() <= Label::MOST, "a tenant can have at most {} labels", Label::MOST);
        let labelled = by_operator(&organization).label_tenant(&tenant.service_tenant_id, &labels).await;
        show(session, "Labelled", labelled.context(INCOMPLETE)?)
    }
}
