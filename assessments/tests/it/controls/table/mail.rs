//! Mail.

use model::Status::{NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::{Case, domain};
use crate::controls::snapshot::{Snapshot, dns};

pub(super) fn cases() -> Vec<Case> {
    const APP: &str = "2026-04-29,two@example.com,False,2026-04-28,Yes,,,30";
    let spf = |record: &str| texts("example.com", &[record]);
    let dmarc = |record: &str| texts("_dmarc.example.com", &[record]);
    let subdomain = || {
        let domain = domain("sub.example.com", "isRoot", json!(false));
        let snapshot =
            Snapshot::secure().add(at::DOMAINS, domain).put(at::DOMAINS, "value/1/supportedServices", json!(["Email"]));
        dns(snapshot, "_dmarc.sub.example.com", &[])
    };
    let report = format!("{}period='D30')", at::MAIL_APPS_REPORT);
    vec![
        ("spr.ex.1", "soft, and mail is rejected", spf("v=spf1 ~all"), Secure),
        (
            "spr.ex.1",
            "soft alone",
            texts("_dmarc.example.com", &[])
                .without_query(at::DNS, "name=example.com&type=TXT")
                .with_texts("example.com", &["v=spf1 ~all"]),
            Open,
        ),
        ("spr.ex.1", "any server", spf("v=spf1 +all"), Open),
        ("spr.ex.1", "no end", spf("v=spf1 a"), Open),
        ("spr.ex.1", "no record", texts("example.com", &["other=1"]), Open),
        ("spr.ex.1", "no such name", answer("example.com", json!({ "Status": 3 })), Open),
        ("spr.ex.1", "two records", texts("example.com", &["v=spf1 -all", "v=spf1 a -all"]), Open),
        ("spr.ex.1", "the servers failed", answer("example.com", json!({ "Status": 2 })), NotAssessed),
        ("spr.ex.1", "cut off", answer("example.com", json!({ "Status": 0, "TC": true })), NotAssessed),
        ("spr.ex.1", "not asked", Snapshot::secure().without_query(at::DNS, "name=example.com&type=TXT"), NotAssessed),
        ("spr.ex.1", "eleven look-ups", spf("v=spf1 a mx ptr exists:a.b a:b a:c a:d a:e a:f a:g a:h -all"), Open),
        (
            "spr.ex.1",
            "another domain's record",
            spf("v=spf1 redirect=spf.example.net").with_texts("spf.example.net", &["v=spf1 -all"]),
            Secure,
        ),
        ("spr.ex.1", "another domain's record, not asked", spf("v=spf1 redirect=spf.example.net"), NotAssessed),
        ("spr.ex.1", "a record that leads to itself", spf("v=spf1 redirect=example.com"), Open),
        (
            "spr.ex.1",
            "no mail domain",
            Snapshot::secure().put(at::DOMAINS, "value/0/supportedServices", json!([])),
            NotAssessed,
        ),
        (
            "spr.ex.2",
            "the second key",
            texts("selector1._domainkey.example.com", &[])
                .without_query(at::DNS, "name=selector2._domainkey.example.com&type=TXT")
                .with_texts("selector2._domainkey.example.com", &["v=DKIM1; p=MIIB"]),
            Secure,
        ),
        ("spr.ex.2", "no key", texts("selector1._domainkey.example.com", &[]), Open),
        ("spr.ex.2", "a revoked key", texts("selector1._domainkey.example.com", &["v=DKIM1; p="]), Open),
        (
            "spr.ex.2",
            "the servers failed",
            answer("selector1._domainkey.example.com", json!({ "Status": 2 })),
            NotAssessed,
        ),
        ("spr.ex.3", "quarantine", dmarc("v=DMARC1; p=quarantine"), Open),
        ("spr.ex.3", "for a part", dmarc("v=DMARC1; p=reject; pct=50"), Open),
        ("spr.ex.3", "not for subdomains", dmarc("v=DMARC1; p=reject; sp=none"), Open),
        ("spr.ex.3", "another version", dmarc("v=DMARC2; p=reject"), Open),
        ("spr.ex.3", "no record", texts("_dmarc.example.com", &[]), Open),
        ("spr.ex.3", "inherited", subdomain(), Secure),
        (
            "spr.ex.3",
            "not asked",
            Snapshot::secure().without_query(at::DNS, "name=_dmarc.example.com&type=TXT"),
            NotAssessed,
        ),
        ("spr.ex.4", "no address", dmarc("v=DMARC1; p=reject"), Open),
        ("spr.ex.4", "not a mail address", dmarc("v=DMARC1; p=reject; rua=https://example.com"), Open),
        ("spr.ex.4", "the servers failed", answer("_dmarc.example.com", json!({ "Status": 2 })), NotAssessed),
        (
            "spr.ex.5",
            "one user",
            Snapshot::secure().change(&report, |lines| lines.as_array_mut().unwrap().push(json!(APP))),
            Open,
        ),
        (
            "spr.ex.5",
            "no rows",
            Snapshot::secure().change(&report, |lines| drop(lines.as_array_mut().unwrap().pop())),
            NotAssessed,
        ),
        (
            "spr.ex.5",
            "not a table",
            Snapshot::secure().change(&report, |lines| *lines = json!(["<html>"])),
            NotAssessed,
        ),
        ("spr.ex.5", "no permission", Snapshot::secure().failing(&report, 403, ""), NotAssessed),
    ]
}

/// Returns the tenant with other texts at a name.
fn texts(name: &str, texts: &[&str]) -> Snapshot {
    dns(Snapshot::secure().without_query(at::DNS, &format!("name={name}&type=TXT")), name, texts)
}

fn answer(name: &str, body: Value) -> Snapshot {
    let query = format!("name={name}&type=TXT");
    Snapshot::secure().without_query(at::DNS, &query).with_query(at::DNS, &query, body)
}
