//! `posture report pdf --all`: the documents of many tenants, in a folder or an archive.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::{Context, bail};
use model::Label;
use operations::documents::{Choice, Plan};
use report_pdf::set::{Missing, Place, Set, Shelf};
use serde::Serialize;
use store::{Organization, Which};

use crate::connection::Session;
use crate::exit::{Exit, print_failure};
use crate::output::plain;
use crate::progress::Count;

/// Written documents.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    file: PathBuf,
    documents: usize,
    missing: Vec<Missing>,
}

/// Makes the documents of all tenants, or of those with a label. An interrupted command leaves a folder that ends in
/// `.part`, with which another one goes on.
pub(super) async fn run(
    session: &Session,
    (organization, links): (&Organization, &str),
    (label, choice): (Option<Label>, Choice),
    output: &Path,
) -> anyhow::Result<Exit> {
    if output.exists() {
        bail!("{} exists already: choose another name", output.display());
    }
    let part = output.with_added_extension("part");
    fs::create_dir_all(&part).with_context(|| format!("{} cannot be created", part.display()))?;
    let shelf = Shelf::Folder(part.clone());
    let plan = plan(organization, &shelf, Which { label, since: None }, choice);
    let plan = plan.await.with_context(|| format!("{} holds documents that are not finished", part.display()))?;
    let set = Set { organization, links, plan: &plan, shelf: &shelf, at_once: available_parallelism()?.get() };
    let count = Count::new("Documents");
    set.make(None, |made| count.at(made)).await.context("the documents are not finished; the same command goes on")?;
    let missing = if output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) {
        let missing = set.archive(&Place::File(output.to_owned())).await?;
        fs::remove_dir_all(&part)?;
        missing
    } else {
        let missing = set.settle().await?;
        keep_only(&part, &plan, &missing)?;
        fs::rename(&part, output)?;
        missing
    };
    for Missing { tenant_name, report_id, reason, .. } in &missing {
        print_failure(&format!("no document of report {report_id} of \"{}\": {reason}", plain(tenant_name)));
    }
    let exit = if missing.is_empty() { Exit::Done } else { Exit::Failed };
    let documents = plan.documents.len() - missing.len();
    session.output.show(&Written { file: output.to_owned(), documents, missing }, |written| {
        format!("Wrote {} to {}.", model::counted(written.documents, "document"), written.file.display())
    })?;
    Ok(exit)
}

/// Returns the plan of an interrupted command, or a new one.
async fn plan(organization: &Organization, shelf: &Shelf, which: Which, choice: Choice) -> anyhow::Result<Plan> {
    if let Some(begun) = shelf.plan().await.context("its plan cannot be read: remove the folder")? {
        if (&begun.organization_id, &begun.which, &begun.choice) != (organization.id(), &which, &choice) {
            bail!("they were begun with other options: repeat those, or remove the folder");
        }
        return Ok(begun);
    }
    let plan = Plan::of(organization, which, choice).await?;
    if plan.documents.is_empty() {
        bail!("no tenant has a report; `posture report import` creates one");
    }
    shelf.keep(&plan).await?;
    Ok(plan)
}

/// Deletes all files but the documents.
fn keep_only(folder: &Path, plan: &Plan, missing: &[Missing]) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is = |file: &str| entry.file_name() == file;
        let is_document = plan.documents.iter().any(|it| is(&it.file)) && !missing.iter().any(|it| is(&it.file));
        if !is_document {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
