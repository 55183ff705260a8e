//! Notifications, for Admins: the targets of events, their rules, and what was sent.

use axum::Extension;
use axum::response::Response;
use chrono::TimeDelta;
use futures_util::TryStreamExt;
use model::{EventId, EventRules, FormId, TargetAddress, TargetId, TargetShape, Timestamp};
use operations::Queues;
use operations::notifications::{selected, send_again, test as send_test};
use serde::Deserialize;
use store::{Delivery, Target, TargetEdit, TenantRecord};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::sent::Sent;
use crate::MailOffered;
use crate::view::link;
use crate::view::notifications::{self as view, Form, Page, Recipient, TargetPage};

const LIST: &str = "/settings/notifications";
/// The time that a preview looks back.
const PREVIEWED: TimeDelta = TimeDelta::days(30);
/// Deliveries that are listed.
const DELIVERIES: usize = 50;

#[derive(Deserialize)]
pub(crate) struct Once {
    form: FormId,
}

pub(crate) async fn list(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(MailOffered(is_mail_offered)): Extension<MailOffered>,
) -> Result<Response, Failure> {
    let (targets, tenants) = (viewer.organization.targets().await?, tenants(&viewer).await?);
    let (members, shell) = (viewer.organization.members().await?, viewer.shell(&dashboard).await?);
    let page = Page { shell: &shell, targets: &targets, tenants: &tenants, members: &members, is_mail_offered };
    Ok(respond::page(view::page(&page)))
}

pub(crate) async fn ask_target(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let tenants = tenants(&viewer).await?;
    let (rules, errors) = (EventRules::default(), Errors::default());
    let recipient = Recipient::Address { url: "", shape: TargetShape::default() };
    let form = Form { name: "", recipient, rules: &rules, tenants: &tenants, preview: None, errors: &errors };
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::adding(&shell, &form)))
}

/// Adds a target and shows its secret if somebody needs it, or shows what its rules would have sent.
pub(crate) async fn add(dashboard: Dashboard, viewer: Viewer, Fields(sent): Fields<Sent>) -> Result<Response, Failure> {
    let tenants = tenants(&viewer).await?;
    let (shape, rules) = (sent.shape()?, sent.rules(&tenants, &EventRules::default())?);
    let (name, url) = match sent.entered(&viewer) {
        Ok(entered) => entered,
        Err(errors) => {
            let preview = previewed(&viewer, &sent, &rules).await?;
            let form = sent.form(sent.recipient(shape), &rules, &tenants, preview.as_deref(), &errors);
            let shell = viewer.shell(&dashboard).await?;
            return Ok(respond::page(view::adding(&shell, &form)));
        }
    };
    let created = viewer.admin_writer()?.once(sent.once()?).add_target(name, url, shape, rules).await?;
    if shape != TargetShape::Webhook {
        return Ok(respond::see(&link::target(&created.target.target_id)));
    }
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::secret(&shell, &created)))
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<TargetId>,
) -> Result<Response, Failure> {
    let (target, tenants) = (find(&viewer, &id).await?, tenants(&viewer).await?);
    let (errors, Target { name, rules, .. }) = (Errors::default(), &target);
    let recipient = match &target.address {
        TargetAddress::Url(url) => Recipient::Address { url: url.as_str(), shape: target.shape },
        TargetAddress::Member(_) => Recipient::own(target.pace),
    };
    let form = Form { name, recipient, rules, tenants: &tenants, preview: None, errors: &errors };
    shown(&dashboard, &viewer, &target, form).await
}

/// Changes a target, or shows what its rules would have sent.
pub(crate) async fn change(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<TargetId>,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    let (target, tenants) = (find(&viewer, &id).await?, tenants(&viewer).await?);
    let rules = sent.rules(&tenants, &target.rules)?;
    let is_member = target.address.member().is_some();
    let recipient = if is_member { Recipient::own(sent.pace()?) } else { sent.recipient(sent.shape()?) };
    let edit = match is_member {
        true => sent.named(&viewer).map(|name| TargetEdit { name: Some(name), ..Default::default() }),
        false => sent.entered(&viewer).map(|(name, url)| TargetEdit {
            name: Some(name),
            url: Some(url),
            ..Default::default()
        }),
    };
    let edit = match edit {
        Ok(edit) => edit,
        Err(errors) => {
            let preview = previewed(&viewer, &sent, &rules).await?;
            let form = sent.form(recipient, &rules, &tenants, preview.as_deref(), &errors);
            return shown(&dashboard, &viewer, &target, form).await;
        }
    };
    let (shape, pace) = match recipient {
        Recipient::Address { shape, .. } => (Some(shape), None),
        Recipient::Member { pace, .. } => (None, Some(pace)),
    };
    let edit = TargetEdit { shape, pace, rules: Some(rules), ..edit };
    viewer.admin_writer()?.edit_target(&id, edit).await?;
    Ok(respond::see(&link::target(&id)))
}

