//! Real-world files, and the expected result of each for every front end. Every front end tests this table.
//!
//! The files were written for these tests. Names of controls and fields are the tools'.

mod files;
mod table;

use serde_json::{Value, json};

pub(crate) use table::cases;

/// The tenant of all files.
pub(crate) const TENANT: &str = "11111111-2222-3333-4444-555555555555";

/// Files that are imported together, and the result.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Paths and contents. If a path contains a slash, the files are a folder.
    pub(crate) files: Vec<(&'static str, Vec<u8>)>,
    /// End of the run, if the files do not contain it.
    pub(crate) completed_at: Option<&'static str>,
    pub(crate) expected: Expected,
}

/// The result of a case.
pub(crate) enum Expected {
    /// One report.
    Report {
        /// Numbers of controls that are secure, open and not assessed.
        counts: [u64; 3],
        /// End of the run.
        completed_at: &'static str,
        /// Part of an issue, or empty.
        issue: &'static str,
        /// Skipped files, with a part of the reason, in the order of the result.
        skipped: &'static [(&'static str, &'static str)],
    },
    /// No report, and one failure with this text in its message.
    NoReport(&'static str),
}

/// Skipped files, with a part of the reason.
type Companions = &'static [(&'static str, &'static str)];

fn case(name: &'static str, files: Vec<(&'static str, Vec<u8>)>) -> Case {
    Case { name, files, completed_at: None, expected: Expected::NoReport("") }
}

impl Case {
    fn completed_at(self, time: &'static str) -> Self {
        Self { completed_at: Some(time), ..self }
    }

    fn report(self, counts: [u64; 3], completed_at: &'static str, issue: &'static str) -> Self {
        Self { expected: Expected::Report { counts, completed_at, issue, skipped: &[] }, ..self }
    }

    fn no_report(self, message: &'static str) -> Self {
        Self { expected: Expected::NoReport(message), ..self }
    }

    fn skipped(mut self, files: Companions) -> Self {
        if let Expected::Report { skipped, .. } = &mut self.expected {
            *skipped = files;
        }
        self
    }

    /// Returns whether the files are a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.files.iter().any(|(path, _)| path.contains('/'))
    }

    /// Asserts that the JSON of an import's result is as expected.
    pub(crate) fn assert_result(&self, result: &Value) {
        let of = |value: &Value, field: &str| value[field].as_array().unwrap().clone();
        let (reports, failures) = (of(result, "reports"), of(result, "failures"));
        match &self.expected {
            Expected::NoReport(message) => {
                assert_eq!(reports, [Value::Null; 0], "{}", self.name);
                let said = format!("{failures:?} {}", result["status"]);
                assert!(
                    said.contains(message) || (said.contains("SKIPPED") && *message == "no assessment"),
                    "{}: {said}",
                    self.name
                );
            }
            Expected::Report { counts, completed_at, issue, skipped } => {
                assert_eq!((reports.len(), failures.len()), (1, 0), "{}: {result:#}", self.name);
                let report = &reports[0];
                let found = ["secure", "open", "notAssessed"].map(|count| report["controls"][count].as_u64().unwrap());
                assert_eq!((found, &report["completedAt"]), (*counts, &json!(completed_at)), "{}", self.name);
                let issues = format!("{} {}", report["issues"], result["issues"]);
                assert!(issues.contains(issue), "{}: {issues}", self.name);
                let files = of(result, "skipped");
                let files: Vec<_> =
                    files.iter().map(|file| (file["of"].as_str().unwrap(), file["reason"].as_str().unwrap())).collect();
                assert_eq!(files.len(), skipped.len(), "{}: {files:?}", self.name);
                for ((of, reason), (name, part)) in files.iter().zip(*skipped) {
                    assert!(of.ends_with(name) && reason.contains(part), "{}: {of} {reason}", self.name);
                }
            }
        }
    }
}
