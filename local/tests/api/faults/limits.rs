//! A table with limits: a partition provides 3,000 read units and 1,000 write units a second, on a separate clock.
//!
//! A call is let through while its partitions have units left, and is charged what it costs; what it takes beyond that
//! has to come in before the next call. Reads cost what the engine says. Writes are priced here: 1 unit for each KB of
//! an item, twice in a transaction, also in one that is refused.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{self, Credentials, Region, StalledStreamProtectionConfig};
use aws_smithy_http_client::Builder;
use aws_smithy_runtime::client::retries::{RetryPartition, TokenBucket};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use local::Engine;
use serde_json::{Value, json};
use store::{Store, Timeouts, aws_settings};

use super::clock::Clock;
use super::injection::{bytes, cancelled, failure, throttled};

/// Read units that a partition gives in a second.
const READ_UNITS: f64 = 3_000.0;
/// Write units that a partition gives in a second.
const WRITE_UNITS: f64 = 1_000.0;

/// Number of items of a batch that are read from the engine at a time.
const AT_A_TIME: usize = 10;

/// A store on an engine that has the limits of DynamoDB.
pub(crate) struct LimitedStore {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    table: Arc<Table>,
}

#[derive(Debug)]
struct Table {
    clock: Clock,
    partitions: Mutex<HashMap<String, Units>>,
    refused: Mutex<usize>,
    /// Read units of all calls.
    read: Mutex<f64>,
    /// Queries that may miss a write of the last moment.
    eventual: Mutex<usize>,
}

#[derive(Debug)]
struct Units {
    read: f64,
    write: f64,
    at: Duration,
}

impl LimitedStore {
    pub(crate) async fn over(engine: &Engine) -> Self {
        let clock = Clock::new();
        let table = Arc::new(Table {
            clock: clock.clone(),
            partitions: Mutex::default(),
            refused: Mutex::default(),
            read: Mutex::default(),
            eventual: Mutex::default(),
        });
        let connection = Limited { real: Builder::new().build_http(), table: Arc::clone(&table) };
        let settings = aws_settings(Timeouts::PATIENT)
            .http_client(SharedHttpClient::new(connection))
            .endpoint_url(format!("http://{}", engine.address()))
            .region(Region::from_static("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"));
        // All clients of a process share a quota of retries.
        let unlimited = RetryPartition::custom("limits").token_bucket(TokenBucket::unlimited()).build();
        let settings = config::Builder::from(&settings.load().await)
            .retry_partition(unlimited)
            .sleep_impl(clock.clone())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Self { store: Store::new(Client::from_conf(settings), "posture"), clock, table }
    }

    /// Returns the read units of all calls so far.
    pub(crate) fn read_units(&self) -> f64 {
        *self.table.read.lock().unwrap()
    }

    /// How many queries were made that may miss a write of the last moment.
    pub(crate) fn eventual_queries(&self) -> usize {
        *self.table.eventual.lock().unwrap()
    }

    /// How many calls were refused for lack of units, whole or in part.
    pub(crate) fn refused(&self) -> usize {
        *self.table.refused.lock().unwrap()
    }
}

impl Table {
    /// Runs a function on a partition's units as they are now.
    fn units<T>(&self, partition: &str, run: impl FnOnce(&mut Units) -> T) -> T {
        let now = self.clock.now();
        let mut partitions = self.partitions.lock().unwrap();
        let fresh = || Units { read: READ_UNITS, write: WRITE_UNITS, at: now };
        let units = partitions.entry(partition.to_owned()).or_insert_with(fresh);
        let seconds = (now - units.at).as_secs_f64();
        units.read = (units.read + seconds * READ_UNITS).min(READ_UNITS);
        units.write = (units.write + seconds * WRITE_UNITS).min(WRITE_UNITS);
        units.at = now;
        run(units)
    }

    fn charge_read(&self, partition: &str, cost: f64) {
        self.units(partition, |units| units.read -= cost);
        *self.read.lock().unwrap() += cost;
    }

    fn may_read(&self, partition: &str) -> bool {
        self.units(partition, |units| units.read > 0.0)
    }

    /// Charges a write, if all of its partitions have units left.
    fn write(&self, costs: &[(String, f64)]) -> bool {
        let admitted = costs.iter().all(|(partition, _)| self.units(partition, |units| units.write > 0.0));
        if admitted {
            for (partition, cost) in costs {
                self.units(partition, |units| units.write -= cost);
            }
        }
        admitted
    }

    fn refuse(&self, error: &Value) -> Result<HttpResponse, ConnectorError> {
        *self.refused.lock().unwrap() += 1;
        Ok(failure(400, error))
    }

    async fn respond(
        &self,
        real: SharedHttpConnector,
        operation: &str,
        mut request: HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        match operation {
            "GetItem" | "Query" => {
                let key =
                    if operation == "GetItem" { &body["Key"]["pk"] } else { &body["ExpressionAttributeValues"][":pk"] };
                let partition = key["S"].as_str().unwrap().to_owned();
                if !self.may_read(&partition) {
                    return self.refuse(&throttled());
                }
                if operation == "Query" && body["ConsistentRead"] != true {
                    *self.eventual.lock().unwrap() += 1;
                }
                body["ReturnConsumedCapacity"] = "TOTAL".into();
                set_body(&mut request, &body);
                let mut response = real.call(request).await?;
                let sent = bytes(&mut response).await?;
                let read: Value = serde_json::from_slice(&sent).unwrap();
                let cost = read["ConsumedCapacity"]["CapacityUnits"].as_f64().unwrap();
                self.charge_read(&partition, cost);
                *response.body_mut() = SdkBody::from(sent);
                Ok(response)
            }
            "BatchGetItem" => self.batch(real, request, &body).await,
            "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" if self.write(&costs(operation, &body)) => {
                real.call(request).await
            }
            "TransactWriteItems" => self.refuse(&cancelled("ThrottlingError")),
            "PutItem" | "UpdateItem" | "DeleteItem" => self.refuse(&throttled()),
            other => panic!("{other} has no price"),
        }
    }

