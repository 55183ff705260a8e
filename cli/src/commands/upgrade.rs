//! `posture upgrade`: rewrites stored items of earlier releases, and collects the results of their reports.

use anyhow::Context;
use clap::Args;
use model::{OrganizationId, counted};
use store::{FORMAT, Upgrade as Upgraded};

use crate::advice;
use crate::connection::Connection;
use crate::exit::{Exit, ended, print_hint};
use crate::output::Output;
use crate::progress::Count;

const AFTER_HELP: &str = "\
Run it after every function has the new release, and before the release after it; also after a return to an earlier \
release and back. It also collects the results of newest reports, from which lists of controls are made. The service may \
run meanwhile: an item that changes is read again. Without --org, reads the whole table. If it is interrupted, run it \
again: it continues with the items that are left, and changes nothing if there are none.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Upgrade {
    // Not from the environment: a user who exported one organization would believe that all were upgraded.
    /// Only the items in one organization's partition; without it, all items, also keys, identities and invitations
    #[arg(long = "org", value_name = "ORG")]
    organization: Option<OrganizationId>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

impl Upgrade {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |error| advice::about(error, &self.connection))
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let session = self.connection.open(self.output).await?;
        let count = Count::new("Rewriting items");
        let progress = |upgrade: Upgraded| count.at(upgrade.rewritten);
        if let Some(id) = &self.organization {
            session.organization(id).await?;
        }
        let upgraded = session.store.as_operator().upgrade(self.organization.as_ref(), progress).await;
        drop(count);
        let upgraded = upgraded.context("not all items were upgraded")?;
        session.output.show(&upgraded, readable)?;
        if upgraded.unreadable > 0 {
            print_hint("`posture check` finds the organizations of the items that cannot be read");
            return Ok(Exit::Failed);
        }
        Ok(Exit::Done)
    }
}

fn readable(Upgraded { rewritten, collected, unreadable }: &Upgraded) -> String {
    let left = match unreadable {
        0 => String::new(),
        unreadable => format!(" Left {} that cannot be read.", counted(*unreadable, "item")),
    };
    let collected = match collected {
        0 => String::new(),
        collected => format!(" Collected the results of {}.", counted(*collected, "report")),
    };
    match rewritten {
        0 => format!("No item has a format before {FORMAT}.{collected}{left}"),
        rewritten => format!("Rewrote {} in format {FORMAT}.{collected}{left}", counted(*rewritten, "item")),
    }
}
