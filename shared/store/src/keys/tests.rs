//! The spelling of every key: a change of it needs a migration of the data.

use model::{IdentityHash, OrganizationId, ProviderTenantId, ReportId, ServiceTenantId, Timestamp, Week};

use super::*;

#[test]
fn every_key_is_spelled_as_agreed() {
    let organization: OrganizationId = "org_1".parse().unwrap();
    let tenant: ServiceTenantId = "ten_1".parse().unwrap();
    let provider: ProviderTenantId = "CA08493A-C9C8-4DB0-A9E8-D3B4BAFAC269".parse().unwrap();
    let report: ReportId = "rpt_1".parse().unwrap();
    let at: Timestamp = "2026-01-31T09:30:00Z".parse().unwrap();
    let digest: crate::BodyDigest = serde_json::from_str("\"0123abcd\"").unwrap();
    let target = "tgt_1".parse().unwrap();
    let day = at.date();
    let p = Partition::of(&organization);
    insta::assert_debug_snapshot!((
        [
            p.organization(),
            p.brand(),
            p.api_key(&"key_1".parse().unwrap()),
            p.tenant(&tenant),
            p.removed_tenant(&tenant),
            p.correction(&tenant),
            p.provider_tenant(&provider),
            p.report(&tenant, at, &report),
            p.shared_body(&tenant, &digest),
            p.report_place(&report),
            p.event(at, &"evt_1".parse().unwrap()),
            p.known_results(&tenant, "ScubaGear"),
            p.target(&target),
            p.delivery(&target, at, &"evt_1".parse().unwrap()),
            p.queued_message("1"),
            p.dispatched(),
            p.completed(at, &report),
            p.history_item(&tenant, at, &report),
            p.latest(at, &report),
            p.controls(),
            p.results("ScubaGear", &tenant),
            p.baseline(&tenant, "ScubaGear", at, &report),
            p.newest_of_tool(&tenant, "ScubaGear", at, &report),
            p.trend(Week::of(at)),
            p.usage_day(day),
            p.usage(day, "1", &tenant),
            p.billable_users(&tenant),
            p.billable_chunk(&tenant, "1", 2),
            p.tenants_changed(),
            p.reports_changed(7),
            p.kept_edit(&tenant, &"X.1".parse().unwrap()),
            p.task(&tenant, &"X.1".parse().unwrap()),
            p.text("ScubaGear", &"X.1".parse().unwrap()),
            p.import(&"imp_1".parse().unwrap()),
            p.import_job(&"key_1".parse().unwrap(), &"imp_1".parse().unwrap()),
            p.only_job(&"key_1".parse().unwrap(), "0123abcd"),
            p.document_set(&"req_1".parse().unwrap()),
            p.report_request(&tenant),
            p.schedules(),
            p.connection(&tenant),
            p.connecting(&tenant),
            p.upload_chunk(&"upl_1".parse().unwrap(), 2, 3),
            p.audit_entry(at, "1"),
            due(at, &organization),
            registered(&organization),
            stamp(),
        ],
        [
            p.everything(),
            p.api_keys(),
            p.targets(),
            p.deliveries(&target),
            p.queued(),
            p.tenants(),
            p.removed_tenants(),
            p.corrections(),
            p.all_reports(),
            p.all_shared_bodies(),
            p.report_places(),
            p.provider_tenants(),
            p.all_baselines(),
            p.all_usage_days(),
            p.history(None),
            p.history(Some(at)),
            p.history(None).up_to_report(at, &report),
            p.history_of(&tenant, None),
            p.history_of(&tenant, Some(at)),
            p.all_histories(),
            p.all_latest(None),
            p.all_latest(Some(at)),
            p.newest_of(&tenant, None),
            p.newest_of(&tenant, Some("ScubaGear")),
            p.all_newest_of_tools(),
            p.results_after("ScubaGear", None),
            p.results_after("ScubaGear", Some(&tenant)),
            p.all_results(),
            p.baselines(&tenant, "ScubaGear", at),
            p.trends(None),
            p.trends(Some(Week::of(at))),
            p.history_between(&tenant, "2026-01-01T00:00:00Z".parse().unwrap(), at),
            p.usage_days(day),
            p.usage_rows(day, "1"),
            p.usage_recordings(day),
            p.all_billable_users(),
            p.billable_chunks(&tenant, "1"),
            p.billable_recordings(&tenant),
            p.kept_edits(&tenant),
            p.all_kept_edits(),
            p.tasks(&tenant),
            p.all_tasks(),
            p.texts("ScubaGear"),
            p.all_texts(),
            p.imports(),
            p.all_import_jobs(),
            p.import_jobs(&"key_1".parse().unwrap(), None),
            p.import_jobs(&"key_1".parse().unwrap(), Some(&"imp_1".parse().unwrap())),
            p.document_sets(),
            p.report_requests(),
            p.connections(),
            p.upload(&"upl_1".parse().unwrap()),
            p.all_changes(),
            due_until(at),
            register(),
        ],
    ));
}

#[test]
fn keys_of_people_are_spelled_as_agreed() {
    let organization: OrganizationId = "org_1".parse().unwrap();
    let p = Partition::of(&organization);
    let secret: model::Secret = "0".repeat(64).parse().unwrap();
    let identity = IdentityHash::of("https://issuer.example", "1");
    insta::assert_debug_snapshot!((
        [
            p.member(&"mem_1".parse().unwrap()),
            p.invitation(&"inv_1".parse().unwrap()),
            p.session(&secret.hash()),
            invitation_lookup(&secret.hash()),
            membership(&identity, &organization),
            p.used_form(&"form_1".parse().unwrap()),
        ],
        [
            p.members(),
            p.invitations(),
            p.sessions(),
            p.audit_trail(None),
            p.audit_trail(Some("2026")),
            memberships(&identity)
        ],
    ));
}

#[test]
fn a_key_look_up_holds_the_hash_and_not_the_key() {
    let key = model::ApiKey::generate().unwrap();
    let lookup = key_lookup(&key.hash());
    assert_eq!(lookup, Key { pk: format!("KEY#{}", key.hash().as_str()), sk: "KEY".to_owned() });
    assert!(!lookup.pk.contains(key.reveal()));
}
