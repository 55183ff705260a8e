//! Authorization: from the request's header to the authorizer's decision.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use lambda_http::aws_lambda_events::apigw::{ApiGatewayCustomAuthorizerPolicy, ApiGatewayCustomAuthorizerResponse};
use lambda_http::aws_lambda_events::iam::IamPolicyEffect;
use serde_json::{Map, Value};

use super::event::Incoming;
use crate::functions::Authorizer;
use crate::template::{AuthorizerDefinition, GatewayFailure};

/// The error text that means a refused key. Any other text is a failure of the authorizer.
const REFUSAL: &str = "Unauthorized";

/// The authorizer of a route.
pub(super) struct Guard {
    definition: AuthorizerDefinition,
    authorizer: Authorizer,
}

/// The authorizer's decision to let a request pass.
pub(super) struct Admission {
    /// The authorizer's fields for the function.
    pub(super) context: Map<String, Value>,
    usage_key: Option<String>,
}

impl Guard {
    pub(super) fn new(definition: AuthorizerDefinition, authorizer: Authorizer) -> Self {
        Self { definition, authorizer }
    }

    /// Asks the authorizer, unless the header cannot contain a key.
    pub(super) async fn admit(&self, incoming: &Incoming<'_>) -> Result<Admission, GatewayFailure> {
        let token = incoming.only_header(&self.definition.header).ok_or(GatewayFailure::Unauthorized)?;
        if !self.definition.expression.is_match(token) {
            return Err(GatewayFailure::Unauthorized);
        }
        let event = incoming.token_event(token);
        let decision = AssertUnwindSafe(async { (self.authorizer)(event).await }).catch_unwind().await;
        match decision {
            Ok(Ok(decision)) => Admission::from_decision(decision, &incoming.method_arn()),
            Ok(Err(error)) if error.to_string() == REFUSAL => Err(GatewayFailure::Unauthorized),
            Ok(Err(_)) | Err(_) => Err(GatewayFailure::AuthorizerFailed),
        }
    }
}

impl Admission {
    fn from_decision(decision: ApiGatewayCustomAuthorizerResponse, method_arn: &str) -> Result<Self, GatewayFailure> {
        let principal = decision.principal_id.ok_or(GatewayFailure::AuthorizerMisconfigured)?;
        let mut context = Map::from_iter([("principalId".to_owned(), principal.into())]);
        context.extend(context_fields(decision.context)?);
        if !allows(&decision.policy_document, method_arn) {
            return Err(GatewayFailure::Denied);
        }
        Ok(Self { context, usage_key: decision.usage_identifier_key })
    }

    /// Returns the key of the usage plan that the request counts against.
    pub(super) fn usage_key(&self) -> Result<&str, GatewayFailure> {
        self.usage_key.as_deref().ok_or(GatewayFailure::NoUsageKey)
    }
}

/// Returns the context as functions see it: every value is a text. Lists and objects are not allowed.
fn context_fields(context: Value) -> Result<Map<String, Value>, GatewayFailure> {
    let fields = match context {
        Value::Null => Map::new(),
        Value::Object(fields) => fields,
        _ => return Err(GatewayFailure::AuthorizerMisconfigured),
    };
    let text = |value: Value| match value {
        Value::Object(_) | Value::Array(_) => Err(GatewayFailure::AuthorizerMisconfigured),
        Value::String(text) => Ok(Value::String(text)),
        other => Ok(Value::String(other.to_string())),
    };
    fields.into_iter().map(|(name, value)| Ok((name, text(value)?))).collect()
}

/// Returns whether a policy has the form that our authorizer writes: it allows the requested method and nothing else.
/// API Gateway evaluates any policy; this gateway refuses all others, so that a change of the authorizer is noticed.
fn allows(policy: &ApiGatewayCustomAuthorizerPolicy, method_arn: &str) -> bool {
    matches!(policy.statement.as_slice(), [statement] if statement.effect == IamPolicyEffect::Allow
        && statement.action == ["execute-api:Invoke"]
        && statement.resource == [method_arn]
        && statement.condition.is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ARN: &str = "arn:aws:execute-api:local:000000000000:local/local/GET/v1/tenants";

    fn decision(statements: Value) -> ApiGatewayCustomAuthorizerResponse {
        let decision = json!({
            "principalId": "org_a",
            "policyDocument": { "Version": "2012-10-17", "Statement": statements },
            "context": { "organizationId": "org_a", "number": 1, "flag": true },
            "usageIdentifierKey": "key-of-org-a",
        });
        serde_json::from_value(decision).unwrap()
    }

    fn statement(effect: &str, resource: &str) -> Value {
        json!({ "Effect": effect, "Action": "execute-api:Invoke", "Resource": resource })
    }

    #[test]
    fn a_policy_has_to_allow_the_method_alone() {
        for (statements, allowed) in [
            (json!([statement("Allow", ARN)]), true),
            (json!([statement("Allow", "*")]), false),
            (json!([statement("Allow", &ARN.replace("tenants", "usage"))]), false),
            (json!([statement("Allow", ARN), statement("Deny", ARN)]), false),
            (json!([statement("Deny", ARN)]), false),
            (json!([{ "Effect": "Allow", "Action": "s3:GetObject", "Resource": ARN }]), false),
            (json!([]), false),
        ] {
            let admission = Admission::from_decision(decision(statements.clone()), ARN);
            assert_eq!(admission.err(), (!allowed).then_some(GatewayFailure::Denied), "{statements}");
        }
    }

    #[test]
    fn context_values_arrive_as_text() {
        let admission = Admission::from_decision(decision(json!([statement("Allow", ARN)])), ARN).ok().unwrap();
        let expected = json!({ "principalId": "org_a", "organizationId": "org_a", "number": "1", "flag": "true" });
        assert_eq!(Value::Object(admission.context), expected);
    }

    #[test]
    fn a_decision_without_principal_or_with_a_nested_context_is_not_usable() {
        let unusable = Some(GatewayFailure::AuthorizerMisconfigured);
        let mut anonymous = decision(json!([statement("Allow", ARN)]));
        anonymous.principal_id = None;
        assert_eq!(Admission::from_decision(anonymous, ARN).err(), unusable);
        let mut nested = decision(json!([statement("Allow", ARN)]));
        nested.context = json!({ "organization": { "id": "org_a" } });
        assert_eq!(Admission::from_decision(nested, ARN).err(), unusable);
    }
}
