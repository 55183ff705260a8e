//! The query parameters of the endpoint.

use api::{ApiError, Query};
use model::Timestamp;

/// Reports returned where `limit` is not given.
const DEFAULT_LIMIT: usize = 100;

/// Which reports are asked for.
pub(crate) struct Parameters {
    /// A tenant by either identifier; none for all tenants.
    pub(crate) tenant: Option<String>,
    /// The newest report of each tenant, or all.
    pub(crate) latest_only: bool,
    /// Earliest completion.
    pub(crate) since: Option<Timestamp>,
    /// Most reports returned.
    pub(crate) limit: usize,
}

impl Parameters {
    pub(crate) fn of(query: &Query) -> Result<Self, ApiError> {
        Ok(Self {
            tenant: query.text("tenantId")?.map(str::to_owned),
            latest_only: query.boolean("latestOnly")?.unwrap_or(true),
            since: query.moment("startDate")?,
            limit: query.limit("limit")?.unwrap_or(DEFAULT_LIMIT),
        })
    }
}
