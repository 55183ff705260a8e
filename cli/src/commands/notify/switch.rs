//! `posture notify pause` and `posture notify resume`.

use anyhow::Context;

use super::Of;
use super::shown::changed;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;

pub(super) async fn run(of: &Of, pause: bool, session: &Session) -> anyhow::Result<Exit> {
    let organization = session.organization(&of.organization.id).await?;
    let target = by_operator(&organization).pause_target(&of.target, pause).await;
    session.output.show(&target.context("the target was not changed")?, changed)?;
    Ok(Exit::Done)
}
