//! Cookies: for this host alone, unseen by scripts, and not sent with forms of other sites.

use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};

/// The cookies of a dashboard.
///
/// Over TLS they are `Secure`, and their names begin with `__Host-`, so that no other host can set them. On a laptop
/// there is no TLS, and not every browser stores such cookies from `http://localhost`.
#[derive(Debug, Clone, Copy)]
pub struct Cookies {
    over_tls: bool,
}

impl Cookies {
    /// Returns the cookies of the dashboard at an address.
    pub fn at(address: &str) -> Self {
        Self { over_tls: !address.starts_with("http://") }
    }

    /// Returns the value of a cookie that a request carries.
    pub fn value(self, headers: &HeaderMap, name: &str) -> Option<String> {
        CookieJar::from_headers(headers).get(&self.full_name(name)).map(|cookie| cookie.value().to_owned())
    }

    /// Returns a cookie that lasts until the browser is closed.
    pub fn cookie(self, name: &str, value: String) -> Cookie<'static> {
        let cookie = Cookie::build((self.full_name(name), value)).path("/").http_only(true).same_site(SameSite::Lax);
        cookie.secure(self.over_tls).build()
    }

    /// Returns a cookie that removes the one of this name.
    pub fn removal(self, name: &str) -> Cookie<'static> {
        let mut cookie = self.cookie(name, String::new());
        cookie.make_removal();
        cookie
    }

    fn full_name(self, name: &str) -> String {
        if self.over_tls { format!("__Host-{name}") } else { name.to_owned() }
    }
}
