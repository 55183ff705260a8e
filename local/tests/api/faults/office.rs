//! An organization with people, who make the writes of the dashboard.

use std::ops::Deref;
use std::sync::{Arc, Mutex};

use model::{Actor, Admin, IdentityHash, MemberId, ReportId, Role, Secret, Timestamp};
use store::{
    AdminWriter, AuditAction, InvitationError, InvitationRecord, KeyError, MemberError, Person, Store, StoreError,
    TenantError,
};

use super::FaultyStore;
use super::target::{Subject, Target};
use crate::support::{by_operator, time};

pub(super) type Outcome = Result<(), StoreError>;

const ISSUER: &str = "https://issuer.example";
/// The report that is edited and deleted; its control.
pub(super) const REPORT: &str = "rpt_2";
pub(super) const CONTROL: &str = "Y.1";

/// An organization with an Admin, who makes the writes, another member, an open invitation and a session.
#[derive(Clone)]
pub(super) struct Office {
    pub(super) target: Target,
    pub(super) admin: Admin,
    pub(super) other: MemberId,
    pub(super) invitation: (Secret, InvitationRecord),
    /// The secret of the other member's session, and of the sessions that are begun.
    pub(super) sessions: Arc<Mutex<Vec<Secret>>>,
}

pub(super) fn now() -> Timestamp {
    time("2026-07-15T00:00:00Z")
}

pub(super) fn person(subject: &str) -> Person {
    Person { identity: IdentityHash::of(ISSUER, subject), name: subject.to_owned(), email: None }
}

impl Subject for Office {
    const IS_RECORDED: bool = true;

    async fn prepared(store: &Store) -> Self {
        let target = Target::prepared(store).await;
        let mut joined = Vec::new();
        // The table of people outlives the organization of a case.
        for (name, role) in [("Amara", Role::Admin), ("Ben", Role::FullMember)] {
            let (secret, _) = by_operator(&target, now()).invite(role, None).await.unwrap();
            joined.push(store.accept_invitation(&secret, person(name), now()).await.unwrap().member_id);
        }
        let [amara, ben] = joined.try_into().unwrap();
        let admin = Actor::member(&amara, "Amara".to_owned(), Role::Admin).admin().unwrap();
        let invitation = target.by_admin(&admin, now()).invite(Role::FullMember, None).await.unwrap();
        let session = store.sessions(target.id()).begin(ben.clone(), now()).await.unwrap();
        let sessions = Arc::new(Mutex::new(vec![session]));
        Self { target, admin, other: ben, invitation, sessions }
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self { target: self.target.over(faulty), ..self.clone() }
    }

    fn target(&self) -> &Target {
        &self.target
    }
}

impl Deref for Office {
    type Target = Target;

    fn deref(&self) -> &Target {
        &self.target
    }
}

impl Office {
    /// Returns whether the audit trail has an action of the Admin.
    pub(super) async fn has_recorded(&self, action: AuditAction) -> bool {
        self.found_recorded(action).await.unwrap()
    }

    pub(super) async fn found_recorded(&self, action: AuditAction) -> Result<bool, StoreError> {
        let (trail, _) = self.audit_trail(None, 50, now()).await?;
        Ok(trail.iter().any(|entry| entry.action == action && entry.author_name == "Amara"))
    }

    /// Returns the changes by the Admin.
    pub(super) fn writer(&self) -> AdminWriter {
        self.by_admin(&self.admin, now())
    }

    pub(super) fn report(&self) -> ReportId {
        REPORT.parse().unwrap()
    }
}

pub(super) fn of_invitation<T>(outcome: Result<T, InvitationError>) -> Outcome {
    match outcome {
        Ok(_) | Err(InvitationError::Ended | InvitationError::AlreadyMember(_)) => Ok(()),
        Err(InvitationError::Store(error)) => Err(error),
        Err(InvitationError::NoOrganization) => panic!("it exists"),
    }
}

pub(super) fn of_member<T>(outcome: Result<T, MemberError>) -> Outcome {
    match outcome {
        Ok(_) | Err(MemberError::NotFound) => Ok(()),
        Err(MemberError::Store(error)) => Err(error),
        Err(MemberError::LastAdmin) => panic!("there is another one"),
    }
}

pub(super) fn of_key<T>(outcome: Result<T, KeyError>) -> Outcome {
    match outcome {
        Ok(_) | Err(KeyError::NotFound) => Ok(()),
        Err(KeyError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

pub(super) fn of_tenant<T>(outcome: Result<T, TenantError>) -> Outcome {
    match outcome {
        Ok(_) | Err(TenantError::Exists) => Ok(()),
        Err(TenantError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}
