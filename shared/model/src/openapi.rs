//! The schemas of `infra/openapi.yaml` and `infra/asyncapi.yaml`, derived from the models so that they cannot drift.
//! Everything after [`HEADING`] is written here, by `UPDATE_OPENAPI=1 cargo test -p model openapi`.

mod ordered;

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::ordered::Ordered;
use super::{
    Baseline, BillableUser, BillableUsersHead, Control, ControlId, ControlListItem, ControlTenant, ControlsRollup,
    Coverage, ErrorBody, Event, EventMessage, Grade, ImportHead, PostureReport, PostureReportSummary, ReportId,
    ReportType, ServiceTenantId, TenantListItem, TestMessage, Timestamp, Trend, UsageHead, UsageTenant,
};

/// The line that the schemas follow. They are a document's last part.
const HEADING: &str = "\n  schemas:\n";

/// Describes a type.
type Root = fn(&mut SchemaGenerator) -> Schema;

/// The service and its endpoints.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IndexResponse {
    /// Name of the service.
    name: String,
    /// Version of the interface.
    version: String,
    /// The endpoints by name, as references relative to the base address with a slash at its end.
    links: BTreeMap<String, String>,
}

/// Posture reports, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PostureReportsResponse {
    /// The reports.
    reports: Vec<PostureReport>,
    /// Number of reports in this response.
    total_reports: u32,
    /// Send it as `cursor` with the same parameters to get the reports that follow; null if there are none.
    next_cursor: Option<String>,
}

/// Summaries of posture reports, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportSummariesResponse {
    /// The summaries.
    reports: Vec<PostureReportSummary>,
    /// Number of summaries in this response.
    total_reports: u32,
    /// Send it as `cursor` with the same parameters to get the summaries that follow; null if there are none.
    next_cursor: Option<String>,
}

/// The tenants of the organization.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TenantsResponse {
    /// The tenants; removed ones are left out.
    tenants: Vec<TenantListItem>,
    /// Number of tenants in this response.
    total_tenants: u32,
}

/// The controls of the newest reports, by tool and identifier.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ControlsResponse {
    /// The controls.
    controls: Vec<ControlListItem>,
    /// Number of controls in this response.
    total_controls: u32,
    /// Send it as `cursor` with the same parameters to get the controls that follow; null if there are none.
    next_cursor: Option<String>,
}

/// A control with the tenants whose newest reports of its tool have it, by their identifiers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ControlResponse {
    #[serde(flatten)]
    control: Control,
    /// The tenants; removed ones are left out.
    tenants: Vec<ControlTenant>,
    /// Number of tenants in this response.
    total_tenants: u32,
    /// Send it as `cursor` with the same parameters to get the tenants that follow; null if there are none.
    next_cursor: Option<String>,
}

/// The trends of weeks, oldest first, and of a week by tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TrendsResponse {
    /// The trends. Weeks without a report, and weeks that were not written, are missing.
    trends: Vec<Trend>,
    /// Number of trends in this response.
    total_trends: u32,
}

/// Changes in the organization, oldest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EventsResponse {
    /// The events.
    events: Vec<Event>,
    /// Number of events in this response.
    total_events: u32,
    /// Send it as `cursor` with the same parameters to get the events that follow, now or later.
    next_cursor: String,
    /// Whether no events followed when the response was made.
    up_to_date: bool,
}

/// The files of a requested import, which the client is going to send.
#[derive(Serialize, JsonSchema)]
struct Announcement {
    /// The files.
    files: Vec<AnnouncedFile>,
}

/// A file that the client is going to send.
#[derive(Serialize, JsonSchema)]
struct AnnouncedFile {
    /// Name or path.
    name: String,
    /// Length in bytes.
    size: u64,
}

/// An import.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportResponse {
    #[serde(flatten)]
    head: ImportHead,
    /// The results of the files, as the command prints them; null until the import has ended.
    result: Option<ImportResult>,
}

/// Imports, newest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportsResponse {
    /// The imports.
    imports: Vec<ImportResponse>,
    /// Number of imports in this response.
    total_imports: u32,
    /// Send it as `cursor` to get the imports that follow; null if there are none.
    next_cursor: Option<String>,
}

/// The results of files.
#[derive(Serialize, JsonSchema)]
struct ImportResult {
    /// `IMPORTED`, `ALREADY_THERE`, `FAILED` or `SKIPPED`.
    status: String,
    /// Runs that have a report.
    reports: Vec<ImportedReport>,
    /// Files and runs without a report.
    failures: Vec<ImportFailure>,
    /// Issues that belong to no report.
    issues: Vec<ImportIssue>,
    /// Files that were not needed.
    skipped: Vec<SkippedFile>,
}

/// A run that has a report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportedReport {
    /// Names of the files that contain the run.
    files: Vec<String>,
    /// `ADDED`, `ALREADY_THERE` or `REPLACED`.
    outcome: String,
    /// The report.
    report_id: ReportId,
    /// The tenant.
    service_tenant_id: ServiceTenantId,
    /// Name of the tool.
    tool: String,
    /// Version of the tool; null if the file does not say it.
    tool_version: Option<String>,
    /// Baseline or follow-up.
    report_type: ReportType,
    /// The baseline; null for a baseline.
    baseline: Option<Baseline>,
    /// When the run ended.
    completed_at: Timestamp,
    /// 0 to 100.
    score: u8,
    /// Letter grade for the score.
    grade: Grade,
    /// Counts of controls by result.
    controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again; null for a baseline.
    coverage: Option<Coverage>,
    /// Controls that were insecure at the baseline and are secure now.
    fixed: Vec<ControlId>,
    /// Controls that were secure at the baseline and are insecure now.
    drifted: Vec<ControlId>,
    /// Parts of the files that could not be used.
    issues: Vec<ImportIssue>,
    /// Controls that fit no section of a report.
    left_out: Vec<LeftOutControl>,
}

