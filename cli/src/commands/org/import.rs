//! `posture org import`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use model::counted;
use operations::archive::{self, Imported};
use operations::organizations;

use crate::connection::{InUsagePlan, Session};
use crate::exit::Exit;
use crate::output::plain;
use crate::progress::Count;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The archive, from `posture org export`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    usage_plan: InUsagePlan,
}

impl Run for Import {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let usage_plan = session.usage_plan(&self.usage_plan)?;
        let count = Count::new("Importing items");
        let imported = archive::import(&session.store, &self.file, |items| count.at(items)).await;
        drop(count);
        let imported = imported.context("the organization was not imported")?;
        organizations::admit(usage_plan.as_ref(), &imported.record).await?;
        session.output.show(&imported, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(Imported { manifest, items, .. }: &Imported) -> String {
    let id = &manifest.organization_id;
    let mut lines =
        vec![format!("Imported organization {id}, \"{}\": {}.", plain(&manifest.name), counted(*items, "item"))];
    if !manifest.api_keys.is_empty() {
        lines.push("Its API keys were not imported: their texts are not known. It had these:".to_owned());
        lines.extend(manifest.api_keys.iter().map(|key| {
            let description = key.description.as_deref().unwrap_or("without description");
            format!("  {}, {}, created {}", key.key_id, plain(description), key.created_at)
        }));
    }
    lines.push(format!("Next: `posture key create --org {id}`."));
    lines.join("\n")
}
