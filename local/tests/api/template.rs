//! The gateway's requirements on a template.

use local::{Functions, Gateway, Limits, TEMPLATE};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

use crate::support::TestApp;

/// Returns why a template is refused.
async fn refusal(template: &str) -> String {
    let app = TestApp::new().await;
    let gateway = Gateway::from_template(template, &Functions::of(&app.app), &Limits::in_real_time());
    gateway.err().expect("the template is refused").to_string()
}

#[tokio::test]
async fn a_template_that_lacks_something_is_refused_by_name() {
    for (text, replacement, problem) in [
        ("ApiKeySourceType: AUTHORIZER", "ApiKeySourceType: HEADER", "ApiKeySourceType"),
        ("api_key:\n", "other:\n", "security definition `api_key`"),
        ("AWS::Serverless::Api\n", "AWS::Serverless::HttpApi\n", "AWS::Serverless::Api"),
        ("AWS::ApiGateway::UsagePlan", "AWS::ApiGateway::Other", "AWS::ApiGateway::UsagePlan"),
        ("/v1/usage/GET: *ten_a_minute", "/v1/usage/PUT: *ten_a_minute", "usage plan for GET /v1/usage"),
        ("BurstLimit: 10\n", "BurstLimit: 0\n", "the limit of 0 requests"),
        ("RateLimit: 0.16667", "RateLimit: 0", "and 0 per second"),
        ("RateLimit: 0.16667", "RateLimit: -1", "and -1 per second"),
        ("RateLimit: 0.16667", "RateLimit: 1e300", "per second"),
        ("RateLimit: 0.16667", "RateLimit: 1e-300", "per second"),
        ("Path: /v1/usage\n", "Path: /v1/{usage}\n", "/v1/{usage}"),
        ("Path: /v1/usage\n", "Path: /v1/{usage+}\n", "the variable path /v1/{usage+}"),
        ("Path: /v1/usage\n", "Path: /v1/other\n", "GET /v1/other"),
        ("Method: get", "Method: any", "method `any`"),
        ("Authorizer: KeyAuthorizer", "Authorizer: OtherAuthorizer", "the authorizer `OtherAuthorizer`"),
        ("ApiKeyRequired: true", "ApiKeyRequired: false", "`ApiKeyRequired: true`"),
        ("ResponseTransferMode: RESPONSE_STREAM", "ResponseTransferMode: STREAM", "RESPONSE_STREAM"),
        ("ReauthorizeEvery: 0", "ReauthorizeEvery: 300", "ReauthorizeEvery"),
        ("ValidationExpression: ^Bearer", "ValidationExpression: (Bearer", "validation expression"),
        ("ValidationExpression: ", "Validation: ", "ValidationExpression"),
        ("Binary: usage", "Binary: unknown", "the function `unknown`"),
        ("Binary: usage", "Other: usage", "the binary of `UsageFunction`"),
        ("- api_key: []", "- other: []", "the security scheme `api_key`"),
        ("- KeyAuthorizer: []", "- OtherAuthorizer: []", "the authorizer `OtherAuthorizer`"),
        ("                - KeyAuthorizer: []\n", "", "an authorizer for GET /"),
        ("RestApiId: !Ref Api", "RestApiId: !Ref Other", "the API `Other`"),
        ("StatusCode: 429", "StatusCode: 9999", "THROTTLED"),
        ("Retry-After: \"'6'\"", "Retry-After: context.x", "Retry-After"),
        (
            "{\"code\":\"RATE_LIMITED\"",
            "{\"code\":$context.error.responseType",
            "a variable in the response of THROTTLED",
        ),
        ("statusCode: \"405\"", "statusCode: \"many\"", "status \"many\" in the response of /"),
        ("Resources:\n", "Resource:\n", "not readable"),
        ("Resources:\n", "Resources: [\n", "not readable"),
    ] {
        assert!(TEMPLATE.contains(text), "the template has no {text:?}");
        let refusal = refusal(&TEMPLATE.replace(text, replacement)).await;
        assert!(refusal.contains(problem), "{replacement:?} is refused with {refusal:?}");
    }
}

#[tokio::test]
async fn a_failure_without_a_response_of_its_own_gets_the_default_of_its_class() {
    let template = TEMPLATE.replace("        UNAUTHORIZED: &unauthorized", "        OTHER: &unauthorized");
    let app = TestApp::by_template(&template).await;
    app.anonymous().get("/v1/tenants").await.failure(401, "INVALID_REQUEST");
    let without_default = template.replace("        DEFAULT_4XX:", "        DEFAULT_NXX:");
    assert!(refusal(&without_default).await.contains("gateway response UNAUTHORIZED"));
}

/// Lines that are inserted into a template: other YAML, and some invalid.
const LINES: [&str; 12] = [
    "Resources: {}",
    "  Api: !Ref Api",
    "      - &again [*again]",
    "          Method: get",
    "            Path: *unknown",
    "        Events: ~",
    "                RateLimit: .nan",
    "            BurstLimit: -99999999999999999999",
    "\t- tab",
    "? [complex]: {key",
    "--- !!binary |",
    "\u{feff}\u{0}\u{85}",
];

#[test]
fn a_template_whose_lines_are_changed_is_read_or_refused_with_a_reason() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let functions = Functions::of(&runtime.block_on(TestApp::new()).app);
    let change = (any::<Index>(), 0..4_usize, any::<Option<Index>>(), select(&LINES[..]));
    // A template is long: fewer cases than usual, in proportion to `PROPTEST_CASES`.
    let config = Config { cases: Config::default().cases.div_ceil(8), ..Config::default() };
    let outcome = TestRunner::new(config).run(&vec(change, 1..4), |changes| {
        let mut lines: Vec<_> = TEMPLATE.lines().collect();
        for (place, removed, moved, made) in changes {
            let place = place.index(lines.len());
            let line = moved.map_or(made, |from| lines[from.index(lines.len())]);
            lines.splice(place..(place + removed).min(lines.len()), [line]);
        }
        if let Err(error) = Gateway::from_template(&lines.join("\n"), &functions, &Limits::Off) {
            prop_assert!(!error.to_string().is_empty());
        }
        Ok(())
    });
    outcome.unwrap();
}
