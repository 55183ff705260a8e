//! What the gateway has to know, read from the template that the service is deployed with.
//!
//! The reader is strict: what the deployed gateway would do and this one could not, or the other way round, is an error
//! at the start and not a difference between the two.

mod answer;
mod schema;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use lambda_http::http::Method;
use regex_lite::Regex;

pub(crate) use answer::StaticAnswer;
use schema::{Api, ApiEvent, Authorizer, Function, Resource, Throttle, UsagePlan};

use crate::gateway::Failure;

/// The template that the service is deployed with.
pub const TEMPLATE: &str = include_str!("../../../infra/template.yaml");

/// The security scheme that stands for "counts against a usage plan".
const API_KEY_SCHEME: &str = "api_key";

/// A template that does not describe a service which the local gateway could stand in for.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The text is no YAML.
    #[error("the template is not readable: {0}")]
    Unreadable(#[source] Box<serde_saphyr::Error>),
    /// A resource is not as it should be.
    #[error("in the template, `{resource}` is not as expected: {source}")]
    Malformed {
        /// The resource's logical name.
        resource: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Something is not there.
    #[error("the template lacks {0}")]
    Lacks(String),
    /// Something is there that the local gateway does not do.
    #[error("the local gateway does not support {0}")]
    Unsupported(String),
}

/// What the template says of the API.
pub(crate) struct Template {
    pub(crate) paths: HashMap<String, PathDefinition>,
    pub(crate) failures: HashMap<Failure, StaticAnswer>,
}

/// What the template says of one path.
pub(crate) struct PathDefinition {
    pub(crate) routes: HashMap<Method, RouteDefinition>,
    /// The answer to every other method.
    pub(crate) other_methods: StaticAnswer,
}

/// What the template says of one method of one path.
pub(crate) struct RouteDefinition {
    /// Binary of the function that answers.
    pub(crate) binary: String,
    pub(crate) authorizer: AuthorizerDefinition,
    /// Most requests at once.
    pub(crate) burst: u32,
    /// Requests that the limit gains, per second.
    pub(crate) rate: f64,
}

/// What the template says of who may pass.
#[derive(Clone)]
pub(crate) struct AuthorizerDefinition {
    /// Binary of the function that decides.
    pub(crate) binary: String,
    /// Header that holds the key.
    pub(crate) header: String,
    /// What the header has to look like for the function to be asked at all.
    pub(crate) expression: Regex,
}

impl Template {
    pub(crate) fn read(text: &str) -> Result<Self, TemplateError> {
        let resources = schema::resources(text)?;
        let (api_name, api) = only::<Api>(&resources)?;
        let (_, plan) = only::<UsagePlan>(&resources)?;
        if api.api_key_source_type != "AUTHORIZER" {
            return Err(TemplateError::Unsupported("an API whose ApiKeySourceType is not AUTHORIZER".into()));
        }
        if !api.definition_body.security_definitions.contains_key(API_KEY_SCHEME) {
            return Err(TemplateError::Lacks(format!("the security definition `{API_KEY_SCHEME}`, which limits need")));
        }
        let mut paths = HashMap::new();
        for (name, function) in every::<Function>(&resources)? {
            for event in function.api_events(name, api_name)? {
                let route = route(&resources, &api, &plan, name, &event)?;
                let path = match paths.entry(event.path.clone()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(path(&api, &event.path)?),
                };
                path.routes.insert(event.method.0.clone(), route);
            }
        }
        let failures = Failure::ALL.into_iter().map(|failure| Ok((failure, failure_answer(&api, failure)?)));
        Ok(Self { paths, failures: failures.collect::<Result<_, TemplateError>>()? })
    }
}

fn path(api: &Api, path: &str) -> Result<PathDefinition, TemplateError> {
    if path.contains('{') {
        return Err(TemplateError::Unsupported(format!("the variable path {path}")));
    }
    let item = api.definition_body.paths.get(path);
    let mock = item.and_then(|item| item.any_method.as_ref());
    let mock = mock.ok_or_else(|| TemplateError::Lacks(format!("an answer to other methods on {path}")))?;
    let other_methods = StaticAnswer::of_mock(mock).map_err(|problem| problem.at(path))?;
    Ok(PathDefinition { routes: HashMap::new(), other_methods })
}

fn route(
    resources: &BTreeMap<String, Resource>,
    api: &Api,
    plan: &UsagePlan,
    function: &str,
    event: &ApiEvent,
) -> Result<RouteDefinition, TemplateError> {
    let route = format!("{} {}", event.method.0, event.path);
    let lacks = |what: &str| TemplateError::Lacks(format!("{what} for {route}"));
    let auth = event.auth.as_ref().ok_or_else(|| lacks("`Auth`"))?;
    if !auth.api_key_required {
        return Err(lacks("`ApiKeyRequired: true`, without which no limit counts,"));
    }
    if event.response_transfer_mode.as_deref() != Some("RESPONSE_STREAM") {
        return Err(lacks("`ResponseTransferMode: RESPONSE_STREAM`, without which an answer ends at 6 MB,"));
    }
    let authorizer = api.auth.authorizers.get(&auth.authorizer).ok_or_else(|| lacks("the authorizer"))?;
    let throttle = plan.throttle(&event.path, &event.method.0).ok_or_else(|| lacks("a limit in the usage plan"))?;
    let Throttle { burst_limit: burst, rate_limit: rate } = *throttle;
    if burst == 0 || !(rate.is_finite() && rate > 0.0) {
        return Err(TemplateError::Unsupported(format!("a limit that never lets {route} pass")));
    }
    Ok(RouteDefinition {
        binary: binary(resources, function)?,
        authorizer: authorizer_definition(resources, &auth.authorizer, authorizer)?,
        burst,
        rate,
    })
}

fn authorizer_definition(
    resources: &BTreeMap<String, Resource>,
    name: &str,
    authorizer: &Authorizer,
) -> Result<AuthorizerDefinition, TemplateError> {
    let identity = &authorizer.identity;
    if identity.reauthorize_every != Some(0) {
        return Err(TemplateError::Unsupported(format!("{name}'s answers being kept: `ReauthorizeEvery` is not 0")));
    }
    // The gateway matches the whole header.
    let expression = Regex::new(&format!("^(?:{})$", identity.validation_expression))
        .map_err(|error| TemplateError::Unsupported(format!("the validation expression of {name}: {error}")))?;
    Ok(AuthorizerDefinition {
        binary: binary(resources, authorizer.function())?,
        header: identity.header.clone(),
        expression,
    })
}

/// The binary that a function's logical name stands for.
fn binary(resources: &BTreeMap<String, Resource>, function: &str) -> Result<String, TemplateError> {
    let binary =
        resources.get(function).and_then(|resource| resource.metadata.pointer("/BuildProperties/Binary")?.as_str());
    let binary = binary.ok_or_else(|| TemplateError::Lacks(format!("the binary of `{function}`")))?;
    Ok(binary.to_owned())
}

/// The answer to a failure: its own, else the default of its class, as the deployed gateway chooses it.
fn failure_answer(api: &Api, failure: Failure) -> Result<StaticAnswer, TemplateError> {
    let names = [failure.name(), if failure.status().is_client_error() { "DEFAULT_4XX" } else { "DEFAULT_5XX" }];
    let response = names.into_iter().find_map(|name| api.gateway_responses.get(name));
    let response = response.ok_or_else(|| TemplateError::Lacks(format!("the gateway response {}", failure.name())))?;
    StaticAnswer::of_gateway_response(response, failure.status()).map_err(|problem| problem.at(failure.name()))
}

/// All resources of one type, with their names.
fn every<T: schema::OfType>(resources: &BTreeMap<String, Resource>) -> Result<Vec<(&str, T)>, TemplateError> {
    let typed = resources.iter().filter(|(_, resource)| resource.r#type == T::TYPE);
    typed
        .map(|(name, resource)| {
            let properties = T::deserialize(&resource.properties);
            let malformed = |source| TemplateError::Malformed { resource: name.clone(), source };
            Ok((name.as_str(), properties.map_err(malformed)?))
        })
        .collect()
}

/// The one resource of a type that there must be one of.
fn only<T: schema::OfType>(resources: &BTreeMap<String, Resource>) -> Result<(&str, T), TemplateError> {
    let mut all = every::<T>(resources)?;
    let first = all.pop().ok_or_else(|| TemplateError::Lacks(format!("a resource of type {}", T::TYPE)))?;
    if all.is_empty() { Ok(first) } else { Err(TemplateError::Unsupported(format!("more than one {}", T::TYPE))) }
}
