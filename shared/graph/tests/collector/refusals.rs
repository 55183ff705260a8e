//! Tenants that refuse a part: what was refused is missing with its reason, and nothing else is.

use graph::{CollectError, TokenError};
use model::snapshot::endpoint;
use stand_in::{Consent, Plan, StandIn};

use crate::support::{Bench, id, tenant};

#[tokio::test(start_paused = true)]
async fn a_missing_permission_costs_its_endpoints() {
    let whole = Bench::new(vec![tenant(1, 20)]).run(&id(1)).await.bodies();
    for permission in StandIn::permissions() {
        let mut limited = tenant(1, 20);
        limited.withheld = [permission.to_owned()].into();
        let run = Bench::new(vec![limited]).run(&id(1)).await;
        let refused = run.refused();
        assert!(!refused.is_empty() && refused.values().all(|outcome| outcome == "403"), "{permission}: {refused:?}");
        for (key, bodies) in run.bodies() {
            // The filter of a log names the administrators and the days that a licence keeps, as far as they are known.
            let depends = [endpoint::SIGN_INS, endpoint::DIRECTORY_AUDITS].contains(&key.0.as_str());
            assert!(
                refused.contains_key(&key.0) || depends || whole.get(&key) == Some(&bodies),
                "{permission}: {key:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_missing_licence_is_told_from_a_missing_permission() {
    let refused = |plan: Plan| async move {
        let mut limited = tenant(1, 20);
        limited.plan = plan;
        limited.share_point = plan != Plan::Free;
        let run = Bench::new(vec![limited]).run(&id(1)).await;
        (run.refused(), run.completion.activity_lookback_days)
    };
    let of = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let privileged = [
        (endpoint::ROLE_ASSIGNMENT_INSTANCES, "400"),
        (endpoint::ROLE_ELIGIBILITY_INSTANCES, "400"),
        (endpoint::ROLE_POLICIES, "400"),
        (endpoint::RISKY_USERS, "403"),
    ];
    assert_eq!(refused(Plan::P1).await, (of(&privileged), 30));
    let logs = [(endpoint::REGISTRATIONS, "403"), (endpoint::SIGN_INS, "403"), (endpoint::SHAREPOINT_SETTINGS, "400")];
    // The audit log is kept for seven days without a licence.
    assert_eq!(refused(Plan::Free).await, (of(&[&privileged[..], &logs].concat()), 7));
}

#[tokio::test(start_paused = true)]
async fn without_consent_there_is_no_run() {
    let mut refusing = tenant(1, 20);
    refusing.consent = Consent::Missing;
    let error = Bench::new(vec![refusing]).try_run(&id(1)).await.err();
    assert_eq!(error, Some(CollectError::Token(TokenError::Refused { code: "AADSTS700016".to_owned() })));
}
