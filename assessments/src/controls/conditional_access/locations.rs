//! Named locations.

use std::net::IpAddr;

use serde::Deserialize;

use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, not_assessed, secure_if};

/// Shortest prefixes of a trusted network: a /16 has 65,536 addresses, a /32 of version 6 is what a provider gets.
const SHORTEST_V4: u8 = 16;
const SHORTEST_V6: u8 = 32;

/// A named location, of `GET /identity/conditionalAccess/namedLocations`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct NamedLocation {
    display_name: Option<String>,
    is_trusted: Option<bool>,
    ip_ranges: Option<Vec<Range>>,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    cidr_address: String,
}

/// Trusted locations are networks of a reasonable size.
pub(in crate::controls) fn trusted_locations(tenant: &Tenant) -> Judged {
    let locations = tenant.rows(Source::NamedLocations, &tenant.lists.locations)?;
    let mut wide = Vec::new();
    let mut trusted = 0;
    for location in locations.filter(|location| location.is_trusted == Some(true)) {
        trusted += 1;
        let Some(ranges) = &location.ip_ranges else {
            return not_assessed("A trusted location has no readable network.");
        };
        for range in ranges {
            match is_wide(&range.cidr_address) {
                None => return not_assessed("A trusted location has no readable network."),
                Some(false) => {}
                Some(true) => wide.push(location.display_name.clone().unwrap_or_default()),
            }
        }
    }
    let none = "No location is trusted.".to_owned();
    secure_if(
        wide.is_empty(),
        if trusted == 0 { none } else { format!("No trusted network is large ({trusted} trusted locations).") },
        format!("Trusted, although they are very large: {}.", super::rules::few(&wide)),
    )
}

/// Returns whether a network has more addresses than one organization needs. Returns `None` if it is no network.
fn is_wide(network: &str) -> Option<bool> {
    let (address, prefix) = network.split_once('/')?;
    let prefix: u8 = prefix.parse().ok()?;
    Some(match address.parse().ok()? {
        IpAddr::V4(_) if prefix <= 32 => prefix < SHORTEST_V4,
        IpAddr::V6(_) if prefix <= 128 => prefix < SHORTEST_V6,
        _ => return None,
    })
}
