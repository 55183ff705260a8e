//! The local substitute for API Gateway.
//!
//! A request passes the same stages as in a deployed REST API: route, authorizer, usage plan, function. A failure in
//! one of them gets the response that the template defines. Functions receive the same events as in AWS, and their
//! responses stream through unchanged.

mod authorize;
mod event;
mod limit;

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use futures_util::FutureExt;
use lambda_http::http::request::Parts;
use lambda_http::http::{HeaderMap, HeaderValue, Method};
use serde_json::{Map, Value};
use uuid::Uuid;

use self::authorize::Guard;
use self::event::Incoming;
use self::limit::Limit;
pub use self::limit::{Limits, Uptime};
use crate::functions::{Endpoint, Functions};
use crate::template::{
    GatewayFailure, Pattern, RouteDefinition, StaticResponse, TargetDefinition, Template, TemplateError,
};

/// Maximum size of the request line and the headers together, in bytes.
const HEAD_LIMIT: usize = 10_240;
/// Maximum size of the body, in bytes.
const BODY_LIMIT: usize = 10_485_760;

/// A gateway in front of the functions.
pub struct Gateway {
    /// Fixed paths before paths with parameters.
    resources: BTreeMap<Pattern, Resource>,
    failures: HashMap<GatewayFailure, StaticResponse>,
    /// Media types of bodies that reach a function byte for byte.
    binary: Vec<String>,
}

/// A path of the API.
struct Resource {
    routes: HashMap<Method, Route>,
    other_methods: StaticResponse,
}

/// The place of a request: the path pattern in the template, and the path parameters.
type Place<'a> = (&'a Pattern, &'a Resource, Vec<(&'a str, &'a str)>);

/// A method of a path.
struct Route {
    guard: Guard,
    limit: Option<Limit>,
    target: Target,
}

/// Where the response to an admitted request comes from.
enum Target {
    Function(Endpoint),
    Fixed(StaticResponse),
}

impl Gateway {
    /// Creates the gateway that a template describes.
    ///
    /// # Errors
    /// If the template is incomplete, uses a feature that this gateway does not have, or names a function that is not
    /// in `functions`.
    pub fn from_template(text: &str, functions: &Functions, limits: &Limits) -> Result<Self, TemplateError> {
        let template = Template::read(text)?;
        let resources = template.paths.into_iter().map(|(path, definition)| {
            let routes = definition.routes.into_iter();
            let routes = routes.map(|(method, route)| Ok((method, Route::new(route, functions, limits)?)));
            let routes = routes.collect::<Result<_, TemplateError>>()?;
            Ok((Pattern::new(path), Resource { routes, other_methods: definition.other_methods }))
        });
        Ok(Self {
            resources: resources.collect::<Result<_, TemplateError>>()?,
            failures: template.failures,
            binary: template.binary,
        })
    }

    /// Returns the methods and paths of all routes, ordered by path.
    pub fn routes(&self) -> Vec<(Method, String)> {
        let routes = self.resources.iter().flat_map(|(path, resource)| {
            resource.routes.keys().map(|method| (method.clone(), path.as_str().to_owned()))
        });
        routes.collect()
    }

    /// Returns the gateway as a service.
    pub fn into_router(self) -> Router {
        let respond =
            |State(gateway): State<Arc<Self>>, request: Request| async move { gateway.respond(request).await };
        Router::new().fallback(respond).with_state(Arc::new(self))
    }

    /// Responds to a request, and writes one line of access log with the response's identifier, which contains neither
    /// keys nor query values.
    async fn respond(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let id = Uuid::now_v7();
        let fitting = |(path, resource)| Some((path, resource, Pattern::matched(path, parts.uri.path())?));
        let place = self.resources.iter().find_map(fitting);
        let route = place.as_ref().map(|(path, ..)| path.as_str());
        let mut caller = Map::new();
        let outcome = self.pass(id, &parts, body, place, &mut caller).await;
        let failure = outcome.as_ref().err().map(|failure| failure.name());
        let field = |name| caller.get(name).and_then(Value::as_str);
        let mut response = outcome.unwrap_or_else(|failure| self.failures[&failure].response());
        if let Ok(id) = HeaderValue::try_from(id.to_string()) {
            response.headers_mut().insert("x-amzn-requestid", id);
        }
        tracing::info!(
            http.method = %parts.method,
            http.route = route,
            http.status = response.status().as_u16(),
            failure,
            organization.id = field("organizationId").or_else(|| field("importOrganizationId")),
            key.id = field("principalId"),
            request.id = %id,
            "request"
        );
        response
    }

    /// Responds, or fails in one of the stages. `caller` receives the authorizer's fields.
    async fn pass(
        &self,
        id: Uuid,
        request: &Parts,
        body: Body,
        place: Option<Place<'_>>,
        caller: &mut Map<String, Value>,
    ) -> Result<Response, GatewayFailure> {
        if head_size(request) > HEAD_LIMIT {
            return Err(GatewayFailure::TooLarge);
        }
        let (path, resource, variables) = place.ok_or(GatewayFailure::UnknownPath)?;
        let Some(route) = resource.routes.get(&request.method) else {
            return Ok(resource.other_methods.response());
        };
        let incoming = Incoming::new(id, request, path.as_str(), variables)?;
        let admission = route.guard.admit(&incoming).await?;
        caller.clone_from(&admission.context);
        let usage_key = admission.usage_key()?;
        if let Some(limit) = &route.limit {
            limit.count(usage_key)?;
        }
        let body = match request.method {
            Method::POST => to_bytes(body, BODY_LIMIT).await.map_err(|_| GatewayFailure::TooLarge)?,
            // No endpoint reads one.
            _ => Bytes::new(),
        };
        route.invoke(incoming.proxy_event(&admission.context, &body, &self.binary)).await
    }
}

