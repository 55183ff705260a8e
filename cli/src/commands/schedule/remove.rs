//! `posture schedule remove`.

use super::Of;
use crate::connection::Session;
use crate::exit::Exit;

pub(super) async fn run(of: &Of, session: &Session) -> anyhow::Result<Exit> {
    of.change(session, None).await
}
