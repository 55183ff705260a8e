//! The target that a command is about.

use clap::Args;
use model::TargetId;

use crate::arguments::OfOrganization;

#[derive(Debug, Args)]
pub(crate) struct Of {
    #[command(flatten)]
    pub(super) organization: OfOrganization,
    /// The target's identifier, as listed
    #[arg(value_name = "TARGET")]
    pub(super) target: TargetId,
}
