//! The whole service in one process.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use api::App;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Redirect, Response};
use chrono::Utc;
use dashboard::CALLBACK;
use dashboard::{Connector, Pages};
use deliver::{Client, Internet, Mail, Reach};
use futures_util::FutureExt;
use futures_util::future::{join, join4, select};
use graph::{Clock, Credential, Registered, Transport};
use lambda_http::http::header::HOST;
use stand_in::{LOCAL_CLIENT, LocalSigner, Registration, StandIn, Tenant};
use store::{DataError, FORMAT, Store, Upgrade};
use tokio::net::TcpListener;
use web::sign_in::Settings as SignInSettings;
use web::{Documents, respond};

#[cfg(feature = "pdf")]
use crate::documents::Sets;
use crate::engine::{Addresses, Engine, EngineError};
use crate::folders::beside;
use crate::functions::Functions;
use crate::gateway::{Gateway, Limits};
use crate::graph_server;
use crate::issuer;
use crate::loopback::{self, Visitors};
use crate::notifications::Notifications;
use crate::requests::Requests;
use crate::site;
use crate::template::TemplateError;
use crate::uploads::Uploads;

/// Settings of the service.
#[derive(Clone)]
pub struct Settings {
    /// Address that the gateway listens on; port 0 for any.
    pub gateway: SocketAddr,
    /// Other names of this machine by which programs and people may call the gateway.
    pub names: Vec<String>,
    /// Address that the engine listens on; port 0 for any.
    pub engine: SocketAddr,
    /// File that keeps the data. `None` keeps it in memory.
    pub data: Option<PathBuf>,
    /// Name of the table.
    pub table: String,
    /// Address that the dashboard listens on; port 0 for any.
    pub dashboard: SocketAddr,
    /// Address of the dashboard that links of reports lead to. `None` for the one on this machine.
    pub dashboard_url: Option<String>,
    /// Who signs in the dashboard's people. `None` for the issuer on this machine, with its invented people.
    pub sign_in: Option<SignInSettings>,
    /// Text of the template, such as [`TEMPLATE`](crate::TEMPLATE).
    pub template: String,
    /// Whether requests are counted.
    pub limits: Limits,
    /// Tenants that can be collected from the stand-in for Microsoft Graph.
    pub tenants: Vec<Tenant>,
}

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The template does not describe the service.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The engine cannot run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The file with the data cannot be used by this release.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The certificates that the system trusts cannot be read.
    #[error("the certificates that the system trusts cannot be read: {0}")]
    Certificates(io::Error),
    /// The folder of snapshots cannot be created.
    #[error("the folder of snapshots cannot be created: {0}")]
    Snapshots(io::Error),
    /// The folder of documents cannot be created.
    #[error("the folder of documents cannot be created: {0}")]
    Documents(io::Error),
    /// The folder of uploads cannot be created.
    #[error("the folder of uploads cannot be created: {0}")]
    Uploads(io::Error),
    /// The folder of mail cannot be created.
    #[error("the folder of mail cannot be created: {0}")]
    Mail(io::Error),
    /// An address is in use, or does not belong to this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// The service: its engine runs, and its gateway starts with [`run`](Self::run).
pub struct Service {
    app: App,
    engine: Engine,
    gateway: Gateway,
    listener: TcpListener,
    address: SocketAddr,
    names: Vec<String>,
    dashboard: TcpListener,
    dashboard_address: String,
    sign_in: Option<SignInSettings>,
    stand_in: Arc<StandIn>,
    requests: Requests,
    uploads: Arc<Uploads>,
    notifications: Notifications,
    sets: Sets,
    mail: PathBuf,
}

