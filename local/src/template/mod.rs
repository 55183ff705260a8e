//! What the gateway has to know, read from the template that the service is deployed with.
//!
//! The reader is strict: what the deployed gateway would do and this one could not, or the other way round, is an error
//! at the start and not a difference between the two.

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
    pub(crate) limit: LimitDefinition,
}

/// What the template says of how many requests pass.
#[derive(Clone, Copy)]
pub(crate) struct LimitDefinition {
    /// Most requests at once.
    pub(crate) burst: NonZeroU32,
    /// Time in which the limit gains a request. Not zero.
    pub(crate) period: Duration,
}

/// What the template says of who may pass.
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
        let reader = reader::Reader::new(text)?;
        Ok(Self { paths: reader.paths()?, failures: reader.failures()? })
    }
}
