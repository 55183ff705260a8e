//! Controls about the people who are administrators.

use chrono::TimeDelta;
use model::{MfaMethod, counted};

use super::holders::{Holders, top_administrators};
use crate::activity::Window;
use crate::controls::document::unreadable;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, not_assessed, open, secure, secure_if};
use crate::directory::TOP_ROLE;

/// Fewest and most global administrators.
const FEWEST: usize = 2;
const MOST: usize = 4;

/// Greatest age of an administrator's password.
const OLDEST_PASSWORD: TimeDelta = TimeDelta::days(100);

/// Failed sign-ins of one administrator up to which nobody needs to look.
const MOST_FAILURES: u32 = 100;

/// There are a few global administrators.
pub(in crate::controls) fn few_global_administrators(tenant: &Tenant) -> Judged {
    let holders = Holders::of(tenant)?;
    let count = holders.of_role(TOP_ROLE).count();
    let state = format!("{}, assigned or eligible.", counted(count, "global administrator"));
    if count > MOST {
        return open(state);
    }
    holders.all_known()?;
    secure_if(count >= FEWEST, state.clone(), state)
}

/// Most privileged people have a finer role than the top one.
pub(in crate::controls) fn finer_roles(tenant: &Tenant) -> Judged {
    let holders = Holders::of(tenant)?;
    holders.all_known()?;
    let top = holders.of_role(TOP_ROLE).count();
    let others = holders.people.len() - top;
    let state =
        format!("{}, and {} with finer roles.", counted(top, "global administrator"), counted(others, "person"));
    let state = state.replace("persons", "people");
    secure_if(top <= others, state.clone(), state)
}

/// Administrators are accounts of the cloud alone.
pub(in crate::controls) fn cloud_only(tenant: &Tenant) -> Judged {
    let holders = Holders::of(tenant)?;
    tenant.complete(Source::Users, &tenant.lists.users)?;
    let (mut synchronized, mut unknown) = (0, false);
    for id in holders.people.keys() {
        match tenant.lists.users.get(id).and_then(|user| user.on_premises_sync_enabled) {
            Some(Some(true)) => synchronized += 1,
            Some(_) => {}
            None => unknown = true,
        }
    }
    let number = counted(holders.people.len(), "administrator");
    if synchronized > 0 {
        return open(format!("{synchronized} of {number} come from an on-premises directory."));
    }
    holders.all_known()?;
    if unknown {
        return unreadable("onPremisesSyncEnabled");
    }
    secure(format!("None of {number} comes from an on-premises directory."))
}

/// Every global administrator has a strong second factor.
pub(in crate::controls) fn strong_methods(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P1)?;
    tenant.whole(Source::Registrations)?;
    let administrators = top_administrators(tenant)?;
    let (mut weak, mut unknown) = (0, 0);
    for id in &administrators {
        match tenant.directory.strongest_method(id) {
            MfaMethod::PhishingResistant | MfaMethod::Authenticator => {}
            MfaMethod::Unknown => unknown += 1,
            _ => weak += 1,
        }
    }
    let number = counted(administrators.len(), "global administrator");
    if weak > 0 {
        return open(format!(
            "{weak} of {number} have no strong method: the authenticator or a phishing-resistant one."
        ));
    }
    if unknown > 0 {
        return not_assessed(format!("The methods of {unknown} of {number} are not known."));
    }
    secure(format!("All of {number} have the authenticator or a phishing-resistant method."))
}

/// The passwords of global administrators are not old.
pub(in crate::controls) fn password_age(tenant: &Tenant) -> Judged {
    let administrators = top_administrators(tenant)?;
    tenant.complete(Source::Users, &tenant.lists.users)?;
    let mut old = 0;
    for id in &administrators {
        let Some(changed) = tenant.lists.users.get(id).and_then(|user| user.last_password_change_date_time) else {
            return unreadable("lastPasswordChangeDateTime");
        };
        old += usize::from(tenant.now().to_datetime() - changed.to_datetime() > OLDEST_PASSWORD);
    }
    let number = counted(administrators.len(), "global administrator");
    secure_if(
        old == 0,
        format!("The passwords of all of {number} are younger than {} days.", OLDEST_PASSWORD.num_days()),
        format!("The passwords of {old} of {number} are older than {} days.", OLDEST_PASSWORD.num_days()),
    )
}

/// No application holds the top role.
pub(in crate::controls) fn no_applications(tenant: &Tenant) -> Judged {
    let holders = Holders::of(tenant)?;
    let applications = holders.top_applications.len();
    if applications > 0 {
        return open(format!("{} hold the Global Administrator role.", counted(applications, "application")));
    }
    holders.all_known()?;
    secure("No application holds the Global Administrator role.")
}

/// Nobody tries the passwords of administrators.
pub(in crate::controls) fn failed_sign_ins(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P1)?;
    let administrators = top_administrators(tenant)?;
    for id in &administrators {
        tenant.knows_sign_ins_of(id)?;
    }
    let window = Window::before(tenant.now(), tenant.completion.activity_lookback_days);
    let failures = administrators.iter().map(|id| tenant.directory.failed_sign_ins(id, window));
    let attacked: Vec<u32> = failures.filter(|failures| *failures > MOST_FAILURES).collect();
    let days = tenant.completion.activity_lookback_days;
    secure_if(
        attacked.is_empty(),
        format!("No global administrator has more than {MOST_FAILURES} failed sign-ins in {days} days."),
        format!(
            "{} with more than {MOST_FAILURES} failed sign-ins in {days} days; the most: {}.",
            counted(attacked.len(), "global administrator"),
            attacked.iter().max().copied().unwrap_or_default()
        ),
    )
}
