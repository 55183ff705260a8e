//! Users.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Rows, time};
use crate::query::Query;
use crate::tenant::{Plan, Tenant, View};

/// Number of users who are global administrators.
pub(super) const ADMINISTRATORS: usize = 3;
const GIVEN: [&str; 12] =
    ["Ada", "Bela", "Cleo", "Dario", "Edda", "Femi", "Greta", "Hugo", "Inga", "Jonas", "Kira", "Lars"];
const FAMILY: [&str; 10] =
    ["Abel", "Brandt", "Castro", "Dahl", "Engel", "Fischer", "Gruber", "Holm", "Ivanova", "Jensen"];

pub(super) struct Person {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) sign_in_name: String,
    pub(super) is_guest: bool,
    pub(super) is_enabled: bool,
}

/// Returns a user: the first ones are administrators, and every tenth of the others is a guest.
pub(super) fn person(tenant: &Tenant, place: usize) -> Person {
    let is_guest = place > ADMINISTRATORS && place % 10 == 9;
    let given = GIVEN[place % GIVEN.len()];
    let family = FAMILY[place / GIVEN.len() % FAMILY.len()];
    let local = format!("{}.{}{place}", given.to_lowercase(), family.to_lowercase());
    let domain = tenant.domain();
    let sign_in_name = match is_guest {
        true => format!("{local}_partner.example#EXT#@{}.onmicrosoft.com", tenant.slug().replace('-', "")),
        false => format!("{local}@{domain}"),
    };
    let is_enabled = place <= ADMINISTRATORS || place % 23 != 7;
    Person { id: tenant.object("user", place), name: format!("{given} {family}"), sign_in_name, is_guest, is_enabled }
}

fn user(view: View, place: usize, selected: Option<&[&str]>) -> Value {
    let View { tenant, now } = view;
    let person = person(tenant, place);
    let age = TimeDelta::days(40 + tenant.number("age", place, 900).cast_signed());
    let licences = match person.is_guest || place % 17 == 16 {
        true => json!([]),
        false => json!([{ "skuId": tenant.object("sku", 0), "disabledPlans": [] }]),
    };
    let row = json!({
        "id": person.id,
        "displayName": person.name,
        "userPrincipalName": person.sign_in_name,
        "mail": (!person.is_guest).then_some(&person.sign_in_name),
        "accountEnabled": person.is_enabled,
        "userType": if person.is_guest { "Guest" } else { "Member" },
        "createdDateTime": time(now - age),
        "assignedLicenses": licences,
        "onPremisesSyncEnabled": Value::Null,
        "onPremisesImmutableId": Value::Null,
        "lastPasswordChangeDateTime": time(now - age / 4),
        "externalUserState": person.is_guest.then_some("Accepted"),
        "externalUserStateChangeDateTime": person.is_guest.then(|| time(now - age)),
    });
    select(row, selected)
}

fn select(row: Value, selected: Option<&[&str]>) -> Value {
    match (row, selected) {
        (Value::Object(row), Some(names)) => {
            row.into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect()
        }
        (row, _) => row,
    }
}

pub(crate) fn users<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let names: Option<Vec<String>> = query.get("$select").map(|text| text.split(',').map(str::to_owned).collect());
    Rows::new(view.tenant.users, move |place| {
        let names: Option<Vec<&str>> = names.as_ref().map(|names| names.iter().map(String::as_str).collect());
        user(view, place, names.as_deref())
    })
}

/// Returns those of the users and groups that exist.
pub(crate) fn objects_by_id(tenant: &Tenant, ids: &[&str]) -> Vec<Value> {
    let group = tenant.object("group", 0);
    let known = (0..=ADMINISTRATORS.min(tenant.users.saturating_sub(1))).map(|place| person(tenant, place));
    let users = known.map(|person| json!({ "@odata.type": "#microsoft.graph.user", "id": person.id }));
    let group = json!({ "@odata.type": "#microsoft.graph.group", "id": group });
    users.chain([group]).filter(|row| row["id"].as_str().is_some_and(|id| ids.contains(&id))).collect()
}

pub(crate) fn registrations<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    Rows::new(view.tenant.users, move |place| {
        let View { tenant, now } = view;
        let person = person(tenant, place);
        let is_admin = place < ADMINISTRATORS;
        let has_method = is_admin || tenant.has("registration") || place % 4 != 3;
        let methods: &[&str] = match (is_admin, has_method) {
            (true, _) if tenant.has("strong administrators") => &["fido2SecurityKey"],
            (_, true) => &["mobilePhone", "microsoftAuthenticatorPush"],
            (_, false) => &[],
        };
        json!({
            "id": person.id,
            "userPrincipalName": person.sign_in_name,
            "userDisplayName": person.name,
            "userType": if person.is_guest { "guest" } else { "member" },
            "isAdmin": is_admin,
            "isSsprRegistered": has_method,
            "isSsprEnabled": true,
            "isSsprCapable": has_method,
            "isMfaRegistered": has_method,
            "isMfaCapable": has_method,
            "isPasswordlessCapable": methods.contains(&"fido2SecurityKey"),
            "methodsRegistered": methods,
            "isSystemPreferredAuthenticationMethodEnabled": true,
            "systemPreferredAuthenticationMethods": [],
            "userPreferredMethodForSecondaryAuthentication": if has_method { "push" } else { "none" },
            "lastUpdatedDateTime": time(now - TimeDelta::hours(6)),
        })
    })
}

impl Plan {
    pub(crate) fn includes(self, needed: Self) -> bool {
        self >= needed
    }
}
