//! A tenant, as its snapshot describes it.

use std::collections::BTreeMap;

use model::snapshot::{Completion, Header};
use model::{NotAssessedReason, Timestamp, counted};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::accounts::{Account, ActiveUsers, AuthenticationRegistration, RiskyUser};
use super::administrators::{RoleAssignment, RolePolicy};
use super::applications::{AppRoleAssignment, Application, PermissionGrant, ServicePrincipal};
use super::conditional_access::{NamedLocation, Policy};
use super::document::Document;
use super::licences::{Licence, Subscription};
use super::list::List;
use super::mail::{DnsAnswers, Domain};
use super::received::Received;
use super::source::Source;
use super::verdict::{NotAssessed, not_assessed, skipped};
use crate::directory::Directory;

/// What a snapshot says about its tenant.
pub(super) struct Tenant {
    pub(super) header: Header,
    pub(super) completion: Completion,
    received: BTreeMap<Source, BTreeMap<String, Received>>,
    documents: BTreeMap<Source, Option<Value>>,
    pub(super) lists: Lists,
    /// Lists that reports and usage need, whether or not the tenant's controls do.
    pub(super) directory: Directory,
}

/// The parts of a snapshot, as they were read so far.
#[derive(Default)]
pub(super) struct Collected {
    /// By source and query.
    pub(super) received: BTreeMap<Source, BTreeMap<String, Received>>,
    /// `None` if two responses contradict each other.
    pub(super) documents: BTreeMap<Source, Option<Value>>,
    pub(super) lists: Lists,
    pub(super) directory: Directory,
}

/// The rows of all collections that controls read.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) active_users: ActiveUsers,
    pub(super) applications: List<Application>,
    pub(super) app_roles: BTreeMap<Source, List<AppRoleAssignment>>,
    pub(super) dns: DnsAnswers,
    pub(super) domains: List<Domain>,
    pub(super) existing_objects: List<AnyRow>,
    pub(super) grants: List<PermissionGrant>,
    pub(super) group_members: BTreeMap<String, List<Value>>,
    pub(super) group_settings: List<Value>,
    pub(super) locations: List<NamedLocation>,
    pub(super) organization: List<Value>,
    pub(super) policies: List<Policy>,
    pub(super) registrations: List<AuthenticationRegistration>,
    pub(super) risky_users: List<RiskyUser>,
    pub(super) roles: BTreeMap<Source, List<RoleAssignment>>,
    pub(super) role_policies: List<RolePolicy>,
    pub(super) service_principals: List<ServicePrincipal>,
    pub(super) subscriptions: List<Subscription>,
    pub(super) synchronization: List<Value>,
    pub(super) users: List<Account>,
}

/// A row whose content does not matter.
#[derive(PartialEq, serde::Deserialize)]
pub(super) struct AnyRow {}

impl Tenant {
    /// Creates a tenant from the collected parts of its snapshot.
    pub(super) fn new(collected: Collected, header: Header, completion: Completion) -> Self {
        let Collected { received, documents, lists, directory } = collected;
        Self { header, completion, received, documents, lists, directory }
    }

    /// Returns the time that ages are counted at.
    pub(super) fn now(&self) -> Timestamp {
        self.completion.completed_at
    }

    /// Returns an error unless a collection of the source is whole, whatever its rows.
    pub(super) fn whole(&self, source: Source) -> Result<(), NotAssessed> {
        let mut missing = None;
        for (query, part) in self.received.get(&source).into_iter().flatten() {
            match part.missing(source) {
                None if source.accepts(query) => return Ok(()),
                None => {}
                Some(reason) => drop(missing.get_or_insert(reason)),
            }
        }
        let reason = match missing {
            None => NotAssessedReason::Missing,
            Some(_) if self.is_unlicensed(source) => NotAssessedReason::Skipped,
            Some(_) => NotAssessedReason::Error,
        };
        let absent = || format!("The snapshot does not contain {}.", source.name());
        Err(NotAssessed::new(reason, missing.unwrap_or_else(absent)))
    }

    /// Returns whether the interface says that what the source is about does not exist.
    pub(super) fn is_absent(&self, source: Source) -> bool {
        self.received.get(&source).is_some_and(|received| received.values().any(Received::is_absent))
    }

    /// Returns whether the interface refused the source for want of a licence.
    pub(super) fn is_unlicensed(&self, source: Source) -> bool {
        self.received.get(&source).is_some_and(|received| received.values().any(Received::is_unlicensed))
    }

    /// Returns an error if the snapshot has no response of the source.
    pub(super) fn asked(&self, source: Source) -> Result<(), NotAssessed> {
        let any = self.received.get(&source).is_some_and(|received| !received.is_empty());
        if any { Ok(()) } else { self.whole(source) }
    }

    /// Returns whether the members of a group are in the snapshot.
    pub(super) fn has_group(&self, id: &str) -> bool {
        self.whole_queries(Source::GroupMembers).any(|query| query == id)
    }

    /// Returns an error if rows of the source are malformed.
    pub(super) fn readable(&self, source: Source, unreadable: usize) -> Result<(), NotAssessed> {
        if unreadable == 0 {
            return Ok(());
        }
        let rows = counted(unreadable, "row");
        not_assessed(format!("Could not read all of {}: {rows} malformed, or changed meanwhile.", source.name()))
    }

    /// Returns an error unless all rows of a list are known.
    pub(super) fn complete<T: DeserializeOwned + PartialEq>(
        &self,
        source: Source,
        list: &List<T>,
    ) -> Result<(), NotAssessed> {
        self.whole(source)?;
        self.readable(source, list.unreadable())
    }

    /// Returns all rows of a list, each of them readable.
    pub(super) fn rows<'a, T: DeserializeOwned + PartialEq>(
        &self,
        source: Source,
        list: &'a List<T>,
    ) -> Result<impl Iterator<Item = &'a T> + Clone + use<'a, T>, NotAssessed> {
        self.complete(source, list)?;
        Ok(list.rows())
    }

    /// Returns the object of a response.
    pub(super) fn document(&self, source: Source) -> Result<Document<'_>, NotAssessed> {
        self.whole(source)?;
        match self.documents.get(&source) {
            Some(Some(document)) => Ok(Document(document)),
            _ => not_assessed(format!("Could not read {}: two responses contradict each other.", source.name())),
        }
    }

    /// Returns an error if the tenant does not have a licence, or if its licences are not known.
    pub(super) fn needs(&self, licence: Licence) -> Result<(), NotAssessed> {
        if self.lists.subscriptions.rows().any(|subscription| subscription.has(licence)) {
            return Ok(());
        }
        self.complete(Source::SubscribedSkus, &self.lists.subscriptions)?;
        skipped(format!("Needs a licence that the tenant does not have: {}.", licence.name()))
    }

    /// Returns whether the tenant is known not to have a licence.
    pub(super) fn lacks(&self, licence: Licence) -> bool {
        self.rows(Source::SubscribedSkus, &self.lists.subscriptions)
            .is_ok_and(|mut subscriptions| !subscriptions.any(|subscription| subscription.has(licence)))
    }

    /// Returns whether security defaults are on.
    pub(super) fn security_defaults(&self) -> Result<bool, NotAssessed> {
        self.document(Source::SecurityDefaults)?.flag("isEnabled")
    }

    /// Returns the queries of a source whose collections are whole.
    pub(super) fn whole_queries(&self, source: Source) -> impl Iterator<Item = &str> {
        let received = self.received.get(&source).into_iter().flatten();
        received.filter(move |(_, part)| part.missing(source).is_none()).map(|(query, _)| query.as_str())
    }
}
