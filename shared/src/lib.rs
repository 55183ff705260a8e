//! What every function needs, and nothing that only one of them does.
//!
//! - [`model`]: the wire contract; knows no AWS, no HTTP and no clock.

pub mod model;
