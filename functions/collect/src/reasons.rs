//! Why a request has no report, for its reader: what happened, then what to do.

use graph::{DELETED, TokenError, refusal};

/// The service has no application.
pub(crate) const NO_APPLICATION: &str =
    "The service has no application to read tenants with. Ask its operator to set one up.";
/// Work on the request was begun too often.
pub(crate) const GIVEN_UP: &str = "The tenant could not be collected after several attempts. Request a report again \
                                   later, and if that fails too, ask the service's operator for the reason.";
/// The tenant is gone.
pub(crate) const NO_TENANT: &str = "The tenant was removed.";
/// The snapshot has no run.
pub(crate) const NOTHING: &str = "The snapshot contains nothing to judge. Request a report again later.";

/// Returns why there is no access token. `None` if another attempt may succeed.
pub(crate) fn of_token(error: &TokenError) -> Option<String> {
    match error {
        TokenError::Refused { code } => Some(refusal(code)),
        TokenError::Deleted => Some(DELETED.to_owned()),
        TokenError::NotAccepted => Some("The access token was refused. Ask the service's operator.".to_owned()),
        TokenError::Unavailable(_) | TokenError::Unsigned(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_ends_the_request_and_a_failure_does_not() {
        let refused = TokenError::Refused { code: "AADSTS700016".to_owned() };
        assert_eq!(of_token(&refused), Some(refusal("AADSTS700016")));
        assert_eq!(of_token(&TokenError::Deleted).as_deref(), Some(DELETED));
        assert_eq!(of_token(&TokenError::Unavailable("500".to_owned())), None);
        assert_eq!(of_token(&TokenError::Unsigned("no key".to_owned())), None);
    }
}
