//! The service on one machine: the functions' own handlers behind a stand-in for API Gateway, on an embedded engine.
//!
//! What is tried here is what is deployed. Routes, authorization, limits and the gateway's own answers are read from
//! the template that the service is deployed with; functions get the same events and speak the same protocol to their
//! table.

mod engine;
mod functions;
mod gateway;
mod loopback;
mod server;
mod site;
mod template;

pub use engine::{Engine, EngineError};
pub use functions::Functions;
pub use gateway::{Gateway, Limits, Uptime};
pub use server::{Service, Settings, StartError};
pub use template::{TEMPLATE, TemplateError};
