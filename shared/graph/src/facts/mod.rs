//! Facts in responses that later calls depend on.

mod names;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use model::snapshot::endpoint;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// The role of global administrators.
const GLOBAL_ADMINISTRATOR: &str = "62e90394-69f5-4237-9190-012177145e10";
/// Service plans that keep logs for 30 days: Entra ID P1 and P2.
const PREMIUM: [&str; 2] = ["41781fb2-bc02-4b7c-bd55-b576c07bb09d", "eec0eb4f-6444-4f95-aba0-50c24d67f998"];
/// Most objects of a kind that are remembered. Tenants have far fewer.
const MOST: usize = 1_000;
/// The newest entries of a log are not complete yet.
const LOG_DELAY: TimeDelta = TimeDelta::minutes(15);

/// A time that logs are read for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Span {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

impl Span {
    /// Returns the filter of a property for this time.
    pub(crate) fn filter(&self, property: &str) -> String {
        let [from, until] = [self.from, self.until].map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        format!("{property} ge {from} and {property} le {until}")
    }
}

/// Facts that were learned so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facts {
    /// The time when the run began, by Graph's clock.
    pub(crate) began: Option<DateTime<Utc>>,
    /// Whether the tenant keeps logs for 30 days instead of 7.
    premium: bool,
    /// Users and groups that conditional access policies name.
    pub(crate) named: Vec<String>,
    /// Groups that hold a role.
    pub(crate) groups: Vec<String>,
    /// Those of them that hold the role of global administrators.
    administrator_groups: Vec<String>,
    /// Users who hold the role of global administrators.
    pub(crate) administrators: Vec<String>,
    /// Questions to DNS.
    pub(crate) questions: Vec<String>,
    /// Days that each log that was read covers, at least.
    covered: Option<u32>,
}

impl Facts {
    /// Returns the time for which logs are read.
    pub(crate) fn span(&self, now: DateTime<Utc>) -> Span {
        let until = self.began.unwrap_or(now) - LOG_DELAY;
        Span { from: until - TimeDelta::days(self.log_days().into()), until }
    }

    fn log_days(&self) -> u32 {
        if self.premium { 30 } else { 7 }
    }

    /// Returns the days of activity that all logs cover which were read.
    pub(crate) fn covered_days(&self) -> u32 {
        self.covered.unwrap_or_default()
    }

    /// Learns that a log was read to its end, or only as far back as the oldest row of a page.
    pub(crate) fn learn_log(&mut self, oldest: Option<&Value>, now: DateTime<Utc>) {
        let days = match oldest {
            None => self.log_days(),
            Some(row) => {
                let time = [&row["createdDateTime"], &row["activityDateTime"]].into_iter().find_map(Value::as_str);
                let time = time.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
                let covered = time.map(|time| self.span(now).until - time.to_utc());
                covered.and_then(|covered| u32::try_from(covered.num_days()).ok()).unwrap_or_default()
            }
        };
        self.covered = Some(self.covered.map_or(days, |known| known.min(days)));
    }

    /// Learns from a page, and returns questions to DNS that follow from it.
    pub(crate) fn learn(&mut self, endpoint: &str, query: &str, body: &Value) -> Vec<String> {
        let rows = body["value"].as_array().map(Vec::as_slice).unwrap_or_default();
        match endpoint {
            endpoint::DNS => return self.learn_names(query, body),
            endpoint::SUBSCRIBED_SKUS => self.premium |= rows.iter().any(has_premium),
            _ => {}
        }
        for row in rows {
            match endpoint {
                endpoint::DOMAINS => self.learn_domain(row),
                endpoint::CONDITIONAL_ACCESS_POLICIES => self.learn_policy(row),
                endpoint::ROLE_ASSIGNMENTS
                | endpoint::ROLE_ASSIGNMENT_INSTANCES
                | endpoint::ROLE_ELIGIBILITY_INSTANCES => self.learn_assignment(row),
                _ => self.learn_member(endpoint, row),
            }
        }
        Vec::new()
    }

    fn learn_policy(&mut self, policy: &Value) {
        let users = &policy["conditions"]["users"];
        for list in ["includeUsers", "excludeUsers", "includeGroups", "excludeGroups"] {
            for id in users[list].as_array().into_iter().flatten() {
                add(&mut self.named, guid(id));
            }
        }
    }

    fn learn_assignment(&mut self, row: &Value) {
        let id = guid(&row["principalId"]);
        let is_administrator = row["roleDefinitionId"].as_str() == Some(GLOBAL_ADMINISTRATOR);
        match row["principal"]["@odata.type"].as_str() {
            Some("#microsoft.graph.group") => {
                if is_administrator {
                    add(&mut self.administrator_groups, id.clone());
                }
                add(&mut self.groups, id);
            }
            Some("#microsoft.graph.user") if is_administrator => add(&mut self.administrators, id),
            _ => {}
        }
    }

    fn learn_member(&mut self, endpoint: &str, row: &Value) {
        let group = endpoint.strip_prefix(endpoint::GROUPS);
        let group = group.and_then(|rest| rest.strip_suffix(endpoint::TRANSITIVE_MEMBERS));
        let is_user = row["@odata.type"].as_str() == Some("#microsoft.graph.user");
        if is_user && group.is_some_and(|group| self.administrator_groups.iter().any(|known| known == group)) {
            add(&mut self.administrators, guid(&row["id"]));
        }
    }
}

fn has_premium(sku: &Value) -> bool {
    let is_premium = |plan: &Value| {
        let id = plan["servicePlanId"].as_str();
        id.is_some_and(|id| PREMIUM.contains(&id)) && plan["provisioningStatus"].as_str() == Some("Success")
    };
    sku["servicePlans"].as_array().into_iter().flatten().any(is_premium)
}

/// Returns an object's id if it is one: it becomes a part of addresses and filters.
fn guid(id: &Value) -> Option<String> {
    id.as_str().and_then(|text| Uuid::try_parse(text).ok()).map(|id| id.hyphenated().to_string())
}

fn add(list: &mut Vec<String>, item: Option<String>) {
    if let Some(item) = item.filter(|item| list.len() < MOST && !list.contains(item)) {
        list.push(item);
    }
}
