//! `posture org brand`: the brand of documents for an organization's clients.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use model::{Admin, OrganizationId};
use operations::brand::{self, Accent, Brand, Change, LOGO_LIMIT};
use serde::Serialize;

use crate::arguments::now;
use crate::connection::Session;
use crate::exit::{Exit, WrongOption};
use crate::output::plain;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct OrgBrand {
    /// The organization's identifier
    #[arg(value_name = "ORG")]
    organization: OrganizationId,
    /// Name to show instead of the organization's
    #[arg(long, value_parser = brand::name)]
    name: Option<String>,
    /// Accent colour, such as #2456c9; shown darker if it is too pale for text
    #[arg(long, value_name = "COLOUR")]
    accent: Option<Accent>,
    /// Line at the foot of every page
    #[arg(long, value_name = "TEXT", value_parser = brand::footer)]
    footer: Option<String>,
    /// Logo: a PNG or JPEG file of at most 100 KB and 2000 x 2000 pixels
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
    /// Reset these parts to their defaults
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    reset: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Name,
    Accent,
    Footer,
    Logo,
}

/// A brand as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownBrand {
    organization_id: OrganizationId,
    name: String,
    accent: String,
    footer: String,
    logo: Option<ShownLogo>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownLogo {
    media_type: String,
    width: u32,
    height: u32,
    bytes: usize,
}

impl Run for OrgBrand {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization).await?;
        let changes = self.changes()?;
        let brand = if changes.is_empty() {
            brand::get(&organization).await.context("the brand cannot be read")?
        } else {
            let changed = brand::change(&organization, &Admin::operator(), changes, None, now()).await;
            changed.context("the brand was not changed")?
        };
        session.output.show(&ShownBrand::new(self.organization, brand), readable)?;
        Ok(Exit::Done)
    }
}

impl OrgBrand {
    /// Returns an error if a part is both reset and set.
    fn refuse_contradictions(&self) -> Result<(), WrongOption> {
        let set = [
            (Part::Name, "--name", self.name.is_some()),
            (Part::Accent, "--accent", self.accent.is_some()),
            (Part::Footer, "--footer", self.footer.is_some()),
            (Part::Logo, "--logo", self.logo.is_some()),
        ];
        match set.iter().find(|(part, _, is_set)| *is_set && self.reset.contains(part)) {
            Some((_, option, _)) => Err(WrongOption::Contradicts(option)),
            None => Ok(()),
        }
    }

    fn changes(&self) -> anyhow::Result<Vec<Change>> {
        self.refuse_contradictions()?;
        let reset = self.reset.iter().map(|part| match part {
            Part::Name => Change::Name(None),
            Part::Accent => Change::Accent(None),
            Part::Footer => Change::Footer(None),
            Part::Logo => Change::Logo(None),
        });
        let mut changes: Vec<_> = reset.collect();
        changes.extend(self.name.clone().map(|name| Change::Name(Some(name))));
        changes.extend(self.accent.map(|accent| Change::Accent(Some(accent))));
        changes.extend(self.footer.clone().map(|footer| Change::Footer(Some(footer))));
        if let Some(path) = &self.logo {
            let bytes = read(path).with_context(|| format!("{} cannot be read", path.display()))?;
            let logo = brand::logo(bytes).with_context(|| format!("{} was not accepted as a logo", path.display()))?;
            changes.push(Change::Logo(Some(logo)));
        }
        Ok(changes)
    }
}

/// Reads a file, up to the size at which it is too large for a logo.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LOGO_LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl ShownBrand {
    fn new(organization_id: OrganizationId, brand: Brand) -> Self {
        let logo = brand.logo.map(|logo| ShownLogo {
            bytes: logo.bytes.len(),
            media_type: logo.media_type,
            width: logo.width,
            height: logo.height,
        });
        Self { organization_id, name: brand.name, accent: brand.accent.to_string(), footer: brand.footer, logo }
    }
}

fn readable(brand: &ShownBrand) -> String {
    let logo = brand.logo.as_ref().map_or_else(
        || "none".to_owned(),
        |logo| format!("{}, {} x {} pixels, {} bytes", logo.media_type, logo.width, logo.height, logo.bytes),
    );
    let (name, footer) = (plain(&brand.name), plain(&brand.footer));
    format!("Name    {name}\nAccent  {}\nFooter  {footer}\nLogo    {logo}", brand.accent)
}
