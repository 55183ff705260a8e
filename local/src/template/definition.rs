//! The parts of an API, in the gateway's terms.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::Duration;

use lambda_http::http::Method;
use regex_lite::Regex;

use super::static_response::StaticResponse;

/// A path of the API.
pub(crate) struct PathDefinition {
    pub(crate) routes: HashMap<Method, RouteDefinition>,
    /// The response to every other method.
    pub(crate) other_methods: StaticResponse,
}

/// A method of a path.
pub(crate) struct RouteDefinition {
    pub(crate) target: TargetDefinition,
    pub(crate) authorizer: AuthorizerDefinition,
    pub(crate) limit: LimitDefinition,
}

/// Where the response to an admitted request comes from.
pub(crate) enum TargetDefinition {
    /// The function with this binary.
    Function(String),
    /// The gateway.
    Fixed(StaticResponse),
}

/// The limit of requests.
#[derive(Clone, Copy)]
pub(crate) struct LimitDefinition {
    /// Maximum number of requests at once.
    pub(crate) burst: NonZeroU32,
    /// Time after which one more request may pass. Not zero.
    pub(crate) period: Duration,
}

/// How requests are authorized.
pub(crate) struct AuthorizerDefinition {
    /// Binary of the authorizer.
    pub(crate) binary: String,
    /// Header that contains the key.
    pub(crate) header: String,
    /// Format that the header must have before the authorizer is called.
    pub(crate) expression: Regex,
}
