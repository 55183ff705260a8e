//! Whether the policies together require something of everybody whom a control is about.
//!
//! Policies only add requirements, so a policy that is understood proves what it requires, whatever the others do. A
//! policy with a part of unknown meaning proves nothing.

use std::collections::{BTreeMap, BTreeSet};

use model::counted;

use super::conditions::{Obstacle, Target, When};
use super::grant::{Fit, Wanted};
use super::policy::{Guests, Policy, State, Users, elements, is_blank, lists};

/// Greatest number of users and of groups that may be excluded as emergency access.
const MOST_EMERGENCY_USERS: usize = 2;
const MOST_EMERGENCY_GROUPS: usize = 1;

/// Number of policies that a state describes.
const DESCRIBED: usize = 3;

/// The requirement that the policies have to meet together, and the people that it is for.
pub(super) struct Requirement<'a> {
    /// Each of these has to be covered.
    pub(super) whom: &'a [Whom<'a>],
    pub(super) target: Target,
    /// Each of these has to be covered.
    pub(super) when: &'a [When],
    pub(super) wanted: Wanted,
    /// Whether sign-ins from trusted locations may be left out.
    pub(super) except_trusted_locations: bool,
}

/// The people whom a requirement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom<'a> {
    Everybody,
    /// Holders of the role with this template.
    Role(&'a str),
    /// Guests of this kind.
    Guests(&'a str),
}

/// The result for a requirement.
pub(super) enum Coverage {
    /// Everybody is covered by the policies with these names.
    Covered(BTreeSet<String>),
    /// Somebody is not; near misses, in words.
    Gap(Vec<String>),
    /// A policy may cover the rest, but a part of it is not known; in words.
    Unknown(Vec<String>),
}

impl Requirement<'_> {
    /// Returns whether policies meet the requirement. `emergency` are the objects that are declared to be emergency
    /// access.
    pub(super) fn coverage<'a>(
        &self,
        policies: impl Iterator<Item = &'a Policy> + Clone,
        emergency: &[String],
    ) -> Coverage {
        let mut covering = BTreeSet::new();
        let mut misses = Vec::new();
        let (mut gap, mut unknown) = (false, false);
        for whom in self.whom {
            for when in self.when {
                let about = policies.clone().filter_map(|policy| {
                    let obstacles = self.obstacles(policy, *whom, *when, emergency)?;
                    Some((policy, obstacles))
                });
                let (clear, hindered): (Vec<_>, Vec<_>) = about.partition(|(_, obstacles)| obstacles.is_empty());
                let excluded = |policy: &Policy| self.undeclared(policy, *whom, emergency);
                let covers = |policy: &&Policy| {
                    let rest = excluded(policy);
                    rest.iter().all(|object| clear.iter().any(|(other, _)| self.fills(other, object, *whom, emergency)))
                };
                let covering_policies = clear.iter().map(|(policy, _)| *policy).filter(|it| self.includes(it, *whom));
                if let Some(policy) = covering_policies.clone().find(covers) {
                    covering.insert(policy.quoted_name());
                    continue;
                }
                gap = true;
                unknown |=
                    hindered.iter().any(|(_, obstacles)| obstacles.iter().all(|it| matches!(it, Obstacle::Unknown(_))));
                misses.extend(hindered.into_iter().map(|(policy, obstacles)| (policy.quoted_name(), obstacles)));
                misses.extend(covering_policies.map(|policy| {
                    let excluded = in_words(&excluded(policy));
                    (policy.quoted_name(), BTreeSet::from([Obstacle::Excludes(excluded)]))
                }));
                let partial = clear.iter().map(|(policy, _)| *policy).filter(|it| !self.includes(it, *whom));
                misses.extend(partial.map(|it| (it.quoted_name(), BTreeSet::from([Obstacle::DoesNotInclude]))));
            }
        }
        match (gap, unknown) {
            (false, _) => Coverage::Covered(covering),
            (true, false) => Coverage::Gap(described(misses)),
            (true, true) => Coverage::Unknown(described(misses)),
        }
    }

    /// Returns what keeps a policy from covering sign-ins, apart from the people whom it does not include or excludes.
    /// Returns `None` if the policy is about something else.
    fn obstacles(
        &self,
        policy: &Policy,
        whom: Whom<'_>,
        when: When,
        emergency: &[String],
    ) -> Option<BTreeSet<Obstacle>> {
        let mut obstacles = BTreeSet::new();
        match self.wanted.fit(policy) {
            Fit::Other => return None,
            Fit::Meets => {}
            Fit::Weaker => drop(obstacles.insert(Obstacle::Weaker)),
            Fit::Unknown(part) => drop(obstacles.insert(Obstacle::Unknown(part))),
        }
        match policy.state() {
            State::Enabled => {}
            State::Disabled => drop(obstacles.insert(Obstacle::Disabled)),
            State::ReportOnly => drop(obstacles.insert(Obstacle::ReportOnly)),
            State::Unknown => drop(obstacles.insert(Obstacle::Unknown("state".to_owned()))),
        }
        let Some(conditions) = &policy.conditions else {
            obstacles.insert(Obstacle::Unknown("conditions".to_owned()));
            return Some(obstacles);
        };
        if !when.is_mentioned(conditions) {
            return None;
        }
        obstacles.extend(when.narrowing(conditions, self.except_trusted_locations));
        obstacles.extend(self.target.obstacle(conditions));
        obstacles.extend(too_many_exclusions(policy, emergency));
        obstacles.extend(whom.exclusion(policy.users()));
        let unknown = policy.users().into_iter().flat_map(|users| &users.others);
        let unknown = unknown.filter(|(name, value)| !name.contains('@') && !is_blank(value));
        obstacles.extend(unknown.map(|(name, _)| Obstacle::Unknown(name.clone())));
        Some(obstacles)
    }

    /// Returns whether a policy includes the people, apart from those whom it excludes.
    fn includes(&self, policy: &Policy, whom: Whom<'_>) -> bool {
        let Some(users) = policy.users() else { return false };
        let of_guests = |kind: &str| {
            let guests = users.include_guests_or_external_users.as_ref();
            let named = guests.is_some_and(|guests| guests.of_all_tenants() && guests.types().any(|it| it == kind));
            named || lists(users.include_users.as_ref(), "GuestsOrExternalUsers")
        };
        let everybody = lists(users.include_users.as_ref(), "All");
        match whom {
            Whom::Everybody => everybody,
            Whom::Role(role) => everybody || lists(users.include_roles.as_ref(), role),
            Whom::Guests(kind) => everybody || of_guests(kind),
        }
    }

    /// Returns the objects that a policy excludes and that are not emergency access.
    fn undeclared(&self, policy: &Policy, whom: Whom<'_>, emergency: &[String]) -> BTreeSet<Excluded> {
        let Some(users) = policy.users() else { return BTreeSet::new() };
        let is_declared = |id: &str| emergency.iter().any(|declared| declared.eq_ignore_ascii_case(id));
        let undeclared = |values| elements(values).filter(|id| !is_declared(id)).map(str::to_ascii_lowercase);
        let roles = elements(users.exclude_roles.as_ref()).filter(|_| !matches!(whom, Whom::Role(_)));
        let guests = users.exclude_guests_or_external_users.iter().flat_map(Guests::types);
        let guests = guests.filter(|kind| !matches!(whom, Whom::Guests(concerned) if concerned != *kind));
        undeclared(users.exclude_users.as_ref())
            .map(Excluded::User)
            .chain(undeclared(users.exclude_groups.as_ref()).map(Excluded::Group))
            .chain(roles.map(|role| Excluded::Role(role.to_ascii_lowercase())))
            .chain(guests.map(|kind| Excluded::Guests(kind.to_owned())))
            .collect()
    }

    /// Returns whether a policy includes an object that another policy excludes, and excludes nobody itself.
    fn fills(&self, policy: &Policy, object: &Excluded, whom: Whom<'_>, emergency: &[String]) -> bool {
        let Some(users) = policy.users() else { return false };
        let includes = match object {
            Excluded::User(id) => lists(users.include_users.as_ref(), id),
            Excluded::Group(id) => lists(users.include_groups.as_ref(), id),
            Excluded::Role(id) => lists(users.include_roles.as_ref(), id),
            Excluded::Guests(kind) => self.includes(policy, Whom::Guests(kind)),
        };
        includes && self.undeclared(policy, whom, emergency).is_empty()
    }
}

