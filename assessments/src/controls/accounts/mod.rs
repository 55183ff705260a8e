//! Controls about accounts and the methods to sign in with.

mod methods;
mod passwords;
mod registration;
mod rows;
mod unused;

pub(super) use methods::{
    authenticator_context, interceptable_methods, method_migration, passkeys, registration_campaign, temporary_passes,
};
pub(super) use passwords::{banned_passwords, flag as settings_flag, lockout, password_expiry, setting as settings_of};
pub(super) use registration::{registered_members, risky_accounts_handled};
pub(super) use rows::{Account, AuthenticationRegistration, RiskyUser};
pub(super) use unused::{ActiveUsers, unused_accounts, unused_guests};
