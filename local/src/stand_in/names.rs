//! DNS over HTTPS.

use serde_json::{Value, json};

use super::query::Query;
use super::reply::Reply;
use super::tenant::Tenant;

const TXT: u8 = 16;
const NO_ERROR: u8 = 0;
const NO_NAME: u8 = 3;
/// The name whose record every tenant includes.
const PROVIDER: &str = "spf.protection.example";

/// Responds to a query about a name of any tenant.
pub(super) fn respond<'a>(mut tenants: impl Iterator<Item = &'a Tenant>, query: &Query) -> Reply {
    let Some(name) = query.get("name").map(str::to_ascii_lowercase) else {
        return Reply::error(400, "BadRequest", "The parameter name is missing.");
    };
    let texts = tenants.find_map(|tenant| texts(tenant, &name));
    let question = json!([{ "name": format!("{name}."), "type": TXT }]);
    let flags = |status: u8| json!({ "Status": status, "TC": false, "RD": true, "RA": true, "AD": false, "CD": false });
    let mut body = flags(if texts.is_some() { NO_ERROR } else { NO_NAME });
    body["Question"] = question;
    if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
        let record = |text: &String| json!({ "name": format!("{name}."), "type": TXT, "TTL": 3600, "data": text });
        body["Answer"] = texts.iter().map(record).collect::<Vec<Value>>().into();
    }
    Reply::ok(body)
}

/// Returns the texts of a name if it is one of the tenant's.
fn texts(tenant: &Tenant, name: &str) -> Option<Vec<String>> {
    if let Some(recorded) = &tenant.recorded {
        return recorded.names.get(name).filter(|texts| !texts.is_empty()).cloned();
    }
    if name == PROVIDER {
        return Some(vec!["v=spf1 ip4:203.0.113.0/24 -all".to_owned()]);
    }
    let prefix = name.strip_suffix(&tenant.domain())?;
    let rest = if tenant.has("strict mail") { "-all" } else { "~all" };
    let policy = if tenant.has("rejected forgeries") { "reject" } else { "none" };
    let text = match prefix {
        "" => format!("v=spf1 include:{PROVIDER} {rest}"),
        "_dmarc." => format!("v=DMARC1; p={policy}; rua=mailto:dmarc@{}", tenant.domain()),
        "selector1._domainkey." if tenant.has("signed mail") => {
            "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOC".to_owned()
        }
        _ => return None,
    };
    Some(vec![text])
}
