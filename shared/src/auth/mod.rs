//! API keys: their text, their hash, and who may manage them.

mod key;
mod role;

pub use key::{ApiKey, KeyHash, MalformedKey};
pub use role::{Forbidden, Role};
