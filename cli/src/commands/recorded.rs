//! Recorded tenants of `posture serve --graph-folder`, as tenants of an organization, so that reports can be requested.

use local::PEOPLE;
use local::stand_in::Tenant;
use model::{DisplayName, OrganizationId, Role, ServiceTenantId};
use operations::organizations;
use store::Store;

use super::demo;
use crate::arguments::now;
use crate::connection::by_operator;

/// The organization of recorded tenants, unless there is the demo's.
const ORGANIZATION_ID: &str = "org_recorded";
const ORGANIZATION_NAME: &str = "Recorded tenants";

/// Adds recorded tenants to the demo's organization, or to one of their own, unless they are there. Returns the
/// organization.
pub(super) async fn ready(store: &Store, tenants: &[Tenant], with_demo: bool) -> anyhow::Result<OrganizationId> {
    let id: OrganizationId = if with_demo { demo::ORGANIZATION_ID } else { ORGANIZATION_ID }.parse()?;
    let organization = store.organization(&id);
    if organization.record().await?.is_none() {
        organizations::create(store, id.clone(), ORGANIZATION_NAME.parse()?, now()).await?;
    }
    if !with_demo {
        demo::join(store, &organization, Role::Admin, PEOPLE[0]).await?;
    }
    for tenant in tenants {
        if organization.tenant_of_provider(&tenant.id).await?.is_none() {
            let name = tenant.name.parse::<DisplayName>().or_else(|_| tenant.id.as_str().parse())?;
            by_operator(&organization).add_tenant(ServiceTenantId::generate(now()), name, tenant.id.clone()).await?;
        }
    }
    Ok(id)
}
