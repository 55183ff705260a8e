//! The gateway's keys: each organization has one, in the usage plan of the API, by which its requests are counted.
//!
//! It is found by its name, which follows from the organization's identifier, so that every step can be repeated.

use std::time::Duration;

use anyhow::Context;
use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_sdk_apigateway::Client;
use aws_sdk_apigateway::types::ApiKey;
use model::OrganizationId;
use store::OrganizationRecord;

/// The gateway takes 5 new keys a second of an account: patience is needed where there are many.
const ATTEMPTS: u32 = 6;
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
/// What a usage plan calls the kind of its keys.
const KIND: &str = "API_KEY";

/// The usage plan of a deployed API.
pub(crate) struct UsagePlan {
    client: Client,
    id: String,
}

/// What it took to have an organization's key in the usage plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It was there.
    Complete,
    /// Something was missing, and is there now.
    Repaired,
}

impl UsagePlan {
    pub(crate) fn new(aws: &SdkConfig, id: &str) -> Self {
        let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_BACKOFF);
        let config = aws_sdk_apigateway::config::Builder::from(aws).retry_config(retries).build();
        Self { client: Client::from_conf(config), id: id.to_owned() }
    }

    /// Sees to it that the organization's key is there and in the plan.
    pub(crate) async fn admit(&self, organization: &OrganizationRecord) -> anyhow::Result<Admission> {
        let mut valid = None;
        for key in self.keys_of(&organization.organization_id).await? {
            if key.value() == Some(&organization.usage_plan_key) {
                valid = key.id;
            } else {
                // A value cannot be changed. This one is of an earlier organization with the same identifier.
                self.delete(&key).await?;
            }
        }
        match valid {
            Some(key) => self.enlist(&key).await,
            None => {
                let key = self.create(organization).await?;
                self.enlist(&key).await?;
                Ok(Admission::Repaired)
            }
        }
    }

    /// Deletes the organization's key, which takes it out of the plan too. False where there is none.
    pub(crate) async fn dismiss(&self, organization: &OrganizationId) -> anyhow::Result<bool> {
        let keys = self.keys_of(organization).await?;
        for key in &keys {
            self.delete(key).await?;
        }
        Ok(!keys.is_empty())
    }

    /// The keys with the organization's name: one, unless someone else made more.
    async fn keys_of(&self, organization: &OrganizationId) -> anyhow::Result<Vec<ApiKey>> {
        let name = key_name(organization);
        let listed = self.client.get_api_keys().name_query(&name).include_values(true).into_paginator().items().send();
        let mut keys = listed.collect::<Result<Vec<_>, _>>().await.context("the gateway's keys cannot be listed")?;
        // The query finds every name that begins like it.
        keys.retain(|key| key.name() == Some(&name));
        Ok(keys)
    }

    async fn create(&self, organization: &OrganizationRecord) -> anyhow::Result<String> {
        let request = self
            .client
            .create_api_key()
            .name(key_name(&organization.organization_id))
            .value(&organization.usage_plan_key)
            .enabled(true);
        let created = request.send().await.context("the gateway's key is not created")?;
        created.id.context("the gateway created a key without an identifier")
    }

    async fn enlist(&self, key: &str) -> anyhow::Result<Admission> {
        match self.client.get_usage_plan_key().usage_plan_id(&self.id).key_id(key).send().await {
            Ok(_) => return Ok(Admission::Complete),
            Err(error) if error.as_service_error().is_some_and(|e| e.is_not_found_exception()) => {}
            Err(error) => return Err(error).context("the usage plan cannot be read"),
        }
        let request = self.client.create_usage_plan_key().usage_plan_id(&self.id).key_id(key).key_type(KIND);
        match request.send().await {
            Ok(_) => Ok(Admission::Repaired),
            // Another repair was faster.
            Err(error) if error.as_service_error().is_some_and(|e| e.is_conflict_exception()) => {
                Ok(Admission::Complete)
            }
            Err(error) => Err(error).with_context(|| format!("the key is not put into the usage plan {}", self.id)),
        }
    }

    async fn delete(&self, key: &ApiKey) -> anyhow::Result<()> {
        let id = key.id().context("a key of the gateway has no identifier")?;
        match self.client.delete_api_key().api_key(id).send().await {
            Ok(_) => Ok(()),
            Err(error) if error.as_service_error().is_some_and(|e| e.is_not_found_exception()) => Ok(()),
            Err(error) => Err(error).context("the gateway's key is not deleted"),
        }
    }
}

fn key_name(organization: &OrganizationId) -> String {
    format!("posture-{organization}")
}
