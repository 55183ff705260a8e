//! Organizations, keys and tenants.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::samples::results;
use crate::support::{Service, failed, posture, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";

#[test]
fn an_organization_is_created_and_deleted_with_all_its_data() {
    let service = Service::start();
    let (kept, gone) = (service.organization("Kept"), service.organization("Gone"));
    for member in [&kept, &gone] {
        service.tenant(member, "Harbour Dental", PROVIDER_ID);
        let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Pass")]));
        service.text(&["report", "import", "--org", &member.id, &file]);
    }

    service.failure(2, &["org", "delete", &gone.id]);
    assert_eq!(service.get(&gone.key, "/v1/tenants").0, 200, "nothing is deleted without --yes");
    service.text(&["org", "delete", &gone.id, "--yes"]);

    assert_eq!(service.get(&gone.key, "/v1/tenants").0, 401);
    assert_eq!(service.get(&kept.key, "/v1/posture-reports").1["totalReports"], 1);
    let names: Vec<_> = service.json(&["org", "list"]).as_array().unwrap().iter().map(|o| text_of(o, "name")).collect();
    assert_eq!(names, ["Kept"]);
    let complaint = service.failure(1, &["org", "delete", &gone.id, "--yes"]);
    assert!(complaint.contains("does not exist"), "{complaint}");
    let complaint = service.failure(1, &["tenant", "list", "--org", &gone.id]);
    assert!(complaint.contains("posture org list"), "{complaint}");
}

#[tokio::test]
async fn an_organization_of_many_pages_is_deleted_to_the_last_item() {
    let service = Service::start();
    let member = service.organization("Large");
    service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    // Together more than the megabyte that is read at once.
    for month in 1..=9 {
        let mut run: Value = serde_json::from_str(&results(PROVIDER_ID, month, &[("MS.AAD.1.1v1", "Pass")])).unwrap();
        run["Results"]["AAD"][0]["Controls"][0]["Details"] = incompressible(month, 300_000).into();
        let file = service.file("results.json", run.to_string());
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
    assert!(service.items().await.len() > 9);
    service.text(&["org", "delete", &member.id, "--yes"]);
    assert_eq!(service.items().await, []);
}

/// Returns text that deflates to at least half of its length.
fn incompressible(seed: u32, length: usize) -> String {
    let next =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    let numbers = std::iter::successors(Some(u64::from(seed)), next);
    numbers.flat_map(|number| format!("{:08x}", number >> 32).into_bytes()).take(length).map(char::from).collect()
}

#[tokio::test]
async fn discrepancies_are_reported() {
    let service = Service::start();
    assert!(service.text(&["check"]).contains("no organizations"));
    let (whole, damaged) = (service.organization("Whole"), service.organization("Damaged"));
    assert_eq!(service.json(&["check"]).as_array().unwrap().len(), 2);
    service.tenant(&damaged, "Harbour Dental", PROVIDER_ID);
    for (pk, sk) in service.items().await {
        if pk.ends_with(&damaged.id) && ["APIKEY", "PROVIDER"].iter().any(|kind| sk.starts_with(kind)) {
            let delete = service.client().delete_item().table_name("posture");
            delete.key("pk", AttributeValue::S(pk)).key("sk", AttributeValue::S(sk)).send().await.unwrap();
        }
    }
    let check = |options: &[&str]| {
        let output = service.run(&[&["check"], options].concat());
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, all) = check(&[]);
    assert_eq!(code, Some(1));
    assert!(all.contains("the key gives access but is not listed"), "{all}");
    assert!(all.contains("the provider identifier of the tenant does not point to it"), "{all}");
    let (code, one) = check(&["--org", &damaged.id]);
    assert_eq!(code, Some(1));
    assert!(one.contains(": 1 tenant, 0 reports, 0 keys, 2 discrepancies."), "{one}");
    assert_eq!(check(&["--org", &whole.id]).0, Some(0));
    service.failure(1, &["check", "--org", "org_nowhere"]);
    // The organization in the environment must not restrict the check.
    let mut everything = posture();
    everything.args(["check", "--local", "--endpoint-url", &service.endpoint()]).env("POSTURE_ORG", &whole.id);
    assert_eq!(everything.output().unwrap().status.code(), Some(1));
}

#[tokio::test]
async fn items_of_earlier_releases_are_upgraded_once() {
    let service = Service::start();
    let (one, _) = (service.organization("One"), service.organization("Other"));
    for (pk, sk) in service.items().await {
        let update = service.client().update_item().table_name("posture").update_expression("REMOVE v");
        update.key("pk", AttributeValue::S(pk)).key("sk", AttributeValue::S(sk)).send().await.unwrap();
    }
    let number = service.items().await.len();
    // The organization itself, its list of controls, its key, and the audit entry of the key.
    assert_eq!(service.text(&["upgrade", "--org", &one.id]).trim_end(), "Rewrote 4 items in format 2.");
    assert_eq!(service.json(&["upgrade"]), json!({ "rewritten": number - 4, "collected": 0, "unreadable": 0 }));
    assert_eq!(service.text(&["upgrade"]).trim_end(), "No item has a format before 2.");
    service.failure(1, &["upgrade", "--org", "org_nowhere"]);
    assert_eq!(service.get(&one.key, "/v1/tenants").0, 200);
}

#[tokio::test]
async fn a_data_file_of_a_later_format_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("data");
    let data = ["--data", file.to_str().unwrap()];
    let service = Service::start_with(&data);
    let member = service.organization("Northwind");
    let set = service.client().update_item().table_name("posture");
    let set = set.key("pk", AttributeValue::S("DATA".to_owned())).key("sk", AttributeValue::S("FORMAT".to_owned()));
    let set = set.update_expression("SET #format = :format, #release = :release");
    let set = set.expression_attribute_names("#format", "format").expression_attribute_names("#release", "release");
    let set = set.expression_attribute_values(":format", AttributeValue::N("3".to_owned()));
    set.expression_attribute_values(":release", AttributeValue::S("2.3.0".to_owned())).send().await.unwrap();
    assert!(!service.get(&member.key, "/v1/tenants").1.is_null());
    service.stop();
    let serve = ["serve", "--port", "0", "--db-port", "0", "--dashboard-port", "0"];
    let complaint = failed(1, &posture().args(serve).args(data).output().unwrap());
    assert!(complaint.contains("written by release 2.3.0 in format 3"), "{complaint}");
    assert!(complaint.contains("use release 2.3.0 or a later one, or another file"), "{complaint}");
}

#[test]
fn a_key_is_shown_once_and_fails_once_it_is_deleted() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let created = service.json(&["key", "create", "--org", &member.id, "--description", "BI tool"]);
    let (key, id) = (text_of(&created, "key"), text_of(&created, "keyId"));
    assert_eq!(service.get(&key, "/v1/tenants").0, 200);

    let listed = service.text(&["key", "list", "--org", &member.id]);
    assert!(listed.contains(&id) && listed.contains("BI tool"), "{listed}");
    assert!(!listed.contains("spk_"), "{listed}");

    service.failure(2, &["key", "delete", "--org", &member.id, &id]);
    assert_eq!(service.get(&key, "/v1/tenants").0, 200, "nothing is deleted without --yes");
    service.text(&["key", "delete", "--org", &member.id, &id, "--yes"]);
    assert_eq!(service.get(&key, "/v1/tenants").0, 401);
    assert_eq!(service.get(&member.key, "/v1/tenants").0, 200, "the other key still works");
    let complaint = service.failure(1, &["key", "delete", "--org", &member.id, &id, "--yes"]);
    assert!(complaint.contains("no such API key"), "{complaint}");
}

