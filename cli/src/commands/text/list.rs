//! `posture text list`.

use anyhow::Context;
use clap::Args;
use store::ControlText;

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
        let texts = organization.all_texts().await.context("the texts cannot be listed")?;
        session.output.show(&texts, |texts| readable(texts))?;
        Ok(Exit::Done)
    }
}

fn readable(listed: &[ControlText]) -> String {
    if listed.is_empty() {
        return "There is no text; `posture text set` sets one.".to_owned();
    }
    let row = |text: &ControlText| {
        let ControlText { tool, control_id, texts, .. } = text.clone();
        let [why, fix] = [texts.why, texts.suggested_fix].map(Option::unwrap_or_default);
        vec![tool, control_id.to_string(), why, fix]
    };
    table(&["TOOL", "CONTROL", "WHY", "FIX"].map(Column::text), listed.iter().map(row))
}
