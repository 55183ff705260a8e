//! The service on one machine: the handlers of the functions behind a local gateway, on an embedded engine.
//!
//! It behaves as deployed. Routes, authorization, limits and the gateway's responses are read from the template that
//! the service is deployed with. Functions receive the same events and use the same protocol for their table.

#[cfg(feature = "pdf")]
mod documents;
mod engine;
mod folders;
mod functions;
mod gateway;
mod graph_server;
mod issuer;
mod loopback;
mod notifications;
mod openapi_3_0;
mod requests;
mod server;
mod site;
mod template;
mod uploads;

pub use engine::{Addresses, Engine, EngineError};
pub use functions::Functions;
pub use gateway::{Gateway, Limits, Uptime};
pub use issuer::{LOCAL_IDENTITIES, LocalPerson, PEOPLE};
pub use notifications::{Notifications, stream_of};
pub use server::{Service, Settings, StartError};
pub use stand_in;
pub use template::{TEMPLATE, TemplateError};
pub use uploads::Uploads;
pub use web::sign_in::Settings as SignInSettings;
