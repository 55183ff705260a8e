//! Reports: comparison with an earlier one, score and grade, top risks, administrators, times.

use assessments::{AdminReview, Administrator, NoReport, NothingAssessed, Run, assemble, rescore};
use model::{Baseline, Grade, MfaEnforcement, MfaMethod, ReportType, Severity, Status};
use serde_json::json;

use crate::support::{baseline_id, check, report, report_of, results, row, run, settings, status};

#[test]
fn a_baseline_compares_with_nothing() {
    let report = report_of(&[row("MS.AAD.1.1v1", "Pass"), row("MS.AAD.2.1v1", "Fail")], None);
    let body = &report.body;
    assert_eq!(body.figures.report_type, ReportType::Baseline);
    assert_eq!((&body.figures.baseline, body.figures.previous_score, body.figures.previous_grade), (&None, None, None));
    assert_eq!(body.global_admins.previous_count, None);
    assert!(body.checks.iter().all(|check| check.previous_state.is_none()));
}

#[test]
fn a_follow_up_names_its_baseline() {
    let baseline = report_of(&[row("MS.AAD.1.1v1", "Pass")], None);
    let follow_up = report_of(&[row("MS.AAD.1.1v1", "Fail")], Some(&baseline)).body;
    assert_eq!(follow_up.figures.report_type, ReportType::FollowUp);
    let completed_at = Some(baseline.body.figures.completed_at);
    assert_eq!(follow_up.figures.baseline, Some(Baseline { id: baseline_id(), score: Some(100), completed_at }));
    assert_eq!((follow_up.figures.previous_score, follow_up.figures.previous_grade), (Some(100), Some(Grade::A)));
    assert_eq!(follow_up.global_admins.previous_count, Some(0));
}

#[test]
fn fixed_and_drifted_follow_from_both_results() {
    for (then, now, expected) in [
        ("Fail", "Pass", Status::Fixed),
        ("Pass", "Fail", Status::Drifted),
        ("Pass", "Pass", Status::Secure),
        ("Fail", "Fail", Status::Open),
        ("N/A", "Pass", Status::Secure),
        ("N/A", "Fail", Status::Open),
        ("Pass", "N/A", Status::NotAssessed),
        ("Fail", "N/A", Status::NotAssessed),
    ] {
        let rows = |result| [row("MS.AAD.1.1v1", result), row("MS.AAD.2.1v1", "Pass")];
        let baseline = report_of(&rows(then), None);
        let follow_up = report_of(&rows(now), Some(&baseline));
        let check = check(&follow_up, "MS.AAD.1.1");
        assert_eq!(check.status, expected, "{then} then, {now} now");
        let changed = matches!(expected, Status::Fixed | Status::Drifted);
        let previous = changed.then(|| format!("MS.AAD.1.1v1 was {then}."));
        assert_eq!(check.previous_state, previous, "{then} then, {now} now");
    }
}

#[test]
fn a_later_follow_up_takes_fixed_for_secure_and_drifted_for_a_gap() {
    let first = report_of(&[row("MS.AAD.1.1v1", "Fail"), row("MS.AAD.2.1v1", "Pass")], None);
    let changed = [row("MS.AAD.1.1v1", "Pass"), row("MS.AAD.2.1v1", "Fail")];
    let second = report_of(&changed, Some(&first));
    assert_eq!(status(&second, "MS.AAD.1.1"), Status::Fixed);
    assert_eq!(status(&second, "MS.AAD.2.1"), Status::Drifted);

    let third = report_of(&changed, Some(&second));
    assert_eq!(status(&third, "MS.AAD.1.1"), Status::Secure);
    assert_eq!(status(&third, "MS.AAD.2.1"), Status::Open);

    let back = report_of(&[row("MS.AAD.1.1v1", "Fail"), row("MS.AAD.2.1v1", "Pass")], Some(&second));
    assert_eq!(status(&back, "MS.AAD.1.1"), Status::Drifted);
    assert_eq!(status(&back, "MS.AAD.2.1"), Status::Fixed);
}

#[test]
fn results_of_different_revisions_are_not_compared() {
    let baseline = report_of(&[row("MS.AAD.3.2v1", "Fail"), row("MS.EXO.2.2v2", "Fail")], None);
    assert_eq!(serde_json::to_value(&baseline.revisions).unwrap(), json!({ "MS.EXO.2.2": 2 }));
    let follow_up = report_of(&[row("MS.AAD.3.2v2", "Pass"), row("MS.EXO.2.2v2", "Pass")], Some(&baseline));
    assert_eq!(status(&follow_up, "MS.AAD.3.2"), Status::Secure);
    assert_eq!(status(&follow_up, "MS.EXO.2.2"), Status::Fixed);
}

