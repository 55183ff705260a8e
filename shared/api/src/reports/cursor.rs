//! Positions in a list of reports, as texts that clients send back.

use model::{OrganizationId, Timestamp};
use store::ReportPosition;

use crate::cursor;

/// The list of a position.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(super) organization: OrganizationId,
    /// As requested.
    pub(super) tenant: Option<String>,
    pub(super) latest_only: bool,
    pub(super) since: Option<Timestamp>,
}

impl Scope {
    /// Returns the text for a position.
    pub(super) fn write(&self, ReportPosition { completed_at, report_id }: &ReportPosition) -> String {
        cursor::write(&self.list(), &format!("{completed_at}#{report_id}"))
    }

    /// Returns the position in a text, or `None` if the text was not written for this list.
    pub(super) fn read(&self, text: &str) -> Option<ReportPosition> {
        let place = cursor::read(&self.list(), text)?;
        let (completed_at, report_id) = place.split_once('#')?;
        let place = ReportPosition { completed_at: completed_at.parse().ok()?, report_id: report_id.parse().ok()? };
        self.since.is_none_or(|since| since <= place.completed_at).then_some(place)
    }

    fn list(&self) -> String {
        let Self { organization, tenant, latest_only, since } = self;
        // Debug quotes the texts, so no two scopes have the same representation.
        let list = format!("{:?}", (1, organization.as_str(), tenant, latest_only, since.map(String::from)));
        // Earlier releases wrote the place into the same list of values, and their texts do not expire.
        list[..list.len() - 1].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scope() -> Scope {
        Scope { organization: "org_a".parse().unwrap(), tenant: None, latest_only: false, since: None }
    }

    fn place() -> ReportPosition {
        ReportPosition {
            completed_at: "2026-06-01T12:00:00.000Z".parse().unwrap(),
            report_id: "rpt_1.a-B".parse().unwrap(),
        }
    }

    #[test]
    fn a_place_is_read_in_its_own_list_alone() {
        let since = |text: &str| Some(text.parse().unwrap());
        let scopes = [
            scope(),
            Scope { organization: "org_b".parse().unwrap(), ..scope() },
            Scope { tenant: Some("ten_a".into()), ..scope() },
            Scope { latest_only: true, ..scope() },
            Scope { since: since("2026-01-01T00:00:00Z"), ..scope() },
            Scope { since: since("2026-01-02T00:00:00Z"), ..scope() },
        ];
        for (number, own) in scopes.iter().enumerate() {
            let text = own.write(&place());
            for (other, scope) in scopes.iter().enumerate() {
                assert_eq!(scope.read(&text), (number == other).then(place), "{number} in {other}");
            }
        }
        let later = Scope { since: since("2026-07-01T00:00:00Z"), ..scope() };
        assert_eq!(later.read(&later.write(&place())), None, "a place before the beginning of its list");
    }

    proptest! {
        #[test]
        fn a_changed_or_foreign_text_is_refused(at in any::<prop::sample::Index>(), other in "[A-Za-z0-9_-]", text in "\\PC{0,200}") {
            let own = scope().write(&place());
            let at = at.index(own.len());
            let changed = format!("{}{other}{}", &own[..at], &own[at + 1..]);
            prop_assert!(changed == own || scope().read(&changed).is_none());
            prop_assert_eq!(scope().read(&own[..at]), None);
            prop_assert_eq!(scope().read(&text), None);
        }
    }
}
