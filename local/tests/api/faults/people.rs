//! Writes of an organization's people, as the dashboard makes them: complete, in the audit trail, or without effect, and
//! completed by another attempt.

use futures_util::FutureExt;
use model::{MemberId, Role, ServiceTenantId};
use operations::brand;
use operations::edits::{self, CheckChange, EditOptions, Refusal, ReportEdit};
use operations::import::{ImportError, Options, Upload, import_and_record};
use store::{
    AuditAction, EditError, EditedField, KeptEditError, Membership, Person, ReportError, StoreError, TextError, Texts,
    UploadedFile,
};

use super::office::{CONTROL, Office, Outcome, now, of_invitation, of_key, of_member, of_tenant, person};
use super::target::TENANT;
use super::writes::{Write, all_wait_for_capacity};
use crate::samples::results;
use crate::support::provider_id;

/// Returns every write of members, with the check that it is done.
fn of_members() -> [Write<Office>; 7] {
    [
        Write { run: |it| invite(it).boxed(), done: |it| is_invited(it).boxed(), in_steps: false },
        Write { run: |it| accept(it).boxed(), done: |it| is_member(it).boxed(), in_steps: false },
        Write { run: |it| revoke(it).boxed(), done: |it| is_revoked(it).boxed(), in_steps: false },
        Write { run: |it| change_role(it).boxed(), done: |it| has_role(it).boxed(), in_steps: false },
        Write { run: |it| remove_member(it).boxed(), done: |it| is_gone(it).boxed(), in_steps: false },
        Write { run: |it| begin_session(it).boxed(), done: |it| has_signed_in(it).boxed(), in_steps: false },
        Write { run: |it| end_session(it).boxed(), done: |it| has_signed_out(it).boxed(), in_steps: false },
    ]
}

/// Returns every write of reports.
fn of_reports() -> [Write<Office>; 5] {
    [
        Write { run: |it| edit_and_keep(it).boxed(), done: |it| is_kept(it).boxed(), in_steps: false },
        Write { run: |it| end_kept_edit(it).boxed(), done: |it| is_not_kept(it).boxed(), in_steps: false },
        Write { run: |it| restore(it).boxed(), done: |it| is_restored(it).boxed(), in_steps: false },
        Write { run: |it| delete_report(it).boxed(), done: |it| is_deleted(it).boxed(), in_steps: false },
        Write { run: |it| upload(it).boxed(), done: |it| is_uploaded(it).boxed(), in_steps: false },
    ]
}

/// Returns every write of settings.
fn of_settings() -> [Write<Office>; 7] {
    [
        Write { run: |it| create_key(it).boxed(), done: |it| has_new_key(it).boxed(), in_steps: false },
        Write { run: |it| delete_keys(it).boxed(), done: |it| has_no_key(it).boxed(), in_steps: false },
        Write { run: |it| change_brand(it).boxed(), done: |it| has_brand(it).boxed(), in_steps: false },
        Write { run: |it| add_tenant(it).boxed(), done: |it| has_tenant(it).boxed(), in_steps: false },
        Write { run: |it| rename_tenant(it).boxed(), done: |it| is_renamed(it).boxed(), in_steps: false },
        Write { run: |it| set_text(it).boxed(), done: |it| has_text(it).boxed(), in_steps: false },
        Write { run: |it| remove_text(it).boxed(), done: |it| has_no_text(it).boxed(), in_steps: false },
    ]
}

#[tokio::test]
async fn throttled_writes_of_people_wait_and_complete() {
    all_wait_for_capacity(of_members().into_iter().chain(of_reports()).chain(of_settings())).await;
}

#[tokio::test]
async fn inviting_a_member_and_accepting_is_recorded_or_has_no_effect() {
    for write in &of_members()[..2] {
        write.is_whole_or_not_at_all_and_completed_by_another_run().await;
    }
}

#[tokio::test]
async fn changing_and_removing_members_is_recorded_or_has_no_effect() {
    for write in &of_members()[2..] {
        write.is_whole_or_not_at_all_and_completed_by_another_run().await;
    }
}