#[test]
fn a_moved_control_is_compared_with_what_it_was() {
    let baseline = report_of(&[row("MS.EXO.12.1v1", "Fail"), row("MS.EXO.14.3v1", "Fail")], None);
    let rows = [row("MS.SECURITYSUITE.8.1v1", "Pass"), row("MS.SECURITYSUITE.6.2v1", "Pass")];
    let follow_up = report_of(&rows, Some(&baseline));
    assert_eq!(status(&follow_up, "MS.SECURITYSUITE.8.1"), Status::Fixed);
    assert_eq!(status(&follow_up, "MS.SECURITYSUITE.6.2"), Status::Secure, "the second revision moved, not the first");
}

#[test]
fn checks_are_in_report_order() {
    let ids = ["MS.EXO.10.1v1", "MS.EXO.9.1v2", "MS.AAD.7.1v1", "MS.TEAMS.1.2v2", "MS.AAD.6.1v1", "MS.AAD.1.1v1"];
    let report = report_of(&ids.map(|id| row(id, "Pass")), None);
    let order: Vec<_> = report.body.checks.iter().map(|check| check.control_id.as_str()).collect();
    assert_eq!(order, ["MS.AAD.1.1", "MS.AAD.6.1", "MS.AAD.7.1", "MS.TEAMS.1.2", "MS.EXO.9.1", "MS.EXO.10.1"]);
}

#[test]
fn the_score_weighs_by_severity_and_rounds_down() {
    // Critical 4, high 3, low 1.
    let rows =
        |critical, high, low| [row("MS.AAD.1.1v1", critical), row("MS.AAD.2.1v1", high), row("MS.AAD.6.1v1", low)];
    for (results, score, grade) in [
        (("Pass", "Pass", "Pass"), 100, Grade::A),
        (("Pass", "Pass", "Fail"), 87, Grade::B),
        (("Pass", "Fail", "Pass"), 62, Grade::D),
        (("Fail", "Pass", "Pass"), 50, Grade::F),
        (("Pass", "Fail", "N/A"), 57, Grade::F),
        (("N/A", "Pass", "Fail"), 75, Grade::C),
        (("Fail", "Fail", "Fail"), 0, Grade::F),
    ] {
        let body = report_of(&rows(results.0, results.1, results.2), None).body;
        assert_eq!((body.figures.score, body.figures.grade), (score, grade), "{results:?}");
    }
}

#[test]
fn a_run_that_assessed_nothing_makes_no_report() {
    for (rows, reason) in [
        (vec![], NoReport::NoRows),
        (vec![row("MS.AAD.1.1v1", "N/A")], NoReport::AllSkipped(1)),
        (vec![row("MS.AAD.1.1v1", "Perhaps")], NoReport::UnknownResults(1)),
        (vec![json!("@{Control ID=MS.AAD.1.1v1}")], NoReport::AllUnreadable(1)),
    ] {
        assert_eq!(assemble(&run(&results(&rows)), &settings()).err(), Some(reason));
    }
}

#[test]
fn top_risks_are_the_failing_controls_by_likelihood_and_impact() {
    let failing = [
        "MS.AAD.6.1v1", // low, likelihood 2
        "MS.AAD.2.1v1", // high, 4
        "MS.AAD.1.1v1", // critical, 5
        "MS.AAD.3.6v1", // critical, 4
        "MS.AAD.2.3v1", // high, 4
        "MS.EXO.4.2v1", // high, 4
    ];
    let mut rows: Vec<_> = failing.iter().map(|id| row(id, "Fail")).collect();
    rows.extend([row("MS.AAD.3.1v1", "Pass"), row("MS.AAD.3.2v2", "N/A")]);
    let mut baseline_rows = rows.clone();
    baseline_rows[5]["Result"] = json!("Pass");
    rows[1]["ResolutionDate"] = json!("2026-03-31");

    let body = report_of(&rows, Some(&report_of(&baseline_rows, None))).body;
    let ranked: Vec<_> = body.top_risks.iter().map(|risk| (risk.control_id.as_str(), risk.status)).collect();
    assert_eq!(
        ranked,
        [
            ("MS.AAD.1.1", Status::Open),
            ("MS.AAD.3.6", Status::Open),
            ("MS.EXO.4.2", Status::Drifted),
            ("MS.AAD.2.3", Status::Open),
            ("MS.AAD.2.1", Status::InProgress),
        ]
    );
}

#[test]
fn rescoring_follows_an_edit() {
    let mut body = report_of(&[row("MS.AAD.1.1v1", "Fail"), row("MS.AAD.2.1v1", "Pass")], None).body;
    let before = body.clone();
    rescore(&mut body).unwrap();
    assert_eq!(body, before, "rescoring without an edit changes nothing");

    body.checks[0].status = Status::Secure;
    body.checks[1].status = Status::Open;
    body.checks[1].severity = Some(Severity::Low);
    rescore(&mut body).unwrap();
    assert_eq!((body.figures.score, body.figures.grade), (80, Grade::B));
    assert_eq!((body.figures.controls.secure, body.figures.controls.open), (1, 1));
    assert_eq!(body.top_risks.len(), 1);
    assert_eq!(body.top_risks[0].severity, Some(Severity::Low));

    let edited = body.clone();
    body.checks.iter_mut().for_each(|check| check.status = Status::NotAssessed);
    assert_eq!(rescore(&mut body), Err(NothingAssessed));
    assert_eq!(body.figures.score, edited.figures.score, "an error leaves the figures as they were");
}