#[test]
fn a_key_that_imports_reads_nothing() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenant = service.tenant(&member, "Alder", "6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162");
    let create = |options: &[&str]| {
        service.json(&[&["key", "create", "--org", &member.id, "--scope", "import"], options].concat())
    };
    let (all, one) = (create(&[]), create(&["--tenant", "alder"]));
    for key in [&all, &one] {
        assert_eq!(service.get(&text_of(key, "key"), "/v1/tenants").0, 403);
    }
    let listed = service.json(&["key", "list", "--org", &member.id]);
    let listed: Vec<_> =
        listed.as_array().unwrap().iter().map(|key| (&key["scope"], &key["serviceTenantId"])).collect();
    let (reads, imports) = (json!("READ"), json!("IMPORT"));
    assert_eq!(listed, [(&reads, &json!(null)), (&imports, &json!(null)), (&imports, &json!(tenant))]);
    let shown = service.text(&["key", "list", "--org", &member.id]);
    assert!(shown.contains("SCOPE") && shown.contains("IMPORT") && shown.contains(&tenant), "{shown}");
    let complaint = service.failure(2, &["key", "create", "--org", &member.id, "--tenant", "Alder"]);
    assert!(complaint.contains("--tenant can only be used with --scope import"), "{complaint}");
    let complaint =
        service.failure(1, &["key", "create", "--org", &member.id, "--scope", "import", "--tenant", "Birch"]);
    assert!(complaint.contains("Birch"), "{complaint}");
}

