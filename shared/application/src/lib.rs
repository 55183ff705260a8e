//! The application that reads tenants, as the deployment describes it. No secret is kept: its key never leaves AWS's key
//! management, or AWS itself vouches for the function's role.

mod certificate;
mod key;
mod role;

use std::env;
use std::sync::Arc;

use aws_types::SdkConfig;
use graph::{Credential, Hosts, Https, Registered, Transport};
use store::{Timeouts, function_settings};

pub use certificate::{CertificateError, KeyCertificate};
pub use key::Key;
pub use role::Role;

/// Returns the application that the function's variables describe. `None` without one.
///
/// They are `GRAPH_CLIENT_ID`, `GRAPH_TENANT` if the tenant is known that it is registered in, and `GRAPH_KEY` with `GRAPH_KEY_THUMBPRINT` unless AWS vouches for it. `GRAPH_URL` names a
/// stand-in on this machine, for tests.
pub fn registered() -> Option<Registered> {
    let client_id = variable("GRAPH_CLIENT_ID");
    if client_id.is_empty() {
        return None;
    }
    let hosts = match variable("GRAPH_URL").as_str() {
        "" => Ok(Hosts::default()),
        address => Hosts::of_stand_in(address),
    };
    let hosts = hosts.inspect_err(|error| tracing::error!(%error, "GRAPH_URL cannot be used")).ok()?;
    let transport = Https::new().inspect_err(|error| tracing::error!(%error, "the system has no certificates")).ok()?;
    let transport: Arc<dyn Transport> = Arc::new(transport);
    let credential = credential(&function_settings(Timeouts::REGIONAL));
    let home = variable("GRAPH_TENANT").parse().ok();
    Some(Registered { client_id: client_id.into(), home, credential, transport, hosts })
}

fn credential(settings: &SdkConfig) -> Credential {
    match variable("GRAPH_KEY").as_str() {
        "" => Credential::Federated(Arc::new(Role::new(settings))),
        key => Credential::Key(Arc::new(Key::new(settings, key, &variable("GRAPH_KEY_THUMBPRINT")))),
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
