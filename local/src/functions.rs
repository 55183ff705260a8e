//! The handlers of the functions, by the names of their binaries.

use std::collections::HashMap;
use std::sync::Arc;

use api::{ApiError, App, Request, Response, respond};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayCustomAuthorizerRequest, ApiGatewayCustomAuthorizerResponse};
use lambda_http::request::RequestContext;
use lambda_http::{Error, RequestExt};

use crate::template::TemplateError;
use crate::uploads::Uploads;

/// A function that responds to requests.
pub(crate) type Endpoint = Arc<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// A function that decides whether a request may pass.
pub(crate) type Authorizer = Arc<
    dyn Fn(ApiGatewayCustomAuthorizerRequest) -> BoxFuture<'static, Result<ApiGatewayCustomAuthorizerResponse, Error>>
        + Send
        + Sync,
>;

/// The functions that a gateway can reach. Empty by default.
#[derive(Default, Clone)]
pub struct Functions {
    authorizers: HashMap<&'static str, Authorizer>,
    endpoints: HashMap<&'static str, Endpoint>,
}

impl Functions {
    /// Returns the service's functions, which take no files.
    pub fn of(app: &App) -> Self {
        Self::default()
            .with_authorizer("authorizer", app, authorizer::handle)
            .with_endpoint("posture-reports", app, posture_reports::handle)
            .with_endpoint("posture-report", app, posture_report::handle)
            .with_endpoint("report-summaries", app, report_summaries::handle)
            .with_endpoint("controls", app, controls::handle)
            .with_endpoint("events", app, events::handle)
            .with_endpoint("imports", app, |app, request| imports::handle(app, None, request))
            .with_endpoint("mcp", app, mcp::handle)
            .with_endpoint("tenants", app, tenants::handle)
            .with_endpoint("trends", app, trends::handle)
            .with_endpoint("usage", app, usage::handle)
            .with_endpoint("billable-users", app, billable_users::handle)
    }

    /// Lets the functions take files.
    #[must_use]
    pub fn taking(self, app: &App, uploads: &Arc<Uploads>) -> Self {
        let uploads = Arc::clone(uploads);
        self.with_endpoint("imports", app, move |app, request| {
            let host = match request.request_context() {
                RequestContext::ApiGatewayV1(context) => context.domain_name.unwrap_or_default(),
                _ => String::new(),
            };
            imports::handle(app, Some(uploads.called(&host)), request)
        })
    }

    /// Adds a function that decides whether a request may pass.
    pub fn with_authorizer<H, F>(mut self, binary: &'static str, app: &App, handler: H) -> Self
    where
        H: Fn(App, ApiGatewayCustomAuthorizerRequest) -> F + Send + Sync + 'static,
        F: Future<Output = Result<ApiGatewayCustomAuthorizerResponse, Error>> + Send + 'static,
    {
        let app = app.clone();
        self.authorizers.insert(binary, Arc::new(move |event| handler(app.clone(), event).boxed()));
        self
    }

    /// Adds a function that responds to requests.
    pub fn with_endpoint<H, F>(mut self, binary: &'static str, app: &App, handler: H) -> Self
    where
        H: Fn(App, Request) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response, ApiError>> + Send + 'static,
    {
        let app = app.clone();
        self.endpoints.insert(binary, Arc::new(move |request| respond(handler.clone(), app.clone(), request).boxed()));
        self
    }

    pub(crate) fn authorizer(&self, binary: &str) -> Result<Authorizer, TemplateError> {
        self.authorizers.get(binary).cloned().ok_or_else(|| unknown(binary))
    }

    pub(crate) fn endpoint(&self, binary: &str) -> Result<Endpoint, TemplateError> {
        self.endpoints.get(binary).cloned().ok_or_else(|| unknown(binary))
    }
}

fn unknown(binary: &str) -> TemplateError {
    TemplateError::Unsupported(format!("the function `{binary}`: it has no handler of that name"))
}
