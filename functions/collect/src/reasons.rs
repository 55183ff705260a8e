//! Why a request has no report, for its reader: what happened, then what to do.

use graph::TokenError;

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
///
/// The codes are those of Microsoft's page 'Microsoft Entra authentication and authorization error codes'.
pub(crate) fn of_token(error: &TokenError) -> Option<String> {
    let code = match error {
        TokenError::Refused { code } => code,
        TokenError::NotAccepted => return Some("The access token was refused. Ask the service's operator.".to_owned()),
        TokenError::Unavailable(_) | TokenError::Unsigned(_) => return None,
    };
    let reason = match code.as_str() {
        "AADSTS700016" | "AADSTS7000229" => {
            "The tenant is not connected: its administrator has not consented to the service's application, or has \
             removed it. Ask the administrator to consent, then request a report again"
        }
        "AADSTS90002" => {
            "Microsoft knows no tenant with this provider identifier. Check the identifier, and add the tenant with the \
             right one"
        }
        "AADSTS7000112" => {
            "An administrator of the tenant has disabled the service's application. Ask the administrator to enable \
             it, then request a report again"
        }
        "AADSTS53003" => {
            "Conditional access of the tenant blocks the service's application. Ask the tenant's administrator to \
             allow it, then request a report again"
        }
        "AADSTS700027" => {
            "The service cannot sign in: its certificate is not one of its application's. Ask the service's operator"
        }
        _ => {
            "Microsoft refused the sign-in of the service's application. Look the code up at \
             https://login.microsoftonline.com/error, or ask the service's operator"
        }
    };
    Some(format!("{reason} ({code})."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do_and_its_code() {
        for (code, what) in [
            ("AADSTS700016", "consent"),
            ("AADSTS7000229", "consent"),
            ("AADSTS90002", "identifier"),
            ("AADSTS7000112", "disabled"),
            ("AADSTS53003", "Conditional access"),
            ("AADSTS700027", "operator"),
            ("AADSTS50196", "https://login.microsoftonline.com/error"),
        ] {
            let reason = of_token(&TokenError::Refused { code: code.to_owned() }).unwrap();
            assert!(reason.contains(what) && reason.ends_with(&format!("({code}).")), "{reason}");
        }
        assert_eq!(of_token(&TokenError::Unavailable("500".to_owned())), None);
        assert_eq!(of_token(&TokenError::Unsigned("no key".to_owned())), None);
    }
}
