//! The caller's organization.

use lambda_http::RequestExt;

use super::{ApiError, Request};
use model::OrganizationId;

/// Name of the authorizer's context field that holds the organization.
pub const ORGANIZATION_FIELD: &str = "organizationId";

/// The organization that the authorizer found for the request's key: the one source of it.
///
/// # Errors
/// An internal error where the authorizer's context is missing, since then the request did not pass the authorizer.
pub fn caller(request: &Request) -> Result<OrganizationId, ApiError> {
    let context = request.request_context_ref();
    let field = context.and_then(|context| context.authorizer()?.fields.get(ORGANIZATION_FIELD)?.as_str());
    let organization = field.ok_or(ApiError::Internal("the request carries no authorizer context".into()))?;
    organization.parse().map_err(|error| ApiError::Internal(Box::new(error)))
}
