//! `posture tenant pause` and `resume`.

use anyhow::Context;

use super::one::{INCOMPLETE, OneTenant, show};
use crate::connection::{Session, by_operator};
use crate::exit::Exit;

pub(super) async fn run(tenant: &OneTenant, session: &Session, paused: bool) -> anyhow::Result<Exit> {
    let (organization, tenant) = tenant.find_to_change(session).await?;
    let changed = by_operator(&organization).pause_tenant(&tenant.service_tenant_id, paused).await;
    show(session, if paused { "Paused" } else { "Resumed" }, changed.context(INCOMPLETE)?)
}
