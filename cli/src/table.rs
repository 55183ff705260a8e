//! Settings of a table in AWS that DynamoDB does not restore with it.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::types::{
    PointInTimeRecoverySpecification, PointInTimeRecoveryStatus, StreamSpecification, StreamViewType, TableDescription,
    Tag, TimeToLiveSpecification, TimeToLiveStatus,
};
use serde::Serialize;
use store::{EXPIRES_AT, Store};

/// Longest wait for a table whose settings change.
const CHANGING: Duration = Duration::from_secs(300);
/// Begins the keys of tags that only AWS can set.
const TAGS_OF_AWS: &str = "aws:";
const ON: &str = "on";

/// A table, by its name.
pub(crate) struct Table {
    client: Client,
    name: String,
}

/// A setting that a table should have.
#[derive(Debug, PartialEq)]
pub(crate) enum Setting {
    /// DynamoDB deletes what has expired.
    TimeToLive,
    PointInTimeRecovery,
    DeletionProtection,
    Stream(StreamViewType),
    Tag(Tag),
}

/// A setting that was made, or was not. A value is `None` if the setting is off or missing.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Made {
    pub(crate) setting: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// Why the table does not have it.
    pub(crate) failure: Option<String>,
}

impl Table {
    pub(crate) fn new(client: Client, name: &str) -> Self {
        Self { client, name: name.to_owned() }
    }

    /// Returns the data of the table.
    pub(crate) fn store(&self) -> Store {
        Store::new(self.client.clone(), &self.name)
    }

    /// Returns the settings of a table that takes the place of this one: those of the template, and its stream and tags.
    pub(crate) async fn handed_on(&self) -> anyhow::Result<Vec<Setting>> {
        let stream = self.description().await?.stream_specification.filter(|stream| stream.stream_enabled);
        let stream = stream.and_then(|stream| stream.stream_view_type).map(Setting::Stream);
        let tags = self.tags().await?.into_iter().filter(|tag| !tag.key.starts_with(TAGS_OF_AWS)).map(Setting::Tag);
        Ok(stream.into_iter().chain(tags).collect())
    }

    /// Gives the table a setting, unless it has it, and reads whether it has it then.
    pub(crate) async fn ensure(&self, setting: &Setting) -> Made {
        let mut made = Made { setting: setting.to_string(), before: None, after: None, failure: None };
        if let Err(error) = self.make(setting, &mut made).await {
            made.failure = Some(format!("{error:#}"));
        }
        made
    }

    async fn make(&self, setting: &Setting, made: &mut Made) -> anyhow::Result<()> {
        made.before = self.value(setting).await?;
        made.after.clone_from(&made.before);
        if made.before.as_deref() != Some(setting.wanted()) {
            self.set(setting).await?;
            // While one setting changes, others are refused.
            self.client.wait_until_table_exists().table_name(&self.name).wait(CHANGING).await?;
            made.after = self.value(setting).await?;
        }
        ensure!(made.after.as_deref() == Some(setting.wanted()), "DynamoDB has accepted it, but it is not in effect");
        Ok(())
    }

    /// Returns the value of a setting, or `None` if it is off or missing.
    async fn value(&self, setting: &Setting) -> anyhow::Result<Option<String>> {
        let on = |is_on: bool| is_on.then(|| ON.to_owned());
        Ok(match setting {
            Setting::TimeToLive => self.expiring_attribute().await?,
            Setting::PointInTimeRecovery => on(self.is_recoverable().await?),
            Setting::DeletionProtection => on(self.description().await?.deletion_protection_enabled == Some(true)),
            Setting::Stream(_) => {
                let stream = self.description().await?.stream_specification.filter(|stream| stream.stream_enabled);
                stream.and_then(|stream| stream.stream_view_type).map(|view| view.as_str().to_owned())
            }
            Setting::Tag(tag) => {
                self.tags().await?.into_iter().find(|found| found.key == tag.key).map(|found| found.value)
            }
        })
    }

    async fn set(&self, setting: &Setting) -> anyhow::Result<()> {
        let (client, name) = (&self.client, &self.name);
        match setting {
            Setting::TimeToLive => {
                let specification =
                    TimeToLiveSpecification::builder().enabled(true).attribute_name(EXPIRES_AT).build()?;
                let request = client.update_time_to_live().table_name(name).time_to_live_specification(specification);
                request.send().await?;
            }
            Setting::PointInTimeRecovery => {
                let specification =
                    PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true).build()?;
                let request = client.update_continuous_backups().table_name(name);
                request.point_in_time_recovery_specification(specification).send().await?;
            }
            Setting::DeletionProtection => {
                client.update_table().table_name(name).deletion_protection_enabled(true).send().await?;
            }
            Setting::Stream(view) => {
                let specification =
                    StreamSpecification::builder().stream_enabled(true).stream_view_type(view.clone()).build()?;
                client.update_table().table_name(name).stream_specification(specification).send().await?;
            }
            Setting::Tag(tag) => {
                client.tag_resource().resource_arn(self.arn().await?).tags(tag.clone()).send().await?;
            }
        }
        Ok(())
    }

    async fn description(&self) -> anyhow::Result<TableDescription> {
        let described = self.client.describe_table().table_name(&self.name).send().await;
        let described = described.with_context(|| format!("the table {} cannot be read", self.name))?;
        described.table.context("DynamoDB describes no table")
    }

    async fn arn(&self) -> anyhow::Result<String> {
        self.description().await?.table_arn.context("DynamoDB names no ARN of the table")
    }

    /// Returns the attribute by which DynamoDB deletes items, or is about to.
    async fn expiring_attribute(&self) -> anyhow::Result<Option<String>> {
        let described = self.client.describe_time_to_live().table_name(&self.name).send().await?;
        let is_on =
            |status: &TimeToLiveStatus| matches!(status, TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling);
        let description = described.time_to_live_description;
        let description = description.filter(|it| it.time_to_live_status.as_ref().is_some_and(is_on));
        Ok(description.and_then(|description| description.attribute_name))
    }

    async fn is_recoverable(&self) -> anyhow::Result<bool> {
        let described = self.client.describe_continuous_backups().table_name(&self.name).send().await?;
        let recovery = described.continuous_backups_description.and_then(|it| it.point_in_time_recovery_description);
        let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status);
        Ok(status == Some(PointInTimeRecoveryStatus::Enabled))
    }

    async fn tags(&self) -> anyhow::Result<Vec<Tag>> {
        let (arn, mut tags, mut next) = (self.arn().await?, Vec::new(), None);
        loop {
            let page = self.client.list_tags_of_resource().resource_arn(&arn).set_next_token(next).send().await?;
            tags.extend(page.tags.unwrap_or_default());
            next = page.next_token;
            if next.is_none() {
                return Ok(tags);
            }
        }
    }
}

impl Setting {
    /// The settings of the template, which every table in service has.
    pub(crate) const OF_EVERY_TABLE: [Self; 3] =
        [Self::TimeToLive, Self::PointInTimeRecovery, Self::DeletionProtection];

    fn wanted(&self) -> &str {
        match self {
            Self::TimeToLive => EXPIRES_AT,
            Self::PointInTimeRecovery | Self::DeletionProtection => ON,
            Self::Stream(view) => view.as_str(),
            Self::Tag(tag) => &tag.value,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeToLive => f.write_str("time to live"),
            Self::PointInTimeRecovery => f.write_str("point-in-time recovery"),
            Self::DeletionProtection => f.write_str("deletion protection"),
            Self::Stream(_) => f.write_str("stream"),
            Self::Tag(tag) => write!(f, "tag {}", tag.key),
        }
    }
}
