//! The caller: whose key a request has, and what the key may do.
//!
//! The authorizer's context names the organization in a field of its own for each scope. So a function that asks for the
//! organization of a key that reads finds none if the key imports, and the reverse.

use lambda_http::RequestExt;
use serde_json::{Value, json};

use super::{ApiError, Request};
use model::{KeyId, OrganizationId, ServiceTenantId};
use store::{Access, KeyRights};

/// Field with the organization of a key that reads.
const READS: &str = "organizationId";
/// Field with the organization of a key that imports.
const IMPORTS: &str = "importOrganizationId";
/// Field with the only tenant that a key imports for.
const TENANT: &str = "importTenantId";
/// Field with the key. The gateway adds it.
const KEY: &str = "principalId";

/// A caller who may import files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Importer {
    /// The organization.
    pub organization: OrganizationId,
    /// The only tenant to import for; `None` for all of the organization.
    pub tenant: Option<ServiceTenantId>,
    /// The key.
    pub key: KeyId,
}

/// Returns the context with which the authorizer admits a key. Its principal is the key.
pub fn admitted(access: &Access) -> Value {
    match &access.rights {
        KeyRights::Read => json!({ READS: access.organization_id }),
        KeyRights::Import(None) => json!({ IMPORTS: access.organization_id }),
        KeyRights::Import(Some(tenant)) => json!({ IMPORTS: access.organization_id, TENANT: tenant }),
    }
}

/// Returns the organization of a caller who may read it, from the authorizer's context, the only place it may come from.
///
/// # Errors
/// [`ApiError::Forbidden`] if the key may only import, or an internal error if the authorizer's context is missing,
/// because then the request did not pass the authorizer.
pub fn caller(request: &Request) -> Result<OrganizationId, ApiError> {
    match (field(request, READS), field(request, IMPORTS)) {
        (Some(organization), None) => parsed(organization),
        (None, Some(_)) => Err(ApiError::Forbidden("The key may only import files. Use a key that reads.")),
        _ => Err(NO_CONTEXT.into()),
    }
}

/// Returns a caller who may import files, from the authorizer's context.
///
/// # Errors
/// As [`caller`], with the scopes exchanged.
pub fn importer(request: &Request) -> Result<Importer, ApiError> {
    match (field(request, READS), field(request, IMPORTS)) {
        (None, Some(organization)) => Ok(Importer {
            organization: parsed(organization)?,
            tenant: field(request, TENANT).map(parsed).transpose()?,
            key: parsed(field(request, KEY).ok_or(NO_CONTEXT)?)?,
        }),
        (Some(_), None) => Err(ApiError::Forbidden("The key may only read. Use a key with the scope 'import'.")),
        _ => Err(NO_CONTEXT.into()),
    }
}

const NO_CONTEXT: &str = "the request carries no authorizer context";

fn field<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.request_context_ref()?.authorizer()?.fields.get(name)?.as_str()
}

fn parsed<T: std::str::FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|error: T::Err| ApiError::Internal(error.into()))
}
