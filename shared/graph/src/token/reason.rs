//! Refusals of the application, for people: what happened, then what to do.
//!
//! The codes are those of Microsoft's page 'Microsoft Entra authentication and authorization error codes'.

/// Codes that concern the application's own credential, whichever tenant is asked.
const OF_CREDENTIAL: [&str; 7] =
    ["AADSTS700027", "AADSTS70021", "AADSTS700211", "AADSTS700212", "AADSTS700213", "AADSTS7000215", "AADSTS7000222"];

/// The application is deleted.
pub const DELETED: &str = "The service's application does not exist any more: the tenant that it was registered in does \
                           not know it (AADSTS700016). Ask the service's operator. Nothing has to be done in this tenant.";

/// Returns whether a refusal says something about the tenant, and not about the application's own credential.
pub fn concerns_tenant(code: &str) -> bool {
    !OF_CREDENTIAL.contains(&code)
}

/// Returns why the application was refused, and what to do, with the code.
pub fn refusal(code: &str) -> String {
    let reason = match code {
        "AADSTS700016" | "AADSTS7000229" => {
            "The tenant does not let the service in: its administrator has not consented to the service's application, or \
             has removed it. Connect the tenant again. If Microsoft then knows no such application, the service's \
             operator has deleted it"
        }
        "AADSTS90002" => {
            "Microsoft knows no tenant with this provider identifier. Check the identifier, and add the tenant with the \
             right one"
        }
        "AADSTS7000112" => {
            "An administrator of the tenant has disabled the service's application. Ask the administrator to enable \
             it in the enterprise applications of the tenant"
        }
        "AADSTS53003" => {
            "Conditional access of the tenant blocks the service's application. Ask the tenant's administrator to \
             allow it"
        }
        "AADSTS700027" => {
            "The service cannot sign in: its certificate is not one of its application's. Ask the service's operator"
        }
        "AADSTS70021" | "AADSTS700211" | "AADSTS700212" | "AADSTS700213" => {
            "The service cannot sign in: its application does not trust it, or does not do so everywhere yet. Try again \
             in a few minutes, then ask the service's operator"
        }
        _ => {
            "Microsoft refused the sign-in of the service's application. Look the code up at \
             https://login.microsoftonline.com/error, or ask the service's operator"
        }
    };
    format!("{reason} ({code}).")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do_and_its_code() {
        for (code, what, of_tenant) in [
            ("AADSTS700016", "Connect the tenant again", true),
            ("AADSTS7000229", "Connect the tenant again", true),
            ("AADSTS90002", "identifier", true),
            ("AADSTS7000112", "disabled", true),
            ("AADSTS53003", "Conditional access", true),
            ("AADSTS700027", "operator", false),
            ("AADSTS70021", "in a few minutes", false),
            ("AADSTS50196", "https://login.microsoftonline.com/error", true),
        ] {
            let reason = refusal(code);
            assert!(reason.contains(what) && reason.ends_with(&format!("({code}).")), "{reason}");
            assert_eq!(concerns_tenant(code), of_tenant, "{code}");
        }
    }
}
