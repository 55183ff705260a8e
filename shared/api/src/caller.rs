//! The caller's organization.

use lambda_http::RequestExt;

use super::{ApiError, Request};
use model::OrganizationId;

/// Name of the authorizer's context field that contains the organization.
pub const ORGANIZATION_FIELD: &str = "organizationId";

/// Returns the caller's organization from the authorizer context, the only place it may come from.
///
/// # Errors
/// An internal error if the authorizer's context is missing, because then the request did not pass the authorizer.
pub fn caller(request: &Request) -> Result<OrganizationId, ApiError> {
    let context = request.request_context_ref();
    let field = context.and_then(|context| context.authorizer()?.fields.get(ORGANIZATION_FIELD)?.as_str());
    let organization = field.ok_or(ApiError::Internal("the request carries no authorizer context".into()))?;
    organization.parse().map_err(|error| ApiError::Internal(Box::new(error)))
}