impl Route {
    fn new(definition: RouteDefinition, functions: &Functions, limits: &Limits) -> Result<Self, TemplateError> {
        let target = match definition.target {
            TargetDefinition::Function(binary) => Target::Function(functions.endpoint(&binary)?),
            TargetDefinition::Fixed(response) => Target::Fixed(response),
        };
        let authorizer = functions.authorizer(&definition.authorizer.binary)?;
        let limit = limits.limit(definition.limit);
        Ok(Self { guard: Guard::new(definition.authorizer, authorizer), limit, target })
    }

    /// Invokes the function, if there is one. A panic counts as a failure of the function.
    async fn invoke(&self, event: Value) -> Result<Response, GatewayFailure> {
        let endpoint = match &self.target {
            Target::Function(endpoint) => endpoint,
            Target::Fixed(response) => return Ok(response.response()),
        };
        let event = event.to_string();
        let response = async {
            let request = lambda_http::request::from_str(&event).map_err(|_| GatewayFailure::FunctionFailed)?;
            Ok(endpoint(request).await.map(Body::new))
        };
        AssertUnwindSafe(response).catch_unwind().await.unwrap_or(Err(GatewayFailure::FunctionFailed))
    }
}

/// Returns the size of the request line and the headers, in bytes.
fn head_size(request: &Parts) -> usize {
    let uri = request.uri.path_and_query().map_or(0, |text| text.as_str().len());
    let headers =
        |headers: &HeaderMap| headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
    request.method.as_str().len() + uri + headers(&request.headers)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Mutex;

    use api::App;
    use lambda_http::aws_lambda_events::apigw::ApiGatewayCustomAuthorizerResponse;
    use serde_json::json;
    use tokio::net::TcpListener;
    use tower::ServiceExt;
    use tracing::instrument::WithSubscriber;

    use super::*;
    use crate::{Engine, TEMPLATE};

    const KEY: &str = "spk_0123456789ABCDEFGHIJKLMNOPQRSTUV0a3EQF";

    /// Everything that was logged.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(text)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns a gateway that admits every well-formed key.
    async fn gateway(engine: &Engine) -> Router {
        let app = App::new(engine.store("posture").await.unwrap(), "https://dashboard.example");
        let functions = Functions::of(&app).with_authorizer("authorizer", &app, |_, event| async move {
            let method = event.method_arn;
            let statement = json!({ "Action": "execute-api:Invoke", "Effect": "Allow", "Resource": method });
            let admission = json!({
                "principalId": "key",
                "policyDocument": { "Version": "2012-10-17", "Statement": [statement] },
                "context": { "organizationId": "org" },
                "usageIdentifierKey": "usage-plan-key",
            });
            Ok(serde_json::from_value::<ApiGatewayCustomAuthorizerResponse>(admission)?)
        });
        Gateway::from_template(TEMPLATE, &functions, &Limits::Off).unwrap().into_router()
    }

    #[tokio::test]
    async fn a_request_is_one_line_without_keys_or_query_values() {
        let engine = Engine::memory(TcpListener::bind("127.0.0.1:0").await.unwrap()).await.unwrap();
        let gateway = gateway(&engine).await;
        let log = Log::default();
        let writer = {
            let log = log.clone();
            move || log.clone()
        };
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(writer).finish();
        let ids = async {
            let mut ids = Vec::new();
            for (uri, key) in [
                ("/v1/posture-reports?startDate=2001-02-03&secret=secret", KEY),
                ("/v1/secret?secret=secret", KEY),
                ("/v1/tenants", "secret"),
            ] {
                let request = Request::get(uri).header("authorization", format!("Bearer {key}"));
                let response = gateway.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
                ids.push(response.headers()["x-amzn-requestid"].to_str().unwrap().to_owned());
            }
            ids
        }
        .with_subscriber(subscriber)
        .await;
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<_> = text.lines().map(|line| &line[line.find("http.method").unwrap()..]).collect();
        assert_eq!(
            lines,
            [
                format!(
                    "http.method=GET http.route=\"/v1/posture-reports\" http.status=400 organization.id=\"org\" key.id=\"key\" request.id={}",
                    ids[0]
                ),
                format!(
                    "http.method=GET http.status=404 failure=\"MISSING_AUTHENTICATION_TOKEN\" request.id={}",
                    ids[1]
                ),
                format!(
                    "http.method=GET http.route=\"/v1/tenants\" http.status=401 failure=\"UNAUTHORIZED\" request.id={}",
                    ids[2]
                ),
            ]
        );
        assert!(!text.contains("secret") && !text.contains(KEY) && !text.contains("2001"), "{text}");
    }
}
