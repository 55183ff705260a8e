//! The order in which a report lists its controls.

use std::cmp::Ordering;

use model::Check;

use crate::natural_order::natural;

/// Compares by section, in the contract's order of categories, then by natural order of the control ids.
pub(crate) fn report_order(a: &Check, b: &Check) -> Ordering {
    a.category.cmp(&b.category).then_with(|| natural(a.control_id.as_str(), b.control_id.as_str()))
}
