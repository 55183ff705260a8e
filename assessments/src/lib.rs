//! Results of assessment tools become posture reports.
