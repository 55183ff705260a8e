//! Reads a template into the gateway's terms.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use std::time::Duration;

use lambda_http::http::Method;
use regex_lite::Regex;

use super::definition::{AuthorizerDefinition, LimitDefinition, PathDefinition, RouteDefinition, TargetDefinition};
use super::error::TemplateError;
use super::failure::GatewayFailure;
use super::path::Pattern;
use super::schema::{Api, ApiEvent, Function, MockMethod, OfType, Resource, Throttle, UsagePlan, resources};
use super::static_response::StaticResponse;

/// The security scheme that means "counts against a usage plan".
const API_KEY_SCHEME: &str = "api_key";

/// A template with its API and usage plan.
pub(super) struct Reader {
    resources: BTreeMap<String, Resource>,
    api_name: String,
    api: Api,
    plan: UsagePlan,
}

impl Reader {
    pub(super) fn new(text: &str) -> Result<Self, TemplateError> {
        let resources = resources(text)?;
        let (api_name, api) = only::<Api>(&resources)?;
        let (_, plan) = only(&resources)?;
        if api.api_key_source_type != "AUTHORIZER" {
            return Err(TemplateError::Unsupported("an API whose ApiKeySourceType is not AUTHORIZER".into()));
        }
        if !api.definition_body.security_definitions.contains_key(API_KEY_SCHEME) {
            return Err(TemplateError::Lacks(format!("the security definition `{API_KEY_SCHEME}`, which limits need")));
        }
        Ok(Self { api_name: api_name.to_owned(), resources, api, plan })
    }

    /// Returns every path with its routes.
    pub(super) fn paths(&self) -> Result<HashMap<String, PathDefinition>, TemplateError> {
        let mut paths = HashMap::new();
        for (name, function) in every::<Function>(&self.resources)? {
            for event in function.api_events(name, &self.api_name)? {
                require_supported(&event.path)?;
                let route = self.route(name, &event)?;
                self.add(&mut paths, &event.path, event.method.0, route)?;
            }
        }
        for (path, item) in &self.api.definition_body.paths {
            for (method, mock) in item.mocks() {
                let route = self.fixed_route(&format!("{method} {path}"), mock)?;
                self.add(&mut paths, path, method, route)?;
            }
        }
        Ok(paths)
    }

