//! The two visits of a tenant's administrator to Microsoft: to consent, then to sign in.
//!
//! The answer to the first is an address that anybody can type, and the tenant may have consented before, for somebody
//! else. Only the identity token of the second proves which tenant the person is of, and which roles they hold in it.

use form_urlencoded::Serializer;
use model::ProviderTenantId;

use crate::token::Registered;

/// Scope of the sign-in: who the person is, and nothing else.
pub(crate) const SIGN_IN_SCOPE: &str = "openid profile";

/// The roles whose holders may consent to permissions of an application on Microsoft Graph, by the identifiers of their
/// templates: Global Administrator and Privileged Role Administrator.
const CONSENTING_ROLES: [&str; 2] = ["62e90394-69f5-4237-9190-012177145e10", "e8611ab8-c189-46e8-94e1-60213ab1f814"];

/// Returns whether the holder of roles, by the identifiers of their templates, could consent for the whole tenant.
pub fn may_consent<'a>(roles: impl IntoIterator<Item = &'a str>) -> bool {
    roles.into_iter().any(|role| CONSENTING_ROLES.iter().any(|known| role.eq_ignore_ascii_case(known)))
}

/// The parameters of a sign-in.
#[derive(Clone, Copy)]
pub struct SignIn<'a> {
    /// The address that it returns to.
    pub redirect: &'a str,
    /// A text that it brings back.
    pub state: &'a str,
    /// A text that is in the identity token.
    pub nonce: &'a str,
    /// PKCE's challenge, by its method S256.
    pub challenge: &'a str,
}

impl Registered {
    /// Returns where an administrator of a tenant consents to all permissions of the application. The visit returns to
    /// `redirect`, and brings back `state`.
    pub fn consent_address(&self, tenant: &ProviderTenantId, redirect: &str, state: &str) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs([
            ("client_id", &*self.client_id),
            ("scope", "https://graph.microsoft.com/.default"),
            ("redirect_uri", redirect),
            ("state", state),
        ]);
        format!("{}/{tenant}/v2.0/adminconsent?{}", self.hosts.login, query.finish())
    }

    /// Returns where a person of a tenant signs in.
    pub fn sign_in_address(&self, tenant: &ProviderTenantId, sign_in: SignIn<'_>) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs([
            ("client_id", &*self.client_id),
            ("response_type", "code"),
            ("response_mode", "query"),
            ("redirect_uri", sign_in.redirect),
            ("scope", SIGN_IN_SCOPE),
            ("state", sign_in.state),
            ("nonce", sign_in.nonce),
            ("code_challenge", sign_in.challenge),
            ("code_challenge_method", "S256"),
        ]);
        format!("{}/{tenant}/oauth2/v2.0/authorize?{}", self.hosts.login, query.finish())
    }

    /// Returns the issuer of a tenant's identity tokens.
    pub fn issuer_of(&self, tenant: &ProviderTenantId) -> String {
        format!("{}/{tenant}/v2.0", self.hosts.login)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_member_and_a_lesser_administrator_may_not_consent() {
        // The role of every member, a Global Reader, and an Application Administrator, who cannot consent to Graph.
        let lesser = [
            "b79fbf4d-3ef9-4689-8143-76b194e85509",
            "f2ef992c-3afb-46b9-b7cf-a126ee74c451",
            "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",
        ];
        assert!(!may_consent(lesser) && !may_consent([]));
        for role in CONSENTING_ROLES {
            assert!(may_consent(lesser.into_iter().chain([role.to_uppercase().as_str()])));
        }
    }
}
