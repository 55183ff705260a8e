//! `posture text remove`.

use anyhow::Context;
use clap::Args;
use store::{ControlText, TextError};

use super::OfControl;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    of: OfControl,
}

impl Run for Remove {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const FAILED: &str = "the text was not removed";
        let OfControl { organization, control, tool } = self.of;
        let organization = session.organization(&organization.id).await?;
        let mut texts = organization.all_texts().await.context(FAILED)?;
        texts.retain(|text| text.control_id == control && tool.as_ref().is_none_or(|tool| text.tool == *tool));
        let ControlText { tool, control_id, version, .. } = match <[_; 1]>::try_from(texts) {
            Ok([text]) => text,
            Err(none) if none.is_empty() => return Err(TextError::NotFound).context(FAILED),
            Err(_) => return Err(TextError::SeveralTools(control)).context(FAILED),
        };
        by_operator(&organization).remove_text(&tool, &control_id, Some(version)).await.context(FAILED)?;
        let result = serde_json::json!({ "tool": tool, "controlId": control_id, "removed": true });
        session.output.show(&result, |_| format!("The text for {control_id} of {tool} is removed."))?;
        Ok(Exit::Done)
    }
}
