//! Bodies of invented tenants: functions of the tenant's identifier and the row's number, so nothing is stored.

mod access;
mod applications;
mod directory;
mod logs;
mod people;
mod settings;
mod tables;

use serde_json::Value;

pub(super) use self::access::{locations, policies};
pub(super) use self::applications::{app_roles, applications, grants, scores, service_principals};
pub(super) use self::directory::{assignment_instances, assignments, eligibility_instances, members, role_policies};
pub(super) use self::logs::{audits, risky_users, sign_ins};
pub(super) use self::people::{objects_by_id, registrations, users};
pub(super) use self::settings::{
    app_management, authorization_policy, consent_requests, cross_tenant, devices, domains, group_settings,
    methods_policy, organization, report_settings, security_defaults, sharing, skus, synchronization,
};
pub(super) use self::tables::{active_users, mail_apps};
use super::query::Query;
use super::tenant::View;

/// Rows of a collection, made when they are asked for.
pub(super) struct Rows<'a> {
    pub(super) count: usize,
    pub(super) row: Box<dyn Fn(usize) -> Value + 'a>,
}

impl<'a> Rows<'a> {
    fn new(count: usize, row: impl Fn(usize) -> Value + 'a) -> Self {
        Self { count, row: Box::new(row) }
    }

    fn given(rows: Vec<Value>) -> Self {
        Self::new(rows.len(), move |place| rows[place].clone())
    }
}

/// Returns no rows.
pub(super) fn no_rows<'a>(_: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    Rows::given(Vec::new())
}

/// Writes a time as Graph does.
fn time(time: chrono::DateTime<chrono::Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
