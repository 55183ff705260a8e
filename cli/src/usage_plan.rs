//! API Gateway's usage plan: each organization has one key in it, which its requests count against.
//!
//! The key is found by its name, which contains the organization's identifier, so every step can be repeated.

use std::time::Duration;

use anyhow::Context;
use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_sdk_apigateway::Client;
use aws_sdk_apigateway::types::ApiKey;
use model::OrganizationId;
use operations::organizations::{self, Admission, UsagePlanError};
use store::OrganizationRecord;

/// API Gateway accepts 5 new keys per second and account, so creating many requires retries.
const ATTEMPTS: u32 = 6;
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
/// The type of a usage plan's keys.
const KIND: &str = "API_KEY";

/// The usage plan of a deployed API.
pub(crate) struct UsagePlan {
    client: Client,
    id: String,
}

impl UsagePlan {
    pub(crate) fn new(aws: &SdkConfig, id: &str) -> Self {
        let retries = RetryConfig::standard().with_max_attempts(ATTEMPTS).with_initial_backoff(FIRST_BACKOFF);
        let config = aws_sdk_apigateway::config::Builder::from(aws).retry_config(retries).build();
        Self { client: Client::from_conf(config), id: id.to_owned() }
    }

    async fn ensure_key(&self, organization: &OrganizationRecord) -> anyhow::Result<Admission> {
        let mut valid = None;
        for key in self.keys_of(&organization.organization_id).await? {
            if key.value() == Some(&organization.usage_plan_key) {
                valid = key.id;
            } else {
                // A value cannot be changed: this key belongs to an earlier organization with the same identifier.
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

    async fn delete_keys(&self, organization: &OrganizationId) -> anyhow::Result<bool> {
        let keys = self.keys_of(organization).await?;
        for key in &keys {
            self.delete(key).await?;
        }
        Ok(!keys.is_empty())
    }

    /// Returns the keys with the organization's name: one, unless another was created by other means.
    async fn keys_of(&self, organization: &OrganizationId) -> anyhow::Result<Vec<ApiKey>> {
        let name = key_name(organization);
        let listed = self.client.get_api_keys().name_query(&name).include_values(true).into_paginator().items().send();
        let mut keys = listed.collect::<Result<Vec<_>, _>>().await.context("API Gateway's keys cannot be listed")?;
        // The query also returns longer names with the same prefix.
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
        let created = request.send().await.context("the key in API Gateway was not created")?;
        created.id.context("API Gateway created a key without an identifier")
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
            // A concurrent repair has already added it.
            Err(error) if error.as_service_error().is_some_and(|e| e.is_conflict_exception()) => {
                Ok(Admission::Complete)
            }
            Err(error) => Err(error).with_context(|| format!("the key was not added to the usage plan {}", self.id)),
        }
    }

    async fn delete(&self, key: &ApiKey) -> anyhow::Result<()> {
        let id = key.id().context("a key in API Gateway has no identifier")?;
        match self.client.delete_api_key().api_key(id).send().await {
            Ok(_) => Ok(()),
            Err(error) if error.as_service_error().is_some_and(|e| e.is_not_found_exception()) => Ok(()),
            Err(error) => Err(error).context("the key in API Gateway was not deleted"),
        }
    }
}

impl organizations::UsagePlan for UsagePlan {
    async fn admit(&self, organization: &OrganizationRecord) -> Result<Admission, UsagePlanError> {
        Ok(self.ensure_key(organization).await?)
    }

    async fn dismiss(&self, organization: &OrganizationId) -> Result<bool, UsagePlanError> {
        Ok(self.delete_keys(organization).await?)
    }
}

fn key_name(organization: &OrganizationId) -> String {
    format!("posture-{organization}")
}
