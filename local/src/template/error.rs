//! Errors in a template.

/// Why the local gateway cannot use a template.
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