impl Service {
    /// Opens the data and listens on both addresses.
    ///
    /// # Errors
    /// If the template is not usable, an address is not available, or the data cannot be opened.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let (listener, address) = listen(settings.gateway)?;
        let (engine_listener, _) = listen(settings.engine)?;
        let engine = match &settings.data {
            Some(path) => Engine::file(path, engine_listener).await?,
            None => Engine::memory(engine_listener).await?,
        };
        let (dashboard, bound) = listen(settings.dashboard)?;
        // Browsers accept `Secure` cookies from `localhost` without TLS.
        let dashboard_address = format!("http://localhost:{}", bound.port());
        let links = settings.dashboard_url.as_deref().unwrap_or(&dashboard_address);
        let store = engine.store(&settings.table).await?;
        if settings.data.is_some() {
            take_over(&store).await?;
        }
        let app = App::new(store, links);
        let report_links = app.dashboard_url.to_string();
        engine.announce(Addresses { dashboard: dashboard_address.clone(), report_links });
        let uploads = Uploads::new(settings.data.as_deref()).map_err(StartError::Uploads)?;
        let functions = Functions::of(&app).taking(&app, &uploads);
        let gateway = Gateway::from_template(&settings.template, &functions, &settings.limits)?;
        let graph_address = format!("{dashboard_address}{}", graph_server::PATH);
        let stand_in = StandIn::new(&graph_address, Clock::at(Utc::now()), settings.tenants)
            .with_registration(Registration::local(&format!("{dashboard_address}{CALLBACK}")));
        let stand_in = Arc::new(stand_in);
        let requests = Requests::of(app.store.clone(), settings.data.as_deref(), &stand_in);
        let requests = requests.map_err(StartError::Snapshots)?;
        let sets = Sets::of(&app, settings.data.as_deref()).map_err(StartError::Documents)?;
        let (names, sign_in) = (settings.names, settings.sign_in);
        // Also to targets on this machine, where a receiver may be tried.
        let client = Client::new(Arc::new(Internet), Reach::AndThisMachine).map_err(StartError::Certificates)?;
        let api_url = format!("http://{address}");
        let (mail, temporary) = beside(settings.data.as_deref(), "mail").map_err(StartError::Mail)?;
        let notifications = Notifications::of(app.store.clone(), client, &app.dashboard_url, &api_url);
        let notifications = notifications.with_mail(Mail::written_to(&mail), temporary);
        Ok(Self {
            app,
            engine,
            gateway,
            listener,
            address,
            names,
            dashboard,
            dashboard_address,
            sign_in,
            stand_in,
            requests,
            uploads,
            notifications,
            sets,
            mail,
        })
    }

    /// Returns the resources that the functions work with.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Returns the address of the API.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the engine.
    pub fn engine_address(&self) -> SocketAddr {
        self.engine.address()
    }

    /// Returns the address of the dashboard on this machine.
    pub fn dashboard_address(&self) -> &str {
        &self.dashboard_address
    }

    /// Returns the folder that mail is written into.
    pub fn mail(&self) -> &Path {
        &self.mail
    }

    /// Returns the stand-in for Microsoft Graph.
    pub fn stand_in(&self) -> &Arc<StandIn> {
        &self.stand_in
    }

    /// Returns the dashboard on this machine, and the issuer that signs its people in unless another one does.
    fn dashboard(&self) -> Router {
        let address = &self.dashboard_address;
        let (sign_in, issuer) = match &self.sign_in {
            Some(sign_in) => (sign_in.clone(), Router::new()),
            None => (issuer::settings(address), Router::new().nest(issuer::PATH, issuer::router(address))),
        };
        let app = App::new(self.app.store.clone(), address);
        let pages = Pages::new(app, &format!("http://{}", self.address), sign_in);
        let pages = pages.with_report_links(&self.app.dashboard_url).with_documents(documents(&self.sets));
        let pages = pages.with_connector(Connector { application: self.application() }).with_mail();
        let graph = Router::new().nest(graph_server::PATH, graph_server::router(Arc::clone(&self.stand_in)));
        let beside = issuer.merge(graph).layer(map_response(async |response| respond::restricted(response, &[])));
        pages.router().merge(beside).layer(from_fn_with_state(Arc::from(&**address), at_own_address))
    }

    /// Returns the application that the tenants of the stand-in know.
    fn application(&self) -> Registered {
        let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(&self.stand_in);
        let (credential, hosts) = (Credential::Key(Arc::new(LocalSigner)), self.stand_in.hosts());
        Registered { client_id: LOCAL_CLIENT.into(), home: None, credential, transport, hosts }
    }

    /// Serves requests until `shutdown` completes, then lets running ones finish, and makes reports that were requested
    /// meanwhile. `/docs` shows the API's documentation.
    ///
    /// # Errors
    /// If the engine failed.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), EngineError> {
        let pages = self.dashboard();
        let Self { app, engine, gateway, listener, names, dashboard, requests, uploads, notifications, sets, .. } =
            self;
        let stopped = shutdown.shared();
        let api = site::beside(gateway.into_router()).merge(uploads.router());
        let api = loopback::serve(listener, api, Visitors::OwnPages(names), stopped.clone());
        let dashboard = loopback::serve(dashboard, pages, Visitors::OwnPages(Vec::new()), stopped);
        // A report that is being made goes on from its last step at the next start, and a message that waits is sent then.
        let work = join4(requests.run(), uploads.run(&app), notifications.run(), sets.run());
        select(pin!(join(api, dashboard)), pin!(work)).await;
        engine.stop().await
    }
}

/// Prepares the data of a file for this release.
async fn take_over(store: &Store) -> Result<(), DataError> {
    let Upgrade { rewritten, unreadable, .. } = store.as_operator().take_over(env!("CARGO_PKG_VERSION")).await?;
    if rewritten > 0 {
        tracing::info!(rewritten, "upgraded the data to format {FORMAT}");
    }
    if unreadable > 0 {
        tracing::warn!(unreadable, "some items cannot be read and were left as they are: run `posture check --local`");
    }
    Ok(())
}

#[cfg(feature = "pdf")]
fn documents(sets: &Sets) -> Documents {
    report_pdf::documents(usize::MAX, Some(Arc::new(sets.shelves())))
}

#[cfg(not(feature = "pdf"))]
fn documents(_: &Sets) -> Documents {
    Documents::Nobody
}

/// Without a typesetter, nobody makes documents.
#[cfg(not(feature = "pdf"))]
struct Sets;

#[cfg(not(feature = "pdf"))]
impl Sets {
    #[allow(clippy::unnecessary_wraps, reason = "as with the feature")]
    fn of(_: &App, _: Option<&std::path::Path>) -> io::Result<Self> {
        Ok(Self)
    }

    async fn run(self) {
        std::future::pending().await
    }
}

/// Redirects requests for another name of this machine, such as `127.0.0.1`: a sign-in that began there would return to
/// `localhost`, where its cookie is not sent.
async fn at_own_address(State(address): State<Arc<str>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    if host == address.strip_prefix("http://") {
        return next.run(request).await;
    }
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    Redirect::temporary(&format!("{address}{path}")).into_response()
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let refused = |source| StartError::Listen { address, source };
    let listener = loopback::listen(address).map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    Ok((listener, bound))
}