#[test]
fn a_key_for_people_is_on_its_own_line() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let shown = service.text(&["key", "create", "--org", &member.id]);
    let key = shown.lines().next().unwrap();
    assert_eq!(service.get(key, "/v1/tenants").0, 200, "{shown}");
}

#[test]
fn a_tenant_is_added_paused_resumed_renamed_and_removed() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let id = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Pass")]));
    service.text(&["report", "import", "--org", &member.id, &file]);
    let paused = || service.get(&member.key, "/v1/tenants").1["tenants"][0]["isPaused"].clone();

    service.text(&["tenant", "pause", "--org", &member.id, &id]);
    assert_eq!(paused(), true);
    service.text(&["tenant", "resume", "--org", &member.id, PROVIDER_ID]);
    assert_eq!(paused(), false);

    service.text(&["tenant", "rename", "--org", &member.id, &id, "--name", "Harbour Dental Group"]);
    let report = &service.get(&member.key, "/v1/posture-reports").1["reports"][0];
    assert_eq!(report["tenant"]["name"], "Harbour Dental Group");
    assert!(service.text(&["tenant", "list", "--org", &member.id]).contains("Harbour Dental Group"));

    let complaint = service.failure(2, &["tenant", "remove", "--org", &member.id, &id]);
    assert!(complaint.contains("nothing was changed: without a terminal, confirm with --yes"), "{complaint}");
    assert_eq!(service.get(&member.key, "/v1/tenants").1["totalTenants"], 1);
    service.text(&["tenant", "remove", "--org", &member.id, &id, "--yes"]);
    assert_eq!(service.get(&member.key, "/v1/tenants").1["totalTenants"], 0);
    assert_eq!(service.get(&member.key, &format!("/v1/posture-reports?tenantId={id}")).0, 404);
    let complaint = service.failure(1, &["tenant", "pause", "--org", &member.id, &id]);
    assert!(complaint.contains("posture tenant list"), "{complaint}");
}

#[tokio::test]
async fn a_removal_that_was_interrupted_is_completed_by_another_run() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let id = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let remove = ["tenant", "remove", "--org", &member.id, &id, "--yes"];
    service.text(&remove);
    let is_refused = || {
        let complaint = service.failure(1, &remove);
        assert!(complaint.contains("the tenant was not changed"), "{complaint}");
        assert!(complaint.contains("posture tenant list"), "{complaint}");
    };
    is_refused();
    // As the first step leaves it.
    let key = [("pk", format!("ORG#{}", member.id)), ("sk", format!("REMOVED#{id}"))];
    let key = key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value)));
    let update = service.client().update_item().table_name("posture").set_key(Some(key.into()));
    let update = update.update_expression("SET inHistory = :yes");
    update.expression_attribute_values(":yes", AttributeValue::Bool(true)).send().await.unwrap();
    assert!(service.text(&remove).contains(&format!("Removed tenant {id}")));
    is_refused();
}

