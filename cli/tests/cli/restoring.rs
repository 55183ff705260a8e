//! A restore by the guide: a damaged table is replaced by a restored one, while the service reads. The embedded engine
//! has the items; moto has the settings of tables, which the engine does not know.

use std::collections::HashSet;
use std::future::pending;
use std::pin::pin;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use api::App;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    PointInTimeRecoverySpecification, StreamSpecification, StreamViewType, Tag, TimeToLiveSpecification,
};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::future::{Either, select};
use local::{Functions, Gateway, Limits, TEMPLATE};
use model::{IdentityHash, MemberId, Timestamp};
use serde_json::{Value, json};
use store::{Person, Store};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tower::ServiceExt;

use crate::moto::Moto;
use crate::support::{Member, Service, client_at, create_table, failed, posture, succeeded, text_of};

const DAMAGED: &str = "posture";
const RESTORED: &str = "posture-restored-2026-07-15";
const REGION: &str = "eu-west-1";
const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";
/// Must not appear in any output.
const ADDRESS: &str = "alex.rivera@northwind.example";
/// The calls about the settings of tables.
const SETTINGS: [&str; 8] = [
    "DescribeTable",
    "UpdateTable",
    "DescribeTimeToLive",
    "UpdateTimeToLive",
    "DescribeContinuousBackups",
    "UpdateContinuousBackups",
    "ListTagsOfResource",
    "TagResource",
];

/// DynamoDB as the command sees it: items from the engine, settings from moto.
#[derive(Clone)]
struct DynamoDb {
    engine: Arc<str>,
    moto: Arc<str>,
    /// Whether recovery must not be turned on.
    refuses: Arc<AtomicBool>,
    stop: Arc<Stop>,
}

/// Ends the responses of DynamoDB: after a number of calls.
#[derive(Default)]
struct Stop {
    /// Calls until then; 0 for never.
    left: AtomicUsize,
    reached: Notify,
}

impl Stop {
    /// Holds the response of the last call back, which has had its effect.
    async fn hold(&self) {
        let one_less = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less) == Ok(1) {
            self.reached.notify_one();
            pending::<()>().await;
        }
    }
}

async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

async fn forward(State(to): State<DynamoDb>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let operation = parts.headers["x-amz-target"].to_str().unwrap().rsplit('.').next().unwrap().to_owned();
    if operation == "UpdateContinuousBackups" && to.refuses.load(Ordering::Relaxed) {
        let refusal = json!({ "__type": "AccessDeniedException", "message": "not allowed" });
        return Response::builder().status(400).body(Body::from(refusal.to_string())).unwrap();
    }
    let address = if SETTINGS.contains(&operation.as_str()) { to.moto } else { to.engine };
    let response = tokio::task::spawn_blocking(move || {
        let mut forwarded = ureq::post(&*address).config().http_status_as_error(false).build();
        for name in ["x-amz-target", "x-amz-date", "authorization", "content-type"] {
            forwarded = forwarded.header(name, &parts.headers[name]);
        }
        let mut response = forwarded.send(&*body).unwrap();
        let mut received = Response::builder().status(response.status());
        for (name, value) in response.headers().iter().filter(|(name, _)| name.as_str().starts_with("x-amz")) {
            received = received.header(name, value);
        }
        received.body(Body::from(response.body_mut().read_to_vec().unwrap())).unwrap()
    });
    let response = response.await.unwrap();
    to.stop.hold().await;
    response
}

/// The deployed functions: a deployment changes them to the restored table, one after another.
#[derive(Clone)]
struct Deployed {
    damaged: Router,
    restored: Router,
    /// The paths whose functions have changed.
    changed: Arc<Mutex<HashSet<String>>>,
}

const PATHS: [&str; 3] = ["/v1/tenants", "/v1/posture-reports", "/v1/report-summaries"];

impl Deployed {
    async fn start(client: &Client) -> (Self, String) {
        let router = |table| {
            let app = App::new(Store::new(client.clone(), table), "https://dashboard.example");
            Gateway::from_template(TEMPLATE, &Functions::of(&app), &Limits::Off).unwrap().into_router()
        };
        let deployed = Self { damaged: router(DAMAGED), restored: router(RESTORED), changed: Default::default() };
        let route = async |State(deployed): State<Self>, request: Request| {
            let has_changed = deployed.changed.lock().unwrap().contains(request.uri().path());
            let router = if has_changed { deployed.restored } else { deployed.damaged };
            router.oneshot(request).await.unwrap()
        };
        let address = serve(Router::new().fallback(route).with_state(deployed.clone())).await;
        (deployed, address)
    }
}

