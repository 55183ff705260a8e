//! The service as its clients see it: requests and answers over the local gateway, the functions and the engine.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod functions;
mod gateway;
mod server;
mod support;
mod template;
