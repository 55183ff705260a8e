//! The brand of the organization's documents, for Admins.

use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use operations::brand::{self, Accent, Change, ChangeError};
use store::{BrandRecord, LogoRecord};
use web::failure::Failure;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::conflict;
use crate::view::brand::{Form, Page, Preview};
use crate::view::{self, words};

/// A form as it was sent.
#[derive(Default)]
pub(crate) struct Sent {
    form: Form,
    /// The chosen file; empty if none was chosen.
    logo: Vec<u8>,
    remove_logo: bool,
}

impl<S: Sync + Send> FromRequest<S> for Sent {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let mut fields = Multipart::from_request(request, state).await.map_err(|_| unreadable())?;
        let mut sent = Self::default();
        while let Some(field) = fields.next_field().await.map_err(refused)? {
            match field.name() {
                Some("seen") => sent.form.seen = field.text().await.map_err(refused)?,
                Some("name") => sent.form.name = field.text().await.map_err(refused)?,
                Some("accent") => sent.form.accent = field.text().await.map_err(refused)?,
                Some("footer") => sent.form.footer = field.text().await.map_err(refused)?,
                Some("logo") => sent.logo = field.bytes().await.map_err(refused)?.to_vec(),
                Some("removeLogo") => sent.remove_logo = true,
                _ => {}
            }
        }
        Ok(sent)
    }
}

fn unreadable() -> Failure {
    Failure::Invalid {
        happened: "The form cannot be read, so nothing was changed.".to_owned(),
        advice: "Go back, reload the page and send the form again.",
    }
}

/// The server stops reading a form after some MB.
fn refused(error: MultipartError) -> Failure {
    match error.status().as_u16() {
        413 => Failure::Invalid {
            happened: "The file is far too large for a logo, so nothing was changed.".to_owned(),
            advice: "Go back and choose a PNG or JPEG file of up to 100 KB.",
        },
        _ => unreadable(),
    }
}

pub(crate) async fn show(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let form = form_of(viewer.organization.brand().await?);
    shown(&dashboard, &viewer, &form, &Errors::default()).await
}

fn form_of(BrandRecord { version, name, accent, footer, .. }: BrandRecord) -> Form {
    Form {
        seen: version.to_string(),
        name: name.unwrap_or_default(),
        accent: accent.unwrap_or_default(),
        footer: footer.unwrap_or_default(),
    }
}

async fn shown(dashboard: &Dashboard, viewer: &Viewer, form: &Form, errors: &Errors) -> Result<Response, Failure> {
    let brand = brand::get(&viewer.organization).await?;
    let preview = Preview {
        name: brand.name,
        accent: brand.accent.to_string(),
        footer: brand.footer,
        logo: brand.logo.as_ref().map(data_address),
    };
    let shell = viewer.shell(dashboard).await?;
    Ok(respond::page(view::brand::page(&Page { shell: &shell, form, preview: &preview, errors })))
}

/// A logo is shown from within its page: it needs no address, which others could ask for.
fn data_address(logo: &LogoRecord) -> String {
    format!("data:{};base64,{}", logo.media_type, STANDARD.encode(&logo.bytes))
}

pub(crate) async fn change(dashboard: Dashboard, viewer: Viewer, sent: Sent) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return shown(&dashboard, &viewer, &sent.form, &errors).await;
    }
    let form = sent.form.clone();
    let has_logo = !sent.logo.is_empty();
    let changes = match changes(sent) {
        Ok(changes) => changes,
        Err(errors) => return shown(&dashboard, &viewer, &form, &errors).await,
    };
    // No brand has the version of a form without one.
    let seen = form.seen.parse().unwrap_or(u64::MAX);
    match brand::change(&viewer.organization, &viewer.actor().admin()?, changes, Some(seen), viewer.now).await {
        Ok(_) => Ok(respond::see("/settings/brand")),
        Err(ChangeError::Store(error)) => Err(error.into()),
        Err(ChangeError::ChangedMeanwhile(now)) => {
            let now = form_of(now);
            let errors = differences(&form, &now, has_logo);
            Ok(conflict::response(shown(&dashboard, &viewer, &Form { seen: now.seen, ..form }, &errors).await?))
        }
    }
}

/// Returns an error with the current value for each field that differs from the form.
fn differences(form: &Form, now: &Form, has_logo: bool) -> Errors {
    let fields =
        [("name", &form.name, &now.name), ("accent", &form.accent, &now.accent), ("footer", &form.footer, &now.footer)];
    let errors = conflict::differences(fields.map(|(field, typed, now)| (field, typed.trim(), now.as_str())));
    if has_logo { errors.with("logo", "Choose the file again: a browser does not keep it.") } else { errors }
}

/// An empty field returns to its default. No file leaves the logo as it is.
fn changes(sent: Sent) -> Result<Vec<Change>, Errors> {
    let mut errors = Errors::default();
    let chosen = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let mut changes = Vec::new();
    match chosen(&sent.form.name).map(|text| brand::name(&text)).transpose() {
        Ok(name) => changes.push(Change::Name(name)),
        Err(error) => errors = errors.with("name", format!("The name {error}.")),
    }
    match chosen(&sent.form.accent).map(|text| text.parse::<Accent>()).transpose() {
        Ok(accent) => changes.push(Change::Accent(accent)),
        Err(error) => errors = errors.with("accent", format!("The accent colour {error}.")),
    }
    match chosen(&sent.form.footer).map(|text| brand::footer(&text)).transpose() {
        Ok(footer) => changes.push(Change::Footer(footer)),
        Err(error) => errors = errors.with("footer", format!("The footer {error}.")),
    }
    if !sent.logo.is_empty() {
        match brand::logo(sent.logo) {
            Ok(logo) => changes.push(Change::Logo(Some(logo))),
            Err(error) => errors = errors.with("logo", words::sentence(&error.to_string())),
        }
    } else if sent.remove_logo {
        changes.push(Change::Logo(None));
    }
    if errors.is_empty() { Ok(changes) } else { Err(errors) }
}
