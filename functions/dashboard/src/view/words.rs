//! States, grades and kinds as people read them: by word, with a colour beside it.

use maud::{Markup, html};
use model::{
    BillableStatus, Category, ControlsRollup, Grade, MfaEnforcement, MfaMethod, ReportType, Role, Severity, Status,
    noun,
};

/// A stored value that this release does not know, because a later one wrote it.
pub const UNKNOWN: &str = "Unknown";

/// All states, in the order in which bars and lists show them: what is good first.
pub const STATUSES: [Status; 6] =
    [Status::Secure, Status::Fixed, Status::InProgress, Status::Open, Status::Drifted, Status::NotAssessed];

/// All severities, from most to least.
pub const SEVERITIES: [Severity; 4] = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];

/// Returns a message as a sentence: with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).chain(['.']).collect()
}

/// Returns the word for a state.
pub fn status(status: Status) -> &'static str {
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
pub fn status_meaning(status: Status) -> &'static str {
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

/// Returns a state as it is written in addresses, forms and the API.
pub fn status_wire(status: Status) -> &'static str {
    match status {
        Status::Secure => "SECURE",
        Status::Fixed => "FIXED",
        Status::InProgress => "IN_PROGRESS",
        Status::Open => "OPEN",
        Status::Drifted => "DRIFTED",
        Status::NotAssessed => "NOT_ASSESSED",
        Status::Unknown => "UNKNOWN",
    }
}

/// Returns the class that gives a state its colour.
pub fn status_class(status: Status) -> &'static str {
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
pub fn pill(of: Status) -> Markup {
    html! { span class={ "pill " (status_class(of)) } { (status(of)) } }
}

/// Returns the number of controls in a state.
pub fn count(controls: &ControlsRollup, status: Status) -> u32 {
    match status {
        Status::Secure => controls.secure,
        Status::Fixed => controls.fixed,
        Status::InProgress => controls.in_progress,
        Status::Open => controls.open,
        Status::Drifted => controls.drifted,
        Status::NotAssessed => controls.not_assessed,
        // Counted among those that are not assessed.
        Status::Unknown => 0,
    }
}

/// Returns the word for a severity.
pub fn severity(severity: Option<Severity>) -> &'static str {
    match severity {
        Some(Severity::Critical) => "Critical",
        Some(Severity::High) => "High",
        Some(Severity::Medium) => "Medium",
        Some(Severity::Low) => "Low",
        Some(Severity::Unknown) => UNKNOWN,
        None => "Not rated",
    }
}

/// Returns a severity as it is written in addresses, forms and the API.
pub fn severity_wire(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "CRITICAL",
        Severity::High => "HIGH",
        Severity::Medium => "MEDIUM",
        Severity::Low => "LOW",
        Severity::Unknown => "UNKNOWN",
    }
}

/// Shows a severity: its word behind bars that fill with it.
pub fn severity_mark(of: Option<Severity>) -> Markup {
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
pub fn grade(grade: Grade) -> &'static str {
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
pub fn grade_class(grade: Grade) -> &'static str {
    match grade {
        Grade::A => "grade-a",
        Grade::B => "grade-b",
        Grade::C => "grade-c",
        Grade::D => "grade-d",
        Grade::F | Grade::Unknown => "grade-f",
    }
}

/// Shows a grade: its letter on its colour.
pub fn grade_badge(of: Grade) -> Markup {
    html! { span class={ "grade " (grade_class(of)) } { (grade(of)) } }
}

/// Returns the name of a report's section.
pub fn category(category: Category) -> &'static str {
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
pub fn report_type(kind: ReportType) -> &'static str {
    match kind {
        ReportType::Baseline => "Baseline",
        ReportType::FollowUp => "Follow-up",
        ReportType::Unknown => UNKNOWN,
    }
}

/// Returns the name of an MFA method.
pub fn mfa_method(method: MfaMethod) -> &'static str {
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
pub fn mfa_enforcement(enforcement: MfaEnforcement) -> &'static str {
    match enforcement {
        MfaEnforcement::CaPolicy => "Conditional access",
        MfaEnforcement::PerUser => "Per user",
        MfaEnforcement::None => "Not enforced",
        MfaEnforcement::Unknown => UNKNOWN,
    }
}

/// Returns the word for a tenant's billable status.
pub fn billable_status(status: BillableStatus) -> &'static str {
    match status {
        BillableStatus::Trial => "Trial",
        BillableStatus::Active => "Active",
        BillableStatus::Paused => "Paused",
        BillableStatus::NotForResale => "Not for resale",
        BillableStatus::Unknown => UNKNOWN,
    }
}

/// Returns the name of a role.
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Admin => "Admin",
        Role::FullMember => "Full Member",
        Role::Unknown => UNKNOWN,
    }
}

/// Returns a role as forms send it.
pub fn role_wire(role: Role) -> &'static str {
    match role {
        Role::Admin => "ADMIN",
        Role::FullMember => "FULL_MEMBER",
        Role::Unknown => "UNKNOWN",
    }
}

/// Returns a number of bytes in megabytes, such as `6 MB`.
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// Returns one sentence on what a role may do.
pub fn role_meaning(role: Role) -> &'static str {
    match role {
        Role::Admin => "Admins read and change everything, and manage API keys, members and the brand.",
        Role::FullMember => "Full Members read everything, import results, edit reports and manage tenants.",
        Role::Unknown => "This release does not know the role, so it has no rights.",
    }
}

/// Returns a number with its noun, such as `1 report` or `3 reports`.
pub fn counted(number: usize, one: &str) -> String {
    format!("{} {}", thousands(number as u64), noun(number, one))
}

/// Returns a number with a thin space between thousands, such as `12 345`.
pub fn thousands(number: u64) -> String {
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
pub fn is_now(value: &str) -> String {
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
        assert_eq!(severity_mark(None).into_string(), r#"<span class="severity unrated">Not rated</span>"#);
    }

    #[test]
    fn wire_names_are_those_of_the_contract() {
        for of in STATUSES {
            assert_eq!(serde_json::to_value(of).unwrap(), status_wire(of));
        }
        for of in SEVERITIES {
            assert_eq!(serde_json::to_value(of).unwrap(), severity_wire(of));
        }
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
