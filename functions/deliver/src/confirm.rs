//! Mail that confirms the address of a member.

use aws_lambda_events::sqs::SqsMessage;
use chrono::TimeDelta;
use model::{Actor, Timestamp};
use operations::notifications::ConfirmationMessage;
use store::MailError;

use crate::letter::Letter;
use crate::{DeliverError, Deliverer};

/// Time for which a mail is tried that could not be sent. Then the member asks again.
const PATIENCE: TimeDelta = TimeDelta::hours(1);
/// Time between two attempts.
const WAIT: TimeDelta = TimeDelta::minutes(1);

impl Deliverer {
    /// Sends a member the link that confirms the member's address, and returns whether that is done. If it is sent twice, the
    /// link of the later mail is valid.
    pub(crate) async fn confirm(
        &self,
        asked: &ConfirmationMessage,
        record: &SqsMessage,
        now: Timestamp,
    ) -> Result<bool, DeliverError> {
        let Some(mail) = &self.mail else { return Ok(true) };
        let organization = self.store.organization(&asked.organization_id);
        if now.to_datetime() - asked.asked_at.to_datetime() > PATIENCE {
            return Ok(true);
        }
        let begun = organization.by(&Actor::service(), now).begin_confirmation(&asked.member_id, asked.asked_at).await;
        let (to, secret) = match begun {
            Ok(begun) => begun,
            Err(MailError::Store(error)) => return Err(error.into()),
            // Nobody waits for it any more.
            Err(_) => return Ok(true),
        };
        let id = format!("{}.{}", asked.member_id, asked.asked_at.to_datetime().timestamp_millis());
        let letter = Letter::confirmation(id, &secret, &self.dashboard_url);
        let sent = mail.send(&self.client, &letter, &to, now).await;
        let is_sent = matches!(&sent, Ok(status) if status.is_success());
        let (organization_id, member) = (organization.id().as_str(), asked.member_id.as_str());
        tracing::info!(organization = organization_id, member, is_sent, "sent a confirmation");
        let Some(again) = Timestamp::try_from(now.to_datetime() + WAIT).ok().filter(|_| !is_sent) else {
            return Ok(true);
        };
        self.hold(&organization, record, again, now).await
    }
}
