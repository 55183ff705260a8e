//! Mail to members: what everybody decides about the own address, and the targets that Admins add for members.

use axum::Extension;
use axum::response::Response;
use model::{Choice, EventRules, MemberId, Pace, Secret, TargetId};
use operations::Queues;
use operations::notifications::ask_confirmation;
use store::{MailError, MemberRecord, Target};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::notifications::{previewed, tenants};
use super::sent::Sent;
use crate::MailOffered;
use crate::view::link;
use crate::view::mail as view;
use crate::view::notifications::{Form, Recipient, adding_member};
use crate::view::words::chosen;

/// Address of the page of the own mail.
const OWN: &str = "/settings/mail";

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(offered): Extension<MailOffered>,
) -> Result<Response, Failure> {
    let (rules, errors) = (EventRules::default(), Errors::default());
    let (recipient, tenants) = (Recipient::own(Pace::default()), tenants(&viewer).await?);
    let form = Form { name: "My mail", recipient, rules: &rules, tenants: &tenants, preview: None, errors: &errors };
    shown(&dashboard, &viewer, offered, form).await
}

/// Adds mail to the own address, or shows what its rules would have sent.
pub(crate) async fn subscribe(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(offered): Extension<MailOffered>,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    offered.required()?;
    let tenants = tenants(&viewer).await?;
    let (pace, rules) = (sent.pace()?, sent.rules(&tenants, &EventRules::default())?);
    let name = match sent.named(&viewer) {
        Ok(name) => name,
        Err(errors) => {
            let preview = previewed(&viewer, &sent, &rules).await?;
            let form = sent.form(Recipient::own(pace), &rules, &tenants, preview.as_deref(), &errors);
            return shown(&dashboard, &viewer, offered, form).await;
        }
    };
    viewer.writer().once(sent.once()?).add_own_mail(name, pace, rules).await?;
    Ok(respond::see(OWN))
}

async fn shown(
    dashboard: &Dashboard,
    viewer: &Viewer,
    MailOffered(is_offered): MailOffered,
    form: Form<'_>,
) -> Result<Response, Failure> {
    let (targets, shell) = (own(viewer).await?, viewer.shell(dashboard).await?);
    let page = view::Page { shell: &shell, member: &viewer.member, targets: &targets, is_offered, form };
    Ok(respond::page(view::page(&page)))
}

/// Sends a mail that confirms the own address.
pub(crate) async fn send_confirmation(
    viewer: Viewer,
    Extension(offered): Extension<MailOffered>,
    Extension(queues): Extension<Queues>,
) -> Result<Response, Failure> {
    offered.required()?;
    ask_confirmation(&viewer.writer(), &queues.notifications, viewer.now).await?;
    Ok(respond::see(OWN))
}

/// Asks whether to confirm the own address. Programs that open the links of mails confirm nothing.
pub(crate) async fn ask(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(secret): Named<String>,
) -> Result<Response, Failure> {
    let secret = parsed(&secret)?;
    if !viewer.member.awaits(&secret, viewer.now) {
        return Err(MailError::Ended.into());
    }
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::confirming(&shell, &secret)))
}

/// Confirms the own address.
pub(crate) async fn confirm(viewer: Viewer, Named(secret): Named<String>) -> Result<Response, Failure> {
    viewer.writer().confirm_address(&parsed(&secret)?).await?;
    Ok(respond::see(OWN))
}

fn parsed(secret: &str) -> Result<Secret, Failure> {
    secret.parse().map_err(|_| MailError::Ended.into())
}

/// Asks whether to end mail to the own address: mails lead here.
pub(crate) async fn ask_end(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<TargetId>,
) -> Result<Response, Failure> {
    let target = own(&viewer).await?.into_iter().find(|target| target.target_id == id).ok_or(Failure::NotFound)?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::ending(&shell, &target)))
}

pub(crate) async fn end(viewer: Viewer, Named(id): Named<TargetId>) -> Result<Response, Failure> {
    viewer.writer().end_own_mail(&id).await?;
    Ok(respond::see(OWN))
}

/// Returns the targets that are the viewer, whoever added them.
async fn own(viewer: &Viewer) -> Result<Vec<Target>, Failure> {
    let mut targets = viewer.organization.targets().await?;
    targets.retain(|target| target.address.member() == Some(&viewer.member.member_id));
    Ok(targets)
}

pub(crate) async fn ask_member(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(offered): Extension<MailOffered>,
) -> Result<Response, Failure> {
    offered.required()?;
    let (members, tenants) = (viewer.organization.members().await?, tenants(&viewer).await?);
    let (rules, errors) = (EventRules::default(), Errors::default());
    let recipient = Recipient::Member { members: &members, chosen: "", pace: Pace::default() };
    let form = Form { name: "", recipient, rules: &rules, tenants: &tenants, preview: None, errors: &errors };
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(adding_member(&shell, &form)))
}

/// Adds a target that is a member, or shows what its rules would have sent.
pub(crate) async fn add_member(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(offered): Extension<MailOffered>,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    offered.required()?;
    let (members, tenants) = (viewer.organization.members().await?, tenants(&viewer).await?);
    let (pace, rules) = (sent.pace()?, sent.rules(&tenants, &EventRules::default())?);
    let name = match sent.named(&viewer) {
        Ok(name) => name,
        Err(errors) => {
            let preview = previewed(&viewer, &sent, &rules).await?;
            let recipient = Recipient::Member { members: &members, chosen: sent.one("member"), pace };
            let form = sent.form(recipient, &rules, &tenants, preview.as_deref(), &errors);
            let shell = viewer.shell(&dashboard).await?;
            return Ok(respond::page(adding_member(&shell, &form)));
        }
    };
    let member = find(&members, sent.one("member"))?;
    let added = viewer.admin_writer()?.once(sent.once()?).add_mail(name, member, pace, rules).await?;
    Ok(respond::see(&link::target(&added.target_id)))
}

fn find(members: &[MemberRecord], id: &str) -> Result<MemberId, Failure> {
    let member = members.iter().find(|member| member.member_id.as_str() == id);
    member.map(|member| member.member_id.clone()).ok_or(Failure::NotFound)
}

impl Sent {
    /// Returns how many events one mail tells of.
    pub(super) fn pace(&self) -> Result<Pace, Failure> {
        chosen(Pace::KNOWN.iter().copied(), self.one("every")).ok_or_else(Failure::incomplete)
    }
}
