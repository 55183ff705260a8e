//! The events that API Gateway creates from a request.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chrono::Utc;
use lambda_http::aws_lambda_events::apigw::ApiGatewayCustomAuthorizerRequest;
use lambda_http::http::request::Parts;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::template::GatewayFailure;

/// Placeholders for the account, the API and the stage.
const ACCOUNT: &str = "000000000000";
const NAME: &str = "local";

/// All values of each name, in order.
type Multimap = BTreeMap<String, Vec<String>>;

/// A request on its way to a function.
pub(super) struct Incoming<'a> {
    id: Uuid,
    request: &'a Parts,
    /// The path pattern in the template.
    resource: &'a str,
    /// The path parameters, as sent.
    variables: Vec<(&'a str, &'a str)>,
    query: Multimap,
}

impl<'a> Incoming<'a> {
    /// Decodes the query like a form: `+` is a space. Invalid escapes remain, and invalid UTF-8 is replaced, so the
    /// endpoint refuses the value and names the parameter.
    ///
    /// # Errors
    /// If the query has bytes that should be escaped.
    pub(super) fn new(
        id: Uuid,
        request: &'a Parts,
        resource: &'a str,
        variables: Vec<(&'a str, &'a str)>,
    ) -> Result<Self, GatewayFailure> {
        let text = request.uri.query().unwrap_or_default();
        if !text.is_ascii() {
            return Err(GatewayFailure::BadRequest);
        }
        let mut query = Multimap::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            query.entry(name.into_owned()).or_default().push(value.into_owned());
        }
        Ok(Self { id, request, resource, variables, query })
    }

    /// Returns the value of a header that is present exactly once and is printable ASCII.
    pub(super) fn only_header(&self, name: &str) -> Option<&str> {
        let mut values = self.request.headers.get_all(name).iter();
        let value = values.next()?.to_str().ok()?;
        values.next().is_none().then_some(value)
    }

    /// Returns the name of the method in policies.
    pub(super) fn method_arn(&self) -> String {
        let Parts { method, uri, .. } = self.request;
        format!("arn:aws:execute-api:{NAME}:{ACCOUNT}:{NAME}/{NAME}/{method}{}", uri.path())
    }

    /// Returns the event for the authorizer.
    pub(super) fn token_event(&self, token: &str) -> ApiGatewayCustomAuthorizerRequest {
        let mut event = ApiGatewayCustomAuthorizerRequest::default();
        event.type_ = Some("TOKEN".into());
        event.authorization_token = Some(token.into());
        event.method_arn = Some(self.method_arn());
        event
    }

    /// Returns the REST proxy event for the function, with the authorizer's fields. The body of a binary media type is
    /// base64; any other is text, in which invalid UTF-8 is replaced.
    pub(super) fn proxy_event(&self, context: &Map<String, Value>, body: &[u8], binary: &[String]) -> Value {
        let media_type = self.only_header("content-type").unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim();
        let is_binary = !body.is_empty() && binary.iter().any(|known| known.eq_ignore_ascii_case(media_type));
        let body = match (body, is_binary) {
            ([], _) => None,
            (body, true) => Some(BASE64_STANDARD.encode(body)),
            (body, false) => Some(String::from_utf8_lossy(body).into_owned()),
        };
        let path = self.request.uri.path();
        let method = self.request.method.as_str();
        let headers = self.headers();
        let variables: BTreeMap<_, _> = self.variables.iter().copied().collect();
        let now = Utc::now();
        json!({
            "resource": self.resource,
            "path": path,
            "httpMethod": method,
            "headers": last_of_each(&headers),
            "multiValueHeaders": headers,
            "queryStringParameters": last_of_each(&self.query),
            "multiValueQueryStringParameters": (!self.query.is_empty()).then_some(&self.query),
            "pathParameters": (!self.variables.is_empty()).then_some(&variables),
            "stageVariables": null,
            "requestContext": {
                "accountId": ACCOUNT,
                "apiId": NAME,
                "authorizer": context,
                "domainName": self.only_header("host").unwrap_or(NAME),
                "domainPrefix": NAME,
                "httpMethod": method,
                "identity": { "sourceIp": "127.0.0.1", "userAgent": headers.get("user-agent").and_then(|all| all.last()) },
                "path": format!("/{NAME}{path}"),
                "protocol": "HTTP/1.1",
                "requestId": self.id,
                "requestTime": now.format("%d/%b/%Y:%H:%M:%S %z").to_string(),
                "requestTimeEpoch": now.timestamp_millis(),
                "resourceId": NAME,
                "resourcePath": self.resource,
                "stage": NAME,
            },
            "body": body,
            "isBase64Encoded": is_binary,
        })
    }

    /// Returns the headers as functions receive them. Invalid UTF-8 is replaced, because events are text. The gateway
    /// sets host and scheme, like API Gateway.
    fn headers(&self) -> Multimap {
        let mut headers = Multimap::new();
        for (name, value) in &self.request.headers {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            headers.entry(name.to_string()).or_default().push(text);
        }
        headers.insert("host".into(), vec![NAME.into()]);
        headers.insert("x-forwarded-proto".into(), vec!["https".into()]);
        headers
    }
}

/// Returns the last value of each name, or `None` if there are no names.
fn last_of_each(all: &Multimap) -> Option<BTreeMap<&str, &str>> {
    let last = all.iter().filter_map(|(name, values)| Some((name.as_str(), values.last()?.as_str())));
    (!all.is_empty()).then(|| last.collect())
}
