//! Routes, limits and responses, read from the template that the service is deployed with.
//!
//! The reader is strict: anything that API Gateway would do differently from the local gateway is an error at startup.

mod definition;
mod error;
mod failure;
mod path;
mod reader;
mod schema;
mod static_response;

use std::collections::HashMap;

pub(crate) use definition::{AuthorizerDefinition, LimitDefinition, PathDefinition, RouteDefinition, TargetDefinition};
pub use error::TemplateError;
pub(crate) use failure::GatewayFailure;
pub(crate) use path::Pattern;
pub(crate) use static_response::StaticResponse;

/// The template that the service is deployed with.
pub const TEMPLATE: &str = include_str!("../../../infra/template.yaml");

/// The API, as the template describes it.
pub(crate) struct Template {
    pub(crate) paths: HashMap<String, PathDefinition>,
    pub(crate) failures: HashMap<GatewayFailure, StaticResponse>,
    /// Media types of bodies that reach a function byte for byte.
    pub(crate) binary: Vec<String>,
}

impl Template {
    pub(crate) fn read(text: &str) -> Result<Self, TemplateError> {
        let reader = reader::Reader::new(text)?;
        Ok(Self { paths: reader.paths()?, failures: reader.failures()?, binary: reader.binary_media_types() })
    }
}
