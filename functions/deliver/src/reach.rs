//! The addresses that may be connected to: those of the public internet.
//!
//! Whoever adds a target chooses the address that the service calls, so it must not lead to anything that the service can
//! reach and others cannot: its own machine, its network, the metadata of the cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// The addresses that may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses.
    Public,
    /// Also this machine: where the service runs on the machine of its only user.
    AndThisMachine,
}

/// Blocks of IPv4 that are not public, of IANA's registry of special-purpose addresses.
const INNER_IPV4: [Ipv4Net; 15] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    // Multicast, and all that is reserved.
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];

/// The block of IPv6 that is in public use. Outside are the machine itself, local networks, and IPv4 addresses in other
/// forms: mapped, compatible and translated ones.
const PUBLIC_IPV6: Ipv6Net = v6(0x2000, 0, 0, 3);

/// Blocks within it that are not public, or lead to addresses of IPv4.
const INNER_IPV6: [Ipv6Net; 4] = [
    // Protocol assignments, with Teredo.
    v6(0x2001, 0, 0, 23),
    v6(0x2001, 0x0db8, 0, 32),
    // 6to4.
    v6(0x2002, 0, 0, 16),
    v6(0x3fff, 0, 0, 20),
];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(a: u16, b: u16, c: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

impl Reach {
    /// Returns whether an address may be connected to.
    pub fn contains(self, address: IpAddr) -> bool {
        let is_public = match address {
            IpAddr::V4(address) => !INNER_IPV4.iter().any(|block| block.contains(&address)),
            IpAddr::V6(address) => {
                PUBLIC_IPV6.contains(&address) && !INNER_IPV6.iter().any(|block| block.contains(&address))
            }
        };
        is_public || self == Self::AndThisMachine && address.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_reached() {
        for public in ["1.1.1.1", "93.184.215.14", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001::1"]
        {
            assert!(Reach::Public.contains(public.parse().unwrap()), "{public}");
        }
        // One of every block, and the last one of the larger ones.
        for inner in [
            "0.0.0.0",
            "10.255.255.255",
            "100.127.255.255",
            "127.255.255.255",
            "169.254.169.254",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.255.255",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:10.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff:fff::1",
            "fd00::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!Reach::Public.contains(inner.parse().unwrap()), "{inner}");
        }
        let this_machine = |address: &str| Reach::AndThisMachine.contains(address.parse().unwrap());
        assert!(this_machine("127.0.0.1") && this_machine("::1"));
        assert!(!this_machine("::ffff:127.0.0.1") && !this_machine("169.254.169.254") && !this_machine("10.0.0.1"));
    }
}
