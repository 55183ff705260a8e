//! The order in which a report lists its controls.

use std::cmp::Ordering;

use model::Check;

/// Report section order: categories as the contract lists them, then natural order of the ids.
pub(crate) fn report_order(a: &Check, b: &Check) -> Ordering {
    a.category.cmp(&b.category).then_with(|| natural(a.control_id.as_str(), b.control_id.as_str()))
}

/// Natural order of ids: 2.10 comes after 2.9. Total, so different ids never tie.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    alphanumeric_sort::compare_str(a, b).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_ids_count_as_numbers() {
        let mut ids = ["MS.AAD.10.1", "MS.AAD.2.10", "MS.AAD.2.9", "MS.EXO.1.1", "MS.AAD.2"];
        ids.sort_by(|a, b| natural(a, b));
        assert_eq!(ids, ["MS.AAD.2", "MS.AAD.2.9", "MS.AAD.2.10", "MS.AAD.10.1", "MS.EXO.1.1"]);
    }
}
