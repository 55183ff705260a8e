//! The response path: responses are assembled from rows that are stored ready to send.
//!
//! A [`Fragment`](store::Fragment) is JSON text as a run of raw DEFLATE blocks. For a client that accepts gzip,
//! fragments are joined into one gzip member as they are; for any other they are inflated on the way out. Either way, a
//! response is a stream of [`Row`]s, never in memory as a whole.

mod encoding;
mod gzip;
mod head;
mod list;
mod writer;

pub use encoding::Encoding;
pub use head::Response;
pub(crate) use head::{RATE_LIMIT_POLICY, SIXTY_A_MINUTE, failure_head, json_head, tagged_head};
pub use list::{Body, List, Row};
