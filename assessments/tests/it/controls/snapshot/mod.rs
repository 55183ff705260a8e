//! Snapshots for tests: one of a tenant in which every control is secure, and changes to it.

mod secure;

use std::collections::BTreeMap;

use assessments::{Combined, Run, combine, read};
use model::Status;
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

pub(crate) const TENANT: &str = "11111111-2222-3333-4444-555555555555";
pub(crate) const EMERGENCY: &str = "eeeeeeee-0000-0000-0000-000000000001";
pub(crate) const ADMIN: &str = "aaaaaaaa-0000-0000-0000-000000000001";
pub(crate) const OTHER_ADMIN: &str = "aaaaaaaa-0000-0000-0000-000000000002";
pub(crate) const MEMBER: &str = "bbbbbbbb-0000-0000-0000-000000000001";
pub(crate) const GUEST: &str = "cccccccc-0000-0000-0000-000000000001";
pub(crate) const GROUP: &str = "dddddddd-0000-0000-0000-000000000001";
pub(crate) const VENDOR: &str = "ffffffff-0000-0000-0000-000000000001";

/// The end of the snapshot.
pub(crate) const NOW: &str = "2026-05-01T09:10:00.000Z";

/// Roles that can take over a tenant, the top one first.
pub(crate) const ROLES: [&str; 8] = [
    "62e90394-69f5-4237-9190-012177145e10",
    "e8611ab8-c189-46e8-94e1-60213ab1f814",
    "fe930be7-5e62-47db-91af-98c3a49a38b1",
    "29232cdf-9323-42fd-ade2-1d097af3e4de",
    "f28a1f50-f6e7-4571-818b-6a12f2af6b6c",
    "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",
    "158c047a-c907-4556-b7ef-446551a6b5f7",
    "8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2",
];

pub(crate) const P1: &str = "41781fb2-bc02-4b7c-bd55-b576c07bb09d";
pub(crate) const P2: &str = "eec0eb4f-6444-4f95-aba0-50c24d67f998";
pub(crate) const INTUNE: &str = "c1ec4a95-1f05-45b3-a863-aa3fa01f5687";

/// A snapshot as a test changes it.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) header: Value,
    pub(crate) responses: Vec<Value>,
    pub(crate) end: Value,
}

/// The result of each control.
pub(crate) type Results = BTreeMap<String, (Status, String)>;

impl Snapshot {
    /// Returns a snapshot without responses.
    pub(crate) fn empty() -> Self {
        Self {
            header: json!({
                "snapshot": 1,
                "providerTenantId": TENANT,
                "requestedAt": "2026-05-01T08:59:00Z",
                "startedAt": "2026-05-01T09:00:00Z",
                "emergencyAccess": [EMERGENCY],
            }),
            responses: Vec::new(),
            end: json!({ "end": { "completedAt": NOW, "activityLookbackDays": 30, "responses": 0 } }),
        }
    }

    /// Adds a response that succeeded.
    pub(crate) fn with(mut self, endpoint: &str, body: Value) -> Self {
        self.responses.push(response(endpoint, "", body));
        self
    }

    /// Adds a response to a query that succeeded.
    pub(crate) fn with_query(mut self, endpoint: &str, query: &str, body: Value) -> Self {
        self.responses.push(response(endpoint, query, body));
        self
    }

    /// Replaces the responses of an endpoint.
    pub(crate) fn set(self, endpoint: &str, body: Value) -> Self {
        self.without(endpoint).with(endpoint, body)
    }

    /// Removes the responses of an endpoint.
    pub(crate) fn without(mut self, endpoint: &str) -> Self {
        self.responses.retain(|response| response["endpoint"] != endpoint);
        self
    }

