//! Writes a response of each endpoint of the stand-in for Microsoft Graph into a folder, with a manifest that names
//! their types in Microsoft's schema: `cargo run -p local --example graph_responses FOLDER`.

use std::path::Path;
use std::{env, fs};

use chrono::Utc;
use graph::Clock;
use local::stand_in::{Plan, StandIn, Tenant};
use model::ProviderTenantId;
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = env::args().nth(1).ok_or("name a folder")?;
    // Tenants have different settings, so several show every form.
    for number in 0..6 {
        let id: ProviderTenantId = format!("00000000-0000-4000-8000-00000000000{number}").parse()?;
        let mut tenant = Tenant::new(id.clone(), &format!("Tenant {number}"), 60);
        tenant.plan = [Plan::P2, Plan::P1, Plan::Free][number % 3];
        let stand_in = StandIn::new("https://graph.microsoft.com", Clock::at(Utc::now()), vec![tenant]);
        write(&Path::new(&folder).join(number.to_string()), &stand_in, &id)?;
    }
    Ok(())
}

fn write(folder: &Path, stand_in: &StandIn, id: &ProviderTenantId) -> Result<(), Box<dyn std::error::Error>> {
    fs::create_dir_all(folder)?;
    let mut endpoints = Map::new();
    for (place, (url, kind, body)) in stand_in.samples(id).into_iter().enumerate() {
        let name = format!("{place:02}");
        fs::write(folder.join(format!("{name}.json")), serde_json::to_vec(&body)?)?;
        endpoints.insert(name, json!({ "url": url, "type": format!("microsoft.graph.{kind}") }));
    }
    let manifest = Value::from(Map::from_iter([("endpoints".to_owned(), endpoints.into())]));
    fs::write(folder.join("_manifest.json"), serde_json::to_vec(&manifest)?)?;
    Ok(())
}
