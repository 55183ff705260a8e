//! The tools: their descriptions, and the arguments of a call.

use std::collections::HashMap;

use api::{ApiError, App, Request};
use serde_json::{Map, Value, json};

use crate::answer;
use crate::reading::Reading;

/// A tool.
pub(crate) struct Tool {
    name: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// Fields of the answer, by name and JSON type.
    fields: &'static [(&'static str, &'static str)],
}

/// An argument. All are texts.
struct Argument {
    name: &'static str,
    description: &'static str,
    is_required: bool,
}

const fn required(name: &'static str, description: &'static str) -> Argument {
    Argument { name, description, is_required: true }
}

const fn optional(name: &'static str, description: &'static str) -> Argument {
    Argument { name, description, is_required: false }
}

static TOOLS: [Tool; 8] = [
    Tool {
        name: "list_tenants",
        description: "Tenants with their identifiers.",
        arguments: &[optional("name", "Only tenants whose name contains this text")],
        fields: &[("totalTenants", "integer"), ("tenants", "array")],
    },
    Tool {
        name: "fleet",
        description: "All tenants by the newest report of each: how many have which grade, and the lowest scores.",
        arguments: &[],
        fields: &[("tenantsWithReports", "integer"), ("grades", "object"), ("lowestScores", "array")],
    },
    Tool {
        name: "worst_controls",
        description: "Controls on which most tenants need to act, with the number of tenants by result. The tool 'control' \
                      names the tenants.",
        arguments: &[
            optional("severity", "Only controls of this severity: CRITICAL, HIGH, MEDIUM or LOW"),
            optional("label", "Only tenants with this label"),
        ],
        fields: &[("totalControls", "integer"), ("controls", "array")],
    },
    Tool {
        name: "tenant",
        description: "The newest ten reports of one tenant, newest first.",
        arguments: &[required("tenantId", "The tenant, by its service or its provider identifier")],
        fields: &[("reports", "array")],
    },
    Tool {
        name: "report",
        description: "One report: score, grade, counts, top risks, the controls that need action, and those whose risk \
                      somebody accepted for a time.",
        arguments: &[required("reportId", "The report, by its identifier")],
        fields: &[("report", "object"), ("topRisks", "array"), ("openControls", "array"), ("acceptedRisks", "array")],
    },
    Tool {
        name: "control",
        description: "One control. With reportId: its state in that report, why it matters, and how to fix it. Without: \
                      tenants that do not meet it, with their newest reports.",
        arguments: &[
            required("controlId", "The control, by its identifier"),
            optional("reportId", "A report that has the control"),
            optional("tool", "The assessment tool of the control, if several have one of this identifier"),
        ],
        fields: &[("control", "object"), ("tenants", "array")],
    },
    Tool {
        name: "compare",
        description: "Compares two reports of one tenant and one assessment tool: scores, and controls with another result.",
        arguments: &[required("reportId", "The earlier report"), required("laterReportId", "The later report")],
        fields: &[
            ("earlier", "object"),
            ("later", "object"),
            ("regressed", "array"),
            ("fixed", "array"),
            ("changed", "array"),
            ("new", "array"),
            ("gone", "array"),
        ],
    },
    Tool {
        name: "events",
        description: "Changes since a time, oldest first: reports, drifted and fixed controls, tenants. Unless isComplete \
                      is true and isShortened false, more have happened since the last one.",
        arguments: &[required("startDate", "ISO 8601 date or date-time in the last 90 days")],
        fields: &[("events", "array"), ("isComplete", "boolean")],
    },
];

const WRONG_ARGUMENTS: ApiError =
    ApiError::Invalid("An argument is unknown, missing or not a text. tools/list describes the arguments.");

/// Returns the descriptions of all tools.
pub(crate) fn list() -> Value {
    TOOLS.iter().map(Tool::described).collect()
}

/// Returns the tool of a name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Calls a tool.
///
/// # Errors
/// As the handlers that it asks, or for wrong arguments.
pub(crate) async fn call(tool: &Tool, app: &App, request: &Request, given: &Value) -> Result<Value, ApiError> {
    let arguments = tool.arguments(given)?;
    let optional = |name: &str| arguments.get(name).copied();
    let argument = |name: &str| optional(name).unwrap_or_default();
    let reading = Reading { app, request };
    match tool.name {
        "list_tenants" => reading.tenants(argument("name")).await,
        "fleet" => reading.fleet().await,
        "worst_controls" => reading.worst_controls(optional("severity"), optional("label")).await,
        "tenant" => reading.tenant(argument("tenantId")).await,
        "report" => reading.report(argument("reportId")).await,
        "control" => match optional("reportId") {
            Some(report) => reading.check(report, argument("controlId")).await,
            None => reading.control(argument("controlId"), optional("tool")).await,
        },
        "compare" => reading.compare(argument("reportId"), argument("laterReportId")).await,
        _ => reading.events(argument("startDate")).await,
    }
}

impl Tool {
    fn described(&self) -> Value {
        let properties = self.arguments.iter().map(|Argument { name, description, .. }| {
            ((*name).to_owned(), json!({ "type": "string", "minLength": 1, "description": description }))
        });
        let required = self.arguments.iter().filter(|argument| argument.is_required);
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": properties.collect::<Map<_, _>>(),
                "required": required.map(|argument| argument.name).collect::<Vec<_>>(),
                "additionalProperties": false,
            },
            "outputSchema": answer::schema(self.fields),
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    }

    /// Returns the arguments of a call.
    fn arguments<'a>(&self, given: &'a Value) -> Result<HashMap<&'a str, &'a str>, ApiError> {
        let given = match given {
            Value::Null => HashMap::new(),
            Value::Object(given) => given.iter().map(|(name, value)| (name.as_str(), value)).collect(),
            _ => return Err(WRONG_ARGUMENTS),
        };
        let is_known = |name: &str| self.arguments.iter().any(|argument| argument.name == name);
        let has = |argument: &Argument| !argument.is_required || given.contains_key(argument.name);
        if !given.keys().all(|name| is_known(name)) || !self.arguments.iter().all(has) {
            return Err(WRONG_ARGUMENTS);
        }
        let text = |value: &'a Value| value.as_str().filter(|text| !text.is_empty()).ok_or(WRONG_ARGUMENTS);
        given.into_iter().map(|(name, value)| Ok((name, text(value)?))).collect()
    }
}
