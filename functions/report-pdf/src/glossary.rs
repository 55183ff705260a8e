//! The terms that a report's reader may not know, explained where the report uses them.

use serde::Serialize;

/// A term with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Term {
    name: &'static str,
    meaning: &'static str,
    /// Texts in lower case, any of which shows that a report uses the term.
    #[serde(skip)]
    found_by: &'static [&'static str],
}

const fn term(name: &'static str, found_by: &'static [&'static str], meaning: &'static str) -> Term {
    Term { name, meaning, found_by }
}

/// All terms, those that matter most to a reader first: a short document has room for few.
const TERMS: [Term; 21] = [
    term(
        "Multifactor authentication",
        &["mfa", "multifactor", "multi-factor", "second factor"],
        "Signing in with something you have or are, besides a password. Short: MFA.",
    ),
    term(
        "Phishing-resistant sign-in",
        &["phishing-resistant", "phishing resistant", "passkey", "security key"],
        "A method that cannot be used on a forged page, such as a passkey or a security key.",
    ),
    term(
        "Conditional access",
        &["conditional access"],
        "Rules that decide who may sign in from where, with which device and with which method.",
    ),
    term(
        "Legacy authentication",
        &["legacy auth", "legacy protocol", "legacy client", "activesync"],
        "Old ways to sign in that know no second factor.",
    ),
    term(
        "Global administrator",
        &["global admin"],
        "A person who holds every right in the tenant. Best practice is to have few.",
    ),
    term(
        "Privileged role",
        &["privileged role", "privileged user", "administrator role", "administrative role"],
        "A set of rights that can change settings or read the data of others.",
    ),
    term(
        "Eligible assignment",
        &["eligible", "privileged identity management", "permanent", "just-in-time", "standing"],
        "A role that a person holds only after asking for it, and for a limited time.",
    ),
    term("DMARC", &["dmarc"], "A domain's rule for mail that forges its name: deliver, quarantine or reject it."),
    term("DKIM", &["dkim"], "A signature by which recipients can tell that a domain's mail is genuine."),
    term("SPF", &["spf "], "The list of servers that may send mail for a domain."),
    term("SMTP AUTH", &["smtp auth", "authenticated smtp"], "Sending mail with a password alone, as old devices do."),
    term(
        "Device code",
        &["device code"],
        "A way to sign in a device without a keyboard by a code that is typed elsewhere; attackers send such codes.",
    ),
    term(
        "Consent to applications",
        &["consent"],
        "Allowing a program of another company to use the data of a person or of everyone.",
    ),
    term("Guest", &["guest"], "A person from outside with an account in the tenant."),
    term(
        "Sign-in risk, user risk",
        &["sign-in risk", "user risk", "high risk", "risky"],
        "An estimate of how likely a sign-in, or an account, is in the hands of an attacker.",
    ),
    term(
        "Emergency account",
        &["emergency", "break-glass", "break glass"],
        "An account for the case that nobody else can sign in, kept out of most rules.",
    ),
    term("Impersonation", &["impersonat"], "Mail that pretends to come from a person or a company that you know."),
    term("Phishing", &["phish"], "Mail or pages that trick people into giving away their sign-in."),
    term(
        "Service principal",
        &["service principal", "app registration", "managed identity"],
        "The account with which a program signs in by itself.",
    ),
    term("Audit log", &["audit"], "The record of who did what, needed to find out what happened."),
    term(
        "Data loss prevention",
        &["data loss", "dlp"],
        "Rules that stop confidential data, such as card numbers, from leaving.",
    ),
];

/// Returns the first terms, `most` at most, that the texts use, in alphabetical order.
pub(crate) fn used_in<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> Vec<Term> {
    let text = texts.map(str::to_lowercase).collect::<Vec<_>>().join("\n");
    let used = |term: &&Term| term.found_by.iter().any(|part| text.contains(part));
    let mut found: Vec<_> = TERMS.iter().filter(used).take(most).copied().collect();
    found.sort_by_key(|term| term.name);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terms_that_a_report_uses_are_explained() {
        let names = |texts: &[&str], most| -> Vec<_> {
            used_in(texts.iter().copied(), most).into_iter().map(|term| term.name).collect()
        };
        let texts = ["SMTP AUTH should be off", "Require MFA by Conditional Access", "SPF records"];
        assert_eq!(names(&texts, 9), ["Conditional access", "Multifactor authentication", "SMTP AUTH", "SPF"]);
        assert_eq!(names(&texts, 2), ["Conditional access", "Multifactor authentication"]);
        assert_eq!(names(&["Nothing of it"], 9), [""; 0]);
        assert!(TERMS.iter().flat_map(|term| term.found_by).all(|part| *part == part.to_lowercase()));
    }
}