#[test]
fn times_and_window_come_from_the_file_if_it_contains_them() {
    let run = run(&results(&[row("MS.AAD.1.1v1", "Pass")]));
    let body = report(&run, None).body;
    assert_eq!((Some(body.figures.created_at), Some(body.figures.completed_at)), (run.started, run.completed));
    assert_eq!(body.figures.activity_lookback_days, 30);

    let mut untold = Run { started: None, completed: None, lookback_days: Some(14), ..run };
    assert!(matches!(assemble(&untold, &settings()), Err(NoReport::TimeUnknown { .. })));
    let given = "2026-03-04T00:00:00Z".parse().unwrap();
    untold.complete_at(given);
    let body = report(&untold, None).body;
    assert_eq!((body.figures.created_at, body.figures.completed_at), (given, given));
    assert_eq!(body.figures.activity_lookback_days, 14);

    let named = assessments::Settings { lookback_days: Some(7), ..settings() };
    assert_eq!(assemble(&untold, &named).ok().unwrap().body.figures.activity_lookback_days, 7);
}

fn administrator(name: &str, method: MfaMethod, enforcement: MfaEnforcement) -> Administrator {
    Administrator {
        user_principal_name: name.to_owned(),
        mfa_enforcement: enforcement,
        mfa_method: method,
        password_age_days: None,
        failed_sign_ins: 0,
    }
}

fn run_with_admins(admins: Vec<Administrator>) -> Run {
    let run = run(&results(&[row("MS.AAD.1.1v1", "Pass")]));
    Run { admins: AdminReview { count: None, complete: true, admins }, ..run }
}

#[test]
fn an_administrator_is_secure_with_a_strong_method_that_is_enforced() {
    for (method, enforcement, expected) in [
        (MfaMethod::PhishingResistant, MfaEnforcement::CaPolicy, Status::Secure),
        (MfaMethod::Authenticator, MfaEnforcement::PerUser, Status::Secure),
        (MfaMethod::Authenticator, MfaEnforcement::Unknown, Status::Secure),
        (MfaMethod::Authenticator, MfaEnforcement::None, Status::Open),
        (MfaMethod::Sms, MfaEnforcement::CaPolicy, Status::Open),
        (MfaMethod::None, MfaEnforcement::Unknown, Status::Open),
        (MfaMethod::Unknown, MfaEnforcement::CaPolicy, Status::NotAssessed),
    ] {
        let run = run_with_admins(vec![administrator("a@example.com", method, enforcement)]);
        let review = report(&run, None).body.global_admins;
        assert_eq!(review.admins[0].status, expected, "{method:?} {enforcement:?}");
        assert_eq!(review.strong_mfa_count, u32::from(method.is_strong()));
        assert_eq!((review.count, review.data_complete, review.best_practice_max), (1, true, 8));
    }
}

#[test]
fn administrators_are_compared_by_sign_in_name() {
    let secure = |name| administrator(name, MfaMethod::Authenticator, MfaEnforcement::CaPolicy);
    let open = |name| administrator(name, MfaMethod::Sms, MfaEnforcement::CaPolicy);
    let baseline = report(&run_with_admins(vec![secure("a@example.com"), open("b@example.com")]), None);
    let now = run_with_admins(vec![open("c@example.com"), secure("B@Example.com"), open("A@example.com")]);
    let review = report(&now, Some(&baseline)).body.global_admins;
    let mut statuses: Vec<_> =
        review.admins.iter().map(|admin| (admin.user_principal_name.to_lowercase(), admin.status)).collect();
    statuses.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(
        statuses,
        [
            ("a@example.com".to_owned(), Status::Drifted),
            ("b@example.com".to_owned(), Status::Fixed),
            ("c@example.com".to_owned(), Status::Open),
        ]
    );
    assert_eq!(review.previous_count, Some(2));
}

#[test]
fn a_password_older_than_100_days_gives_a_warning() {
    for (age, warning) in [(None, false), (Some(100), false), (Some(101), true)] {
        let admin = administrator("a@example.com", MfaMethod::Authenticator, MfaEnforcement::CaPolicy);
        let run = run_with_admins(vec![Administrator { password_age_days: age, ..admin }]);
        assert_eq!(report(&run, None).body.global_admins.admins[0].password_age_warning, warning, "{age:?}");
    }
}