    /// Replaces the responses of an endpoint by a failure.
    pub(crate) fn failing(mut self, endpoint: &str, status: u16, code: &str) -> Self {
        for response in self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint) {
            response["status"] = json!(status);
            response["body"] = json!({ "error": { "code": code, "message": "" } });
        }
        self
    }

    /// Changes the body of the first response of an endpoint.
    pub(crate) fn change(mut self, endpoint: &str, change: impl FnOnce(&mut Value)) -> Self {
        let response = self.responses.iter_mut().find(|response| response["endpoint"] == endpoint);
        change(&mut response.unwrap_or_else(|| panic!("there is no response of {endpoint}"))["body"]);
        self
    }

    /// Changes the rows of the first response of an endpoint.
    pub(crate) fn rows(self, endpoint: &str, change: impl FnOnce(&mut Vec<Value>)) -> Self {
        self.change(endpoint, |body| change(body["value"].as_array_mut().unwrap()))
    }

    /// Adds a row to the first response of an endpoint.
    pub(crate) fn add(self, endpoint: &str, row: Value) -> Self {
        self.rows(endpoint, |rows| rows.push(row))
    }

    /// Sets a value at a path in the first response of an endpoint.
    pub(crate) fn put(self, endpoint: &str, path: &str, value: Value) -> Self {
        self.change(endpoint, |body| *place(body, path) = value)
    }

    /// Declares emergency access.
    pub(crate) fn declaring(mut self, ids: &[&str]) -> Self {
        self.header["emergencyAccess"] = json!(ids);
        self
    }

    /// Says that the first response of an endpoint has a next page.
    pub(crate) fn with_more(mut self, endpoint: &str) -> Self {
        let response = self.responses.iter_mut().find(|response| response["endpoint"] == endpoint);
        response.unwrap()["more"] = json!(true);
        self
    }

    /// Replaces the query of the responses of an endpoint.
    pub(crate) fn with_query_of(mut self, endpoint: &str, query: &str) -> Self {
        let responses = self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint);
        responses.for_each(|response| response["query"] = json!(query));
        self
    }

    /// Removes the response to a query.
    pub(crate) fn without_query(mut self, endpoint: &str, query: &str) -> Self {
        self.responses.retain(|response| response["endpoint"] != endpoint || response["query"] != query);
        self
    }

    /// Lets the responses of an endpoint fail whose query contains a text.
    pub(crate) fn failing_query(mut self, endpoint: &str, part: &str, status: u16) -> Self {
        let responses = self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint);
        for response in responses.filter(|response| response["query"].as_str().unwrap().contains(part)) {
            response["status"] = json!(status);
        }
        self
    }

    /// Adds the texts of a name.
    pub(crate) fn with_texts(self, name: &str, texts: &[&str]) -> Self {
        dns(self, name, texts)
    }

    /// Returns the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut end = self.end.clone();
        end["end"]["responses"] = json!(self.responses.len());
        let responses = self.responses.iter().map(line_of);
        let lines = std::iter::once(self.header.to_string()).chain(responses).chain([end.to_string()]);
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    }

    /// Returns what the file contains.
    pub(crate) fn combined(&self) -> Combined {
        let mut combined = combine([read(&self.bytes()).unwrap()]);
        combined.review_admins(None);
        combined
    }

    /// Returns the run of all controls.
    pub(crate) fn run(&self) -> Run {
        self.combined().runs.remove(0)
    }

    /// Returns the results of all controls.
    pub(crate) fn results(&self) -> Results {
        let checks = self.run().findings.into_iter().map(|finding| finding.check);
        checks.map(|check| (check.control_id.to_string(), (check.status, check.current_state))).collect()
    }
}

/// Returns a line with its body last, as the format wants it.
fn line_of(response: &Value) -> String {
    let mut head = response.clone();
    let body = head.as_object_mut().unwrap().remove("body").unwrap_or_default();
    let head = head.to_string();
    format!("{},\"body\":{body}}}", &head[..head.len() - 1])
}

pub(crate) fn response(endpoint: &str, query: &str, body: Value) -> Value {
    json!({ "endpoint": endpoint, "query": query, "at": "2026-05-01T09:01:00Z", "status": 200, "body": body })
}

/// Returns the value at a path such as `value/0/state`, which is created.
pub(crate) fn place<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('/').fold(value, |value, step| match step.parse::<usize>() {
        Ok(index) if value.is_array() => &mut value[index],
        _ => &mut value[step],
    })
}

pub(crate) fn page(rows: &[Value]) -> Value {
    json!({ "value": rows })
}

pub(crate) fn dns(snapshot: Snapshot, name: &str, texts: &[&str]) -> Snapshot {
    let records =
        texts.iter().map(|text| json!({ "name": name, "type": 16, "TTL": 300, "data": format!("\"{text}\"") }));
    let body = json!({ "Status": 0, "Answer": records.collect::<Vec<_>>() });
    snapshot.with_query(at::DNS, &format!("name={name}&type=TXT"), body)
}

/// Returns a policy with these conditions for everybody and every application.
pub(crate) fn policy(name: &str, conditions: Value, grant: Value) -> Value {
    let mut all = json!({
        "users": {
            "includeUsers": ["All"], "excludeUsers": [EMERGENCY], "includeGroups": [], "excludeGroups": [],
            "includeRoles": [], "excludeRoles": [], "includeGuestsOrExternalUsers": null,
            "excludeGuestsOrExternalUsers": null,
        },
        "applications": { "includeApplications": ["All"], "excludeApplications": [], "includeUserActions": [] },
        "clientAppTypes": ["all"], "signInRiskLevels": [], "userRiskLevels": [], "locations": null, "platforms": null,
        "devices": null, "clientApplications": null, "authenticationFlows": null,
    });
    for (name, value) in conditions.as_object().unwrap() {
        all[name] = value.clone();
    }
    json!({
        "id": format!("policy {name}"), "displayName": name, "state": "enabled", "conditions": all,
        "grantControls": grant, "sessionControls": null,
    })
}

pub(crate) fn grant(controls: &[&str]) -> Value {
    json!({
        "operator": "OR", "builtInControls": controls, "customAuthenticationFactors": [], "termsOfUse": [],
        "authenticationStrength": null,
    })
}

pub(crate) fn assignment(id: &str, principal: &str, kind: &str, role: &str) -> Value {
    json!({
        "id": id, "principalId": principal, "roleDefinitionId": role, "directoryScopeId": "/",
        "principal": {
            "@odata.type": format!("#microsoft.graph.{kind}"), "id": principal,
            "userPrincipalName": if kind == "user" { json!(format!("{}@example.com", &principal[..8])) } else { Value::Null },
        },
    })
}

/// Returns a sign-in of a user with an error code.
pub(crate) fn sign_in(user: &str, error: i64) -> Value {
    json!({
        "id": format!("{user} {error}"), "userId": user, "createdDateTime": "2026-04-20T00:00:00Z",
        "clientAppUsed": "Browser", "isInteractive": true, "status": { "errorCode": error },
        "appliedConditionalAccessPolicies": [{ "result": "success", "enforcedGrantControls": ["Mfa"] }],
    })
}
