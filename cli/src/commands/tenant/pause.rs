//! `posture tenant pause` and `resume`.

use anyhow::Context;
use operations::{Actor, tenants};

use super::one::{INCOMPLETE, OneTenant, show};
use crate::arguments::now;
use crate::connection::Session;
use crate::exit::Exit;

pub(super) async fn run(tenant: &OneTenant, session: &Session, paused: bool) -> anyhow::Result<Exit> {
    let (organization, tenant) = tenant.find(session).await?;
    let id = &tenant.service_tenant_id;
    let changed = tenants::set_paused(&organization, &Actor::operator(), id, paused, now()).await;
    show(session, if paused { "Paused" } else { "Resumed" }, changed.context(INCOMPLETE)?)
}
