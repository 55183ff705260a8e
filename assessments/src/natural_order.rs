//! Natural order of identifiers.

use std::cmp::Ordering;

/// Compares identifiers in natural order: 2.10 comes after 2.9. Different identifiers never compare as equal.
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
