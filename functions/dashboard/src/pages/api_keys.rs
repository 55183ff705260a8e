//! API keys: listed for all members, created and deleted by Admins.

use axum::Extension;
use axum::response::Response;
use model::{FormId, KeyId};
use serde::Deserialize;
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, input, respond};

use crate::ApiUrl;
use crate::view;
use crate::view::api_keys::Key;

#[derive(Deserialize)]
pub(crate) struct NewKey {
    form: FormId,
    description: String,
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, "", Errors::default()).await
}

async fn listed(
    dashboard: &Dashboard,
    viewer: &Viewer,
    description: &str,
    errors: Errors,
) -> Result<Response, Failure> {
    let keys = keys(viewer).await?;
    let shell = viewer.shell(dashboard).await?;
    let page = view::api_keys::Page { shell: &shell, keys: &keys, description, errors: &errors };
    Ok(respond::page(view::api_keys::page(&page)))
}

/// Creates a key, and shows it in the response: it exists nowhere else.
pub(crate) async fn create(
    dashboard: Dashboard,
    Extension(ApiUrl(api_url)): Extension<ApiUrl>,
    viewer: Viewer,
    Fields(NewKey { form, description }): Fields<NewKey>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &description, errors).await;
    }
    let Ok(chosen) = input::optional(&description) else {
        let errors = Errors::default().with("description", "A description has up to 200 characters on one line.");
        return listed(&dashboard, &viewer, &description, errors).await;
    };
    let created = viewer.admin_writer()?.once(form).create_key(chosen).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::api_key_created::Page {
        shell: &shell,
        key: &created.key,
        description: created.listing.description.as_deref(),
        api_url: &api_url,
    };
    Ok(respond::page(view::api_key_created::page(&page)))
}

pub(crate) async fn ask_deletion(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<KeyId>,
) -> Result<Response, Failure> {
    let key = keys(&viewer).await?.into_iter().find(|key| key.id == id).ok_or(Failure::NotFound)?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::api_key_deletion::page(&view::api_key_deletion::Page { shell: &shell, key: &key })))
}

pub(crate) async fn delete(viewer: Viewer, Named(id): Named<KeyId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.delete_key(&id).await?;
    Ok(respond::see("/settings/api-keys"))
}

async fn keys(viewer: &Viewer) -> Result<Vec<Key>, Failure> {
    let keys = viewer.organization.keys().await?.into_iter();
    Ok(keys.map(|key| Key { id: key.key_id, description: key.description, created: key.created_at }).collect())
}