#[tokio::test]
async fn editing_reports_and_deleting_them_is_recorded_or_has_no_effect() {
    for write in &of_reports()[..4] {
        write.is_whole_or_not_at_all_and_completed_by_another_run().await;
    }
}

// Another transaction that always works on the same items is waited for, for minutes.
#[tokio::test(start_paused = true)]
async fn uploading_results_is_recorded_or_has_no_effect() {
    of_reports()[4].is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn changing_settings_is_recorded_or_has_no_effect() {
    for write in of_settings() {
        write.is_whole_or_not_at_all_and_completed_by_another_run().await;
    }
}

async fn invite(office: Office) -> Outcome {
    // An invitation whose creation was not confirmed exists completely or not at all; it is not created again here.
    if office.invitations(now()).await?.len() == 2 {
        return Ok(());
    }
    of_invitation(office.writer().invite(Role::FullMember, None).await)
}

async fn is_invited(office: Office) -> bool {
    office.invitations(now()).await.unwrap().len() == 2 && office.has_recorded(AuditAction::MemberInvited).await
}

/// Cleo, who has the link of the open invitation, accepts it.
async fn accept(office: Office) -> Outcome {
    let cleo = cleo(&office);
    of_invitation(office.store.accept_invitation(&office.invitation.0, cleo, now()).await)
}

/// Returns a person who is a member of no other organization.
fn cleo(office: &Office) -> Person {
    person(&format!("Cleo of {}", office.id()))
}

async fn is_member(office: Office) -> bool {
    let memberships = office.store.memberships(&cleo(&office).identity).await.unwrap();
    let [Membership { member_id, .. }] = memberships.as_slice() else { return false };
    office.member(member_id).await.unwrap().is_some()
        && is_ended(&office).await
        && recorded_of(&office, AuditAction::MemberJoined, member_id).await == 1
}

/// Returns how often the audit trail has an action about a member.
async fn recorded_of(office: &Office, action: AuditAction, member: &MemberId) -> usize {
    let (trail, _) = office.audit_trail(None, 50, now()).await.unwrap();
    trail.iter().filter(|entry| entry.action == action && entry.subject == member.as_str()).count()
}

async fn revoke(office: Office) -> Outcome {
    of_invitation(office.writer().revoke_invitation(&office.invitation.1.invitation_id).await)
}

async fn is_revoked(office: Office) -> bool {
    is_ended(&office).await && office.has_recorded(AuditAction::InvitationRevoked).await
}

/// Returns whether the invitation is neither listed nor works.
async fn is_ended(office: &Office) -> bool {
    office.invitations(now()).await.unwrap().is_empty()
        && office.store.invitation(&office.invitation.0, now()).await.unwrap().is_none()
}

async fn change_role(office: Office) -> Outcome {
    of_member(office.writer().change_role(&office.other, Role::Admin).await)
}

async fn has_role(office: Office) -> bool {
    let role = office.member(&office.other).await.unwrap().map(|member| member.role);
    role == Some(Role::Admin) && office.has_recorded(AuditAction::MemberRoleChanged).await
}

async fn remove_member(office: Office) -> Outcome {
    of_member(office.writer().remove_member(&office.other).await)
}

async fn is_gone(office: Office) -> bool {
    let memberships = office.store.memberships(&person("Ben").identity).await.unwrap();
    memberships.iter().all(|membership| membership.organization_id != *office.id())
        && !has_session(office.clone()).await
        && office.has_recorded(AuditAction::MemberRemoved).await
}

/// The other member signs in once more.
async fn begin_session(office: Office) -> Outcome {
    let secret = office.store.sessions(office.id()).begin(office.other.clone(), now()).await?;
    office.sessions.lock().unwrap().push(secret);
    Ok(())
}

/// Returns whether the newest session is open.
async fn has_session(office: Office) -> bool {
    let secret = office.sessions.lock().unwrap().last().unwrap().clone();
    office.store.sessions(office.id()).member(&secret, &office.other, now()).await.unwrap().is_some()
}

/// Returns whether the newest session is open, and the beginning of each is recorded, also of one that was not confirmed.
async fn has_signed_in(office: Office) -> bool {
    let known = office.sessions.lock().unwrap().len();
    recorded_of(&office, AuditAction::MemberSignedIn, &office.other).await >= known && has_session(office).await
}

async fn end_session(office: Office) -> Outcome {
    let secret = office.sessions.lock().unwrap().last().unwrap().clone();
    office.store.sessions(office.id()).end(&secret, &office.other, now()).await
}

async fn has_signed_out(office: Office) -> bool {
    recorded_of(&office, AuditAction::MemberSignedOut, &office.other).await == 1 && !has_session(office).await
}

async fn edit_and_keep(office: Office) -> Outcome {
    let change = CheckChange { why: Some("A new reason.".to_owned()), ..Default::default() };
    let edit = ReportEdit::Check { control: CONTROL.to_owned(), change };
    let options = EditOptions { keep: Some(true), ..EditOptions::default() };
    match edits::edit(&office, office.admin.actor(), &office.report(), &edit, options, now()).await {
        Ok(_) => Ok(()),
        Err(EditError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn is_kept(office: Office) -> bool {
    let report = office.target.report(&office.report()).await.unwrap().unwrap().open().unwrap();
    let check = report.body.checks.iter().find(|check| check.control_id.as_str() == CONTROL).unwrap();
    check.why.as_deref() == Some("A new reason.")
        && kept(&office).await
        && office.has_recorded(AuditAction::ReportEdited).await
}

async fn kept(office: &Office) -> bool {
    office.kept_edit(&TENANT.parse().unwrap(), &CONTROL.parse().unwrap()).await.unwrap().is_some()
}

/// Keeps an edit, if there is none yet, and ends it.
async fn end_kept_edit(office: Office) -> Outcome {
    if !office.found_recorded(AuditAction::ReportEdited).await? {
        edit_and_keep(office.clone()).await?;
    }
    let (tenant, control) = (TENANT.parse().unwrap(), CONTROL.parse().unwrap());
    match office.writer().end_kept_edit(&tenant, &control).await {
        Ok(()) | Err(KeptEditError::NotFound(_)) => Ok(()),
        Err(KeptEditError::Store(error)) => Err(error),
    }
}

async fn is_not_kept(office: Office) -> bool {
    !kept(&office).await && office.has_recorded(AuditAction::KeptEditEnded).await
}

/// Keeps an edit, if there was none yet, and restores the tool's value.
async fn restore(office: Office) -> Outcome {
    if !office.found_recorded(AuditAction::ReportEdited).await? {
        edit_and_keep(office.clone()).await?;
    }
    let edit = ReportEdit::SetBack { control: CONTROL.to_owned(), fields: vec![EditedField::Why] };
    match edits::edit(&office, office.admin.actor(), &office.report(), &edit, EditOptions::default(), now()).await {
        Ok(_) | Err(EditError::Refused(Refusal::NotKnown(_), _)) => Ok(()),
        Err(EditError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn is_restored(office: Office) -> bool {
    let report = office.target.report(&office.report()).await.unwrap().unwrap();
    report.edits.is_empty() && !kept(&office).await && office.has_recorded(AuditAction::ReportEdited).await
}

async fn delete_report(office: Office) -> Outcome {
    match office.writer().delete_report(&office.report()).await {
        Ok(()) | Err(ReportError::NotFound(_)) => Ok(()),
        Err(ReportError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn is_deleted(office: Office) -> bool {
    office.target.report(&office.report()).await.unwrap().is_none()
        && office.has_recorded(AuditAction::ReportDeleted).await
}

/// Uploads a file of results. A run without a report is a failure that another upload may mend.
async fn upload(office: Office) -> Outcome {
    let file = results(&provider_id(&TENANT.parse().unwrap()), 7, &[("MS.AAD.1.1v1", "Fail")]).into_bytes();
    let mut upload = Upload::read(&office, "upl_1".parse().unwrap(), now()).await?;
    upload.add(UploadedFile { name: "results.json".to_owned(), content: file });
    match import_and_record(&office, office.admin.actor(), upload, &Options::at(now())).await {
        Ok((_, result)) => {
            let failed = result.unless_transient().map(|result| assert_eq!(result.failures.len(), 0));
            failed.map_err(|_| StoreError::Contended("uploading"))
        }
        Err(ImportError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn is_uploaded(office: Office) -> bool {
    let imports = office.imports(10, now()).await.unwrap();
    imports.iter().any(|import| import.details.reports.len() == 1)
        && office.has_recorded(AuditAction::ReportAdded).await
}

async fn set_text(office: Office) -> Outcome {
    let texts = Texts { why: Some("A better reason.".to_owned()), suggested_fix: None };
    match office.writer().set_text((None, &CONTROL.parse().unwrap()), &texts, None).await {
        Ok(_) => Ok(()),
        Err(TextError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn has_text(office: Office) -> bool {
    let texts = office.all_texts().await.unwrap();
    texts.iter().any(|text| text.texts.why.as_deref() == Some("A better reason."))
        && office.has_recorded(AuditAction::TextSet).await
}

/// Sets a text, if there was none yet, and removes it.
async fn remove_text(office: Office) -> Outcome {
    if !office.found_recorded(AuditAction::TextSet).await? {
        set_text(office.clone()).await?;
    }
    let Some(text) = office.all_texts().await?.pop() else { return Ok(()) };
    match office.writer().remove_text(&text.tool, &text.control_id, None).await {
        Ok(()) | Err(TextError::NotFound) => Ok(()),
        Err(TextError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

async fn has_no_text(office: Office) -> bool {
    office.all_texts().await.unwrap().is_empty() && office.has_recorded(AuditAction::TextRemoved).await
}

async fn create_key(office: Office) -> Outcome {
    // As for invitations.
    if office.keys().await?.len() == 2 {
        return Ok(());
    }
    of_key(office.writer().create_key(None).await)
}

async fn has_new_key(office: Office) -> bool {
    office.keys().await.unwrap().len() == 2 && office.has_recorded(AuditAction::ApiKeyCreated).await
}

async fn delete_keys(office: Office) -> Outcome {
    for key in office.keys().await? {
        of_key(office.writer().delete_key(&key.key_id).await)?;
    }
    Ok(())
}

async fn has_no_key(office: Office) -> bool {
    office.keys().await.unwrap().is_empty() && office.has_recorded(AuditAction::ApiKeyDeleted).await
}

async fn change_brand(office: Office) -> Outcome {
    let name = brand::Change::Name(Some("Brand".to_owned()));
    match brand::change(&office, &office.admin, [name], None, now()).await {
        Ok(_) => Ok(()),
        Err(brand::ChangeError::Store(error)) => Err(error),
        // The change that was not confirmed: another attempt finds it.
        Err(brand::ChangeError::ChangedMeanwhile(_)) => Err(StoreError::Contended("changing the brand")),
    }
}

async fn has_brand(office: Office) -> bool {
    brand::get(&office).await.unwrap().name == "Brand" && office.has_recorded(AuditAction::BrandChanged).await
}

const NEW_TENANT: &str = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269";

async fn add_tenant(office: Office) -> Outcome {
    let (name, provider) = ("Third".parse().unwrap(), NEW_TENANT.parse().unwrap());
    of_tenant(office.writer().add_tenant(ServiceTenantId::generate(now()), name, provider).await)
}

async fn has_tenant(office: Office) -> bool {
    let tenant = office.tenant_of_provider(&NEW_TENANT.parse().unwrap()).await.unwrap();
    tenant.is_some_and(|tenant| tenant.name == "Third") && office.has_recorded(AuditAction::TenantAdded).await
}

async fn rename_tenant(office: Office) -> Outcome {
    let (id, name) = (TENANT.parse().unwrap(), "New name".parse().unwrap());
    of_tenant(office.writer().rename_tenant(&id, &name).await)
}

async fn is_renamed(office: Office) -> bool {
    let report = office.target.report(&office.report()).await.unwrap().unwrap();
    report.tenant_name == "New name" && office.has_recorded(AuditAction::TenantRenamed).await
}