#[test]
fn a_tenant_has_the_labels_that_were_given_last() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let id = service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Pass")]));
    service.text(&["report", "import", "--org", &member.id, &file]);
    let total =
        |label: &str| service.get(&member.key, &format!("/v1/controls?label={label}")).1["totalControls"].clone();
    let label = ["tenant", "label", "--org", &member.id, &id];
    service.text(&[&label[..], &["--label", "Gold", "--label", "Berlin", "--label", "Gold"]].concat());
    assert_eq!(service.get(&member.key, "/v1/tenants").1["tenants"][0]["labels"], json!(["Berlin", "Gold"]));
    assert!(service.text(&["tenant", "show", "--org", &member.id, &id]).contains("Berlin, Gold"));
    assert_eq!((total("Gold"), total("gold")), (json!(1), json!(0)));
    service.failure(2, &[&label[..], &["--label", "a,b"]].concat());
    service.text(&label);
    assert_eq!(total("Gold"), json!(0));
}

#[test]
fn a_tenant_is_added_once_and_only_as_it_should_be() {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    let add = ["tenant", "add", "--org", &member.id, "--name", "Again", "--provider-tenant-id", PROVIDER_ID];
    let complaint = service.failure(1, &add);
    assert!(complaint.contains("already has a tenant"), "{complaint}");
    for (name, provider_id) in [("", PROVIDER_ID), ("a\u{1b}b", PROVIDER_ID), ("Fine", "not a guid")] {
        let add = ["tenant", "add", "--org", &member.id, "--name", name, "--provider-tenant-id", provider_id];
        service.failure(2, &add);
    }
    let nowhere = ["tenant", "add", "--org", "org_nowhere", "--name", "A", "--provider-tenant-id", PROVIDER_ID];
    service.failure(1, &nowhere);
}

#[test]
fn one_organization_never_reaches_anothers_tenants_and_keys() {
    let service = Service::start();
    let (owner, stranger) = (service.organization("Owner"), service.organization("Stranger"));
    let tenant = service.tenant(&owner, "Harbour Dental", PROVIDER_ID);
    let key = service.json(&["key", "list", "--org", &owner.id]);

    service.failure(1, &["tenant", "pause", "--org", &stranger.id, &tenant]);
    service.failure(1, &["tenant", "remove", "--org", &stranger.id, &tenant, "--yes"]);
    service.failure(1, &["key", "delete", "--org", &stranger.id, &text_of(&key[0], "keyId"), "--yes"]);
    assert_eq!(service.json(&["tenant", "list", "--org", &stranger.id]).as_array().unwrap().len(), 0);
    assert_eq!(service.get(&owner.key, "/v1/tenants").1["totalTenants"], 1);
}

#[test]
fn an_unreachable_service_is_reported_with_what_to_do() {
    let nowhere = ["org", "list", "--local", "--endpoint-url", "http://127.0.0.1:1"];
    let complaint = failed(1, &posture().args(nowhere).output().unwrap());
    assert!(complaint.contains("hint:") && complaint.contains("`posture serve`"), "{complaint}");
}

#[test]
fn without_a_region_the_message_says_what_to_set() {
    let mut command = posture();
    for variable in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"] {
        command.env_remove(variable);
    }
    let alone =
        command.env("AWS_CONFIG_FILE", "/dev/null").env("AWS_EC2_METADATA_DISABLED", "true").args(["org", "list"]);
    let complaint = failed(1, &alone.output().unwrap());
    assert!(complaint.contains("AWS_REGION") && complaint.contains("--local"), "{complaint}");
}

#[test]
fn the_help_lists_the_exit_codes() {
    let help = posture().arg("--help").output().unwrap();
    assert!(String::from_utf8(help.stdout).unwrap().contains("Exit codes:"));
    assert_eq!(posture().arg("--no-such-option").output().unwrap().status.code(), Some(2));
}
