//! States, grades and kinds as people read them: by word, with a colour beside it.

use maud::{Markup, html};
use model::{
    BillableStatus, Category, Choice, Grade, MfaEnforcement, MfaMethod, ReportType, Role, Severity, Status, Wire, noun,
};
use serde::Serialize;
pub(crate) use web::view::text::sentence;

/// A stored value that this release does not know, because a later one wrote it.
pub(crate) const UNKNOWN: &str = "Unknown";

/// All states, in the order in which bars and lists show them.
pub(crate) const STATUSES: [Status; 6] = *Status::KNOWN.first_chunk().expect("six states are known");

/// All severities, from most to least.
pub(crate) const SEVERITIES: [Severity; 4] = *Severity::KNOWN.first_chunk().expect("four severities are known");

/// Returns the choice with this name on the wire.
pub(crate) fn chosen<T: Serialize>(choices: impl IntoIterator<Item = T>, name: &str) -> Option<T> {
    choices.into_iter().find(|choice| Wire(choice).to_string() == name)
}

/// Returns the word for a state.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Secure => "Secure",
        Status::Fixed => "Fixed",
        Status::InProgress => "In progress",
        Status::Open => "Open",
        Status::Drifted => "Drifted",
        Status::NotAssessed => "Not assessed",
        Status::Unknown => UNKNOWN,
    }
}

/// Returns one sentence on what a state means.
pub(crate) fn status_meaning(status: Status) -> &'static str {
    match status {
        Status::Secure => "Meets best practice.",
        Status::Fixed => "Not secure at the baseline, secure now.",
        Status::InProgress => "A fix is under way.",
        Status::Open => "Does not meet best practice.",
        Status::Drifted => "Secure at the baseline, not secure now.",
        Status::NotAssessed => "Could not be evaluated: a licence or a permission is missing.",
        Status::Unknown => "This release of the dashboard does not know the status.",
    }
}

/// Returns the class that gives a state its colour.
pub(crate) fn status_class(status: Status) -> &'static str {
    match status {
        Status::Secure => "secure",
        Status::Fixed => "fixed",
        Status::InProgress => "in-progress",
        Status::Open => "open",
        Status::Drifted => "drifted",
        Status::NotAssessed | Status::Unknown => "not-assessed",
    }
}

/// Shows a state: its word on its colour.
pub(crate) fn pill(of: Status) -> Markup {
    html! { span class={ "pill " (status_class(of)) } { (status(of)) } }
}

/// Returns the word for a severity.
pub(crate) fn severity(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Critical) => "Critical",
        Some(Severity::High) => "High",
        Some(Severity::Medium) => "Medium",
        Some(Severity::Low) => "Low",
        Some(Severity::Unknown) => UNKNOWN,
        None => "Not rated",
    }
}

/// Shows a severity: its word behind bars that fill with it.
pub(crate) fn severity_badge(of: Option<Severity>) -> Markup {
    let level = match of {
        Some(Severity::Critical) => "critical",
        Some(Severity::High) => "high",
        Some(Severity::Medium) => "medium",
        Some(Severity::Low) => "low",
        Some(Severity::Unknown) | None => "unrated",
    };
    html! { span class={ "severity " (level) } { (severity(of)) } }
}

/// Returns the letter of a grade.
pub(crate) fn grade(grade: Grade) -> &'static str {
    match grade {
        Grade::A => "A",
        Grade::B => "B",
        Grade::C => "C",
        Grade::D => "D",
        Grade::F => "F",
        Grade::Unknown => "?",
    }
}

/// Returns the class that gives a grade its colour.
pub(crate) fn grade_class(grade: Grade) -> &'static str {
    match grade {
        Grade::A => "grade-a",
        Grade::B => "grade-b",
        Grade::C => "grade-c",
        Grade::D => "grade-d",
        Grade::F | Grade::Unknown => "grade-f",
    }
}

/// Shows a grade: its letter on its colour.
pub(crate) fn grade_badge(of: Grade) -> Markup {
    html! { span class={ "grade " (grade_class(of)) } { (grade(of)) } }
}

/// Returns the name of a report's section.
pub(crate) fn category(category: Category) -> &'static str {
    match category {
        Category::ConditionalAccess => "Conditional access",
        Category::Accounts => "Accounts",
        Category::GlobalAdmins => "Global administrators",
        Category::AppsDirectory => "Apps and directory",
        Category::ExternalSharing => "External sharing",
        Category::Exchange => "Exchange",
        Category::Unknown => UNKNOWN,
    }
}

/// Returns the name of a kind of report.
pub(crate) fn report_type(kind: ReportType) -> &'static str {
    match kind {
        ReportType::Baseline => "Baseline",
        ReportType::FollowUp => "Follow-up",
        ReportType::Unknown => UNKNOWN,
    }
}

/// Returns the name of an MFA method.
pub(crate) fn mfa_method(method: MfaMethod) -> &'static str {
    match method {
        MfaMethod::PhishingResistant => "Phishing-resistant",
        MfaMethod::Authenticator => "Authenticator app",
        MfaMethod::SoftwareOath => "One-time codes",
        MfaMethod::Sms => "Text message",
        MfaMethod::Voice => "Phone call",
        MfaMethod::Email => "E-mail",
        MfaMethod::None => "None",
        MfaMethod::Unknown => UNKNOWN,
    }
}

/// Returns how MFA is enforced.
pub(crate) fn mfa_enforcement(enforcement: MfaEnforcement) -> &'static str {
    match enforcement {
        MfaEnforcement::CaPolicy => "Conditional access",
        MfaEnforcement::PerUser => "Per user",
        MfaEnforcement::None => "Not enforced",
        MfaEnforcement::Unknown => UNKNOWN,
    }
}

/// Returns the word for a tenant's billable status.
pub(crate) fn billable_status(status: BillableStatus) -> &'static str {
    match status {
        BillableStatus::Trial => "Trial",
        BillableStatus::Active => "Active",
        BillableStatus::Paused => "Paused",
        BillableStatus::NotForResale => "Not for resale",
        BillableStatus::Unknown => UNKNOWN,
    }
}

/// Returns one sentence on what a role may do.
pub(crate) fn role_meaning(role: Role) -> &'static str {
    match role {
        Role::Admin => "Admins read and change everything, and manage API keys, members and the brand.",
        Role::FullMember => "Full Members read everything, import results, edit reports and manage tenants.",
        Role::Unknown => "This release does not know the role, so it has no rights.",
    }
}

/// Returns a number with its noun, such as `1 report` or `3 reports`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    format!("{} {}", thousands(number as u64), noun(number, one))
}

/// Returns a number with a thin space between thousands, such as `12 345`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Returns the current value of a field that someone else changed, in words.
pub(crate) fn is_now(value: &str) -> String {
    if value.is_empty() { "It is now empty.".to_owned() } else { format!("It is now: {value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_shown_by_word_and_colour() {
        for of in STATUSES {
            let shown = pill(of).into_string();
            assert!(shown.contains(status(of)) && shown.contains(status_class(of)), "{shown}");
        }
        assert_eq!(severity_badge(None).into_string(), r#"<span class="severity unrated">Not rated</span>"#);
    }

    #[test]
    fn numbers_have_their_noun_and_their_thousands() {
        assert_eq!(counted(0, "check"), "0 checks");
        assert_eq!(counted(1, "check"), "1 check");
        assert_eq!(counted(1234, "check"), "1\u{202f}234 checks");
        assert_eq!(thousands(12), "12");
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