/// People whom a policy excludes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Excluded {
    User(String),
    Group(String),
    Role(String),
    Guests(String),
}

fn in_words(excluded: &BTreeSet<Excluded>) -> String {
    let count = |is: fn(&Excluded) -> bool| excluded.iter().filter(|it| is(it)).count();
    let kinds = [
        (count(|it| matches!(it, Excluded::User(_))), "user"),
        (count(|it| matches!(it, Excluded::Group(_))), "group"),
        (count(|it| matches!(it, Excluded::Role(_))), "role"),
        (count(|it| matches!(it, Excluded::Guests(_))), "kind of guests"),
    ];
    let words = kinds.into_iter().filter(|(number, _)| *number > 0).map(|(number, kind)| match kind {
        "kind of guests" => format!("{} of guests", counted(number, "kind")),
        kind => counted(number, kind),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Returns an obstacle if a policy excludes more than the few that emergency access needs.
fn too_many_exclusions(policy: &Policy, emergency: &[String]) -> Option<Obstacle> {
    let users = policy.users()?;
    let declared = |values| {
        elements(values).filter(|id| emergency.iter().any(|declared| declared.eq_ignore_ascii_case(id))).count()
    };
    let (of_users, of_groups) = (declared(users.exclude_users.as_ref()), declared(users.exclude_groups.as_ref()));
    let too_many = of_users > MOST_EMERGENCY_USERS || of_groups > MOST_EMERGENCY_GROUPS;
    too_many.then(|| Obstacle::Excludes("more emergency access than two users and one group".to_owned()))
}

impl Whom<'_> {
    /// Returns an obstacle if a policy excludes all of the people.
    fn exclusion(self, users: Option<&Users>) -> Option<Obstacle> {
        let users = users?;
        match self {
            Self::Everybody => None,
            Self::Role(role) => lists(users.exclude_roles.as_ref(), role)
                .then(|| Obstacle::Excludes("an administrator's role".to_owned())),
            Self::Guests(kind) => {
                let excluded = users.exclude_guests_or_external_users.as_ref();
                let named = excluded.is_some_and(|guests| guests.types().any(|it| it == kind));
                named.then(|| Obstacle::Excludes("guests".to_owned()))
            }
        }
    }
}

/// Returns a sentence for each policy that nearly does what is wanted.
fn described(misses: Vec<(String, BTreeSet<Obstacle>)>) -> Vec<String> {
    let mut by_policy: BTreeMap<String, BTreeSet<Obstacle>> = BTreeMap::new();
    for (policy, obstacles) in misses {
        by_policy.entry(policy).or_default().extend(obstacles);
    }
    let more = by_policy.len().saturating_sub(DESCRIBED);
    let sentences = by_policy.into_iter().take(DESCRIBED).map(|(policy, obstacles)| {
        let reasons: Vec<String> = obstacles.iter().map(ToString::to_string).collect();
        format!("{policy} {}.", reasons.join(", "))
    });
    let more = (more > 0).then(|| format!("The same applies to {}.", counted(more, "other policy")));
    sentences.chain(more).collect()
}