/// Returns the status and the body of a response of the deployed API.
fn get(api: &str, key: &str, path: &str) -> (u16, Value) {
    let request = ureq::get(format!("{api}{path}")).config().http_status_as_error(false).build();
    let mut response = request.header("Authorization", format!("Bearer {key}")).call().unwrap();
    let body = response.body_mut().read_to_string().unwrap();
    (response.status().as_u16(), serde_json::from_str(&body).unwrap())
}

/// Reads until it is told to end, and returns every status with its time.
fn read_on(api: String, key: String, ends: Arc<AtomicBool>) -> thread::JoinHandle<Vec<(u16, Instant)>> {
    thread::spawn(move || {
        let mut seen = Vec::new();
        while !ends.load(Ordering::Relaxed) {
            seen.extend(PATHS.map(|path| (get(&api, &key, path).0, Instant::now())));
        }
        seen
    })
}

/// Returns the tables as AWS has them: the damaged one with all settings, and the restored one as a restore leaves it.
async fn tables_of_aws(moto: &Moto) -> Client {
    let client = client_at(moto.address(), REGION);
    create_table(&client, DAMAGED).await;
    let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name("expiresAt").build().unwrap();
    client.update_time_to_live().table_name(DAMAGED).time_to_live_specification(ttl).send().await.unwrap();
    let recovery = PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true).build().unwrap();
    let backups = client.update_continuous_backups().table_name(DAMAGED);
    backups.point_in_time_recovery_specification(recovery).send().await.unwrap();
    let stream = StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewImage);
    let update = client.update_table().table_name(DAMAGED).deletion_protection_enabled(true);
    let updated = update.stream_specification(stream.build().unwrap()).send().await.unwrap();
    let arn = updated.table_description.unwrap().table_arn.unwrap();
    let tag = Tag::builder().key("team").value("security").build().unwrap();
    client.tag_resource().resource_arn(arn).tags(tag).send().await.unwrap();
    let restore = client.restore_table_to_point_in_time().source_table_name(DAMAGED).target_table_name(RESTORED);
    restore.use_latest_restorable_time(true).send().await.unwrap();
    client
}

/// A deployment whose table is damaged after its restore point, and what was withdrawn in between.
struct Rehearsal {
    service: Service,
    dynamo_db: String,
    refuses: Arc<AtomicBool>,
    stop: Arc<Stop>,
    member: Member,
    report: String,
    withdrawn_key: (String, String),
    invitation: String,
    session_of: MemberId,
    _moto: Moto,
}

