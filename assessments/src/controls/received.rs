//! Whether a source was read, and if not, why.

use model::snapshot::RequestFailure;

use super::source::Source;

/// Longest error code that a reason repeats, in characters.
const CODE_LENGTH: usize = 80;

/// How much of a source the snapshot contains.
#[derive(Debug, Default)]
pub(super) struct Received {
    /// Number of pages that link to a next one, and of others.
    open: usize,
    last: usize,
    /// Reasons why responses are missing; the first in their order is reported.
    problems: Vec<Problem>,
}

/// The reason why a response is missing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Problem {
    /// Refused with this error code, for want of a licence.
    Licence(String),
    /// Refused for want of a permission.
    Permission,
    /// Refused with another error.
    Refused(u16, String),
    /// Too many requests.
    Throttled,
    /// The interface failed.
    Failed(u16),
    /// There is no usable response.
    NoResponse(RequestFailure),
    /// The body is not what the interface documents.
    Unexpected,
}

impl Problem {
    /// Returns the problem of a response with a status other than success, from its error code.
    pub(super) fn of_error(status: u16, code: &str) -> Self {
        let is_code = |character: &char| character.is_ascii_alphanumeric() || "_-.".contains(*character);
        let code: String = code.chars().take_while(is_code).take(CODE_LENGTH).collect();
        let of_licence = ["Premium", "License"].iter().any(|word| code.contains(word));
        match status {
            429 => Self::Throttled,
            _ if of_licence => Self::Licence(code),
            401 | 403 => Self::Permission,
            500.. => Self::Failed(status),
            _ => Self::Refused(status, code),
        }
    }

    fn in_words(&self, source: Source) -> String {
        let name = source.name();
        match self {
            Self::Licence(code) => {
                format!("Could not read {name}: the tenant lacks the licence that this needs ({code}).")
            }
            Self::Permission => {
                format!("Could not read {name}: access was denied. The permission {} is missing.", source.permission())
            }
            Self::Refused(status, code) => {
                let code = if code.is_empty() { status.to_string() } else { format!("{status} {code}") };
                format!("Could not read {name}: the request was refused ({code}).")
            }
            Self::Throttled => format!("Could not read {name}: too many requests were made to the tenant (429)."),
            Self::Failed(status) => format!("Could not read {name}: the service failed ({status})."),
            Self::NoResponse(failure) => format!("Could not read {name}: {}.", failure_in_words(*failure)),
            Self::Unexpected => format!("Could not read {name}: the response is not in the documented form."),
        }
    }
}

fn failure_in_words(failure: RequestFailure) -> &'static str {
    match failure {
        RequestFailure::Unreachable => "there was no connection",
        RequestFailure::TimedOut => "there was no response in time",
        RequestFailure::TooLarge => "the response was too large",
        RequestFailure::Malformed => "the response was damaged",
        RequestFailure::OtherHost => "a page linked to another host, which is not followed",
        RequestFailure::EndlessPages => "its pages did not end",
        RequestFailure::OutOfTime => "the time for the assessment was over",
        RequestFailure::Other => "there was no usable response",
    }
}

impl Received {
    /// Notes a page or the only response.
    pub(super) fn add_page(&mut self, more: bool) {
        if more { self.open += 1 } else { self.last += 1 }
    }

    /// Notes a response that is missing.
    pub(super) fn add_problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Returns whether the last page exists and no page is missing.
    pub(super) fn is_whole(&self) -> bool {
        self.last > 0 && self.problems.is_empty()
    }

    /// Returns whether the interface says that there is no such object.
    pub(super) fn is_absent(&self) -> bool {
        self.problems.iter().any(|problem| matches!(problem, Problem::Refused(404, _)))
    }

    /// Returns whether the interface says that the tenant lacks a licence.
    pub(super) fn is_unlicensed(&self) -> bool {
        self.problems.iter().any(|problem| matches!(problem, Problem::Licence(_)))
    }

    /// Returns the reason why the collection is not whole, if it is not.
    pub(super) fn missing(&self, source: Source) -> Option<String> {
        let reason = || match self.problems.iter().min() {
            Some(problem) => problem.in_words(source),
            None => format!("Could not read {}: pages are missing.", source.name()),
        };
        (!self.is_whole()).then(reason)
    }
}
