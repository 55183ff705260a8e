//! Collects a tenant's configuration from Microsoft Graph into a snapshot ([`model::snapshot`]), read-only.
//!
//! A [`Collector`] makes one exchange after the other: [`advance`](Collector::advance) returns responses, and leaves a
//! [`Position`] that can be stored and gone on from. What is asked is in `plan`, what later calls depend on in `facts`,
//! and how a call is made in `client`: with a token, in [`Pace`], again where that is of use, and within bounds.
//! An endpoint that fails costs what depends on it, and not the run.

mod call;
mod client;
mod clock;
mod collect;
mod consent;
mod exchange;
mod facts;
mod hosts;
mod https;
mod pace;
mod permissions;
mod plan;
mod position;
mod shape;
mod token;
mod transport;
mod writer;

pub use clock::Clock;
pub use collect::{CollectError, Collector};
pub use consent::{SignIn, may_consent};
pub use hosts::{Hosts, InsecureHost};
pub use https::Https;
pub use pace::{Pace, Service};
pub use permissions::{PERMISSIONS, Permission};
pub use position::Position;
pub use shape::Shape;
pub use token::{
    AccessToken, Application, Certificate, CertificateError, Credential, DELETED, GivenToken, Registered, Signer,
    TokenError, Tokens, Voucher, concerns_tenant, refusal,
};
pub use transport::{Body, Broken, Transport};
pub use writer::{SnapshotWriter, lines};
