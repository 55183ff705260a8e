//! The service on one machine.
