//! What every handler works with.

use std::fmt;
use std::sync::Arc;

use api::{App, Clock};
use model::Timestamp;
use store::Store;

use crate::sign_in::{Issuer, Settings};

/// The dashboard's parts; made once and cheap to clone.
#[derive(Clone)]
pub struct Dashboard {
    pub(crate) store: Store,
    /// Its own address, without a slash at its end.
    pub(crate) address: Arc<str>,
    /// Base address of the API, for the commands that a new key is shown with.
    pub(crate) api_url: Arc<str>,
    pub(crate) issuer: Arc<Issuer>,
    clock: Clock,
}

impl Dashboard {
    /// The dashboard on an application's table, with the issuer that signs its people in.
    pub fn new(app: App, api_url: &str, sign_in: Settings) -> Self {
        let issuer = Arc::new(Issuer::new(sign_in));
        Self { store: app.store, address: app.dashboard_url, api_url: api_url.into(), issuer, clock: app.clock }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)().try_into().expect("the clock is within the years 0 to 9999")
    }
}

impl fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard").field("address", &self.address).finish_non_exhaustive()
    }
}
