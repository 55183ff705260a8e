//! A request for an import: the parameters, the body, and the headers.

use api::query::{Boolean, Cursor, Described, Limit, Moment, Parameter, Text};
use api::{ApiError, Importer, Query, Request};
use lambda_http::http::HeaderMap;
use lambda_http::http::header::CONTENT_TYPE;
use model::{Timestamp, is_hidden};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use store::{JobFile, SameRequest};

const FILE_NAME: Parameter<Text> = Parameter {
    name: "fileName",
    description: "Name of the file, if the body is its content: up to 4 MB, also compressed with gzip or as a ZIP archive. \
                  Without it, the body lists the files to be sent.",
    kind: Text,
};
const TENANT_ID: Parameter<Text> = Parameter {
    name: "tenantId",
    description: "The tenant to import for, by its service or its provider identifier. By default, the one that the file \
                  names. A key for one tenant always imports for that tenant.",
    kind: Text,
};
const COMPLETED_AT: Parameter<Moment> = Parameter {
    name: "completedAt",
    description: "When the runs completed whose files do not say it, as an ISO 8601 date-time.",
    kind: Moment,
};
const AS_BASELINE: Parameter<Boolean> = Parameter {
    name: "asBaseline",
    description: "Whether the reports are new baselines.",
    kind: Boolean { default: false },
};
pub(crate) const LIMIT: Parameter<Limit> =
    Parameter { name: "limit", description: "Maximum number of imports returned.", kind: Limit { default: 50 } };
pub(crate) const CURSOR: Parameter<Cursor> = Parameter {
    name: "cursor",
    description: "The `nextCursor` of the response before, to get the imports that follow. Empty for the first page, and \
                  400 for any other text.",
    kind: Cursor,
};

/// The parameters of a request for an import, in the order of the documentation.
pub const PARAMETERS: [&dyn Described; 4] = [&FILE_NAME, &TENANT_ID, &COMPLETED_AT, &AS_BASELINE];
/// The parameters of the list.
pub const LIST_PARAMETERS: [&dyn Described; 2] = [&LIMIT, &CURSOR];

/// Largest file that comes with a request. Lambda takes 6 MB with the request, in which it has a third more.
const LARGEST_WITH_REQUEST: usize = 4_000_000;
/// Largest file that is sent to an address. The function that imports it has a disk of 1 GB.
const LARGEST: u64 = 500_000_000;
/// Most files of an import.
const MOST_FILES: usize = 100;
/// Longest name of a file, in characters.
const LONGEST_NAME: usize = 255;
/// Header that makes repeated requests one import.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Media types whose bodies the gateway passes on byte for byte. Others it reads as text.
const OF_FILES: [&str; 4] =
    ["application/octet-stream", "application/gzip", "application/zip", "application/x-www-form-urlencoded"];

pub(crate) const OTHER_REQUEST: ApiError = ApiError::Invalid(
    "The Idempotency-Key was used with another request in the last 30 days. Use another one for each import.",
);
const NO_LIST: ApiError = ApiError::Invalid(
    "Without the parameter fileName, the body must be a list of the files to be sent: \
     {\"files\": [{\"name\": \"results.json\", \"size\": 12345}]}.",
);
const WRONG_FILES: ApiError = ApiError::Invalid(
    "An import has 1 to 100 files. Each has a name of 1 to 255 visible characters, a size in bytes, and up to 500 MB.",
);

/// A requested import.
pub(crate) struct Asked {
    pub(crate) content: Content,
    pub(crate) tenant: Option<String>,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) as_baseline: bool,
    pub(crate) same: Option<SameRequest>,
}

/// The files of an import.
pub(crate) enum Content {
    /// One with its content.
    File(JobFile, Vec<u8>),
    /// Those that the client is going to send.
    Announced(Vec<JobFile>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Announcement {
    files: Vec<AnnouncedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnnouncedFile {
    name: String,
    size: u64,
}

impl Asked {
    pub(crate) fn of(request: &Request, importer: &Importer) -> Result<Self, ApiError> {
        let query = Query::of(request, &PARAMETERS)?;
        let file_name = query.text(&FILE_NAME)?;
        let content = match file_name {
            Some(name) => file(name, request)?,
            None => announced(request.body())?,
        };
        let (tenant, completed_at) = (tenant(query.text(&TENANT_ID)?, importer)?, query.moment(&COMPLETED_AT)?);
        let as_baseline = query.boolean(&AS_BASELINE)?;
        let options = format!("{:?}", (file_name, &tenant, completed_at, as_baseline));
        let same = same_request(request.headers(), &options, request.body())?;
        Ok(Self { content, tenant, completed_at, as_baseline, same })
    }

    pub(crate) fn files(&self) -> Vec<JobFile> {
        match &self.content {
            Content::File(file, _) => vec![file.clone()],
            Content::Announced(files) => files.clone(),
        }
    }
}

/// Returns the tenant to import for. A key for one tenant names no other, whether it exists or not.
fn tenant(asked: Option<&str>, importer: &Importer) -> Result<Option<String>, ApiError> {
    let own = importer.tenant.as_ref().map(ToString::to_string);
    match (asked, own) {
        (Some(asked), Some(own)) if asked != own => Err(ApiError::InvalidParameter {
            parameter: "tenantId",
            rule: "must be the service identifier of the key's tenant, or absent",
        }),
        (asked, own) => Ok(own.or(asked.map(str::to_owned))),
    }
}

/// Returns the body as a file.
fn file(name: &str, request: &Request) -> Result<Content, ApiError> {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    if !OF_FILES.iter().any(|known| known.eq_ignore_ascii_case(media_type)) {
        return Err(ApiError::Invalid(
            "Send the content of a file with the header 'Content-Type: application/octet-stream'.",
        ));
    }
    let content = request.body().as_ref().to_vec();
    if content.len() > LARGEST_WITH_REQUEST {
        return Err(ApiError::Invalid(
            "A file that comes with the request has up to 4 MB. Compress it with gzip, or send its name and size without \
             the parameter fileName to get an address for it.",
        ));
    }
    let file = JobFile { name: name.to_owned(), size: content.len() as u64 };
    if is_possible(&file) { Ok(Content::File(file, content)) } else { Err(WRONG_FILES) }
}

/// Returns the files that a body lists.
fn announced(body: &[u8]) -> Result<Content, ApiError> {
    let Announcement { files } = serde_json::from_slice(body).map_err(|_| NO_LIST)?;
    let files: Vec<_> = files.into_iter().map(|AnnouncedFile { name, size }| JobFile { name, size }).collect();
    let is_possible = (1..=MOST_FILES).contains(&files.len()) && files.iter().all(is_possible);
    if is_possible { Ok(Content::Announced(files)) } else { Err(WRONG_FILES) }
}

fn is_possible(JobFile { name, size }: &JobFile) -> bool {
    (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(is_hidden) && *size <= LARGEST
}

/// Returns what makes another request the same as this one, if it has an idempotency key.
fn same_request(headers: &HeaderMap, options: &str, body: &[u8]) -> Result<Option<SameRequest>, ApiError> {
    let Some(key) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = key.to_str().ok().filter(|key| (1..=255).contains(&key.len()));
    let key = key.ok_or(ApiError::Invalid("Idempotency-Key must have 1 to 255 characters of ASCII."))?;
    let request = Sha256::new().chain_update((options.len() as u64).to_be_bytes()).chain_update(options);
    let request = hex::encode(request.chain_update(body).finalize());
    Ok(Some(SameRequest { key: hex::encode(Sha256::digest(key)), request }))
}
