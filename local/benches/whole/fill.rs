//! Creates the data: organizations of all sizes, written by the store in small and multiplied in bulk.
//!
//! The store adds a few tenants and reports. Their items are copied with other identifiers and times, directly into the
//! engine's file: writing a hundred thousand reports through the store would take an hour.

use std::net::SocketAddr;
use std::path::Path;

use dynoxide::actions::scan::ScanRequest;
use dynoxide::{Database, ImportOptions, Item};
use local::Engine;
use model::OrganizationId;
use store::Store;
use tokio::net::TcpListener;

use crate::client::Client;
use crate::peers;
use crate::process::ANY_PORT;
use crate::support::{self, BoxError, REPORTS, TABLE, minute, provider_id, report_id, tenant_id, tenant_name};

/// Sizes by the number of tenants, each with one report.
const TENANTS: [u64; 2] = [100, 10_000];
/// Sizes by the number of reports, of a hundred tenants.
const HISTORY: [u64; 2] = [1_000, 100_000];
const TENANTS_WITH_HISTORY: u64 = 100;
/// Number of different reports; the others repeat their texts.
const MODELS: u64 = 20;
const MODEL_ORGANIZATION: &str = "org_model";
/// The tenant whose reports are models of those that are not their tenant's newest.
const MODEL_OF_HISTORY: u64 = 999;
/// Items written at a time.
const CHUNK: usize = 2_000;

/// The organizations to read.
pub(crate) struct Data {
    /// 500 tenants, each with a report.
    pub(crate) reports: Sized,
    /// By number of tenants, each with a report.
    pub(crate) tenants: Vec<Sized>,
    /// By number of reports.
    pub(crate) history: Vec<Sized>,
}

/// An organization with data.
pub(crate) struct Sized {
    pub(crate) id: OrganizationId,
    /// Number of its tenants, or of its reports.
    pub(crate) size: u64,
    key: String,
}

impl Sized {
    async fn create(store: &Store, kind: &str, size: u64) -> Result<Self, BoxError> {
        let organization = support::add_organization(store, &format!("org_{kind}_{size}").parse()?).await?;
        let created = support::by_operator(&organization, minute(0)).create_key(None).await?;
        Ok(Self { id: organization.id().clone(), size, key: created.key.reveal().to_owned() })
    }

    /// Returns a client with the organization's key.
    pub(crate) fn client(&self, gateway: SocketAddr) -> Client {
        Client { gateway, key: self.key.clone() }
    }

    /// Returns items of an organization that is measured by its tenants.
    fn tenants<'a>(&'a self, models: &'a Models) -> impl Iterator<Item = Result<Item, BoxError>> + 'a {
        (1..=self.size).flat_map(|number| models.newest(number).print(&self.id, number, number))
    }

    /// Returns items of an organization that is measured by its reports: the last ones are the newest of their tenants.
    fn history<'a>(&'a self, models: &'a Models) -> impl Iterator<Item = Result<Item, BoxError>> + 'a {
        let older = self.size - TENANTS_WITH_HISTORY;
        let tenants = 1..=TENANTS_WITH_HISTORY;
        let newest = tenants.flat_map(move |tenant| models.newest(tenant).print(&self.id, tenant, older + tenant));
        let tenant_of = |number| 1 + number % TENANTS_WITH_HISTORY;
        newest
            .chain((1..=older).flat_map(move |number| models.older(number).print(&self.id, tenant_of(number), number)))
    }
}

/// Writes everything into a new file.
pub(crate) async fn fill(file: &Path) -> Result<Data, BoxError> {
    let engine = Engine::file(file, TcpListener::bind(ANY_PORT).await?).await?;
    let data = write_organizations(&engine.store(TABLE).await?).await?;
    peers::fill(&engine, &data.reports.id).await?;
    engine.stop().await?;
    multiply(file, &data)?;
    Ok(data)
}

/// Writes the items that only the store can write, and the models.
async fn write_organizations(store: &Store) -> Result<Data, BoxError> {
    let models = support::add_organization(store, &MODEL_ORGANIZATION.parse()?).await?;
    for number in 1..=MODELS {
        support::add_tenant(&models, number).await?;
    }
    support::add_tenant(&models, MODEL_OF_HISTORY).await?;
    for number in 1..=MODELS {
        support::add_report(&models, &tenant_id(MODEL_OF_HISTORY), MODELS + number).await?;
    }
    let mut data =
        Data { reports: Sized::create(store, "reports", REPORTS).await?, tenants: Vec::new(), history: Vec::new() };
    for size in TENANTS {
        data.tenants.push(Sized::create(store, "tenants", size).await?);
    }
    for size in HISTORY {
        data.history.push(Sized::create(store, "history", size).await?);
    }
    Ok(data)
}

