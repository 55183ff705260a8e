//! The parts of a SAM template that the gateway reads, in the template's terms.
//!
//! Intrinsic functions are read as their arguments: `!Ref Api` is the text `Api`, and `!GetAtt F.Arn` is `F.Arn`.

use std::collections::{BTreeMap, HashMap};

use lambda_http::http::Method;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use super::error::TemplateError;

/// Properties of a resource of one type.
pub(super) trait OfType: DeserializeOwned {
    /// The type's name.
    const TYPE: &str;
}

/// A resource of any type.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Resource {
    pub(super) r#type: String,
    #[serde(default)]
    pub(super) metadata: Value,
    #[serde(default)]
    pub(super) properties: Value,
}

/// Returns all resources by their logical names.
pub(super) fn resources(text: &str) -> Result<BTreeMap<String, Resource>, TemplateError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct File {
        resources: BTreeMap<String, Resource>,
    }
    let file: File = serde_saphyr::from_str(text).map_err(|error| TemplateError::Unreadable(Box::new(error)))?;
    Ok(file.resources)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Api {
    pub(super) api_key_source_type: String,
    pub(super) auth: ApiAuth,
    pub(super) definition_body: DefinitionBody,
    #[serde(default)]
    pub(super) binary_media_types: Vec<String>,
    #[serde(default)]
    pub(super) gateway_responses: HashMap<String, GatewayResponse>,
}

impl OfType for Api {
    const TYPE: &str = "AWS::Serverless::Api";
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ApiAuth {
    pub(super) authorizers: HashMap<String, Authorizer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Authorizer {
    function_arn: String,
    pub(super) identity: Identity,
}

impl Authorizer {
    /// Returns the logical name of the function.
    pub(super) fn function(&self) -> &str {
        self.function_arn.trim_end_matches(".Arn")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Identity {
    pub(super) header: String,
    pub(super) validation_expression: String,
    pub(super) reauthorize_every: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DefinitionBody {
    #[serde(default)]
    pub(super) security_definitions: HashMap<String, IgnoredAny>,
    pub(super) paths: HashMap<String, PathItem>,
}

#[derive(Deserialize)]
pub(super) struct PathItem {
    #[serde(rename = "x-amazon-apigateway-any-method")]
    pub(super) any_method: Option<MockMethod>,
    get: Option<MockMethod>,
    head: Option<MockMethod>,
}

impl PathItem {
    /// Returns the methods to which the gateway responds without a function.
    pub(super) fn mocks(&self) -> impl Iterator<Item = (Method, &MockMethod)> {
        let methods = [(Method::GET, &self.get), (Method::HEAD, &self.head)];
        methods.into_iter().filter_map(|(method, mock)| Some((method, mock.as_ref()?)))
    }
}

/// A method that API Gateway responds to without a function.
#[derive(Deserialize)]
pub(super) struct MockMethod {
    /// Security schemes, each with its scopes.
    #[serde(default)]
    security: Vec<BTreeMap<String, IgnoredAny>>,
    #[serde(rename = "x-amazon-apigateway-integration")]
    pub(super) integration: MockIntegration,
}

impl MockMethod {
    /// Returns the names of the security schemes that a request needs.
    pub(super) fn security(&self) -> impl Iterator<Item = &str> {
        self.security.iter().flat_map(BTreeMap::keys).map(String::as_str)
    }
}

#[derive(Deserialize)]
pub(super) struct MockIntegration {
    pub(super) responses: MockResponses,
}

#[derive(Deserialize)]
pub(super) struct MockResponses {
    pub(super) default: MockResponse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MockResponse {
    pub(super) status_code: String,
    #[serde(default)]
    pub(super) response_parameters: BTreeMap<String, String>,
    pub(super) response_templates: ResponseTemplates,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct GatewayResponse {
    pub(super) status_code: Option<u16>,
    #[serde(default)]
    pub(super) response_parameters: ResponseParameters,
    pub(super) response_templates: ResponseTemplates,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ResponseParameters {
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
}

/// Bodies by media type.
#[derive(Deserialize)]
pub(super) struct ResponseTemplates {
    #[serde(rename = "application/json")]
    pub(super) json: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct UsagePlan {
    /// The limit of methods that have none of their own.
    pub(super) throttle: Throttle,
    api_stages: Vec<ApiStage>,
}

impl OfType for UsagePlan {
    const TYPE: &str = "AWS::ApiGateway::UsagePlan";
}

impl UsagePlan {
    /// Returns the limit of a method of a path.
    pub(super) fn throttle(&self, path: &str, method: &Method) -> Option<&Throttle> {
        let key = format!("{path}/{method}");
        self.api_stages.iter().find_map(|stage| stage.throttle.get(&key))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ApiStage {
    #[serde(default)]
    throttle: HashMap<String, Throttle>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Throttle {
    pub(super) burst_limit: u32,
    pub(super) rate_limit: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Function {
    #[serde(default)]
    events: BTreeMap<String, Event>,
}

impl OfType for Function {
    const TYPE: &str = "AWS::Serverless::Function";
}

impl Function {
    /// Returns the events that are requests to the API. `name` is the function's logical name.
    pub(super) fn api_events(&self, name: &str, api: &str) -> Result<Vec<ApiEvent>, TemplateError> {
        let malformed = |source| TemplateError::Malformed { resource: name.to_owned(), source };
        let events = self.events.values().filter(|event| event.r#type == "Api");
        let events = events.map(|event| ApiEvent::deserialize(&event.properties).map_err(malformed));
        let events: Vec<ApiEvent> = events.collect::<Result<_, _>>()?;
        match events.iter().find(|event| event.rest_api_id != api) {
            Some(stray) => {
                Err(TemplateError::Unsupported(format!("the API `{}` that `{name}` names", stray.rest_api_id)))
            }
            None => Ok(events),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    r#type: String,
    properties: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ApiEvent {
    rest_api_id: String,
    pub(super) path: String,
    pub(super) method: HttpMethod,
    pub(super) auth: Option<EventAuth>,
    pub(super) response_transfer_mode: Option<String>,
}

/// A method, ignoring case. `any` is not supported.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct HttpMethod(pub(super) Method);

impl TryFrom<String> for HttpMethod {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let known =
            [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
        let method = known.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(&text));
        method.map(Self).ok_or_else(|| format!("the local gateway does not support the method `{text}`"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct EventAuth {
    pub(super) authorizer: String,
    #[serde(default)]
    pub(super) api_key_required: bool,
}
