//! Content negotiation (RFC 9110, section 12.5.3).

/// Content coding of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// One gzip member.
    Gzip,
    /// The plain JSON text.
    Identity,
}

impl Encoding {
    /// Returns the coding for an `Accept-Encoding` header: gzip if the client accepts it, because that is what is
    /// stored.
    ///
    /// A header that refuses every coding gets plain text nevertheless, which is better than a refusal.
    pub fn accepted(header: Option<&str>) -> Self {
        let weight = |coding: &str| {
            header
                .into_iter()
                .flat_map(|list| list.split(','))
                .filter_map(preference)
                .find(|(name, _)| name.eq_ignore_ascii_case(coding))
        };
        match weight("gzip").or_else(|| weight("x-gzip")).or_else(|| weight("*")) {
            Some((_, quality)) if quality > 0.0 => Self::Gzip,
            _ => Self::Identity,
        }
    }
}

/// Returns a coding and its quality, or `None` if the quality is not a number.
fn preference(entry: &str) -> Option<(&str, f32)> {
    let (coding, parameters) = entry.split_once(';').unwrap_or((entry, ""));
    let quality = match parameters.trim().split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => value.trim().parse().ok()?,
        _ => 1.0,
    };
    Some((coding.trim(), quality))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_whoever_accepts_it() {
        for header in
            ["gzip", "deflate, GZIP;q=0.1, br", "*", "x-gzip", "identity;q=0.5, *;q=0.2", "gzip ; q = 1", "gzip;v=0"]
        {
            assert_eq!(Encoding::accepted(Some(header)), Encoding::Gzip, "{header:?}");
        }
        for header in ["", "identity", "gzip;q=0", "gzip;q=0.000, *", "br, deflate", "*;q=0", "gzip;q=x"] {
            assert_eq!(Encoding::accepted(Some(header)), Encoding::Identity, "{header:?}");
        }
        assert_eq!(Encoding::accepted(None), Encoding::Identity);
    }
}
