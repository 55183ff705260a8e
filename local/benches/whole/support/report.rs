//! Generated reports, as large as those of a real tool and equally compressible.
//!
//! A real report has about 125 controls with the same names and advice for every tenant. Its findings are specific to
//! the tenant: half of them are stock sentences, the others are long and specific. Many words are part of set phrases;
//! their frequency falls with their rank, as in natural language.

use std::sync::LazyLock;

use fastrand::Rng;
use model::{
    Category, Check, ControlsRollup, GlobalAdmins, Grade, Reference, ReportBody, ReportFigures, ReportType, Severity,
    Status, Timestamp, TopRisk,
};

const CONTROLS: u64 = 125;
/// Share of phrases in a text.
const SHARE_OF_PHRASES: f64 = 0.6;
const STOCK_SENTENCES: u64 = 3;
static WORDS: LazyLock<Vec<String>> = LazyLock::new(words);
static PHRASES: LazyLock<Vec<String>> = LazyLock::new(phrases);
const CATEGORIES: [Category; 6] = [
    Category::ConditionalAccess,
    Category::Accounts,
    Category::GlobalAdmins,
    Category::AppsDirectory,
    Category::ExternalSharing,
    Category::Exchange,
];
const SEVERITIES: [Severity; 4] = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];

/// Returns a first assessment. Each number has its own report; the same number always has the same one.
pub(crate) fn body(number: u64, completed_at: Timestamp) -> ReportBody {
    let mut rng = Rng::with_seed(number);
    let checks: Vec<_> = (0..CONTROLS).map(|control| check(control, &mut rng)).collect();
    let figures = ReportFigures {
        report_type: ReportType::Baseline,
        baseline: None,
        created_at: completed_at,
        completed_at,
        activity_lookback_days: 30,
        score: 74,
        grade: Grade::C,
        previous_score: None,
        previous_grade: None,
        controls: ControlsRollup::of(&checks),
        coverage: None,
    };
    ReportBody {
        figures,
        global_admins: GlobalAdmins {
            count: 2,
            previous_count: None,
            best_practice_max: 4,
            strong_mfa_count: 0,
            data_complete: false,
            admins: Vec::new(),
        },
        top_risks: checks.iter().filter(|check| check.status == Status::Open).take(5).map(risk).collect(),
        checks,
    }
}

/// Returns the check of a control. Its catalogue texts are the same in every report; its findings are not.
fn check(control: u64, rng: &mut Rng) -> Check {
    let mut catalogue = Rng::with_seed(control << 32);
    let name = sentence(&mut catalogue, 76);
    let (status, current_state) = match rng.u8(..100) {
        0..37 => (Status::NotAssessed, stock_sentence(rng)),
        37..72 => (Status::Secure, stock_sentence(rng)),
        72..84 => (Status::Secure, finding(&name, rng)),
        _ => (Status::Open, finding(&name, rng)),
    };
    Check {
        control_id: format!("CTL.{}.{}", control / 10 + 1, control % 10 + 1).parse().expect("a control id"),
        category: CATEGORIES[control as usize * CATEGORIES.len() / CONTROLS as usize],
        status,
        severity: catalogue.choice(SEVERITIES),
        current_state,
        previous_state: None,
        why: Some(sentence(&mut catalogue, 82)),
        suggested_fix: Some(sentence(&mut catalogue, 74)),
        observed_usage: None,
        references: references(&mut catalogue),
        accepted_risk: None,
        proposed_risk: None,
        name,
    }
}

/// Returns a long finding: the requirement again, and the tenant's configuration.
fn finding(name: &str, rng: &mut Rng) -> String {
    let length = rng.usize(90..390);
    format!("{} {name} {}", rng.u8(1..9), sentence(rng, length))
}

/// Returns one or two recommendations, as most controls have.
fn references(rng: &mut Rng) -> Vec<Reference> {
    let (part, number) = (rng.u8(1..9), rng.u8(1..20));
    let cis = Reference { framework: "CIS".into(), version: Some("7.0".into()), id: format!("{part}.{number}.1") };
    let scuba = Reference { framework: "SCuBA".into(), version: None, id: format!("MS.AAD.{part}.{number}") };
    if rng.bool() { vec![cis, scuba] } else { vec![scuba] }
}

fn stock_sentence(rng: &mut Rng) -> String {
    let stock = rng.u64(1..=STOCK_SENTENCES);
    sentence(&mut Rng::with_seed(stock << 48), 60)
}

/// Words and set phrases of about `length` bytes together.
fn sentence(rng: &mut Rng, length: usize) -> String {
    let mut text = String::new();
    while text.len() < length {
        let part = if rng.f64() < SHARE_OF_PHRASES { frequent(&PHRASES, rng) } else { frequent(&WORDS, rng) };
        text.push_str(part);
        text.push(' ');
    }
    text[..1].make_ascii_uppercase();
    text.trim_end().to_owned() + "."
}

/// Returns an item. Its frequency halves at twice the rank, as in natural language.
fn frequent<'a>(items: &'a [String], rng: &mut Rng) -> &'a str {
    &items[(items.len() as f64).powf(rng.f64()) as usize - 1]
}

fn words() -> Vec<String> {
    let mut rng = Rng::with_seed(1);
    let mut word = |rank: u32| (0..3 + rank.ilog2()).map(|_| rng.lowercase()).collect();
    (1..=1_500).map(&mut word).collect()
}

fn phrases() -> Vec<String> {
    let mut rng = Rng::with_seed(2);
    let mut phrase = |_| (0..rng.usize(3..=6)).map(|_| frequent(&WORDS, &mut rng)).collect::<Vec<_>>().join(" ");
    (0..600).map(&mut phrase).collect()
}

fn risk(check: &Check) -> TopRisk {
    TopRisk {
        control_id: check.control_id.clone(),
        name: check.name.clone(),
        status: check.status,
        severity: check.severity,
    }
}
