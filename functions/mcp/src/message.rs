//! Messages: JSON-RPC 2.0, in the two forms of the protocol.

use api::Request;
use lambda_http::http::StatusCode;
use serde_json::{Value, json};

/// The revision whose requests stand alone: each names its version and its method in its body and again in headers.
const STATELESS: &str = "2026-07-28";
/// The revisions that begin with a handshake, the newest first. They do not differ in what is used here.
const HANDSHAKE: [&str; 2] = ["2025-11-25", "2025-06-18"];
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";
const VERSION_HEADER: &str = "mcp-protocol-version";
/// Time for which a client may keep a description of the service, in milliseconds: they change with releases alone.
const KEPT_FOR: u32 = 60 * 60 * 1000;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const UNKNOWN_METHOD: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION: i32 = -32022;

/// A request that needs a response.
pub(crate) struct Message {
    id: Value,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// Whether it belongs to the revision without a handshake.
    pub(crate) is_stateless: bool,
}

/// Why a message has no result.
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    code: i32,
    message: &'static str,
    data: Option<Value>,
}

impl Message {
    /// Returns the message of a request, or `None` for a notification.
    pub(crate) fn of(request: &Request) -> Result<Option<Self>, Failure> {
        let body: Value = serde_json::from_slice(request.body())
            .map_err(|_| Failure::of(StatusCode::BAD_REQUEST, PARSE_ERROR, "The body is not JSON."))?;
        let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
        let (method, id) = match (body["method"].as_str(), body.get("id")) {
            (Some(_), None) if body["jsonrpc"] == "2.0" => return Ok(None),
            (Some(method), Some(id)) if body["jsonrpc"] == "2.0" && is_id(id) => (method, id),
            _ => return Err(Failure::refused(StatusCode::BAD_REQUEST, "The body is not one request of JSON-RPC 2.0.")),
        };
        let names_version = body["params"]["_meta"].get(VERSION_KEY).is_some() || method == "server/discover";
        let is_stateless = names_version || header(request, VERSION_HEADER) == Some(STATELESS);
        let (id, method, params) = (id.clone(), method.to_owned(), body["params"].clone());
        Ok(Some(Self { id, method, params, is_stateless }))
    }

    /// Checks that the version is served, and that headers and body agree.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Failure> {
        let version = header(request, VERSION_HEADER);
        if !self.is_stateless {
            return match version {
                Some(version) if !HANDSHAKE.contains(&version) => Err(Failure::unsupported(version)),
                _ => Ok(()),
            };
        }
        let meta = &self.params["_meta"];
        let Some(asked) = meta[VERSION_KEY].as_str().filter(|_| meta[CAPABILITIES_KEY].is_object()) else {
            return Err(self.invalid("params._meta needs the protocol version and the client's capabilities."));
        };
        let name = (self.method == "tools/call").then(|| self.params["name"].as_str().unwrap_or_default());
        let agrees = version == Some(asked) && header(request, "mcp-method") == Some(&*self.method);
        if !agrees || name.is_some_and(|name| header(request, "mcp-name") != Some(name)) {
            let message = "The headers MCP-Protocol-Version, Mcp-Method and Mcp-Name must agree with the body.";
            return Err(Failure::of(StatusCode::BAD_REQUEST, HEADER_MISMATCH, message));
        }
        if asked == STATELESS { Ok(()) } else { Err(Failure::unsupported(asked)) }
    }

    /// Returns the result of a handshake, with the requested version if it is served, else the newest.
    pub(crate) fn handshake(&self, instructions: &str) -> Value {
        let asked = self.params["protocolVersion"].as_str().filter(|version| HANDSHAKE.contains(version));
        let mut result = capable(instructions);
        result["protocolVersion"] = asked.unwrap_or(HANDSHAKE[0]).into();
        result["serverInfo"] = server();
        result
    }

    /// Returns the result of discovery.
    pub(crate) fn discovery(&self, instructions: &str) -> Value {
        let mut result = capable(instructions);
        result["supportedVersions"] = json!([STATELESS]);
        self.kept(result)
    }

    /// Lets clients keep a result, if they understand that.
    pub(crate) fn kept(&self, mut result: Value) -> Value {
        if self.is_stateless {
            (result["ttlMs"], result["cacheScope"]) = (KEPT_FOR.into(), "private".into());
        }
        result
    }

    pub(crate) fn succeeded(&self, mut result: Value) -> Value {
        if self.is_stateless {
            (result["resultType"], result["_meta"]) = ("complete".into(), json!({ SERVER_KEY: server() }));
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "result": result })
    }

    pub(crate) fn failed(&self, failure: &Failure) -> Value {
        let mut body = failure.body();
        body["id"] = self.id.clone();
        body
    }

    pub(crate) fn invalid(&self, message: &'static str) -> Failure {
        self.failure(StatusCode::BAD_REQUEST, INVALID_PARAMS, message)
    }

    pub(crate) fn unknown_method(&self) -> Failure {
        self.failure(StatusCode::NOT_FOUND, UNKNOWN_METHOD, "The method is unknown.")
    }

    /// Returns a failure, which is a success of HTTP after a handshake.
    fn failure(&self, status: StatusCode, code: i32, message: &'static str) -> Failure {
        Failure::of(if self.is_stateless { status } else { StatusCode::OK }, code, message)
    }
}

impl Failure {
    /// Returns the failure of a request that does not follow the protocol.
    pub(crate) fn refused(status: StatusCode, message: &'static str) -> Self {
        Self::of(status, INVALID_REQUEST, message)
    }

    fn of(status: StatusCode, code: i32, message: &'static str) -> Self {
        Self { status, code, message, data: None }
    }

    fn unsupported(version: &str) -> Self {
        let supported: Vec<_> = [STATELESS].into_iter().chain(HANDSHAKE).collect();
        let data = Some(json!({ "supported": supported, "requested": version }));
        Self {
            data,
            ..Self::of(StatusCode::BAD_REQUEST, UNSUPPORTED_VERSION, "The protocol version is not supported.")
        }
    }

    /// Returns the body, without the identifier of a request.
    pub(crate) fn body(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "error": error })
    }
}

fn capable(instructions: &str) -> Value {
    json!({ "capabilities": { "tools": {} }, "instructions": instructions })
}

fn server() -> Value {
    json!({
        "name": "security-posture-reporting",
        "title": "Security Posture Reporting API",
        "version": env!("CARGO_PKG_VERSION"),
    })
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}
