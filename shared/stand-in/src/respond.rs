//! Responses to requests to Graph: refusals first, then pages.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use graph::Service;
use model::snapshot::endpoint;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::StandIn;
use super::content::objects_by_id;
use super::query::Query;
use super::reply::Reply;
use super::routes::{Collection, Route, Shape};
use super::tenant::{Plan, Tenant, View};

/// Most parts of a batch.
const BATCH: usize = 20;
/// Option that a link to a page has instead of the others.
const SKIP: &str = "$skiptoken";

/// A request to Graph, alone or as a part of a batch.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) tenant: &'a Tenant,
    /// Path and query, such as `/v1.0/users?$top=5`.
    pub(super) target: &'a str,
    pub(super) body: &'a [u8],
}

impl StandIn {
    pub(super) fn reply(&self, ask: Ask) -> Reply {
        let (path, query) = ask.target.split_once('?').unwrap_or((ask.target, ""));
        let path = form_urlencoded::parse(path.as_bytes()).map(|(name, value)| match value.is_empty() {
            true => name.into_owned(),
            // The path has an equals sign, as `servicePrincipals(appId='...')` does.
            false => format!("{name}={value}"),
        });
        let path = path.collect::<Vec<_>>().join("&");
        if path == "/v1.0/$batch" {
            return self.batch(ask);
        }
        let query = Query::parse(query);
        let Some(route) = Route::of(&path) else {
            return Reply::error(400, "BadRequest", "Resource not found for the segment.");
        };
        let Ask { tenant, .. } = ask;
        let refusal = self.budgets().spend(tenant, route.service, route.units(&query));
        if let Some(refusal) = refusal.or_else(|| self.refuse(tenant, route)) {
            return refusal;
        }
        if let Some(recorded) = &tenant.recorded {
            return recorded.bodies.get(&path).map_or_else(denied, |body| Reply::ok(body.clone()));
        }
        let view = View { tenant, now: self.origin };
        match &route.shape {
            Shape::One(body) => Reply::ok(described(&path, "/$entity", body(view))),
            Shape::Table(_) => self.redirect(tenant, &path),
            Shape::Many(..) if path == endpoint::OBJECTS_BY_ID => by_id(tenant, ask.body),
            Shape::Many(rows, most) => {
                // Logs return full pages unless less is asked for, and the directory 100 rows.
                let usual = if route.service == Service::Logs { *most } else { (*most).min(100) };
                self.page(view, &path, query, *rows, (usual, *most))
            }
        }
    }

    /// Returns a page of a collection. Its link to the next one is opaque, and has all options of the first request.
    fn page(&self, view: View, path: &str, query: Query, rows: Collection, (usual, most): (usize, usize)) -> Reply {
        let quirks = view.tenant.quirks;
        let (query, from) = match query.get(SKIP) {
            None => (query, 0),
            Some(token) => match opened(token) {
                Some(_) if quirks.link_expires && self.expires(path) => {
                    return Reply::error(400, "Directory_ExpiredPageToken", "The specified page token has expired.");
                }
                Some((options, from)) => (options, from),
                None => return Reply::error(400, "BadRequest", "The skip token is not valid."),
            },
        };
        if query.filter().is_none() {
            return Reply::error(400, "Request_UnsupportedQuery", "The filter is not supported.");
        }
        let top = query.get("$top").and_then(|top| top.parse().ok()).unwrap_or(usual).clamp(1, most);
        let rows = rows(view, &query, path);
        let is_empty = quirks.page_is_empty && from == top && !query.text().contains("skipped");
        let until = if is_empty { from } else { rows.count.min(from + top) };
        // A row that was inserted before this page moves the last row of the page before it here.
        let first = if quirks.rows_repeat { from.saturating_sub(1) } else { from };
        let page: Vec<Value> = (first.min(until)..until).map(|place| (rows.row)(place)).collect();
        let mut body = described(path, "", json!({ "value": page }));
        if until < rows.count {
            let options = if is_empty { Query::parse(&format!("{}&skipped=1", query.text())) } else { query };
            body["@odata.nextLink"] = format!("{}{path}?{SKIP}={}", self.address, sealed(&options, until)).into();
        }
        Reply::ok(body)
    }

    /// Whether a link to a page of a collection has expired: the first that is followed has.
    fn expires(&self, path: &str) -> bool {
        self.expired.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(path.to_owned())
    }

    fn redirect(&self, tenant: &Tenant, path: &str) -> Reply {
        let download = URL_SAFE_NO_PAD.encode(format!("{} {path}", tenant.id));
        Reply::redirect(format!("{}/v1.0/local-download/{download}", self.address))
    }

    /// Returns a table at the address of its download, which needs no token.
    pub(super) fn download(&self, name: &str) -> Reply {
        let name = URL_SAFE_NO_PAD.decode(name).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let found = name.as_deref().and_then(|name| {
            let (tenant, path) = name.split_once(' ')?;
            Some((self.tenants.get(&tenant.parse().ok()?)?, Route::of(path)?))
        });
        match found {
            Some((tenant, Route { shape: Shape::Table(table), .. })) => {
                Reply::text(table(View { tenant, now: self.origin }))
            }
            _ => Reply::error(404, "NotFound", "There is no such download."),
        }
    }