    /// Adds a route to its path.
    fn add(
        &self,
        paths: &mut HashMap<String, PathDefinition>,
        path: &str,
        method: Method,
        route: RouteDefinition,
    ) -> Result<(), TemplateError> {
        let definition = match paths.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.path(path)?),
        };
        definition.routes.insert(method, route);
        Ok(())
    }

    /// Returns the response to every failure.
    pub(super) fn failures(&self) -> Result<HashMap<GatewayFailure, StaticResponse>, TemplateError> {
        GatewayFailure::ALL.into_iter().map(|failure| Ok((failure, self.failure(failure)?))).collect()
    }

    /// Returns the binary media types. In the template, `~1` is a slash.
    pub(super) fn binary_media_types(&self) -> Vec<String> {
        self.api.binary_media_types.iter().map(|name| name.replace("~1", "/")).collect()
    }

    /// Returns a path without routes.
    fn path(&self, path: &str) -> Result<PathDefinition, TemplateError> {
        let item = self.api.definition_body.paths.get(path);
        let mock = item.and_then(|item| item.any_method.as_ref());
        let mock = mock.ok_or_else(|| TemplateError::Lacks(format!("a response to other methods on {path}")))?;
        let other_methods = StaticResponse::of_mock(mock).map_err(|problem| problem.at(path))?;
        Ok(PathDefinition { routes: HashMap::new(), other_methods })
    }

    fn route(&self, function: &str, event: &ApiEvent) -> Result<RouteDefinition, TemplateError> {
        let lacks = |what| TemplateError::Lacks(format!("{what} for {} {}", event.method.0, event.path));
        let auth = event.auth.as_ref().ok_or_else(|| lacks("`Auth`"))?;
        if !auth.api_key_required {
            return Err(lacks("`ApiKeyRequired: true`, without which no limit counts,"));
        }
        if event.response_transfer_mode.as_deref() != Some("RESPONSE_STREAM") {
            return Err(lacks(
                "`ResponseTransferMode: RESPONSE_STREAM`, without which a response may have at most 6 MB,",
            ));
        }
        let own = self.plan.throttle(&event.path, &event.method.0);
        // A HEAD costs little, and counts against the plan as a whole.
        let throttle = own.or((event.method.0 == Method::HEAD).then_some(&self.plan.throttle));
        Ok(RouteDefinition {
            target: TargetDefinition::Function(self.binary(function)?),
            authorizer: self.authorizer(&auth.authorizer)?,
            limit: limit(throttle.ok_or_else(|| lacks("a limit in the usage plan"))?)?,
        })
    }

    /// Returns a route without a function. It counts against the plan as a whole.
    fn fixed_route(&self, place: &str, mock: &MockMethod) -> Result<RouteDefinition, TemplateError> {
        let lacks = |what| TemplateError::Lacks(format!("{what} for {place}"));
        if !mock.security().any(|name| name == API_KEY_SCHEME) {
            return Err(lacks("the security scheme `api_key`, without which no limit counts,"));
        }
        let authorizer = mock.security().find(|name| *name != API_KEY_SCHEME);
        Ok(RouteDefinition {
            target: TargetDefinition::Fixed(StaticResponse::of_mock(mock).map_err(|problem| problem.at(place))?),
            authorizer: self.authorizer(authorizer.ok_or_else(|| lacks("an authorizer"))?)?,
            limit: limit(&self.plan.throttle)?,
        })
    }

    fn authorizer(&self, name: &str) -> Result<AuthorizerDefinition, TemplateError> {
        let authorizer = self.api.auth.authorizers.get(name);
        let authorizer = authorizer.ok_or_else(|| TemplateError::Lacks(format!("the authorizer `{name}`")))?;
        let identity = &authorizer.identity;
        if identity.reauthorize_every != Some(0) {
            return Err(TemplateError::Unsupported(format!("`{name}` with a `ReauthorizeEvery` that is not 0")));
        }
        // API Gateway matches the whole header.
        let expression = Regex::new(&format!("^(?:{})$", identity.validation_expression))
            .map_err(|error| TemplateError::Unsupported(format!("the validation expression of `{name}`: {error}")))?;
        let binary = self.binary(authorizer.function())?;
        Ok(AuthorizerDefinition { binary, header: identity.header.clone(), expression })
    }

    /// Returns the binary of a function, by its logical name.
    fn binary(&self, function: &str) -> Result<String, TemplateError> {
        let metadata = self.resources.get(function).map(|resource| &resource.metadata);
        let binary = metadata.and_then(|metadata| metadata.pointer("/BuildProperties/Binary")?.as_str());
        binary.map(str::to_owned).ok_or_else(|| TemplateError::Lacks(format!("the binary of `{function}`")))
    }

    /// Returns the response to a failure: its own, or the default of its class.
    fn failure(&self, failure: GatewayFailure) -> Result<StaticResponse, TemplateError> {
        let default = if failure.status().is_client_error() { "DEFAULT_4XX" } else { "DEFAULT_5XX" };
        let name = failure.name();
        let response = [name, default].into_iter().find_map(|name| self.api.gateway_responses.get(name));
        let response = response.ok_or_else(|| TemplateError::Lacks(format!("the gateway response {name}")))?;
        StaticResponse::of_gateway_response(response, failure.status()).map_err(|problem| problem.at(name))
    }
}

/// Checks that each path parameter is exactly one whole segment.
fn require_supported(path: &str) -> Result<(), TemplateError> {
    let is_supported = |segment: &str| !segment.contains(['{', '}', '+']) || Pattern::variable(segment).is_some();
    let unsupported = || TemplateError::Unsupported(format!("the variable path {path}"));
    path.split('/').all(is_supported).then_some(()).ok_or_else(unsupported)
}

fn limit(throttle: &Throttle) -> Result<LimitDefinition, TemplateError> {
    let burst = NonZeroU32::new(throttle.burst_limit);
    let period = Duration::try_from_secs_f64(throttle.rate_limit.recip()).ok().filter(|period| !period.is_zero());
    let limit = burst.zip(period).map(|(burst, period)| LimitDefinition { burst, period });
    limit.ok_or_else(|| {
        let Throttle { burst_limit, rate_limit } = throttle;
        TemplateError::Unsupported(format!("the limit of {burst_limit} requests and {rate_limit} per second"))
    })
}

/// Returns all resources of a type, with their names.
fn every<T: OfType>(resources: &BTreeMap<String, Resource>) -> Result<Vec<(&str, T)>, TemplateError> {
    let typed = resources.iter().filter(|(_, resource)| resource.r#type == T::TYPE);
    typed
        .map(|(name, resource)| {
            let properties = T::deserialize(&resource.properties);
            let malformed = |source| TemplateError::Malformed { resource: name.clone(), source };
            Ok((name.as_str(), properties.map_err(malformed)?))
        })
        .collect()
}

/// Returns the only resource of a type.
fn only<T: OfType>(resources: &BTreeMap<String, Resource>) -> Result<(&str, T), TemplateError> {
    let mut all = every::<T>(resources)?;
    let first = all.pop().ok_or_else(|| TemplateError::Lacks(format!("a resource of type {}", T::TYPE)))?;
    if all.is_empty() { Ok(first) } else { Err(TemplateError::Unsupported(format!("more than one {}", T::TYPE))) }
}