impl Rehearsal {
    async fn start() -> Option<Self> {
        let moto = Moto::start()?;
        tables_of_aws(&moto).await;
        let service = Service::start();
        let refuses = Arc::new(AtomicBool::new(false));
        let (engine, of_moto) = (service.endpoint().into(), moto.address().into());
        let stop = Arc::<Stop>::default();
        let to = DynamoDb { engine, moto: of_moto, refuses: Arc::clone(&refuses), stop: Arc::clone(&stop) };
        let dynamo_db = serve(Router::new().fallback(forward).with_state(to)).await;
        let member = service.organization("Northwind");
        service.tenant(&member, "Alder", PROVIDER_ID);
        let file = service.file("results.json", crate::samples::results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
        let imported = service.json(&["report", "import", "--org", &member.id, &file]);
        let report = text_of(&imported["reports"][0], "reportId");
        let second = service.json(&["key", "create", "--org", &member.id]);
        let withdrawn_key = (text_of(&second, "keyId"), text_of(&second, "key"));
        let invite = ["member", "invite", "--org", &member.id, "--role", "admin", "--note", "Alex"];
        let invitation = text_of(&service.json(&invite), "invitationId");
        let joining = service.json(&invite);
        let store = Store::new(service.client(), DAMAGED);
        let secret = text_of(&joining, "link").rsplit('/').next().unwrap().parse().unwrap();
        let identity = IdentityHash::of("https://issuer.example", "alex");
        let person = Person { identity, name: "Alex Rivera".to_owned(), email: Some(ADDRESS.to_owned()) };
        let now: Timestamp = chrono::Utc::now().try_into().unwrap();
        let session_of = store.accept_invitation(&secret, person, now).await.unwrap().member_id;
        let sessions = store.sessions(&member.id.parse().unwrap());
        let session = sessions.begin(session_of.clone(), now).await.unwrap();
        // The restore point. Afterwards, access is withdrawn, and then a report is lost.
        service.restore(RESTORED).await;
        service.text(&["key", "delete", &withdrawn_key.0, "--org", &member.id, "--yes"]);
        service.text(&["member", "revoke", &invitation, "--org", &member.id, "--yes"]);
        sessions.end(&session, &session_of, now).await.unwrap();
        service.text(&["report", "delete", &report, "--org", &member.id, "--yes"]);
        Some(Self {
            service,
            dynamo_db,
            refuses,
            stop,
            member,
            report,
            withdrawn_key,
            invitation,
            session_of,
            _moto: moto,
        })
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = posture();
        command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test").env("AWS_REGION", REGION);
        command.args(line).args(["--endpoint-url", &self.dynamo_db]);
        command
    }

    /// Runs a command of the guide.
    fn run(&self, line: &[&str]) -> Output {
        let output = self.command(line).output().unwrap();
        for printed in [&output.stdout, &output.stderr] {
            let printed = String::from_utf8_lossy(printed);
            assert!(!printed.contains(ADDRESS) && !printed.contains(&self.withdrawn_key.1), "{line:?}: {printed}");
        }
        output
    }

    fn restore(&self, options: &[&str]) -> Output {
        self.run(&[&["restore", "--table", RESTORED, "--from", DAMAGED], options].concat())
    }

    /// Returns the result of a run that makes all settings.
    fn restored(&self, options: &[&str]) -> Value {
        serde_json::from_str(&succeeded(&self.restore(&[options, &["--json"]].concat()))).unwrap()
    }

    /// Returns the identifiers of whatever gives access again although it was withdrawn.
    fn withdrawn(&self, restored: &Value) -> Vec<String> {
        let access = restored["access"].as_array().unwrap();
        access.iter().filter(|one| one["stillInFrom"] == json!(false)).map(|one| text_of(one, "id")).collect()
    }
}

/// Returns each setting of a result as `name: before -> after`.
fn settings(restored: &Value) -> Vec<String> {
    let value = |value: &Value| value.as_str().unwrap_or("off").to_owned();
    let made =
        |made: &Value| format!("{}: {} -> {}", text_of(made, "setting"), value(&made["before"]), value(&made["after"]));
    restored["settings"].as_array().unwrap().iter().map(made).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_restored_by_the_guide_while_the_service_reads() {
    let Some(rehearsal) = Rehearsal::start().await else { return };
    let Rehearsal { service, member, withdrawn_key, .. } = &rehearsal;
    let (deployed, api) = Deployed::start(&service.client()).await;
    assert_eq!(get(&api, &member.key, "/v1/posture-reports").1["totalReports"], 0, "the report is lost");

    // Step 1: check the restored table and make its settings.
    succeeded(&rehearsal.run(&["check", "--table", RESTORED]));
    rehearsal.refuses.store(true, Ordering::Relaxed);
    let refused = rehearsal.restore(&[]);
    assert!(failed(1, &refused).contains("1 setting could not be made: run the command again"));
    let shown = String::from_utf8(refused.stdout).unwrap();
    assert!(shown.contains("FAILED: ") && shown.contains("no longer in the other table"), "{shown}");
    rehearsal.refuses.store(false, Ordering::Relaxed);
    let restored = rehearsal.restored(&[]);
    let expected = [
        "time to live: expiresAt -> expiresAt",
        "point-in-time recovery: off -> on",
        "deletion protection: on -> on",
        "stream: NEW_IMAGE -> NEW_IMAGE",
        "tag team: security -> security",
    ];
    assert_eq!(settings(&restored), expected, "the run before made the others");
    let off_before = ["time to live", "deletion protection", "stream", "tag team"];
    assert_eq!(
        off_before.map(|name| shown.lines().any(|line| line.starts_with(name) && line.contains(" off "))),
        [true; 4]
    );

    // Steps 2 and 3: withdraw again whatever was withdrawn since the restore point.
    let [key, invitation] = [&withdrawn_key.0, &rehearsal.invitation];
    assert_eq!(rehearsal.withdrawn(&restored), [key.clone(), invitation.clone(), rehearsal.session_of.to_string()]);
    let of = ["--org", &member.id, "--table", RESTORED, "--yes"];
    succeeded(&rehearsal.run(&[&["key", "delete", key], &of[..]].concat()));
    succeeded(&rehearsal.run(&[&["member", "revoke", invitation], &of[..]].concat()));
    let again = rehearsal.restored(&["--end-sessions"]);
    assert_eq!((rehearsal.withdrawn(&again), &again["endedSessions"]), (Vec::new(), &json!(1)));
    let unchanged =
        |setting: &String| setting.split_once(": ").unwrap().1.split_once(" -> ").is_some_and(|(a, b)| a == b);
    assert!(settings(&again).iter().all(unchanged), "{again}");

    // Step 4: the deployment changes one function after another, while clients read.
    let ends = Arc::new(AtomicBool::new(false));
    let readers = [&member.key, &withdrawn_key.1].map(|key| read_on(api.clone(), key.clone(), Arc::clone(&ends)));
    let mut changes = Vec::new();
    for path in PATHS {
        tokio::time::sleep(Duration::from_millis(200)).await;
        deployed.changed.lock().unwrap().insert(path.to_owned());
        changes.push(Instant::now());
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    ends.store(true, Ordering::Relaxed);
    let [reads, refusals] = readers.map(|reader| reader.join().unwrap());
    assert!(reads.iter().all(|(status, _)| *status == 200), "{reads:?}");
    assert!(refusals.iter().all(|(status, _)| *status == 401), "{refusals:?}");
    let gap = reads.windows(2).map(|pair| pair[1].1 - pair[0].1).max().unwrap();
    eprintln!(
        "{} reads during a change of {:.1} s, none failed; the longest time between two responses was {:.3} s",
        reads.len(),
        (changes[PATHS.len() - 1] - changes[0]).as_secs_f64(),
        gap.as_secs_f64()
    );
    let reports = get(&api, &member.key, "/v1/posture-reports").1;
    assert_eq!(reports["reports"][0]["id"], json!(rehearsal.report), "the report is back");
    succeeded(&rehearsal.run(&["check", "--table", RESTORED]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_is_killed_after_any_call_is_completed_by_another_run() {
    let Some(rehearsal) = Rehearsal::start().await else { return };
    let restore = ["restore", "--table", RESTORED, "--from", DAMAGED, "--end-sessions", "--json"];
    let mut kills = 0;
    // Each run gets one call further than the one before, which the settings that are made already save.
    loop {
        rehearsal.stop.left.store(kills + 1, Ordering::Relaxed);
        let mut running = rehearsal.command(&restore).stdout(Stdio::null()).spawn().unwrap();
        let pid = running.id();
        let ended = tokio::task::spawn_blocking(move || running.wait().unwrap());
        let reached = async {
            rehearsal.stop.reached.notified().await;
            assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
        };
        match select(pin!(reached), ended).await {
            Either::Left(((), ended)) => drop(ended.await),
            Either::Right((status, _)) => {
                assert!(status.unwrap().success());
                break;
            }
        }
        kills += 1;
    }
    assert!(kills > 10, "{kills}");
    let restored = rehearsal.restored(&[]);
    let expected = [
        "time to live: expiresAt -> expiresAt",
        "point-in-time recovery: on -> on",
        "deletion protection: on -> on",
        "stream: NEW_IMAGE -> NEW_IMAGE",
        "tag team: security -> security",
    ];
    assert_eq!(settings(&restored), expected, "after {kills} kills");
    let access = restored["access"].as_array().unwrap();
    assert!(access.iter().all(|one| one["kind"] != "session"), "{restored}");
    succeeded(&rehearsal.run(&["check", "--table", RESTORED]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_does_not_exist_is_named() {
    let Some(rehearsal) = Rehearsal::start().await else { return };
    let complaint = failed(1, &rehearsal.run(&["restore", "--table", RESTORED, "--from", "gone"]));
    assert!(complaint.contains("the table gone cannot be read"), "{complaint}");
    let missing = rehearsal.run(&["restore", "--table", "gone"]);
    assert!(failed(1, &missing).contains("there is no table gone"));
}
