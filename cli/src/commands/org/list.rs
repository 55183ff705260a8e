//! `posture org list`.

use anyhow::Context;

use super::shown::ShownOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};

pub(super) async fn run(session: &Session) -> anyhow::Result<Exit> {
    let organizations =
        session.store.as_operator().organizations().await.context("the organizations cannot be listed")?;
    let shown: Vec<ShownOrganization> = organizations.into_iter().map(ShownOrganization::from).collect();
    session.output.show(&shown, |shown| readable(shown))?;
    Ok(Exit::Done)
}

fn readable(organizations: &[ShownOrganization]) -> String {
    if organizations.is_empty() {
        return "There are no organizations yet; `posture org create` creates one.".to_owned();
    }
    let row = |shown: &ShownOrganization| {
        vec![shown.organization_id.to_string(), shown.name.clone(), shown.created_at.to_string()]
    };
    table(&["ORGANIZATION", "NAME", "CREATED"].map(Column::text), organizations.iter().map(row))
}
