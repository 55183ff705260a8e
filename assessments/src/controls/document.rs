//! Reading a response that is one object: a field counts only if it exists and has its type.

use serde_json::Value;

use super::verdict::{NotAssessed, not_assessed};

/// An object of a response, or a part of it.
#[derive(Clone, Copy)]
pub(super) struct Document<'a>(pub(super) &'a Value);

impl<'a> Document<'a> {
    /// Returns the value at a path such as `a/b`, unless it is missing or null.
    pub(super) fn get(self, path: &str) -> Option<&'a Value> {
        path.split('/').try_fold(self.0, |value, name| value.get(name)).filter(|value| !value.is_null())
    }

    /// Returns the truth value at a path.
    pub(super) fn flag(self, path: &'static str) -> Result<bool, NotAssessed> {
        self.get(path).and_then(Value::as_bool).map_or_else(|| unreadable(path), Ok)
    }

    /// Returns the text at a path.
    pub(super) fn text(self, path: &'static str) -> Result<&'a str, NotAssessed> {
        self.get(path).and_then(Value::as_str).map_or_else(|| unreadable(path), Ok)
    }

    /// Returns the whole number at a path.
    pub(super) fn number(self, path: &'static str) -> Result<i64, NotAssessed> {
        self.get(path).and_then(Value::as_i64).map_or_else(|| unreadable(path), Ok)
    }

    /// Returns the objects of the list at a path.
    pub(super) fn list(self, path: &'static str) -> Result<Vec<Document<'a>>, NotAssessed> {
        let list = self.get(path).and_then(Value::as_array).map_or_else(|| unreadable(path), Ok)?;
        Ok(list.iter().map(Document).collect())
    }

    /// Returns the texts of the list at a path. An element of another type makes the list unreadable.
    pub(super) fn texts(self, path: &'static str) -> Result<Vec<&'a str>, NotAssessed> {
        let texts = self.list(path)?.into_iter().map(|element| element.0.as_str());
        texts.collect::<Option<_>>().map_or_else(|| unreadable(path), Ok)
    }
}

/// The reason for a field that decides and that the response does not have in a readable form.
pub(super) fn unreadable<T>(path: &str) -> Result<T, NotAssessed> {
    let name = path.rsplit('/').next().unwrap_or(path);
    not_assessed(format!("The response does not contain a readable value of {name}."))
}
