//! Default values that several commands share.

/// Name of the table of the service on this machine, and of the table in AWS.
pub(crate) const TABLE: &str = "posture";
/// Port of the DynamoDB interface of the service on this machine.
pub(crate) const DB_PORT: u16 = 8000;
