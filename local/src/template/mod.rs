//! Routes, limits and answers, read from the template that the service is deployed with.
//!
//! The reader is strict: anything that API Gateway would do differently from the local gateway is an error at start.

mod answer;
mod failure;
mod reader;
mod schema;

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::time::Duration;

use lambda_http::http::Method;
use regex_lite::Regex;

pub(crate) use answer::StaticAnswer;
pub(crate) use failure::Failure;

/// The template that the service is deployed with.
pub const TEMPLATE: &str = include_str!("../../../infra/template.yaml");

/// Why the local gateway cannot run by a template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The text is not YAML.
    #[error("the template is not readable: {0}")]
    Unreadable(#[source] Box<serde_saphyr::Error>),
    /// A resource has unexpected properties.
    #[error("the template's resource `{resource}` is malformed: {source}")]
    Malformed {
        /// The resource's logical name.
        resource: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Something is missing.
    #[error("the template lacks {0}")]
    Lacks(String),
    /// The template uses a feature that the local gateway does not have.
    #[error("the local gateway does not support {0}")]
    Unsupported(String),
}

/// The API, as the template describes it.
pub(crate) struct Template {
    pub(crate) paths: HashMap<String, PathDefinition>,
    pub(crate) failures: HashMap<Failure, StaticAnswer>,
}

/// A path of the API.
pub(crate) struct PathDefinition {
    pub(crate) routes: HashMap<Method, RouteDefinition>,
    /// The answer to every other method.
    pub(crate) other_methods: StaticAnswer,
}

/// A method of a path.
pub(crate) struct RouteDefinition {
    /// Binary of the function that answers requests.
    pub(crate) binary: String,
    pub(crate) authorizer: AuthorizerDefinition,
    pub(crate) limit: LimitDefinition,
}

/// How many requests pass.
#[derive(Clone, Copy)]
pub(crate) struct LimitDefinition {
    /// Maximum number of requests at once.
    pub(crate) burst: NonZeroU32,
    /// Time after which another request passes. Not zero.
    pub(crate) period: Duration,
}

/// How requests are authorized.
pub(crate) struct AuthorizerDefinition {
    /// Binary of the authorizer.
    pub(crate) binary: String,
    /// Header that contains the key.
    pub(crate) header: String,
    /// Form that the header needs before the authorizer is asked.
    pub(crate) expression: Regex,
}

impl Template {
    pub(crate) fn read(text: &str) -> Result<Self, TemplateError> {
        let reader = reader::Reader::new(text)?;
        Ok(Self { paths: reader.paths()?, failures: reader.failures()? })
    }
}
