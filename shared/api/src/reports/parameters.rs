//! The query parameters of lists of reports.

use std::fmt;

use model::OrganizationId;
use store::{NextPage, Organization, ReportPosition, Selected, Selection};

use super::cursor::Scope;
use crate::query::{Boolean, Cursor, Described, Limit, Moment, Parameter, Text};
use crate::{ApiError, Query, Request, TENANT_NOT_FOUND};

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
const CURSOR: Parameter<Cursor> = Parameter {
    name: "cursor",
    description: "The `nextCursor` of an earlier response, to get the reports that follow. The other parameters must \
                  be the same as then; only `limit` may differ. Empty for the first page, and 400 for any other text.",
    kind: Cursor,
};

/// Every parameter, in the order of the documentation.
pub const PARAMETERS: [&dyn Described; 5] = [&TENANT_ID, &LATEST_ONLY, &START_DATE, &LIMIT, &CURSOR];

/// The requested reports.
#[derive(Debug)]
pub struct Parameters {
    scope: Scope,
    after: Option<ReportPosition>,
    limit: usize,
}

impl Parameters {
    /// Reads the parameters of a request by an organization.
    ///
    /// # Errors
    /// If a parameter is invalid or unknown.
    pub fn of(request: &Request, organization: &OrganizationId) -> Result<Self, ApiError> {
        let query = Query::of(request, &PARAMETERS)?;
        let scope = Scope {
            organization: organization.clone(),
            tenant: query.text(&TENANT_ID)?.map(str::to_owned),
            latest_only: query.boolean(&LATEST_ONLY)?,
            since: query.moment(&START_DATE)?,
        };
        let after = query.cursor(&CURSOR, |text| scope.read(text))?;
        Ok(Self { scope, after, limit: query.limit(&LIMIT)? })
    }

    /// Selects the reports, and reads none of them yet.
    ///
    /// # Errors
    /// If the organization does not have the requested tenant, or the store fails.
    pub async fn select(&self, organization: &Organization) -> Result<Selected, ApiError> {
        let Scope { tenant, latest_only, since, .. } = &self.scope;
        let tenant = match tenant {
            Some(reference) => Some(organization.find_tenant(reference).await?.ok_or(TENANT_NOT_FOUND)?),
            None => None,
        };
        let latest_only = *latest_only;
        let since = *since;
        let after = self.after.clone();
        Ok(organization.select(Selection { tenant, latest_only, since, after, limit: self.limit }))
    }

    /// Returns the cursor of the next page of a list that has been read, or `None` if there are no more reports.
    pub fn cursor_of(&self, next: &NextPage) -> Option<String> {
        next.position().map(|position| self.scope.write(position))
    }
}

impl fmt::Display for Parameters {
    /// Writes all parameters, so that the responses to two different requests do not share a tag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope: Scope { tenant, latest_only, since, .. }, after, limit } = self;
        // Debug quotes the texts, so no two requests read the same.
        write!(f, "{:?}", (tenant, latest_only, since, after, limit))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use lambda_http::{Body, RequestExt, http};

    use super::*;

    #[test]
    fn no_two_requests_have_the_same_text() {
        let organization = "org_a".parse().unwrap();
        let text = |given: &[(&str, &str)]| {
            let given = given.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()]));
            let request =
                http::Request::new(Body::Empty).with_query_string_parameters(given.collect::<HashMap<_, _>>());
            Parameters::of(&request, &organization).unwrap().to_string()
        };
        let requests: [&[_]; 6] = [
            &[],
            &[("tenantId", "ten_1")],
            &[("tenantId", "ten_1\", true")],
            &[("latestOnly", "false")],
            &[("startDate", "2026-01-31")],
            &[("limit", "99")],
        ];
        let texts: BTreeSet<_> = requests.iter().map(|given| text(given)).collect();
        assert_eq!(texts.len(), requests.len(), "{texts:?}");
        assert_eq!(text(&[("limit", "100"), ("latestOnly", "1")]), text(&[]), "the defaults");
    }
}
