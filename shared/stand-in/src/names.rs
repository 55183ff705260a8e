//! DNS over HTTPS.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::query::Query;
use super::reply::Reply;
use super::tenant::Tenant;

const TXT: u8 = 16;
const NO_ERROR: u8 = 0;
const NO_NAME: u8 = 3;
/// The name whose record every tenant includes.
const PROVIDER: &str = "spf.protection.example";

/// Texts of records, by their names.
pub(super) type Names = BTreeMap<String, Vec<String>>;

/// Returns the records of all tenants.
pub(super) fn of<'a>(tenants: impl Iterator<Item = &'a Tenant>) -> Names {
    let mut names: Names = [(PROVIDER.to_owned(), vec!["v=spf1 ip4:203.0.113.0/24 -all".to_owned()])].into();
    for tenant in tenants {
        match &tenant.recorded {
            Some(recorded) => names.extend(recorded.names.clone()),
            None => names.extend(invented(tenant).map(|(name, text)| (name, vec![text]))),
        }
    }
    names.retain(|_, texts| !texts.is_empty());
    names
}

fn invented(tenant: &Tenant) -> impl Iterator<Item = (String, String)> {
    let domain = tenant.domain();
    let rest = if tenant.has("strict mail") { "-all" } else { "~all" };
    let policy = if tenant.has("rejected forgeries") { "reject" } else { "none" };
    let key = (format!("selector1._domainkey.{domain}"), "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOC".to_owned());
    let always = [
        (format!("_dmarc.{domain}"), format!("v=DMARC1; p={policy}; rua=mailto:dmarc@{domain}")),
        (domain, format!("v=spf1 include:{PROVIDER} {rest}")),
    ];
    always.into_iter().chain(tenant.has("signed mail").then_some(key))
}

/// Responds to a query about a name of any tenant.
pub(super) fn respond(names: &Names, query: &Query) -> Reply {
    let Some(name) = query.get("name").map(str::to_ascii_lowercase) else {
        return Reply::error(400, "BadRequest", "The parameter name is missing.");
    };
    let texts = names.get(&name);
    let question = json!([{ "name": format!("{name}."), "type": TXT }]);
    let flags = |status: u8| json!({ "Status": status, "TC": false, "RD": true, "RA": true, "AD": false, "CD": false });
    let mut body = flags(if texts.is_some() { NO_ERROR } else { NO_NAME });
    body["Question"] = question;
    if let Some(texts) = texts {
        let record = |text: &String| json!({ "name": format!("{name}."), "type": TXT, "TTL": 3600, "data": text });
        body["Answer"] = texts.iter().map(record).collect::<Vec<Value>>().into();
    }
    Reply::ok(body)
}
