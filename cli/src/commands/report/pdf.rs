//! `posture report pdf`.

use std::fs;
#[cfg(not(feature = "pdf"))]
use std::path::Path;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use futures_util::TryStreamExt;
use model::{Label, ReportId};
use operations::documents::{self, Choice, Document, Foreword, Kind, Tasks};
use serde::Serialize;
use store::{Organization, Selection, StoredReport};

#[cfg(feature = "pdf")]
use super::pdf_all::run as all;
use crate::arguments::{Dashboard, OfOrganization};
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Pdf {
    #[command(flatten)]
    organization: OfOrganization,
    #[command(flatten)]
    dashboard: Dashboard,
    /// The newest report of this tenant, by its identifier, its provider identifier or its name
    #[arg(long, conflicts_with = "report")]
    tenant: Option<String>,
    /// The newest report of each tool of every tenant, into a new folder, or into an archive if its name ends in .zip
    #[arg(long, conflicts_with_all = ["report", "tenant"], requires = "output")]
    all: bool,
    /// Only of tenants with this label
    #[arg(long, conflicts_with_all = ["report", "tenant"], requires = "all")]
    label: Option<Label>,
    /// Write the document to this file [default: REPORT_ID.pdf in this folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// The report
    #[arg(value_name = "REPORT_ID", required_unless_present_any = ["all", "tenant"])]
    report: Option<ReportId>,
}

/// The options of a document.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Three pages for whoever decides, instead of everything
    #[arg(long, conflicts_with = "open")]
    board: bool,
    /// Only the controls that are open, drifted or in progress, instead of everything
    #[arg(long)]
    open: bool,
    /// Show the tasks of controls: owner, day and note
    #[arg(long, conflicts_with = "board")]
    tasks: bool,
    /// Size of the pages
    #[arg(long, value_enum, default_value_t)]
    paper: Paper,
    /// Your own words on the first page: at most 600 characters on 12 lines
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    foreword: Foreword,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Paper {
    #[default]
    A4,
    Letter,
}

/// A written document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    report_id: ReportId,
    file: PathBuf,
    bytes: usize,
}

impl Run for Pdf {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        if cfg!(not(feature = "pdf")) {
            bail!(
                "this build of `posture` cannot make PDFs, which takes some minutes more to build: use \
                 `cargo run --features pdf -- report pdf`"
            );
        }
        let organization = session.organization(&self.organization.id).await?;
        let links = session.report_links(&self.dashboard)?;
        if let (true, Some(output)) = (self.all, &self.output) {
            let choice = (self.label.clone(), self.options.choice());
            return all(session, (&organization, &links), choice, output).await;
        }
        let stored = self.find(&organization).await?;
        let report_id = stored.summary.report_id.clone();
        let document = documents::of(&organization, &stored.summary, self.options.choice()).await;
        let document = document.context("the brand and the history cannot be read")?;
        let report = api::reports::json(&links, stored)?;
        let pdf = render(&report, &document)?;
        let file = self.output.unwrap_or_else(|| format!("{report_id}.pdf").into());
        fs::write(&file, &pdf).with_context(|| format!("{} cannot be written", file.display()))?;
        session.output.show(&Written { report_id, file, bytes: pdf.len() }, |written| {
            format!("Wrote report {} to {}.", written.report_id, written.file.display())
        })?;
        Ok(Exit::Done)
    }
}

impl Options {
    /// Returns the choices for a document.
    pub(crate) fn choice(&self) -> Choice {
        let kind = match (self.board, self.open) {
            (true, _) => Kind::Board,
            (_, true) => Kind::Open,
            _ => Kind::Everything,
        };
        let paper = match self.paper {
            Paper::A4 => documents::Paper::A4,
            Paper::Letter => documents::Paper::Letter,
        };
        let tasks = if self.tasks { Tasks::Shown } else { Tasks::Hidden };
        Choice { kind, paper, foreword: self.foreword.clone(), tasks }
    }
}

impl Pdf {
    async fn find(&self, organization: &Organization) -> anyhow::Result<StoredReport> {
        if let Some(report) = &self.report {
            return lookup::report(organization, report).await.context("the report cannot be read");
        }
        let tenant = lookup::tenant(organization, self.tenant.as_deref().unwrap_or_default()).await?;
        let newest = organization.select(Selection::latest(1).of(tenant)).reports().try_concat().await;
        let newest = newest.context("the report cannot be read")?.into_iter().next();
        newest.context("the tenant has no report yet; `posture report import` creates one")
    }
}

#[cfg(feature = "pdf")]
fn render(report: &[u8], document: &Document) -> anyhow::Result<Vec<u8>> {
    Ok(report_pdf::render(report, document)?)
}

#[cfg(not(feature = "pdf"))]
async fn all(_: &Session, _: (&Organization, &str), _: (Option<Label>, Choice), _: &Path) -> anyhow::Result<Exit> {
    unreachable!("refused before any data is read")
}

#[cfg(not(feature = "pdf"))]
fn render(_: &[u8], _: &Document) -> anyhow::Result<Vec<u8>> {
    unreachable!("refused before any data is read")
}
