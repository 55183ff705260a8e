//! A target as shown.

use model::{Pace, QuietTimes, TargetShape, Wire};
use serde::Serialize;
use store::{CreatedTarget, Target};

use crate::output::plain;

/// A target with its new secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WithSecret<'a> {
    secret: &'a str,
    #[serde(flatten)]
    target: &'a Target,
}

impl<'a> WithSecret<'a> {
    pub(super) fn of(created: &'a CreatedTarget) -> Self {
        Self { secret: created.secret.reveal(), target: &created.target }
    }

    pub(super) fn readable(&self) -> String {
        let Target { target_id, name, shape, .. } = self.target;
        if *shape != TargetShape::Webhook {
            return format!("Target {target_id} \"{}\" is a channel: its messages need no secret.", plain(name));
        }
        format!(
            "{}\n\nThis signs what target {target_id}, \"{}\", receives. It will not be shown again.",
            self.secret,
            plain(name)
        )
    }
}

/// Returns the state of a target as a word, and since when it accepts nothing.
pub(super) fn state(target: &Target) -> String {
    let state = Wire(target.state).to_string().to_lowercase();
    match target.failing_since {
        Some(since) => format!("{state}, failing since {since}"),
        None => state,
    }
}

/// Returns the form of a target's messages as a word.
pub(super) fn shape(target: &Target) -> String {
    let shape = Wire(target.shape).to_string().to_lowercase();
    match target.pace {
        Pace::Event => shape,
        pace => format!("{shape}, one each {}", Wire(pace).to_string().to_lowercase()),
    }
}

/// Returns the rules of a target as text.
pub(super) fn rules(target: &Target) -> String {
    let rules = &target.rules;
    let join = |texts: Vec<String>| texts.join(", ");
    let limits = [
        join(rules.kinds.iter().map(|kind| Wire(kind).to_string()).collect()),
        rules.severity.map(|least| format!("{} and above", Wire(least))).unwrap_or_default(),
        join(rules.tools.iter().cloned().collect()),
        join(rules.tenants.iter().map(ToString::to_string).collect()),
        join(rules.labels.iter().map(ToString::to_string).collect()),
    ];
    let limits: Vec<_> = limits.into_iter().filter(|limit| !limit.is_empty()).collect();
    let selected = if limits.is_empty() { "all events".to_owned() } else { limits.join("; ") };
    if rules.quiet == QuietTimes::default() { selected } else { format!("{selected}; quiet {} UTC", rules.quiet) }
}

/// Returns a sentence about a changed target.
pub(super) fn changed(target: &Target) -> String {
    format!("Target {} \"{}\" is {}: {}.", target.target_id, plain(&target.name), state(target), plain(&rules(target)))
}
