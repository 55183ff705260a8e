//! `posture notify list`.

use anyhow::Context;
use clap::Args;
use store::Target;

use super::shown::{rules, shape, state};
use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let targets = organization.targets().await.context("the targets cannot be listed")?;
        session.output.show(&targets, |targets| readable(targets))?;
        Ok(Exit::Done)
    }
}

fn readable(targets: &[Target]) -> String {
    if targets.is_empty() {
        return "The organization has no targets; `posture notify add` adds one.".to_owned();
    }
    let row = |it: &Target| {
        let (id, url) = (it.target_id.to_string(), String::from(it.address.clone()));
        vec![id, it.name.clone(), shape(it), url, rules(it), state(it)]
    };
    table(&["TARGET", "NAME", "FORM", "ADDRESS", "EVENTS", "STATE"].map(Column::text), targets.iter().map(row))
}
