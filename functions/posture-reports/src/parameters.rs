//! The query parameters of the endpoint.

use api::query::{Boolean, Described, Limit, Moment, Parameter, Text};
use api::{ApiError, Query};
use model::Timestamp;

const TENANT_ID: Parameter<Text> = Parameter {
    name: "tenantId",
    description: "One tenant, by its service or its provider identifier. 404 if the organization has no such tenant.",
    kind: Text,
};
const LATEST_ONLY: Parameter<Boolean> = Parameter {
    name: "latestOnly",
    description: "`true` for the most recent report of each tenant, `false` for all reports. Any case, and `1` or `0`, \
                  are accepted.",
    kind: Boolean { default: true },
};
const START_DATE: Parameter<Moment> = Parameter {
    name: "startDate",
    description: "Only reports completed at or after this ISO 8601 date or date-time. A date means its beginning in \
                  UTC; a date-time without an offset is in UTC.",
    kind: Moment,
};
const LIMIT: Parameter<Limit> =
    Parameter { name: "limit", description: "Maximum number of reports returned.", kind: Limit { default: 100 } };

/// Every parameter, in the order of the documentation.
pub const PARAMETERS: [&dyn Described; 4] = [&TENANT_ID, &LATEST_ONLY, &START_DATE, &LIMIT];

/// Which reports are asked for.
pub(crate) struct Parameters {
    /// A tenant by either identifier; `None` for all tenants.
    pub(crate) tenant: Option<String>,
    /// The newest report of each tenant, or all.
    pub(crate) latest_only: bool,
    /// Earliest completion.
    pub(crate) since: Option<Timestamp>,
    /// Maximum number of reports returned.
    pub(crate) limit: usize,
}

impl Parameters {
    pub(crate) fn of(query: &Query) -> Result<Self, ApiError> {
        Ok(Self {
            tenant: query.text(&TENANT_ID)?.map(str::to_owned),
            latest_only: query.boolean(&LATEST_ONLY)?,
            since: query.moment(&START_DATE)?,
            limit: query.limit(&LIMIT)?,
        })
    }
}
