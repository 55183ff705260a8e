//! The gateway's authorizer: maps an API key to the organization that owns it.
//!
//! Its result is never cached, so a deleted key fails on the next request.

use api::{App, admitted};
use lambda_http::Error;
use lambda_http::aws_lambda_events::apigw::{
    ApiGatewayCustomAuthorizerPolicy, ApiGatewayCustomAuthorizerRequest, ApiGatewayCustomAuthorizerResponse,
};
use lambda_http::aws_lambda_events::iam::{IamPolicyEffect, IamPolicyStatement};
use model::ApiKey;
use store::Access;

/// The text that makes the gateway respond with 401; any other makes it respond with 500.
const UNAUTHORIZED: &str = "Unauthorized";

/// Allows the request for the organization of its key.
///
/// # Errors
/// `Unauthorized` for everything that is not an existing key; another text if the store fails.
pub async fn handle(
    app: App,
    request: ApiGatewayCustomAuthorizerRequest,
) -> Result<ApiGatewayCustomAuthorizerResponse, Error> {
    let header = request.authorization_token.unwrap_or_default();
    let key = ApiKey::from_authorization(&header).map_err(|_| UNAUTHORIZED)?;
    let access =
        app.store.access(&key).await.inspect_err(|error| tracing::error!(%error, "a key could not be looked up"))?;
    let access = access.ok_or(UNAUTHORIZED)?;
    note_use(&app, &key, &access).await;
    Ok(allow(access, request.method_arn.unwrap_or_default()))
}

/// Notes the day of a key's use. Only its first request of a day waits for that, and none fails with it.
async fn note_use(app: &App, key: &ApiKey, access: &Access) {
    let today = (app.clock)().date_naive();
    if access.is_first_use(today)
        && let Err(error) = app.store.note_use(key, today).await
    {
        tracing::warn!(%error, "the use of a key was not noted");
    }
}

fn allow(access: Access, method_arn: String) -> ApiGatewayCustomAuthorizerResponse {
    let mut statement = IamPolicyStatement::default();
    statement.effect = IamPolicyEffect::Allow;
    statement.action = vec!["execute-api:Invoke".to_owned()];
    statement.resource = vec![method_arn];
    let mut policy = ApiGatewayCustomAuthorizerPolicy::default();
    policy.version = Some("2012-10-17".to_owned());
    policy.statement = vec![statement];
    let mut response = ApiGatewayCustomAuthorizerResponse::default();
    response.principal_id = Some(access.key_id.to_string());
    response.policy_document = policy;
    response.context = admitted(&access);
    response.usage_identifier_key = Some(access.usage_plan_key);
    response
}