    /// Gives the items that there are units for, and leaves the other keys out.
    async fn batch(
        &self,
        real: SharedHttpConnector,
        request: HttpRequest,
        asked: &Value,
    ) -> Result<HttpResponse, ConnectorError> {
        let strong = asked["RequestItems"]["posture"]["ConsistentRead"] == true;
        let mut keys = asked["RequestItems"]["posture"]["Keys"].as_array().unwrap().clone();
        let (mut last, mut given) = (None, Vec::new());
        // A few at a time: the engine is not asked for items that there are no units for.
        while keys.iter().any(|key| self.may_read(key["pk"]["S"].as_str().unwrap())) {
            let later = keys.split_off(keys.len().min(AT_A_TIME));
            let mut part = request.try_clone().unwrap();
            let mut body = asked.clone();
            body["RequestItems"]["posture"]["Keys"] = std::mem::replace(&mut keys, later).into();
            set_body(&mut part, &body);
            let mut response = real.call(part).await?;
            let mut found: Value = serde_json::from_slice(&bytes(&mut response).await?).unwrap();
            for item in found["Responses"]["posture"].as_array_mut().map(std::mem::take).unwrap_or_default() {
                let partition = item["pk"]["S"].as_str().unwrap();
                if self.may_read(partition) {
                    self.charge_read(partition, (size(&item) / 4096.0).ceil() * if strong { 1.0 } else { 0.5 });
                    given.push(item);
                } else {
                    keys.push(json!({ "pk": item["pk"], "sk": item["sk"] }));
                }
            }
            last = Some((response, found));
        }
        let Some((mut response, mut found)) = last.filter(|_| keys.is_empty() || !given.is_empty()) else {
            return self.refuse(&throttled());
        };
        if !keys.is_empty() {
            *self.refused.lock().unwrap() += 1;
            found["UnprocessedKeys"] = json!({ "posture": { "Keys": keys, "ConsistentRead": strong } });
        }
        found["Responses"]["posture"] = given.into();
        *response.body_mut() = SdkBody::from(found.to_string());
        response.headers_mut().remove("content-length");
        response.headers_mut().remove("x-amz-crc32");
        Ok(response)
    }
}

/// Returns the write units that a call costs, by partition.
fn costs(operation: &str, body: &Value) -> Vec<(String, f64)> {
    let of = |item: &Value| (item["pk"]["S"].as_str().unwrap().to_owned(), (size(item) / 1024.0).ceil());
    match operation {
        "PutItem" => vec![of(&body["Item"])],
        "UpdateItem" | "DeleteItem" => vec![of(&body["Key"])],
        _ => {
            let actions = body["TransactItems"].as_array().unwrap().iter();
            let actions = actions.flat_map(|action| action.as_object().unwrap().values());
            let items =
                actions.map(|action| of(if action["Item"].is_object() { &action["Item"] } else { &action["Key"] }));
            items.map(|(partition, units)| (partition, 2.0 * units)).collect()
        }
    }
}

/// Returns the size of an item in bytes, names included.
fn size(item: &Value) -> f64 {
    fn of(value: &Value) -> usize {
        match value.as_object().and_then(|typed| typed.iter().next()) {
            Some((kind, value)) => match (kind.as_str(), value) {
                ("B", Value::String(base64)) => base64.len() / 4 * 3,
                ("S" | "N", Value::String(text)) => text.len(),
                ("M", Value::Object(fields)) => {
                    3 + fields.iter().map(|(name, value)| name.len() + 1 + of(value)).sum::<usize>()
                }
                ("L", Value::Array(values)) => 3 + values.iter().map(|value| 1 + of(value)).sum::<usize>(),
                _ => 1,
            },
            None => 0,
        }
    }
    item.as_object().unwrap().iter().map(|(name, value)| name.len() + of(value)).sum::<usize>() as f64
}

fn set_body(request: &mut HttpRequest, body: &Value) {
    let body = body.to_string();
    request.headers_mut().insert("content-length", body.len().to_string());
    *request.body_mut() = SdkBody::from(body);
}

#[derive(Clone)]
struct Limited<C> {
    real: C,
    table: Arc<Table>,
}

impl<C> fmt::Debug for Limited<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limited").finish_non_exhaustive()
    }
}

impl HttpClient for Limited<SharedHttpClient> {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let real = self.real.http_connector(settings, components);
        SharedHttpConnector::new(Limited { real, table: Arc::clone(&self.table) })
    }
}

impl HttpConnector for Limited<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let (table, real) = (Arc::clone(&self.table), self.real.clone());
        HttpConnectorFuture::new(async move {
            let _under_way = table.clock.call();
            table.respond(real, &operation, request).await
        })
    }
}