async fn shown(dashboard: &Dashboard, viewer: &Viewer, target: &Target, form: Form<'_>) -> Result<Response, Failure> {
    let deliveries = deliveries(viewer, &target.target_id).await?;
    let shell = viewer.shell(dashboard).await?;
    let quiet_until = target.rules.quiet.end(viewer.now);
    let page = TargetPage { shell: &shell, target, quiet_until, deliveries: &deliveries, form };
    Ok(respond::page(view::target_page(&page)))
}

pub(crate) async fn test(
    Extension(queues): Extension<Queues>,
    viewer: Viewer,
    Named(id): Named<TargetId>,
) -> Result<Response, Failure> {
    send_test(&viewer.admin_writer()?, &queues.notifications, &id, viewer.now).await?;
    Ok(respond::see(&link::target(&id)))
}

pub(crate) async fn pause(viewer: Viewer, Named(id): Named<TargetId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.pause_target(&id, true).await?;
    Ok(respond::see(&link::target(&id)))
}

pub(crate) async fn resume(viewer: Viewer, Named(id): Named<TargetId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.pause_target(&id, false).await?;
    Ok(respond::see(&link::target(&id)))
}

/// Replaces the secret of a target, and shows the new one in the response: it is shown nowhere else.
pub(crate) async fn rotate(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<TargetId>,
    Fields(Once { form }): Fields<Once>,
) -> Result<Response, Failure> {
    let rotated = viewer.admin_writer()?.once(form).rotate_secret(&id).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::secret(&shell, &rotated)))
}

/// Sends an event again, of the deliveries that are listed.
pub(crate) async fn repeat(
    Extension(queues): Extension<Queues>,
    viewer: Viewer,
    Named((id, event)): Named<(TargetId, EventId)>,
) -> Result<Response, Failure> {
    let delivery = deliveries(&viewer, &id).await?.into_iter().find(|delivery| delivery.event_id == event);
    let delivery = delivery.ok_or(Failure::NotFound)?;
    let (writer, queue) = (viewer.admin_writer()?, &queues.notifications);
    match send_again(&writer, queue, &id, delivery.written_at, Some(&event), viewer.now).await? {
        0 => Err(Failure::Conflict("The event no longer exists, so nothing was sent.".to_owned())),
        _ => Ok(respond::see(&link::target(&id))),
    }
}

pub(crate) async fn ask_removal(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<TargetId>,
) -> Result<Response, Failure> {
    let target = find(&viewer, &id).await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::removal(&shell, &target)))
}

pub(crate) async fn remove(viewer: Viewer, Named(id): Named<TargetId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.remove_target(&id).await?;
    Ok(respond::see(LIST))
}

async fn find(viewer: &Viewer, id: &TargetId) -> Result<Target, Failure> {
    let targets = viewer.organization.targets().await?;
    targets.into_iter().find(|target| target.target_id == *id).ok_or(Failure::NotFound)
}

async fn deliveries(viewer: &Viewer, id: &TargetId) -> Result<Vec<Delivery>, Failure> {
    Ok(viewer.organization.deliveries(id, DELIVERIES, viewer.now).await?)
}

pub(super) async fn tenants(viewer: &Viewer) -> Result<Vec<TenantRecord>, Failure> {
    Ok(viewer.organization.tenants().try_concat().await?)
}

/// Returns the events that rules would have sent, if the form asks for them.
pub(super) async fn previewed(
    viewer: &Viewer,
    sent: &Sent,
    rules: &EventRules,
) -> Result<Option<Vec<model::Event>>, Failure> {
    if !sent.asks_for_preview() {
        return Ok(None);
    }
    let since = Timestamp::try_from(viewer.now.to_datetime() - PREVIEWED).unwrap_or(viewer.now);
    Ok(Some(selected(&viewer.organization, rules, since, None, viewer.now).await?))
}
