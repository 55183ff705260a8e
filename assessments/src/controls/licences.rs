//! The licences that a control depends on.

use serde::Deserialize;

/// A licence without which a control does not exist in a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Licence {
    /// Microsoft Entra ID P1, or P2, which contains it.
    P1,
    P2,
    Intune,
}

impl Licence {
    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::P1 => "Microsoft Entra ID P1",
            Self::P2 => "Microsoft Entra ID P2",
            Self::Intune => "Microsoft Intune",
        }
    }

    /// Returns the identifiers of the service plans that contain it.
    fn plans(self) -> &'static [&'static str] {
        const P1: &str = "41781fb2-bc02-4b7c-bd55-b576c07bb09d";
        const P2: &str = "eec0eb4f-6444-4f95-aba0-50c24d67f998";
        const INTUNE: &str = "c1ec4a95-1f05-45b3-a863-aa3fa01f5687";
        match self {
            Self::P1 => &[P1, P2],
            Self::P2 => &[P2],
            Self::Intune => &[INTUNE],
        }
    }
}

/// A subscription, of `GET /subscribedSkus`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subscription {
    capability_status: Option<String>,
    service_plans: Option<Vec<ServicePlan>>,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServicePlan {
    service_plan_id: String,
    provisioning_status: Option<String>,
}

impl Subscription {
    /// Returns whether the subscription has a licence. One in its grace period still has it.
    pub(super) fn has(&self, licence: Licence) -> bool {
        let is_active = matches!(self.capability_status.as_deref(), Some("Enabled" | "Warning"));
        let provides = |plan: &ServicePlan| {
            plan.provisioning_status.as_deref() == Some("Success")
                && licence.plans().iter().any(|id| plan.service_plan_id.eq_ignore_ascii_case(id))
        };
        is_active && self.service_plans.iter().flatten().any(provides)
    }
}