/// A file or a run without a report.
#[derive(Serialize, JsonSchema)]
struct ImportFailure {
    /// The file, or the run by its tool, time and files.
    of: String,
    /// What happened, and what to do.
    error: String,
}

/// A part of a file that could not be used.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ImportIssue {
    /// Kind of the issue.
    kind: String,
    /// The control; null if the issue concerns more than one.
    control_id: Option<ControlId>,
    /// Description of the issue and its consequence.
    message: String,
}

/// A file that was not needed.
#[derive(Serialize, JsonSchema)]
struct SkippedFile {
    /// The file.
    of: String,
    /// Why it was not needed.
    reason: String,
}

/// A control that fits no section of a report.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LeftOutControl {
    /// The control.
    control_id: ControlId,
    /// Name of the control.
    name: String,
    /// Subject of the control.
    reason: String,
}

/// Usage of the organization's tenants on a day.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UsageResponse {
    #[serde(flatten)]
    head: UsageHead,
    /// The tenants.
    tenants: Vec<UsageTenant>,
    /// Number of tenants in this response.
    total_tenants: u32,
}

/// The billable users of one tenant.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BillableUsersResponse {
    #[serde(flatten)]
    head: BillableUsersHead,
    /// The users; a paused tenant has none.
    users: Vec<BillableUser>,
    /// Number of users in this response.
    total_billable_users: u32,
}

fn schemas(roots: &[Root]) -> Map<String, Value> {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .with_transform(ForReaders)
        .into_generator();
    for describe in roots {
        describe(&mut generator);
    }
    generator.take_definitions(true)
}

/// Fits derived schemas to those who read the document.
#[derive(Debug, Clone)]
struct ForReaders;

impl Transform for ForReaders {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(schema) = schema.as_object_mut() else { return };
        // The widths of our integers are no promise.
        if schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
            schema.remove("format");
        }
        if let Some(Value::String(description)) = schema.get_mut("description") {
            *description = first_paragraph(description);
        }
        // Responses may get new fields: without it, generated clients refuse them.
        if schema.contains_key("properties") {
            schema.insert("additionalProperties".to_owned(), json!(true));
        }
        name_values(schema);
    }
}

fn first_paragraph(text: &str) -> String {
    text.split("\n\n").next().unwrap_or_default().replace('\n', " ")
}

/// An enumeration as a list of values that its description explains: the form that generators of clients understand.
fn name_values(schema: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = schema.remove("oneOf") else { return };
    let explained = variants.iter().map(|variant| {
        let value = variant["const"].as_str().expect("an enumeration of plain texts");
        format!("\n- `{value}`: {}", variant["description"].as_str().expect("every variant is documented"))
    });
    let description = schema["description"].as_str().expect("every type is documented");
    let description = format!("{description}\n{}", explained.collect::<String>());
    let values: Vec<_> = variants.iter().map(|variant| variant["const"].clone()).collect();
    schema.extend([
        ("type".to_owned(), json!("string")),
        ("enum".to_owned(), Value::Array(values.clone())),
        ("description".to_owned(), json!(description)),
        // Values may be added: generators that know this extension treat the type as a text with well-known values.
        ("x-extensible-enum".to_owned(), Value::Array(values)),
    ]);
}

/// Compares the schemas of a document with the models, or writes them.
fn compare(document: &str, roots: &[Root]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../infra").join(document);
    let document = fs::read_to_string(&path).unwrap();
    let (by_hand, found) = document.split_once(HEADING).expect("the document has schemas");
    let schemas = Value::Object(schemas(roots));
    let text = serde_saphyr::to_string(&Ordered { value: &schemas, order: &[] }).expect("schemas are plain data");
    let expected: String =
        text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect();
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(&path, format!("{by_hand}{HEADING}{expected}")).unwrap();
    } else {
        assert!(found == expected, "run UPDATE_OPENAPI=1 cargo test -p model openapi");
    }
}

#[test]
fn the_document_describes_the_models() {
    let responses: [Root; 14] = [
        SchemaGenerator::subschema_for::<IndexResponse>,
        SchemaGenerator::subschema_for::<PostureReportsResponse>,
        SchemaGenerator::subschema_for::<ReportSummariesResponse>,
        SchemaGenerator::subschema_for::<TenantsResponse>,
        SchemaGenerator::subschema_for::<ControlsResponse>,
        SchemaGenerator::subschema_for::<TrendsResponse>,
        SchemaGenerator::subschema_for::<ControlResponse>,
        SchemaGenerator::subschema_for::<EventsResponse>,
        SchemaGenerator::subschema_for::<Announcement>,
        SchemaGenerator::subschema_for::<ImportResponse>,
        SchemaGenerator::subschema_for::<ImportsResponse>,
        SchemaGenerator::subschema_for::<UsageResponse>,
        SchemaGenerator::subschema_for::<BillableUsersResponse>,
        SchemaGenerator::subschema_for::<ErrorBody>,
    ];
    compare("openapi.yaml", &responses);
}

#[test]
fn the_document_of_messages_describes_them() {
    let (event, test): (Root, Root) =
        (SchemaGenerator::subschema_for::<EventMessage>, SchemaGenerator::subschema_for::<TestMessage>);
    compare("asyncapi.yaml", &[event, test]);
}
