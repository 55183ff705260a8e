//! Which servers may send mail for a domain.

use super::dmarc::rejects;
use super::domains::every_domain;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed};

/// Most look-ups that a record may need.
const MOST_LOOKUPS: usize = 10;

/// How a record treats servers that it does not name.
enum Rest {
    Fail,
    SoftFail,
    Pass,
}

/// Every mail domain says which servers may send for it, and that no others may.
pub(in crate::controls) fn spf(tenant: &Tenant) -> Judged {
    every_domain(tenant, "Records say which servers may send mail", |domain| {
        let mut lookups = 0;
        match rest(tenant, domain, &mut lookups)? {
            Err(failure) => Ok(Some(failure)),
            Ok(_) if lookups > MOST_LOOKUPS => Ok(Some("needs more look-ups than are allowed".to_owned())),
            Ok(Rest::Fail) => Ok(None),
            // A policy that rejects mail without a valid signature leaves nothing to the softer rule.
            Ok(Rest::SoftFail) if rejects(tenant, domain)? => Ok(None),
            Ok(Rest::SoftFail) => Ok(Some("accepts other servers with a mark (~all)".to_owned())),
            Ok(Rest::Pass) => Ok(Some("accepts any server".to_owned())),
        }
    })
}

/// Returns how a domain's record treats other servers, or what is wrong with it. Counts the look-ups.
fn rest(tenant: &Tenant, domain: &str, lookups: &mut usize) -> Result<Result<Rest, String>, NotAssessed> {
    let texts = tenant.texts_of(domain)?;
    let mut records = texts.iter().filter(|text| is_spf(text));
    let (Some(record), more) = (records.next(), records.next()) else {
        return Ok(Err("has no SPF record".to_owned()));
    };
    if more.is_some() {
        return Ok(Err("has more than one SPF record".to_owned()));
    }
    let terms = record.split_whitespace().skip(1).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    for term in &terms {
        let name = term.trim_start_matches(['+', '-', '~', '?']);
        let is = |mechanism: &str| {
            name == mechanism
                || name.starts_with(&format!("{mechanism}:"))
                || name.starts_with(&format!("{mechanism}/"))
        };
        if let Some(included) = name.strip_prefix("include:") {
            *lookups += 1;
            count_lookups(tenant, included, lookups)?;
        } else {
            *lookups += usize::from(["a", "mx", "ptr", "exists"].iter().any(|mechanism| is(mechanism)));
        }
    }
    match terms.iter().find(|term| term.ends_with("all") && term.len() <= 4).map(String::as_str) {
        Some("-all") => Ok(Ok(Rest::Fail)),
        Some("~all") => Ok(Ok(Rest::SoftFail)),
        Some(_) => Ok(Ok(Rest::Pass)),
        None => match terms.iter().find_map(|term| term.strip_prefix("redirect=")) {
            Some(_) if *lookups > MOST_LOOKUPS => Ok(Ok(Rest::Fail)),
            Some(other) => {
                *lookups += 1;
                rest(tenant, other, lookups)
            }
            None => Ok(Ok(Rest::Pass)),
        },
    }
}

/// Adds the look-ups of an included record. A record that is not in the snapshot counts as one without further ones.
fn count_lookups(tenant: &Tenant, domain: &str, lookups: &mut usize) -> Result<(), NotAssessed> {
    if *lookups > MOST_LOOKUPS || !tenant.has_texts_of(domain) {
        return Ok(());
    }
    match rest(tenant, domain, lookups)? {
        Ok(_) => Ok(()),
        Err(failure) => not_assessed(format!("The included record of {domain} {failure}.")),
    }
}

fn is_spf(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(|version| version.eq_ignore_ascii_case("v=spf1"))
}
