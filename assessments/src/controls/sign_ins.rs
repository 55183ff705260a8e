//! Which part of the sign-in log a response is.
//!
//! A tenant's whole log can be too long to read, so it is also read in parts: the sign-ins of single users, and those by
//! old protocols.

use std::collections::BTreeSet;

use super::source::Source;
use super::tenant::Tenant;
use super::verdict::{NotAssessed, not_assessed};

/// The part of the log that a query asks for, by its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything within a time.
    Whole,
    /// The sign-ins of these users, by identifiers in lower case.
    OfUsers(BTreeSet<String>),
    /// The sign-ins by these client applications.
    ByClients(BTreeSet<String>),
    /// A part that nothing is derived from.
    Other,
}

impl Part {
    /// Returns the part that a query asks for, such as `$filter=userId eq '...' and createdDateTime ge ...`.
    pub(super) fn of(query: &str) -> Self {
        let filter = query.split('&').find_map(|part| part.strip_prefix("$filter=")).unwrap_or_default();
        let mut part = Self::Whole;
        for clause in filter.split(" and ").map(str::trim).filter(|clause| !clause.is_empty()) {
            let clause = clause.trim_matches(['(', ')']);
            let found = match clause.split_once(' ') {
                Some(("createdDateTime", _)) => continue,
                Some(("userId", _)) => values(clause, "userId")
                    .map(|ids| Self::OfUsers(ids.iter().map(|id| id.to_ascii_lowercase()).collect())),
                Some(("clientAppUsed", _)) => values(clause, "clientAppUsed").map(Self::ByClients),
                _ => None,
            };
            match (part, found) {
                (Self::Whole, Some(found)) => part = found,
                _ => return Self::Other,
            }
        }
        part
    }
}

/// Returns the value of `eq '...'`.
fn quoted(comparison: &str) -> Option<&str> {
    comparison.strip_prefix("eq '")?.strip_suffix('\'')
}

/// Returns the values of a clause such as `userId eq '...' or userId eq '...'`, all of one field.
fn values(clause: &str, field: &str) -> Option<BTreeSet<String>> {
    let comparisons = clause.split(" or ").map(|comparison| comparison.trim().trim_matches(['(', ')']));
    comparisons.map(|comparison| quoted(comparison.strip_prefix(field)?.trim_start()).map(str::to_owned)).collect()
}

impl Tenant {
    /// Returns an error unless the snapshot has all sign-ins of a user.
    pub(super) fn knows_sign_ins_of(&self, user: &str) -> Result<(), NotAssessed> {
        let known = self.whole_queries(Source::SignIns).any(|query| match Part::of(query) {
            Part::Whole => true,
            Part::OfUsers(ids) => ids.contains(user),
            Part::ByClients(_) | Part::Other => false,
        });
        if known {
            return self.readable(Source::SignIns, self.directory.unreadable_sign_ins());
        }
        self.whole(Source::SignIns)?;
        not_assessed("The snapshot does not contain the sign-ins of all global administrators.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_says_which_part_of_the_log_it_is() {
        let clients = |names: &[&str]| Part::ByClients(names.iter().map(|name| (*name).to_owned()).collect());
        let users = |ids: &[&str]| Part::OfUsers(ids.iter().map(|id| (*id).to_owned()).collect());
        for (query, part) in [
            ("", Part::Whole),
            (
                "$filter=createdDateTime ge 2026-05-01T00:00:00Z and createdDateTime lt 2026-06-01T00:00:00Z&$top=999",
                Part::Whole,
            ),
            ("$top=999&$filter=userId eq 'AB' and createdDateTime ge 2026-05-01T00:00:00Z", users(&["ab"])),
            ("$filter=createdDateTime ge 2026-05-01T00:00:00Z and clientAppUsed eq 'IMAP4'", clients(&["IMAP4"])),
            ("$filter=(clientAppUsed eq 'IMAP4' or clientAppUsed eq 'POP3')", clients(&["IMAP4", "POP3"])),
            (
                "$filter=createdDateTime ge 2026-05-01T00:00:00Z and (userId eq 'ab' or userId eq 'CD')",
                users(&["ab", "cd"]),
            ),
            ("$filter=(userId eq 'ab' or appId eq 'cd')", Part::Other),
            ("$filter=userId eq 'ab' and clientAppUsed eq 'IMAP4'", Part::Other),
            ("$filter=appId eq 'ab'", Part::Other),
            ("$filter=userId ne 'ab'", Part::Other),
        ] {
            assert_eq!(Part::of(query), part, "{query}");
        }
    }
}
