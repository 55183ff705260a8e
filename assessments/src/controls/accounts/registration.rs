//! Controls about registered methods, and about accounts at risk.

use model::counted;

use super::rows::Account;
use crate::controls::document::unreadable;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, secure_if};

/// Members in a hundred who have to have registered a second factor.
const ENOUGH_PERCENT: usize = 99;

/// All members have registered a second factor.
pub(in crate::controls) fn registered_members(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P1)?;
    tenant.complete(Source::Registrations, &tenant.lists.registrations)?;
    tenant.complete(Source::Users, &tenant.lists.users)?;
    let (mut members, mut registered) = (0, 0);
    for (id, registration) in tenant.lists.registrations.by_id() {
        match registration.user_type.as_deref() {
            Some("member") => {}
            Some("guest") => continue,
            _ => return unreadable("userType"),
        }
        // Deleted users stay in the report for some days.
        let Some(account) = tenant.lists.users.get(id) else { continue };
        match account.account_enabled {
            Some(true) => members += 1,
            Some(false) => continue,
            None => return unreadable("accountEnabled"),
        }
        match registration.is_mfa_registered {
            Some(true) => registered += 1,
            Some(false) => {}
            None => return unreadable("isMfaRegistered"),
        }
    }
    let unlisted = tenant
        .lists
        .users
        .by_id()
        .filter(|(id, account)| is_enabled_member(account) && tenant.lists.registrations.get(id).is_none());
    members += unlisted.count();
    let state = format!("{registered} of {} have registered a second factor.", counted(members, "enabled member"));
    secure_if(members > 0 && registered * 100 >= members * ENOUGH_PERCENT, state.clone(), state)
}

fn is_enabled_member(account: &Account) -> bool {
    account.account_enabled == Some(true) && account.is_guest() == Some(false)
}

/// No account at high risk was left alone.
pub(in crate::controls) fn risky_accounts_handled(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P2)?;
    let mut risky = 0;
    for user in tenant.rows(Source::RiskyUsers, &tenant.lists.risky_users)? {
        match (user.risk_state.as_deref(), user.risk_level.as_deref()) {
            (Some("atRisk" | "confirmedCompromised"), Some("high")) => risky += 1,
            (Some("atRisk" | "confirmedCompromised"), Some("low" | "medium" | "none" | "hidden")) => {}
            (Some("none" | "confirmedSafe" | "remediated" | "dismissed"), _) => {}
            (Some("atRisk" | "confirmedCompromised"), _) => return unreadable("riskLevel"),
            _ => return unreadable("riskState"),
        }
    }
    secure_if(
        risky == 0,
        "No account at high risk is left.",
        format!("{} at high risk wait for somebody to deal with them.", counted(risky, "account")),
    )
}
