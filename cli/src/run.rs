//! The common interface of all commands on the data.

use crate::connection::Session;
use crate::exit::Exit;

/// A command on the data.
pub(crate) trait Run {
    /// Calls an operation and prints its result.
    async fn run(self, session: &Session) -> anyhow::Result<Exit>;
}
