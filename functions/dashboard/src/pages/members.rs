//! Members and invitations, for Admins.

use axum::response::Response;
use model::{FormId, InvitationId, MemberId, Role};
use serde::Deserialize;
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, input, respond};

use crate::view;
use crate::view::members::{Invitation, Member};

const LIST: &str = "/settings/members";

#[derive(Deserialize)]
pub(crate) struct NewRole {
    #[serde(deserialize_with = "model::chosen")]
    role: Role,
}

#[derive(Deserialize)]
pub(crate) struct NewInvitation {
    form: FormId,
    #[serde(deserialize_with = "model::chosen")]
    role: Role,
    #[serde(default)]
    note: String,
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, "", Errors::default()).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, note: &str, errors: Errors) -> Result<Response, Failure> {
    let members = members(viewer).await?;
    let open = viewer.organization.invitations(viewer.now).await?;
    let invitations: Vec<_> = open
        .into_iter()
        .filter_map(|invitation| {
            let expires = invitation.expires()?;
            Some(Invitation {
                id: invitation.invitation_id.to_string(),
                note: invitation.note,
                role: invitation.role,
                by: invitation.invited_by,
                expires,
            })
        })
        .collect();
    let shell = viewer.shell(dashboard).await?;
    let page =
        view::members::Page { shell: &shell, members: &members, invitations: &invitations, note, errors: &errors };
    Ok(respond::page(view::members::page(&page)))
}

pub(crate) async fn change_role(
    viewer: Viewer,
    Named(member): Named<MemberId>,
    Fields(NewRole { role }): Fields<NewRole>,
) -> Result<Response, Failure> {
    viewer.admin_writer()?.change_role(&member, role).await?;
    Ok(respond::see(LIST))
}

pub(crate) async fn ask_role(dashboard: Dashboard, viewer: Viewer, id: Named<MemberId>) -> Result<Response, Failure> {
    let member = member(&viewer, id).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::member_removal::demotion(&view::member_removal::Page { shell: &shell, member: &member })))
}

pub(crate) async fn ask_removal(
    dashboard: Dashboard,
    viewer: Viewer,
    id: Named<MemberId>,
) -> Result<Response, Failure> {
    let member = member(&viewer, id).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::member_removal::page(&view::member_removal::Page { shell: &shell, member: &member })))
}

async fn member(viewer: &Viewer, Named(id): Named<MemberId>) -> Result<Member, Failure> {
    let member = members(viewer).await?.into_iter().find(|member| member.id == id.as_str());
    member.ok_or(Failure::NotFound)
}

pub(crate) async fn remove(viewer: Viewer, Named(member): Named<MemberId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.remove_member(&member).await?;
    Ok(respond::see(LIST))
}

/// Creates an invitation, and shows its link in the response: it exists nowhere else.
pub(crate) async fn invite(
    dashboard: Dashboard,
    viewer: Viewer,
    Fields(NewInvitation { form, role, note }): Fields<NewInvitation>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &note, errors).await;
    }
    let Ok(chosen) = input::optional(&note) else {
        let errors = Errors::default().with("note", "A note has up to 200 characters on one line.");
        return listed(&dashboard, &viewer, &note, errors).await;
    };
    let (secret, invitation) = viewer.admin_writer()?.once(form).invite(role, chosen).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::invitation_created::Page {
        shell: &shell,
        link: &operations::invitation_link(&dashboard.address, &secret),
        role,
        expires: invitation.expires().unwrap_or(viewer.now),
    };
    Ok(respond::page(view::invitation_created::page(&page)))
}

pub(crate) async fn revoke(viewer: Viewer, Named(invitation): Named<InvitationId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.revoke_invitation(&invitation).await?;
    Ok(respond::see(LIST))
}

async fn members(viewer: &Viewer) -> Result<Vec<Member>, Failure> {
    let members = viewer.organization.members().await?;
    let admins = members.iter().filter(|member| member.role == Role::Admin).count();
    Ok(members
        .into_iter()
        .map(|member| Member {
            is_viewer: member.member_id == viewer.member.member_id,
            is_last_admin: member.role == Role::Admin && admins == 1,
            id: member.member_id.to_string(),
            name: member.name,
            email: member.email,
            role: member.role,
            since: member.joined_at,
        })
        .collect())
}
