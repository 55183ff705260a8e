//! The domains of a tenant, and their keys.

use serde::Deserialize;

use crate::controls::conditional_access::few;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, secure_if};

/// Names of the keys that Exchange Online signs with.
const SELECTORS: [&str; 2] = ["selector1", "selector2"];

/// A domain, of `GET /domains`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Domain {
    id: String,
    is_verified: Option<bool>,
    is_root: Option<bool>,
    authentication_type: Option<String>,
    password_validity_period_in_days: Option<i64>,
    supported_services: Option<Vec<String>>,
}

impl Domain {
    pub(in crate::controls) fn name(&self) -> &str {
        &self.id
    }

    pub(in crate::controls) fn is_verified(&self) -> Option<bool> {
        self.is_verified
    }

    pub(in crate::controls) fn is_root(&self) -> Option<bool> {
        self.is_root
    }

    pub(in crate::controls) fn authentication_type(&self) -> Option<&str> {
        self.authentication_type.as_deref()
    }

    pub(in crate::controls) fn password_days(&self) -> Option<i64> {
        self.password_validity_period_in_days
    }

    /// Whether the domain belongs to the provider, who keeps its records.
    fn is_providers(&self) -> bool {
        self.id.to_ascii_lowercase().ends_with(".onmicrosoft.com")
    }
}

/// Returns the names of the tenant's own mail domains.
pub(super) fn mail_domains(tenant: &Tenant) -> Result<Vec<&str>, NotAssessed> {
    let mut names = Vec::new();
    for domain in tenant.rows(Source::Domains, &tenant.lists.domains)? {
        if domain.is_verified == Some(false) || domain.is_providers() {
            continue;
        }
        match &domain.supported_services {
            Some(services) if services.iter().any(|service| service == "Email") => names.push(domain.name()),
            Some(_) => {}
            None => return not_assessed("The domains were read without their services."),
        }
    }
    if names.is_empty() { not_assessed("The tenant has no mail domain of its own.") } else { Ok(names) }
}

/// Returns the result for all mail domains: the first reason if one is unknown and none fails.
///
/// `judge` returns why a domain does not meet the requirement, if it does not.
pub(super) fn every_domain(
    tenant: &Tenant,
    met: &str,
    judge: impl Fn(&str) -> Result<Option<String>, NotAssessed>,
) -> Judged {
    let domains = mail_domains(tenant)?;
    let mut failing = Vec::new();
    let mut unknown = None;
    for domain in &domains {
        match judge(domain) {
            Ok(Some(failure)) => failing.push(format!("{domain} {failure}")),
            Ok(None) => {}
            Err(reason) => drop(unknown.get_or_insert(reason)),
        }
    }
    match unknown {
        Some(reason) if failing.is_empty() => Err(reason),
        _ => {
            let names: Vec<String> = domains.iter().map(|domain| (*domain).to_owned()).collect();
            secure_if(failing.is_empty(), format!("{met}: {}.", few(&names)), format!("{}.", failing.join("; ")))
        }
    }
}

/// Mail is signed.
pub(in crate::controls) fn dkim(tenant: &Tenant) -> Judged {
    every_domain(tenant, "The keys that sign mail are published", |domain| {
        let mut unknown = None;
        for selector in SELECTORS {
            match tenant.texts_of(&format!("{selector}._domainkey.{domain}")) {
                Ok(texts) if texts.iter().any(|text| is_key(text)) => return Ok(None),
                Ok(_) => {}
                Err(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or(Ok(Some("has no key at the names that Exchange Online uses".to_owned())), Err)
    })
}

/// Returns whether a text is a key that is in use. An empty key was revoked.
fn is_key(text: &str) -> bool {
    let mut tags =
        text.split(';').filter_map(|tag| tag.split_once('=')).map(|(name, value)| (name.trim(), value.trim()));
    let version = tags.clone().find(|(name, _)| *name == "v");
    version.is_none_or(|(_, version)| version == "DKIM1") && tags.any(|(name, value)| name == "p" && !value.is_empty())
}
