//! When a message is tried again.

use chrono::TimeDelta;

const SECOND: i64 = 1;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// Seconds after each failed attempt: three days altogether. SQS hides a message for 12 hours at most.
const WAITS: [i64; 12] = [
    5 * SECOND,
    MINUTE,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    11 * HOUR,
    11 * HOUR,
    11 * HOUR,
    11 * HOUR,
    11 * HOUR,
];

/// Returns how long a message waits after a number of failed attempts, or `None` if it is given up.
pub(crate) fn wait_after(attempts: u32) -> Option<TimeDelta> {
    let place = usize::try_from(attempts).ok()?.checked_sub(1)?;
    WAITS.get(place).copied().map(TimeDelta::seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_tried_for_three_days_with_growing_waits() {
        let total: i64 = WAITS.iter().sum();
        assert_eq!(total / HOUR, 72);
        assert!(WAITS.is_sorted() && WAITS.iter().all(|wait| *wait < 12 * HOUR));
        assert_eq!((wait_after(1), wait_after(12)), (Some(TimeDelta::seconds(5)), Some(TimeDelta::hours(11))));
        assert_eq!((wait_after(0), wait_after(13)), (None, None));
    }
}
