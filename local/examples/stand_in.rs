//! The stand-in for Microsoft Graph on this machine, with tenants of any size: `stand_in ADDRESS ID=USERS...`, such as
//! `stand_in 127.0.0.1:9001 9c858901-8a57-4791-81fe-4c455b099bc9=20000`. It is below `/local-graph` of the address.

use std::env;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use local::stand_in::Tenant;
use local::{Limits, Service, Settings, TEMPLATE};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let dashboard: SocketAddr = arguments.next().ok_or("name the address")?.parse()?;
    let tenants = arguments.map(|tenant| {
        let (id, users) = tenant.split_once('=').ok_or("a tenant is ID=USERS")?;
        Ok(Tenant::new(id.parse()?, "Tenant", users.parse()?))
    });
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let settings = Settings {
        gateway: any,
        names: Vec::new(),
        engine: any,
        data: None,
        table: "posture".to_owned(),
        dashboard,
        dashboard_url: None,
        sign_in: None,
        template: TEMPLATE.to_owned(),
        limits: Limits::Off,
        tenants: tenants.collect::<Result<_, Box<dyn Error>>>()?,
    };
    Service::start(settings).await?.run(std::future::pending()).await?;
    Ok(())
}
