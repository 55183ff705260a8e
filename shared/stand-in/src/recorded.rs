//! Tenants that were recorded: a folder each, with a file per endpoint.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use model::ProviderTenantId;
use serde::Deserialize;
use serde_json::Value;

use super::tenant::{Plan, Recorded, Tenant};

/// A file that lists the others with their endpoints.
const MANIFEST: &str = "_manifest.json";
/// A file with the records of the tenant's mail domains.
const NAMES: &str = "_dns.json";

/// Why recorded tenants cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// A file cannot be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// A file is not what it must be.
    #[error("{0}: {1}")]
    Malformed(PathBuf, String),
    /// No folder has a manifest.
    #[error("{0} contains no folder with a {MANIFEST}")]
    Nothing(PathBuf),
}

#[derive(Deserialize)]
struct Manifest {
    endpoints: BTreeMap<String, Described>,
}

#[derive(Deserialize)]
struct Described {
    url: String,
}

/// Reads the recorded tenants in the folders of a folder.
pub(super) fn read(folder: &Path) -> Result<Vec<Tenant>, RecordedError> {
    let unreadable = |error| RecordedError::Unreadable(folder.to_owned(), error);
    let entries = fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut folders: Vec<_> =
        entries.iter().map(fs::DirEntry::path).filter(|path| path.join(MANIFEST).is_file()).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(RecordedError::Nothing(folder.to_owned()));
    }
    folders.iter().map(|path| tenant(path)).collect()
}

fn tenant(folder: &Path) -> Result<Tenant, RecordedError> {
    let manifest: Manifest = parse(&folder.join(MANIFEST))?;
    let mut recorded = Recorded::default();
    for (name, described) in manifest.endpoints {
        // Names come from a file, and lead to no other folder.
        let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        let path = folder.join(format!("{name}.json"));
        if !is_plain {
            let reason = format!("{name:?} is not the name of a file in the folder");
            return Err(RecordedError::Malformed(folder.join(MANIFEST), reason));
        }
        if path.is_file() {
            recorded.bodies.insert(endpoint(&described.url), parse(&path)?);
        }
    }
    if folder.join(NAMES).is_file() {
        recorded.names = names(&parse(&folder.join(NAMES))?);
    }
    let organization = recorded.bodies.get(model::snapshot::endpoint::ORGANIZATION);
    let row = organization.map(|body| body["value"].get(0).unwrap_or(body));
    let id = row.and_then(|row| row["id"].as_str()?.parse::<ProviderTenantId>().ok());
    let no_id = || RecordedError::Malformed(folder.join("organization.json"), "it has no tenant id".to_owned());
    let name = row.and_then(|row| row["displayName"].as_str()).unwrap_or("Recorded tenant").to_owned();
    let tenant = Tenant::new(id.ok_or_else(no_id)?, &name, 0);
    Ok(Tenant { plan: Plan::P2, recorded: Some(recorded), ..tenant })
}

/// Returns the endpoint of an address in a manifest, under the name that requests use.
fn endpoint(url: &str) -> String {
    let path = url.split('?').next().unwrap_or(url);
    match path {
        "/v1.0/authenticationMethodsPolicy" => model::snapshot::endpoint::AUTHENTICATION_METHODS_POLICY.to_owned(),
        path => path.to_owned(),
    }
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, RecordedError> {
    let bytes = fs::read(path).map_err(|error| RecordedError::Unreadable(path.to_owned(), error))?;
    serde_json::from_slice(&bytes).map_err(|error| RecordedError::Malformed(path.to_owned(), error.to_string()))
}

/// Returns the texts by domain name. A look-up's own name is in its log.
fn names(file: &Value) -> BTreeMap<String, Vec<String>> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let records = file.as_object().into_iter().flat_map(|groups| groups.values()).filter_map(Value::as_array).flatten();
    for entry in records.filter_map(|record| record["log"].as_array()).flatten() {
        let (Some(name), Some(answers)) = (entry["query_name"].as_str(), entry["query_answers"].as_array()) else {
            continue;
        };
        let texts = names.entry(name.to_ascii_lowercase()).or_default();
        for text in answers.iter().filter_map(Value::as_str) {
            if !texts.iter().any(|known| known == text) {
                texts.push(text.to_owned());
            }
        }
    }
    names
}
