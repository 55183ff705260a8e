//! Responses that the gateway sends without a function.

use bytes::Bytes;
use lambda_http::http::header::CONTENT_TYPE;
use lambda_http::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::error::TemplateError;
use super::schema::{GatewayResponse, MockMethod, ResponseTemplates};

/// A constant response.
#[derive(Debug, Clone)]
pub(crate) struct StaticResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// Why a definition cannot become a [`StaticResponse`].
pub(super) struct Problem(String);

impl Problem {
    /// Returns the problem as an error with its location.
    pub(super) fn at(self, place: &str) -> TemplateError {
        TemplateError::Unsupported(format!("{} in the response of {place}", self.0))
    }
}

impl StaticResponse {
    /// Returns the response of a method with a mock integration.
    pub(super) fn of_mock(method: &MockMethod) -> Result<Self, Problem> {
        let response = &method.integration.responses.default;
        let status = response.status_code.parse().map_err(|_| Problem(format!("status {:?}", response.status_code)))?;
        let headers = response.response_parameters.iter().map(|(parameter, value)| {
            (parameter.strip_prefix("method.response.header.").unwrap_or(parameter), value.as_str())
        });
        Self::new(status, headers, &response.response_templates)
    }

    /// Returns the response to a failure. `status` applies if the template does not set one.
    pub(super) fn of_gateway_response(response: &GatewayResponse, status: StatusCode) -> Result<Self, Problem> {
        let status = response
            .status_code
            .map_or(Ok(status), |code| StatusCode::from_u16(code).map_err(|_| Problem(format!("status {code}"))))?;
        let headers = response.response_parameters.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self::new(status, headers, &response.response_templates)
    }

    fn new<'a>(
        status: StatusCode,
        parameters: impl Iterator<Item = (&'a str, &'a str)>,
        templates: &ResponseTemplates,
    ) -> Result<Self, Problem> {
        if templates.json.contains('$') {
            return Err(Problem("a variable".into()));
        }
        // The media type of the response template, unless a parameter replaces it.
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        for (name, value) in parameters {
            let (name, value) = header(name, value).ok_or_else(|| Problem(format!("the header {name}: {value}")))?;
            headers.insert(name, value);
        }
        Ok(Self { status, headers, body: Bytes::copy_from_slice(templates.json.as_bytes()) })
    }

    /// Returns the HTTP response.
    pub(crate) fn response<B: From<Bytes>>(&self) -> Response<B> {
        let mut response = Response::new(self.body.clone().into());
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers.clone();
        response
    }
}

/// Returns a header whose value is a quoted text, the only form that needs no evaluation.
fn header(name: &str, value: &str) -> Option<(HeaderName, HeaderValue)> {
    let text = value.strip_prefix('\'')?.strip_suffix('\'')?;
    Some((name.parse().ok()?, text.parse().ok()?))
}
