//! Paths of the API, with path parameters: `/v1/posture-reports/{reportId}`.

/// A path pattern in the template.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern(String);

impl Pattern {
    pub(crate) fn new(path: String) -> Self {
        Self(path)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of a segment that is a path parameter.
    pub(super) fn variable(segment: &str) -> Option<&str> {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        (!name.is_empty() && !name.contains(['{', '}', '+'])).then_some(name)
    }

    /// Returns the path parameters of a path with their names, or `None` if the path does not match the pattern.
    pub(crate) fn matched<'a>(&'a self, path: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
        let (mut pattern, mut path) = (self.0.split('/'), path.split('/'));
        let mut variables = Vec::new();
        loop {
            match (pattern.next(), path.next()) {
                (None, None) => return Some(variables),
                (Some(expected), Some(segment)) => match Self::variable(expected) {
                    Some(name) if !segment.is_empty() => variables.push((name, segment)),
                    None if expected == segment => {}
                    _ => return None,
                },
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_as_a_whole_and_yields_its_variable_segments() {
        let pattern = Pattern::new("/v1/reports/{id}".to_owned());
        assert_eq!(pattern.matched("/v1/reports/a%20b"), Some(vec![("id", "a%20b")]));
        for path in ["/v1/reports", "/v1/reports/", "/v1/reports/a/b", "/v1/other/a", "/v2/reports/a", ""] {
            assert_eq!(pattern.matched(path), None, "{path}");
        }
        assert_eq!(Pattern::new("/v1/reports".to_owned()).matched("/v1/reports"), Some(vec![]));
    }
}
