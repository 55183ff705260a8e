//! Questions to DNS about the domains that receive mail.

use serde_json::Value;

use super::{Facts, add};

/// Selectors that Exchange Online signs with.
const SELECTORS: [&str; 2] = ["selector1", "selector2"];
/// Most records that a sender policy may lead to, directly and through others.
const MOST_FOLLOWED: usize = 15;

impl Facts {
    pub(super) fn learn_domain(&mut self, domain: &Value) {
        let serves_mail = |services: &Vec<Value>| services.iter().any(|service| service.as_str() == Some("Email"));
        let for_mail = domain["supportedServices"].as_array().is_some_and(serves_mail);
        let name = domain["id"].as_str().and_then(host_name);
        let is_own = for_mail && domain["isVerified"].as_bool() != Some(false);
        // The provider keeps the records of the domains that it lends.
        let Some(name) = name.filter(|name| is_own && !name.ends_with(".onmicrosoft.com")) else { return };
        let mut ask = |name: String| add(&mut self.questions, Some(question(&name)));
        ask(name.clone());
        for selector in SELECTORS {
            ask(format!("{selector}._domainkey.{name}"));
        }
        // A domain without a policy of its own has that of the domain above it.
        let mut above = Some(name.as_str());
        while let Some(name) = above.filter(|name| name.contains('.')) {
            ask(format!("_dmarc.{name}"));
            above = name.split_once('.').map(|(_, rest)| rest);
        }
    }

    /// Returns the questions about records that a sender policy leads to.
    pub(super) fn learn_names(&mut self, query: &str, body: &Value) -> Vec<String> {
        let texts = body["Answer"].as_array().into_iter().flatten().filter_map(|answer| answer["data"].as_str());
        let policies = texts.map(|text| text.replace("\" \"", "").replace('"', "").to_ascii_lowercase());
        let mut followed = Vec::new();
        for policy in policies.filter(|text| text.starts_with("v=spf1")) {
            let targets = policy.split_ascii_whitespace().filter_map(|term| {
                term.trim_start_matches(['+', '-', '~', '?'])
                    .strip_prefix("include:")
                    .or(term.strip_prefix("redirect="))
            });
            followed.extend(targets.filter_map(host_name).map(|name| question(&name)));
        }
        followed.retain(|question| question != query && !self.questions.contains(question));
        followed.truncate(MOST_FOLLOWED);
        let before = self.questions.len();
        for question in followed {
            add(&mut self.questions, Some(question));
        }
        self.questions[before..].to_vec()
    }
}

fn question(name: &str) -> String {
    format!("name={name}&type=TXT")
}

/// Returns a name in lower case if it is one that can be asked for.
fn host_name(text: &str) -> Option<String> {
    let text = text.trim_end_matches('.').to_ascii_lowercase();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (!text.is_empty() && text.len() <= 253 && text.bytes().all(allowed)).then_some(text)
}

#[cfg(test)]
mod tests {
    use model::snapshot::endpoint;
    use serde_json::json;

    use super::*;

    fn learned(facts: &mut Facts, record: &str) -> Vec<String> {
        facts.learn(endpoint::DNS, "name=a.example&type=TXT", &json!({ "Answer": [{ "data": record }] }))
    }

    #[test]
    fn each_mail_domain_is_asked_about() {
        let mut facts = Facts::default();
        let domain = |id: &str, verified: bool, services: &[&str]| json!({ "id": id, "isVerified": verified, "supportedServices": services });
        let domains = [
            domain("Mail.A.example", true, &["Email"]),
            domain("b.example", false, &["Email"]),
            domain("c.example", true, &[]),
            domain("d.example&type=ANY", true, &["Email"]),
        ];
        assert_eq!(facts.learn(endpoint::DOMAINS, "", &json!({ "value": domains })), [""; 0]);
        let names = ["mail.a.example", "selector1._domainkey.mail.a.example", "selector2._domainkey.mail.a.example"];
        let policies = ["_dmarc.mail.a.example", "_dmarc.a.example"];
        assert_eq!(facts.questions, names.into_iter().chain(policies).map(question).collect::<Vec<_>>());
    }

    #[test]
    fn a_sender_policy_is_followed_once() {
        let mut facts = Facts::default();
        let record = "\"v=spf1 include:b.example ~include:c.example redirect=d.exa\" \"mple -all\"";
        let expected = ["b.example", "c.example", "d.example"].map(question);
        assert_eq!(learned(&mut facts, record), expected);
        assert_eq!(learned(&mut facts, record), [""; 0]);
        assert_eq!(learned(&mut facts, "v=spf1 include:%{i}._spf.example include:a.example"), [""; 0]);
        assert_eq!(learned(&mut facts, "google-site-verification=x"), [""; 0]);
    }
}
