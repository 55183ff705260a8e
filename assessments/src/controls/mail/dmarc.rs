//! DMARC: how receivers treat forged mail, and where they report it.

use std::collections::BTreeMap;

use super::domains::every_domain;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed};

/// Receivers reject forged mail.
pub(in crate::controls) fn dmarc(tenant: &Tenant) -> Judged {
    every_domain(tenant, "Receivers are asked to reject forged mail", |domain| {
        Ok(match policy(tenant, domain)? {
            Err(failure) => Some(failure),
            Ok(policy) => policy.weakness(),
        })
    })
}

/// Receivers report forged mail to somebody.
pub(in crate::controls) fn dmarc_reports(tenant: &Tenant) -> Judged {
    every_domain(tenant, "Receivers report forged mail", |domain| {
        Ok(match policy(tenant, domain)? {
            Err(failure) => Some(failure),
            Ok(policy) if policy.has_report_address() => None,
            Ok(_) => Some("names no address for reports".to_owned()),
        })
    })
}

/// Returns whether receivers reject all forged mail of a domain.
pub(super) fn rejects(tenant: &Tenant, domain: &str) -> Result<bool, NotAssessed> {
    Ok(policy(tenant, domain)?.is_ok_and(|policy| policy.weakness().is_none()))
}

/// The tags of a record.
struct Policy {
    tags: BTreeMap<String, String>,
    /// Whether the record is that of a domain above.
    is_inherited: bool,
}

/// Returns the policy of a domain: its own, else that of the domain above it. Returns what is wrong if there is none.
fn policy(tenant: &Tenant, domain: &str) -> Result<Result<Policy, String>, NotAssessed> {
    let mut above = domain;
    let is_root = tenant.lists.domains.get(&domain.to_ascii_lowercase()).is_some_and(|it| it.is_root() == Some(true));
    loop {
        // Above the tenant's own root, the domain of the organization may not be the tenant's, and may not be asked for.
        if !is_root || tenant.has_texts_of(&format!("_dmarc.{above}")) || above == domain {
            let texts = tenant.texts_of(&format!("_dmarc.{above}"))?;
            let mut records = texts.iter().filter_map(|text| tags_of(text));
            match (records.next(), records.next()) {
                (Some(tags), None) => return Ok(Ok(Policy { tags, is_inherited: above != domain })),
                (Some(_), Some(_)) => return Ok(Err("has more than one DMARC record".to_owned())),
                (None, _) => {}
            }
        }
        match above.split_once('.') {
            Some((_, parent)) if parent.contains('.') => above = parent,
            _ => return Ok(Err("has no DMARC record".to_owned())),
        }
    }
}

/// Returns the tags of a record. Returns `None` for other texts.
fn tags_of(text: &str) -> Option<BTreeMap<String, String>> {
    let mut tags = text.split(';').map(str::trim).filter(|tag| !tag.is_empty());
    let (name, version) = tags.next()?.split_once('=')?;
    if name.trim() != "v" || version.trim() != "DMARC1" {
        return None;
    }
    let mut found = BTreeMap::new();
    for tag in tags {
        if let Some((name, value)) = tag.split_once('=') {
            found.entry(name.trim().to_ascii_lowercase()).or_insert_with(|| value.trim().to_owned());
        }
    }
    Some(found)
}

impl Policy {
    fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// Returns why receivers do not reject all forged mail, if they do not.
    fn weakness(&self) -> Option<String> {
        let of_domain = self.tag("p").unwrap_or("none");
        let of_subdomains = self.tag("sp").unwrap_or(of_domain);
        let action = if self.is_inherited { of_subdomains } else { of_domain };
        let percent = self.tag("pct").map_or(Some(100), |percent| percent.parse::<u32>().ok());
        if !action.eq_ignore_ascii_case("reject") {
            Some(format!("asks receivers for {action} instead of reject"))
        } else if !of_subdomains.eq_ignore_ascii_case("reject") {
            Some(format!("asks receivers for {of_subdomains} of forged mail of subdomains"))
        } else {
            (percent != Some(100)).then(|| "asks receivers to reject a part of forged mail".to_owned())
        }
    }

    fn has_report_address(&self) -> bool {
        let addresses = self.tag("rua").unwrap_or_default().split(',').map(str::trim);
        addresses
            .into_iter()
            .any(|address| address.to_ascii_lowercase().starts_with("mailto:") && address.contains('@'))
    }
}