fn multiply(file: &Path, data: &Data) -> Result<(), BoxError> {
    let database = Database::new(file.to_str().ok_or("a path that is no UTF-8")?)?;
    let models = Models::of(&contents(&database)?);
    database.enable_bulk_loading()?;
    let by_tenants = data.tenants.iter().chain([&data.reports]).flat_map(|sized| sized.tenants(&models));
    let by_history = data.history.iter().flat_map(|sized| sized.history(&models));
    let organizations = data.tenants.iter().chain([&data.reports]).chain(&data.history);
    let marks = organizations.flat_map(|sized| models.marks.print(&sized.id, 0, 0));
    import(&database, by_tenants.chain(by_history).chain(marks))?;
    Ok(database.disable_bulk_loading()?)
}

fn import(database: &Database, mut items: impl Iterator<Item = Result<Item, BoxError>>) -> Result<(), BoxError> {
    loop {
        let chunk = items.by_ref().take(CHUNK).collect::<Result<Vec<_>, _>>()?;
        if chunk.is_empty() {
            return Ok(());
        }
        database.import_items(TABLE, chunk, ImportOptions::default())?;
    }
}

/// Returns the table's items, as JSON.
fn contents(database: &Database) -> Result<Vec<String>, BoxError> {
    let mut contents = Vec::new();
    let mut request = ScanRequest { table_name: TABLE.to_owned(), ..ScanRequest::default() };
    loop {
        let page = database.scan(std::mem::take(&mut request))?;
        for item in page.items.unwrap_or_default() {
            contents.push(serde_json::to_string(&item)?);
        }
        let Some(last) = page.last_evaluated_key else { return Ok(contents) };
        request = ScanRequest { table_name: TABLE.to_owned(), exclusive_start_key: Some(last), ..request };
    }
}

/// The items that the store wrote, as templates for others.
struct Models {
    newest: Vec<Model>,
    older: Vec<Model>,
    /// The change marks, which are those of groups of tenants.
    marks: Model,
}

impl Models {
    fn of(contents: &[String]) -> Self {
        let newest = (1..=MODELS).map(|number| Model::of(contents, tenant_id(number).as_str(), number, number));
        let numbers = MODELS + 1..=2 * MODELS;
        let older = numbers.map(|number| Model::of(contents, report_id(number).as_str(), MODEL_OF_HISTORY, number));
        let marks = Model::of(contents, "CHANGED#", 0, 0);
        Self { newest: newest.collect(), older: older.collect(), marks }
    }

    /// Returns a tenant with its newest report.
    fn newest(&self, number: u64) -> &Model {
        &self.newest[(number % MODELS) as usize]
    }

    /// Returns a report that a newer one of its tenant followed.
    fn older(&self, number: u64) -> &Model {
        &self.older[(number % MODELS) as usize]
    }
}

/// Items as JSON, and the numbers that they were made for.
struct Model {
    items: Vec<String>,
    tenant: u64,
    report: u64,
}

impl Model {
    /// Selects all items that contain a text, without the audit trail, which no request reads.
    fn of(contents: &[String], text: &str, tenant: u64, report: u64) -> Self {
        let items = contents.iter().filter(|item| item.contains(text) && !item.contains("AUDIT#"));
        Self { items: items.cloned().collect(), tenant, report }
    }

    /// Returns the same items for others.
    fn print(&self, organization: &OrganizationId, tenant: u64, report: u64) -> Vec<Result<Item, BoxError>> {
        let replaced = [
            (MODEL_ORGANIZATION.to_owned(), organization.to_string()),
            (tenant_id(self.tenant).to_string(), tenant_id(tenant).to_string()),
            (tenant_name(self.tenant), tenant_name(tenant)),
            (provider_id(self.tenant), provider_id(tenant)),
            (report_id(self.report).to_string(), report_id(report).to_string()),
            (minute(self.report).to_string(), minute(report).to_string()),
        ];
        let print = |item: &String| {
            let text = replaced.iter().fold(item.clone(), |text, (model, other)| text.replace(model, other));
            Ok(serde_json::from_str(&text)?)
        };
        self.items.iter().map(print).collect()
    }
}
