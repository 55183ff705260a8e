//! `posture org export`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use model::counted;
use operations::archive::{self, Exported};
use store::{StoreError, StoredReport};

use crate::arguments::{Dashboard, OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::plain;
use crate::progress::Count;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    organization: OfOrganization,
    #[command(flatten)]
    dashboard: Dashboard,
    /// The archive to write, such as northwind.tar.gz
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Run for Export {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let links = session.report_links(&self.dashboard)?;
        let as_returned = |report: &StoredReport| as_returned(&links, report);
        let export = archive::Export {
            store: &session.store,
            organization: &self.organization.id,
            now: now(),
            release: env!("CARGO_PKG_VERSION"),
            as_returned: &as_returned,
        };
        let count = Count::new("Exporting items");
        let exported = archive::export(&export, &self.file, |items| count.at(items)).await;
        drop(count);
        let exported = exported.context("the organization was not exported")?;
        session.output.show(&exported, |exported| self.readable(exported))?;
        Ok(Exit::Done)
    }
}

impl Export {
    fn readable(&self, Exported { organization_id, name, exported_at, items }: &Exported) -> String {
        format!(
            "Exported organization {organization_id}, \"{}\", as of {exported_at}: {} in {}. The file contains names and \
             addresses of people.",
            plain(name),
            counted(*items, "item"),
            self.file.display()
        )
    }
}

/// Returns the text of a report as the API returns it.
fn as_returned(dashboard: &str, report: &StoredReport) -> Result<Vec<u8>, StoreError> {
    let head = api::reports::head(dashboard, report);
    let mut text = serde_json::to_vec(&head).map_err(|_| StoreError::Corrupt("a report cannot be written"))?;
    // Head and body are one object.
    text.pop();
    text.push(b',');
    text.extend(report.tail.inflate()?);
    Ok(text)
}
