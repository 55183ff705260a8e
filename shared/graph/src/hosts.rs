//! The hosts that are asked, and no others.

use std::net::IpAddr;

use hyper::Uri;

/// Addresses of the interfaces, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hosts {
    /// Microsoft Graph.
    pub graph: String,
    /// Where tokens are issued.
    pub login: String,
    /// DNS over HTTPS with JSON responses: the address that takes `?name=DOMAIN&type=TYPE`.
    pub names: String,
}

/// An address that is not used: neither HTTPS nor on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the address must begin with https://, or be on this machine")]
pub struct InsecureHost;

impl Default for Hosts {
    fn default() -> Self {
        Self {
            graph: "https://graph.microsoft.com".to_owned(),
            login: "https://login.microsoftonline.com".to_owned(),
            names: "https://dns.google/resolve".to_owned(),
        }
    }
}

impl Hosts {
    /// Returns the hosts of a stand-in at an address, such as `http://localhost:9001/local-graph`.
    ///
    /// # Errors
    /// If requests to the address could be read on their way.
    pub fn of_stand_in(address: &str) -> Result<Self, InsecureHost> {
        let address = address.trim_end_matches('/');
        let uri: Uri = address.parse().map_err(|_| InsecureHost)?;
        let secure = uri.scheme_str() == Some("https") || uri.host().is_some_and(is_this_machine);
        if !secure {
            return Err(InsecureHost);
        }
        Ok(Self { graph: address.to_owned(), login: address.to_owned(), names: format!("{address}/dns") })
    }

    /// Returns whether a link leads to the same host as Graph, by the same scheme and port, so that it may be sent a
    /// token.
    pub(crate) fn may_follow(&self, link: &str) -> bool {
        let parts = |text: &str| {
            let uri: Uri = text.parse().ok()?;
            Some((uri.scheme_str()?.to_owned(), uri.authority()?.as_str().to_ascii_lowercase(), uri.path().to_owned()))
        };
        let (Some(own), Some(link)) = (parts(&self.graph), parts(link)) else { return false };
        own.0 == link.0 && own.1 == link.1 && link.2.starts_with(&format!("{}/v1.0/", own.2.trim_end_matches('/')))
    }

    /// Returns whether a usage report may be downloaded from an address. It is sent no token.
    pub(crate) fn may_download(&self, address: &str) -> bool {
        let Ok(uri) = address.parse::<Uri>() else { return false };
        let (Some(host), Some(authority)) = (uri.host(), uri.authority()) else { return false };
        // `reports.office.com`, or the one of a region such as `reportsweu.office.com`.
        let region = host.strip_prefix("reports").and_then(|rest| rest.strip_suffix(".office.com"));
        let official = region.is_some_and(|region| region.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let plain = authority.as_str() == host;
        (uri.scheme_str() == Some("https") && official && plain) || self.may_follow(address)
    }
}

fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_to_the_same_host_are_followed() {
        let hosts = Hosts::default();
        assert!(hosts.may_follow("https://graph.microsoft.com/v1.0/users?$skiptoken=a"));
        assert!(hosts.may_follow("https://GRAPH.microsoft.com/v1.0/users"));
        for link in [
            "http://graph.microsoft.com/v1.0/users",
            "https://graph.microsoft.com:8443/v1.0/users",
            "https://graph.microsoft.com@evil.example/v1.0/users",
            "https://user@graph.microsoft.com/v1.0/users",
            "https://graph.microsoft.com.evil.example/v1.0/users",
            "https://graph.microsoft.com/beta/users",
            "//graph.microsoft.com/v1.0/users",
            "/v1.0/users",
            "",
        ] {
            assert!(!hosts.may_follow(link), "{link}");
        }
    }

    #[test]
    fn reports_are_downloaded_from_their_hosts_alone() {
        let hosts = Hosts::default();
        assert!(hosts.may_download("https://reports.office.com/data/download/a"));
        assert!(hosts.may_download("https://reportsweu.office.com/data/download/a"));
        for address in [
            "http://reports.office.com/data",
            "https://reports.office.com:8443/data",
            "https://reports.office.com.evil.example/data",
            "https://reports.evil.office.com/data",
            "https://evil.example/reports.office.com",
            "https://169.254.169.254/latest",
        ] {
            assert!(!hosts.may_download(address), "{address}");
        }
    }

    #[test]
    fn a_stand_in_without_tls_is_on_this_machine() {
        assert!(Hosts::of_stand_in("http://localhost:9001/local-graph").is_ok());
        assert!(Hosts::of_stand_in("http://[::1]:9001").is_ok());
        assert!(Hosts::of_stand_in("http://127.0.0.1:9001").is_ok());
        assert_eq!(Hosts::of_stand_in("http://graph.example"), Err(InsecureHost));
        assert_eq!(Hosts::of_stand_in("ftp"), Err(InsecureHost));
    }
}
