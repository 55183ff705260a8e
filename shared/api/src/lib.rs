//! Shared by all endpoints: the caller, the query parameters, and the responses.
//!
//! # The response path
//!
//! A stored body is a sequence of DEFLATE blocks that ends on a byte boundary and is not final, with the CRC-32 and
//! length of its text. It is the report's JSON without the opening brace: `id`, `url` and `tenant`, which can change,
//! are prepended at request time.
//!
//! For a client that accepts gzip, the response is one gzip member: stored blocks for the short text in between, the
//! unchanged fragments, and a checksum combined from theirs. For other clients, the fragments are inflated as they
//! stream. The number of elements follows the list, so it always equals the number that was sent. The first rows are
//! read before the status is sent. A later failure cuts the body off, and a body that is cut off is neither valid JSON
//! nor valid gzip.
//!
//! # Conditional requests
//!
//! Every change of a report or of the tenant list writes a random change mark in its transaction. [`Tag`] hashes the
//! marks (all, or those of one tenant) with the organization, the parameters, the dashboard's address and the version
//! of the response format; a client that sends the tag back receives 304. All marks of an organization are one read of
//! 3 KB, so a 304 costs one read unit beside the key's, for a list of any length. Marks are read before pointers and
//! corrections, which are read strongly consistent, and a body whose revision differs from its pointer's is read again:
//! a response may be newer than its tag, but never older. Marks are random, because a counter would repeat after the
//! table is restored. The marks of reports are spread over 32 items by tenant: changes of one tenant are serialized
//! anyway, while a single item would make imports for different tenants collide. Usage, billable users and single
//! reports use the record of their recording, or the report's revision, instead of marks.
//!
//! # Pages
//!
//! A list reads one pointer more than requested. If it exists, `nextCursor` contains the position of the last report
//! that was sent and a digest of the list's parameters and organization. The next page begins after that position,
//! whatever was written in between.

pub mod ahead;
mod app;
mod caller;
pub mod cursor;
mod error;
pub mod query;
pub mod reports;
pub mod response;
pub mod runtime;
mod streaming;
mod tag;

pub use app::{App, Clock, Request, empty, list, one, respond, uncached};
pub use caller::{Importer, admitted, caller, importer};
pub use error::{ApiError, TENANT_NOT_FOUND};
pub use query::Query;
pub use tag::Tag;

pub use crate::response::{Body, Response};
