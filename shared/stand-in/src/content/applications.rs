//! Applications, their permissions, and the Secure Score.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Rows, time};
use crate::query::Query;
use crate::tenant::View;

pub(crate) fn applications<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    Rows::new(2 + tenant.users / 100, move |place| {
        let days = if tenant.has("short secrets") { 120 } else { 700 };
        let secret = json!({
            "keyId": tenant.object("secret", place),
            "displayName": "secret",
            "hint": "abc",
            "secretText": Value::Null,
            "customKeyIdentifier": Value::Null,
            "startDateTime": time(now - TimeDelta::days(100)),
            "endDateTime": time(now + TimeDelta::days(days - 100)),
        });
        json!({
            "id": tenant.object("application", place),
            "appId": tenant.object("appId", place),
            "displayName": format!("Own application {place}"),
            "passwordCredentials": [secret],
            "keyCredentials": [],
        })
    })
}

pub(crate) fn service_principals<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    Rows::new(40 + tenant.users / 50, move |place| {
        let owner = match place % 4 {
            0 => tenant.id.to_string(),
            1 => tenant.object("vendor", place),
            _ => "f8cdef31-a31e-4b4a-93e4-5f571e91255a".to_owned(),
        };
        json!({
            "id": tenant.object("service principal", place),
            "appId": tenant.object("appId", place),
            "displayName": format!("Application {place}"),
            "appOwnerOrganizationId": owner,
            "servicePrincipalType": "Application",
            "accountEnabled": true,
        })
    })
}

pub(crate) fn grants<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let scope = if tenant.has("narrow grants") { "User.Read openid" } else { "Mail.Read Files.Read.All" };
    Rows::new(3, move |place| {
        json!({
            "id": tenant.object("grant", place).replace('-', ""),
            "clientId": tenant.object("service principal", 4 * place + 1),
            "consentType": "AllPrincipals",
            "principalId": Value::Null,
            "resourceId": tenant.object("service principal", 2),
            "scope": scope,
        })
    })
}

pub(crate) fn app_roles<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    // User.Read.All, and Directory.ReadWrite.All.
    let role = match tenant.has("narrow permissions") {
        true => "df021288-bdef-4463-88db-98f22de89214",
        false => "19dbc75e-c2e2-444c-a770-ec69d8559fc7",
    };
    Rows::new(2, move |place| {
        json!({
            "id": tenant.object("app role", place).replace('-', ""),
            "appRoleId": role,
            "createdDateTime": time(now - TimeDelta::days(90)),
            "principalDisplayName": format!("Application {}", 4 * place + 1),
            "principalId": tenant.object("service principal", 4 * place + 1),
            "principalType": "ServicePrincipal",
            "resourceDisplayName": "Microsoft Graph",
            "resourceId": tenant.object("service principal", 2),
            "deletedDateTime": Value::Null,
        })
    })
}

pub(crate) fn scores<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    Rows::given(vec![json!({
        "id": format!("{}_2026-01-01", tenant.id),
        "azureTenantId": tenant.id,
        "createdDateTime": time(now - TimeDelta::days(1)),
        "activeUserCount": tenant.users / 2,
        "licensedUserCount": tenant.users,
        "currentScore": 41.5,
        "maxScore": 110.0,
        "enabledServices": ["HasExchange"],
        "averageComparativeScores": [],
        "controlScores": [{ "controlCategory": "Identity", "controlName": "MFARegistrationV2", "description": "", "score": 9.0 }],
        "vendorInformation": { "provider": "SecureScore", "providerVersion": Value::Null, "subProvider": Value::Null, "vendor": "Microsoft" },
    })])
}