    fn batch(&self, ask: Ask) -> Reply {
        let invalid = |message: &str| Reply::error(400, "BadRequest", message);
        let Ok(body) = serde_json::from_slice::<Value>(ask.body) else { return invalid("The body is not JSON.") };
        let requests = body["requests"].as_array().map(Vec::as_slice).unwrap_or_default();
        if requests.is_empty() || requests.len() > BATCH {
            return invalid("Number of batch request steps exceeds the maximum value of 20.");
        }
        let mut parts = Vec::new();
        for request in requests {
            let (Some(id), Some(url)) = (request["id"].as_str(), request["url"].as_str()) else {
                return invalid("A request has no id or no url.");
            };
            if parts.iter().any(|part: &Value| part["id"] == id) {
                return invalid("Request ids must be unique.");
            }
            let target = format!("/v1.0{url}");
            // Parts of a batch are charged one by one.
            parts.push(self.reply(Ask { target: &target, body: &[], ..ask }).into_part(id));
        }
        // Their order says nothing.
        parts.reverse();
        Reply::ok(json!({ "responses": parts }))
    }

    /// Returns the refusal of a tenant without the permission or licence for an endpoint.
    fn refuse(&self, tenant: &Tenant, route: &Route) -> Option<Reply> {
        if !self.is_granted(&tenant.id, route.permission) {
            return Some(denied());
        }
        if route.path == endpoint::SHAREPOINT_SETTINGS && !tenant.share_point {
            return Some(Reply::error(400, "BadRequest", "Tenant does not have a SPO license."));
        }
        if tenant.plan.includes(route.plan) {
            return None;
        }
        Some(match (route.plan, route.service) {
            (Plan::P2, Service::Directory) => Reply::error(
                400,
                "AadPremiumLicenseRequired",
                "The tenant needs to have Microsoft Entra ID P2 or Microsoft Entra ID Governance license.",
            ),
            (Plan::P2, _) => Reply::error(403, "Forbidden", "Your tenant is not licensed for this feature."),
            _ => Reply::error(
                403,
                "Authentication_RequestFromNonPremiumTenantOrB2CTenant",
                "Neither tenant is B2C or tenant doesn't have premium license",
            ),
        })
    }

    pub(super) fn samples_of<'a>(
        &'a self,
        tenant: &'a Tenant,
    ) -> impl Iterator<Item = (&'static str, &'static str, Value)> + 'a {
        let view = View { tenant, now: self.origin };
        Route::all().filter_map(move |route| {
            let query = Query::parse("$expand=principal");
            let path = route.path.replace("{id}", &tenant.object("group", 0));
            let body = match &route.shape {
                Shape::One(body) => described(&path, "/$entity", body(view)),
                Shape::Many(rows, _) => {
                    let rows = rows(view, &query, &path);
                    let page: Vec<Value> = (0..rows.count.min(20)).map(|place| (rows.row)(place)).collect();
                    described(&path, "", json!({ "value": page }))
                }
                Shape::Table(_) => return None,
            };
            Some((route.path, route.kind, body))
        })
    }
}

fn denied() -> Reply {
    Reply::error(403, "Authorization_RequestDenied", "Insufficient privileges to complete the operation.")
}

fn by_id(tenant: &Tenant, body: &[u8]) -> Reply {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let ids: Vec<&str> = body["ids"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if ids.is_empty() || ids.len() > 1_000 {
        return Reply::error(400, "Request_BadRequest", "The number of ids must be between 1 and 1000.");
    }
    Reply::ok(described("/v1.0/directoryObjects", "", json!({ "value": objects_by_id(tenant, &ids) })))
}

/// Adds the annotation that says what a body is.
fn described(path: &str, suffix: &str, mut body: Value) -> Value {
    let name = path.strip_prefix("/v1.0/").unwrap_or(path);
    body["@odata.context"] = format!("https://graph.microsoft.com/v1.0/$metadata#{name}{suffix}").into();
    body
}

/// Returns the token of a page: its options and place, with a digest, so that no client can make one.
fn sealed(query: &Query, from: usize) -> String {
    let content = format!("{from} {}", query.text());
    URL_SAFE_NO_PAD.encode(format!("{} {content}", seal(&content)))
}

fn opened(token: &str) -> Option<(Query, usize)> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let (digest, content) = text.split_once(' ')?;
    let (from, query) = content.split_once(' ')?;
    (digest == seal(content)).then_some((Query::parse(query).without(SKIP), from.parse().ok()?))
}

fn seal(content: &str) -> String {
    URL_SAFE_NO_PAD.encode(&digest(&SHA256, format!("stand-in {content}").as_bytes()).as_ref()[..9])
}
