//! API keys: listed for all members, created and deleted by Admins.

use axum::Extension;
use axum::response::Response;
use futures_util::TryStreamExt;
use model::{FormId, KeyId, KeyScope, ServiceTenantId, chosen};
use serde::Deserialize;
use store::{KeyInUse, KeyRights, TenantRecord};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, input, respond};

use crate::ApiUrl;
use crate::view;
use crate::view::api_keys::{Form, Key};

#[derive(Deserialize)]
pub(crate) struct NewKey {
    form: FormId,
    #[serde(default)]
    description: String,
    #[serde(default, deserialize_with = "chosen")]
    scope: KeyScope,
    /// Empty for all tenants.
    #[serde(default)]
    tenant: String,
}

impl NewKey {
    fn form(&self) -> Form<'_> {
        Form { description: &self.description, scope: self.scope, tenant: &self.tenant }
    }

    /// Returns what the key is for.
    fn rights(&self) -> Result<KeyRights, Errors> {
        let wrong = |sentence| Err(Errors::default().with("tenant", sentence));
        match (self.scope, &*self.tenant) {
            (KeyScope::Import, "") => Ok(KeyRights::Import(None)),
            (KeyScope::Import, tenant) => match tenant.parse::<ServiceTenantId>() {
                Ok(tenant) => Ok(KeyRights::Import(Some(tenant))),
                Err(_) => wrong("Choose one of your tenants."),
            },
            (_, "") => Ok(KeyRights::Read),
            (_, _) => wrong("A key that reads, reads everything of the organization: choose every tenant."),
        }
    }
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, Form::default(), Errors::default()).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, form: Form<'_>, errors: Errors) -> Result<Response, Failure> {
    let tenants = viewer.organization.tenants().try_concat().await?;
    let keys = keys(viewer, &tenants).await?;
    let shell = viewer.shell(dashboard).await?;
    let page = view::api_keys::Page { shell: &shell, keys: &keys, tenants: &tenants, form, errors: &errors };
    Ok(respond::page(view::api_keys::page(&page)))
}

/// Creates a key, and shows it in the response: it exists nowhere else.
pub(crate) async fn create(
    dashboard: Dashboard,
    Extension(ApiUrl(api_url)): Extension<ApiUrl>,
    viewer: Viewer,
    Fields(new): Fields<NewKey>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, new.form(), errors).await;
    }
    let Ok(description) = input::optional(&new.description) else {
        let errors = Errors::default().with("description", "A description has up to 200 characters on one line.");
        return listed(&dashboard, &viewer, new.form(), errors).await;
    };
    let rights = match new.rights() {
        Ok(rights) => rights,
        Err(errors) => return listed(&dashboard, &viewer, new.form(), errors).await,
    };
    let created = viewer.admin_writer()?.once(new.form.clone()).create_key_for(description, rights).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::api_key_created::Page {
        shell: &shell,
        key: &created.key,
        description: created.listing.description.as_deref(),
        scope: created.listing.scope,
        api_url: &api_url,
    };
    Ok(respond::page(view::api_key_created::page(&page)))
}

pub(crate) async fn ask_deletion(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<KeyId>,
) -> Result<Response, Failure> {
    let key = keys(&viewer, &[]).await?.into_iter().find(|key| key.id == id).ok_or(Failure::NotFound)?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::api_key_deletion::page(&view::api_key_deletion::Page { shell: &shell, key: &key })))
}

pub(crate) async fn delete(viewer: Viewer, Named(id): Named<KeyId>) -> Result<Response, Failure> {
    viewer.admin_writer()?.delete_key(&id).await?;
    Ok(respond::see("/settings/api-keys"))
}

/// Returns the keys, with the names of those tenants that are given.
async fn keys(viewer: &Viewer, tenants: &[TenantRecord]) -> Result<Vec<Key>, Failure> {
    let name = |id: ServiceTenantId| match tenants.iter().find(|tenant| tenant.service_tenant_id == id) {
        Some(tenant) => tenant.name.clone(),
        None => id.into(),
    };
    let keys = viewer.organization.keys_in_use().await?.into_iter();
    let keys = keys.map(|KeyInUse { listing: key, last_used_on: used }| Key {
        id: key.key_id,
        description: key.description,
        created: key.created_at,
        scope: key.scope,
        tenant: key.service_tenant_id.map(name),
        used,
    });
    Ok(keys.collect())
}
