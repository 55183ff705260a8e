//! The query parameters, and the positions in lists that clients send back.

use std::fmt;

use api::query::{Cursor, Described, Limit, OneLabel, OneOf, Parameter, Text};
use api::{ApiError, Query, Request, cursor};
use model::{Category, Choice, ControlId, Label, OrganizationId, ServiceTenantId, Severity, Status};
use store::{ControlResult, FleetControl};

const TOOL: Parameter<Text> = Parameter {
    name: "tool",
    description: "Only controls of this tool, by its name, such as `ScubaGear`. Of an unknown tool, there are none.",
    kind: Text,
};
const CATEGORY: Parameter<OneOf<Category>> = Parameter {
    name: "category",
    description: "Only controls of this report section.",
    kind: OneOf { values: Category::KNOWN, rule: "must be a report section, such as CONDITIONAL_ACCESS" },
};
const SEVERITY: Parameter<OneOf<Severity>> = Parameter {
    name: "severity",
    description: "Only controls of this severity.",
    kind: OneOf { values: Severity::KNOWN, rule: "must be CRITICAL, HIGH, MEDIUM or LOW" },
};
const LABEL: Parameter<OneLabel> = Parameter {
    name: "label",
    description: "Only tenants with this label, as it is written. Of an unknown label, there are none.",
    kind: OneLabel,
};
const LIMIT: Parameter<Limit> = Parameter {
    name: "limit",
    description: "Maximum number of controls returned. Each page counts all tenants anew.",
    kind: Limit { default: 500 },
};
const CURSOR: Parameter<Cursor> = Parameter {
    name: "cursor",
    description: "The `nextCursor` of an earlier response, to get the controls that follow. The other parameters must be \
                  the same as then; only `limit` may differ. Empty for the first page, and 400 for any other text.",
    kind: Cursor,
};

const TOOL_OF_ONE: Parameter<Text> = Parameter {
    name: "tool",
    description: "The tool of the control, if several tools have a control with this id: 400 without it.",
    kind: Text,
};
const STATUS: Parameter<OneOf<Status>> = Parameter {
    name: "status",
    description: "Only tenants with this result.",
    kind: OneOf { values: Status::KNOWN, rule: "must be a result, such as OPEN" },
};
const TENANTS: Parameter<Limit> =
    Parameter { name: "limit", description: "Maximum number of tenants returned.", kind: Limit { default: 100 } };
const TENANTS_CURSOR: Parameter<Cursor> = Parameter {
    name: "cursor",
    description: "The `nextCursor` of an earlier response, to get the tenants that follow. The other parameters must be \
                  the same as then; only `limit` may differ. Empty for the first page, and 400 for any other text.",
    kind: Cursor,
};

/// Every parameter of the list, in the order of the documentation.
pub const LIST_PARAMETERS: [&dyn Described; 6] = [&TOOL, &CATEGORY, &SEVERITY, &LABEL, &LIMIT, &CURSOR];
/// Every parameter of one control, in the order of the documentation.
pub const ONE_PARAMETERS: [&dyn Described; 5] = [&TOOL_OF_ONE, &STATUS, &LABEL, &TENANTS, &TENANTS_CURSOR];

/// The response to a control that several tools have.
pub(crate) const SEVERAL_TOOLS: ApiError = ApiError::InvalidParameter {
    parameter: TOOL_OF_ONE.name,
    rule: "must be given: several tools have a control with this id, as GET /v1/controls shows",
};

/// The requested controls.
pub(crate) struct Listed {
    organization: OrganizationId,
    pub(crate) tool: Option<String>,
    category: Option<Category>,
    severity: Option<Severity>,
    pub(crate) label: Option<Label>,
    after: Option<Position>,
    pub(crate) limit: usize,
}

/// The position of a control in the list.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    tool: String,
    control: ControlId,
}

impl Listed {
    pub(crate) fn of(request: &Request, organization: &OrganizationId) -> Result<Self, ApiError> {
        let query = Query::of(request, &LIST_PARAMETERS)?;
        let asked = Self {
            organization: organization.clone(),
            tool: query.text(&TOOL)?.map(str::to_owned),
            category: query.one_of(&CATEGORY)?,
            severity: query.one_of(&SEVERITY)?,
            label: query.label(&LABEL)?,
            after: None,
            limit: query.limit(&LIMIT)?,
        };
        let after = query.cursor(&CURSOR, |text| Position::read(&cursor::read(&asked.list(), text)?))?;
        Ok(Self { after, ..asked })
    }

    /// Returns whether a control is asked for, on this page or a later one.
    pub(crate) fn selects(&self, found: &FleetControl) -> bool {
        self.category.is_none_or(|category| found.control.category == category)
            && self.severity.is_none_or(|severity| found.control.severity == Some(severity))
            && self.after.as_ref().is_none_or(|after| Position::of(found) > *after)
    }

    /// Returns a text that no other list has: Debug quotes the texts in it.
    pub(crate) fn list(&self) -> String {
        let Self { organization, tool, category, severity, label, .. } = self;
        format!("{:?}", ("controls", organization.as_str(), tool, category, severity, label))
    }
}

impl fmt::Display for Listed {
    /// Writes all parameters, so that the responses to two different requests do not share a tag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.list(), (&self.after, self.limit))
    }
}

impl Position {
    pub(crate) fn of(found: &FleetControl) -> Self {
        Self { tool: found.tool.clone(), control: found.control.control_id.clone() }
    }

    fn read(text: &str) -> Option<Self> {
        // Neither has control characters.
        let (tool, control) = text.split_once('\n')?;
        Some(Self { tool: tool.to_owned(), control: control.parse().ok()? })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.tool, self.control)
    }
}

/// The requested tenants of a control.
pub(crate) struct Asked {
    organization: OrganizationId,
    pub(crate) control: ControlId,
    pub(crate) tool: Option<String>,
    status: Option<Status>,
    label: Option<Label>,
    pub(crate) after: Option<ServiceTenantId>,
    pub(crate) limit: usize,
}

impl Asked {
    pub(crate) fn of(request: &Request, organization: &OrganizationId, control: ControlId) -> Result<Self, ApiError> {
        let query = Query::of(request, &ONE_PARAMETERS)?;
        let asked = Self {
            organization: organization.clone(),
            control,
            tool: query.text(&TOOL_OF_ONE)?.map(str::to_owned),
            status: query.one_of(&STATUS)?,
            label: query.label(&LABEL)?,
            after: None,
            limit: query.limit(&TENANTS)?,
        };
        let after = query.cursor(&TENANTS_CURSOR, |text| cursor::read(&asked.list(), text)?.parse().ok())?;
        Ok(Self { after, ..asked })
    }

    /// Returns which results are asked for.
    pub(crate) fn selection(&self) -> impl Fn(&ControlResult) -> bool + Send + use<> {
        let (status, label) = (self.status, self.label.clone());
        move |result| {
            status.is_none_or(|status| result.status == status)
                && label.as_ref().is_none_or(|label| result.labels.contains(label))
        }
    }

    /// Returns a text that no other list has.
    pub(crate) fn list(&self) -> String {
        let Self { organization, control, tool, status, label, .. } = self;
        format!("{:?}", ("control", organization.as_str(), control, tool, status, label))
    }
}

impl fmt::Display for Asked {
    /// Writes all parameters, so that the responses to two different requests do not share a tag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.list(), (&self.after, self.limit))
    }
}
