//! Every command with its options. The unit tests of the command line fail if a command or an option is missing here.

/// A command, with everything that it requires.
pub(crate) struct CommandLine {
    pub(crate) line: &'static str,
    /// Each option with a value, and the test that shows what it does.
    pub(crate) options: &'static [(&'static str, &'static str)],
}

const fn command(line: &'static str, options: &'static [(&'static str, &'static str)]) -> CommandLine {
    CommandLine { line, options }
}

/// The options of every command on the data.
pub(crate) const ON_DATA: [(&str, &str); 4] = [
    ("--local", "every_command_uses_the_named_table"),
    ("--endpoint-url http://127.0.0.1:1", "an_unreachable_service_is_reported_with_what_to_do"),
    ("--table restored", "every_command_uses_the_named_table"),
    ("--json", "every_command_uses_the_named_table"),
];

const ORG: (&str, &str) = ("--org org_1", "an_organization_is_named_by_option_or_variable");
const YES: (&str, &str) = ("--yes", "commands_that_cannot_be_undone_require_a_confirmation");
const USAGE_PLAN: (&str, &str) = ("--usage-plan plan", "a_usage_plan_is_named_by_option_or_variable");
const BUCKET: (&str, &str) = ("--bucket files", "files_go_with_their_tenant_and_their_organization");
const SNAPSHOTS: (&str, &str) = ("--snapshots snapshots", "files_go_with_their_tenant_and_their_organization");
const NOTIFICATIONS: (&str, &str) = ("--queue https://queue.example", "notifications_go_to_the_named_queue");
const SCHEDULED: &str = "documents_are_scheduled_with_their_options_listed_and_ended";
const LINK: (&str, &str) = ("--dashboard-url https://d.example", "links_lead_to_the_named_dashboard");

const WRITTEN: &str = "a_text_is_set_listed_used_and_removed";
const ASSIGNED: &str = "a_task_is_set_listed_done_and_removed";
const ACCEPTED: &str = "a_risk_is_accepted_for_a_tenant_a_label_or_all_and_ended";

pub(crate) const COMMANDS: &[CommandLine] = &[
    command(
        "serve",
        &[
            ("--demo", "the_demos_requests_work_as_pasted"),
            ("--data file", "data_in_a_file_survive_a_restart"),
            ("--port 0", "a_taken_port_is_named_with_the_option_that_changes_it"),
            ("--dashboard-port 0", "a_taken_port_is_named_with_the_option_that_changes_it"),
            ("--db-port 0", "a_taken_port_is_named_with_the_option_that_changes_it"),
            ("--allow-host host.docker.internal", "this_machine_can_be_called_by_another_name"),
            ("--no-rate-limit", "requests_are_limited_by_default"),
            ("--dashboard-url https://d.example", "links_lead_to_the_named_dashboard"),
            ("--sign-in-issuer https://i.example --sign-in-client-id id", "people_sign_in_with_the_named_issuer"),
            ("--sign-in-client-id id --sign-in-issuer https://i.example", "people_sign_in_with_the_named_issuer"),
            ("--graph-folder folder", "a_recorded_tenant_becomes_a_snapshot"),
        ],
    ),
    command(
        "bootstrap --name Northwind",
        &[
            ("--name Northwind", "a_fresh_deployment_responds_after_the_bootstrap"),
            ("--outputs outputs.json", "a_fresh_deployment_responds_after_the_bootstrap"),
            ("--base-url https://api.example", "a_bootstrap_says_what_it_needs_and_what_responds"),
            ("--dashboard-url https://d.example", "links_lead_to_the_named_dashboard"),
            USAGE_PLAN,
        ],
    ),
    command("check", &[("--org org_1", "discrepancies_are_reported")]),
    command(
        "repair --org org_1",
        &[ORG, YES, ("--file kept.jsonl", "a_damaged_item_is_mended_by_the_commands_of_the_guide")],
    ),
    command(
        "restore",
        &[
            ("--from posture", "a_table_is_restored_by_the_guide_while_the_service_reads"),
            ("--end-sessions", "a_table_is_restored_by_the_guide_while_the_service_reads"),
        ],
    ),
    command("upgrade", &[("--org org_1", "items_of_earlier_releases_are_upgraded_once")]),
    command(
        "collect --tenant 6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162 --out snapshot",
        &[
            ("--tenant 6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162", "a_recorded_tenant_becomes_a_snapshot"),
            ("--out snapshot", "a_recorded_tenant_becomes_a_snapshot"),
            ("--check", "a_check_shows_shapes_and_no_values"),
            ("--client-id id --certificate app.pem", "missing_credentials_and_recordings_are_named"),
            ("--certificate app.pem --client-id id", "missing_credentials_and_recordings_are_named"),
            ("--emergency-access id", "a_recorded_tenant_becomes_a_snapshot"),
            ("--graph-url https://g.example", "a_recorded_tenant_becomes_a_snapshot"),
            ("--json", "a_recorded_tenant_becomes_a_snapshot"),
        ],
    ),
    command(
        "certificate --key arn",
        &[
            ("--key arn", "a_certificate_is_made_of_a_key_that_stays_in_aws"),
            ("--days 30", "a_certificate_is_made_of_a_key_that_stays_in_aws"),
            ("--json", "a_certificate_is_made_of_a_key_that_stays_in_aws"),
        ],
    ),
    command(
        "org create --name Northwind",
        &[("--name Northwind", "an_organization_is_created_and_deleted_with_all_its_data"), USAGE_PLAN],
    ),
    command("org list", &[]),
    command("org repair", &[USAGE_PLAN]),
    command(
        "org brand org_1",
        &[
            ("--name Northwind", "a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset"),
            ("--accent #2456c9", "a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset"),
            ("--footer text", "a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset"),
            ("--logo logo.png", "a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset"),
            ("--reset logo", "a_brand_is_the_organizations_name_until_it_is_chosen_and_after_a_reset"),
        ],
    ),
    command(
        "org export --org org_1 northwind.tar.gz",
        &[
            ORG,
            (
                "--dashboard-url https://d.example",
                "links_in_an_archive_lead_to_the_named_dashboard_and_only_its_owner_reads_it",
            ),
        ],
    ),
    command("org import northwind.tar.gz", &[USAGE_PLAN]),
    command("org delete org_1", &[YES, USAGE_PLAN, BUCKET, SNAPSHOTS]),
    command(
        "key create --org org_1",
        &[
            ORG,
            ("--description text", "a_key_is_shown_once_and_fails_once_it_is_deleted"),
            ("--scope import", "a_key_that_imports_reads_nothing"),
            ("--tenant ten_1 --scope import", "a_key_that_imports_reads_nothing"),
        ],
    ),
    command("key list --org org_1", &[ORG]),
    command("key delete --org org_1 key_1", &[ORG, YES]),
    command(
        "member invite --org org_1 --role admin",
        &[
            ORG,
            ("--role admin", "members_are_invited_listed_changed_and_removed"),
            ("--note text", "members_are_invited_listed_changed_and_removed"),
            LINK,
        ],
    ),
    command("member list --org org_1", &[ORG]),
    command("member role --org org_1 mem_1 admin", &[ORG]),
    command("member revoke --org org_1 inv_1", &[ORG, YES]),
    command("member remove --org org_1 mem_1", &[ORG, YES]),
    command(
        "tenant add --org org_1 --name Alder --provider-tenant-id 6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162",
        &[
            ORG,
            ("--name Alder", "a_tenant_is_added_once_and_only_as_it_should_be"),
            (
                "--provider-tenant-id 6f2a3c1e-0b5d-4e8f-9a7c-1d2e3f405162",
                "a_tenant_is_added_once_and_only_as_it_should_be",
            ),
        ],
    ),
    command("tenant list --org org_1", &[ORG]),
    command("tenant show --org org_1 ten_1", &[ORG]),
    command("tenant pause --org org_1 ten_1", &[ORG]),
    command("tenant resume --org org_1 ten_1", &[ORG]),
    command("tenant remove --org org_1 ten_1", &[ORG, YES]),
    command("tenant erase --org org_1 ten_1", &[ORG, YES, BUCKET, SNAPSHOTS]),
    command(
        "tenant rename --org org_1 ten_1 --name Alder",
        &[ORG, ("--name Alder", "a_tenant_is_added_paused_resumed_renamed_and_removed")],
    ),
    command("tenant label --org org_1 ten_1", &[ORG, ("--label Gold", "a_tenant_has_the_labels_that_were_given_last")]),
    command(
        "report import --org org_1 results.json",
        &[
            ORG,
            ("--tenant ten_1", "a_file_is_imported_only_for_its_own_tenant"),
            ("--baseline rpt_1", "the_baseline_and_the_period_of_an_import_can_be_chosen"),
            ("--as-baseline", "the_baseline_and_the_period_of_an_import_can_be_chosen"),
            ("--lookback-days 7", "the_baseline_and_the_period_of_an_import_can_be_chosen"),
            ("--completed-at 2026-05-01T09:00:00Z", "every_kind_of_file_is_recognized"),
            ("--fragments", "a_part_of_a_run_makes_a_report_only_if_asked_for"),
            ("--dry-run", "a_dry_run_writes_nothing"),
        ],
    ),
    command(
        "report list --org org_1",
        &[
            ORG,
            ("--tenant ten_1", "a_list_of_reports_is_of_one_tenant_and_not_longer_than_asked_for"),
            ("--limit 1", "a_list_of_reports_is_of_one_tenant_and_not_longer_than_asked_for"),
        ],
    ),
    command("report show --org org_1 rpt_1", &[ORG, LINK]),
    command("report compare --org org_1 rpt_1 rpt_2", &[ORG]),
    command(
        "report pdf --org org_1 rpt_1",
        &[
            ORG,
            ("--dashboard-url https://d.example", "every_choice_changes_the_document"),
            ("--tenant ten_1", "the_attachment_is_what_the_api_returns_before_and_after_an_edit"),
            ("--output report.pdf", "the_attachment_is_what_the_api_returns_before_and_after_an_edit"),
            ("--board", "every_choice_changes_the_document"),
            ("--open", "every_choice_changes_the_document"),
            ("--paper letter", "every_choice_changes_the_document"),
            ("--foreword text", "every_choice_changes_the_document"),
            ("--tasks", "every_choice_changes_the_document"),
            ("--all", "documents_of_all_tenants_are_those_of_each_in_a_folder_and_in_an_archive"),
            ("--label Gold", "documents_are_of_the_tenants_with_a_label"),
        ],
    ),
    command(
        "report edit --org org_1 rpt_1 --control X.1 --status open",
        &[
            ORG,
            LINK,
            ("--control X.1", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--admin a@b.example", "exports_of_the_directory_list_the_administrators_and_an_edit_rates_them"),
            ("--status open", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--severity low", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--current-state text", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--why text", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--suggested-fix text", "the_api_returns_an_edit_at_once_with_all_that_follows_from_it"),
            ("--keep", "an_edit_is_kept_only_if_asked_for"),
        ],
    ),
    command(
        "report prune --org org_1 --keep-months 12",
        &[
            ORG,
            YES,
            ("--keep-months 12", "old_reports_are_pruned_to_one_a_month"),
            ("--tenant ten_1", "old_reports_are_pruned_to_one_a_month"),
            ("--dry-run", "old_reports_are_pruned_to_one_a_month"),
        ],
    ),
    command("report delete --org org_1 rpt_1", &[ORG, YES]),
    command(
        "report request --org org_1 --tenant ten_1",
        &[
            ORG,
            ("--tenant ten_1", "a_report_of_a_recorded_tenant_is_requested_and_comes"),
            ("--wait", "a_report_of_a_recorded_tenant_is_requested_and_comes"),
            ("--queue https://queue.example", "requests_go_to_the_named_queue"),
        ],
    ),
    command("report requests --org org_1", &[ORG]),
    command(
        "risk accept --org org_1 --tenant ten_1 --control X.1 --reason text --until 2027-01-31",
        &[
            ORG,
            ("--tenant ten_1", ACCEPTED),
            ("--label Gold", ACCEPTED),
            ("--all", ACCEPTED),
            ("--control X.1", ACCEPTED),
            ("--tool ScubaGear", "a_risk_that_cannot_be_accepted_is_refused"),
            ("--reason text", ACCEPTED),
            ("--until 2027-01-31", ACCEPTED),
        ],
    ),
    command(
        "task set --org org_1 --tenant ten_1 --control X.1 --owner Amara",
        &[
            ORG,
            ("--tenant ten_1", ASSIGNED),
            ("--label Gold", ASSIGNED),
            ("--all", ASSIGNED),
            ("--control X.1", ASSIGNED),
            ("--tool ScubaGear", ASSIGNED),
            ("--owner Amara", ASSIGNED),
            ("--due 2027-01-31", ASSIGNED),
            ("--note text", ASSIGNED),
        ],
    ),
    command("task list --org org_1", &[ORG]),
    command(
        "task remove --org org_1 --tenant ten_1 --control X.1",
        &[
            ORG,
            ("--tenant ten_1", ASSIGNED),
            ("--label Gold", ASSIGNED),
            ("--all", ASSIGNED),
            ("--control X.1", ASSIGNED),
        ],
    ),
    command(
        "text set --org org_1 --control X.1 --why text",
        &[
            ORG,
            ("--control X.1", WRITTEN),
            ("--tool ScubaGear", WRITTEN),
            ("--why text", WRITTEN),
            ("--fix text", WRITTEN),
        ],
    ),
    command("text list --org org_1", &[ORG]),
    command("text remove --org org_1 --control X.1", &[ORG, ("--control X.1", WRITTEN), ("--tool ScubaGear", WRITTEN)]),
    command("risk list --org org_1", &[ORG]),
    command(
        "risk end --org org_1 --tenant ten_1 --control X.1",
        &[
            ORG,
            ("--tenant ten_1", ACCEPTED),
            ("--label Gold", ACCEPTED),
            ("--all", ACCEPTED),
            ("--control X.1", ACCEPTED),
            ("--tool ScubaGear", "a_risk_that_cannot_be_accepted_is_refused"),
        ],
    ),
    command(
        "schedule set --org org_1 --every daily",
        &[
            ORG,
            ("--tenant ten_1", "a_schedule_is_set_listed_and_removed"),
            ("--label Gold", "a_schedule_of_a_label_comes_before_that_of_the_organization"),
            ("--every daily", "a_schedule_is_set_listed_and_removed"),
            ("--between 22-04", "a_schedule_is_set_listed_and_removed"),
        ],
    ),
    command(
        "schedule documents --org org_1 --every monthly:1",
        &[
            ORG,
            ("--every monthly:1", SCHEDULED),
            ("--label Gold", SCHEDULED),
            ("--new", SCHEDULED),
            ("--board", SCHEDULED),
            ("--open", SCHEDULED),
            ("--tasks", SCHEDULED),
            ("--paper letter", SCHEDULED),
            ("--foreword text", SCHEDULED),
        ],
    ),
    command("schedule list --org org_1", &[ORG]),
    command("schedule stale-after --org org_1 14", &[ORG]),
    command(
        "schedule remove --org org_1",
        &[
            ORG,
            ("--tenant ten_1", "a_schedule_is_set_listed_and_removed"),
            ("--label Gold", "a_schedule_of_a_label_comes_before_that_of_the_organization"),
        ],
    ),
    command(
        "notify add --org org_1 --name Tickets https://hooks.example",
        &[
            ORG,
            ("--name Tickets", "a_target_is_told_tested_changed_and_removed"),
            ("--shape slack", "a_channel_is_told_in_words"),
            ("--kinds control.drifted", "a_target_is_told_tested_changed_and_removed"),
            ("--severity HIGH", "a_target_is_told_tested_changed_and_removed"),
            ("--tools ScubaGear", "a_target_is_told_tested_changed_and_removed"),
            ("--tenant ten_1", "a_target_is_told_tested_changed_and_removed"),
            ("--label Gold", "a_target_is_told_tested_changed_and_removed"),
            ("--quiet 20-07,sat,sun", "a_target_is_quiet_at_night"),
        ],
    ),
    command(
        "notify add-member --org org_1 --name Drifts mem_1",
        &[
            ORG,
            ("--name Drifts", "a_member_is_a_target"),
            ("--every day", "a_member_is_a_target"),
            ("--kinds control.drifted", "a_member_is_a_target"),
            ("--severity HIGH", "a_member_is_a_target"),
            ("--tools ScubaGear", "a_member_is_a_target"),
            ("--tenant ten_1", "a_member_is_a_target"),
            ("--label Gold", "a_member_is_a_target"),
            ("--quiet 20-07,sat,sun", "a_member_is_a_target"),
        ],
    ),
    command(
        "notify change --org org_1 tgt_1",
        &[
            ORG,
            ("--every week", "a_member_is_a_target"),
            ("--name Tickets", "a_target_is_told_tested_changed_and_removed"),
            ("--url https://hooks.example", "a_target_is_told_tested_changed_and_removed"),
            ("--all", "a_target_is_told_tested_changed_and_removed"),
            ("--shape slack", "a_channel_is_told_in_words"),
            ("--kinds control.drifted", "a_target_is_told_tested_changed_and_removed"),
            ("--severity HIGH", "a_target_is_told_tested_changed_and_removed"),
            ("--tools ScubaGear", "a_target_is_told_tested_changed_and_removed"),
            ("--tenant ten_1", "a_target_is_told_tested_changed_and_removed"),
            ("--label Gold", "a_target_is_told_tested_changed_and_removed"),
            ("--quiet 20-07,sat,sun", "a_target_is_quiet_at_night"),
        ],
    ),
    command("notify list --org org_1", &[ORG]),
    command("notify test --org org_1 tgt_1", &[ORG, NOTIFICATIONS]),
    command(
        "notify deliveries --org org_1 tgt_1",
        &[ORG, ("--limit 3", "a_target_is_told_tested_changed_and_removed")],
    ),
    command(
        "notify send-again --org org_1 --since 2026-01-01T00:00:00Z tgt_1",
        &[
            ORG,
            NOTIFICATIONS,
            ("--since 2026-01-01T00:00:00Z", "a_target_is_told_tested_changed_and_removed"),
            ("--event evt_1", "a_target_is_told_tested_changed_and_removed"),
        ],
    ),
    command("notify rotate --org org_1 tgt_1", &[ORG]),
    command("notify pause --org org_1 tgt_1", &[ORG]),
    command("notify resume --org org_1 tgt_1", &[ORG]),
    command("notify remove --org org_1 tgt_1", &[ORG, YES]),
    command(
        "usage record --org org_1 usage.csv",
        &[
            ORG,
            ("--date 2026-01-31", "a_snapshot_replaces_that_of_its_day_and_no_other"),
            ("--from-exports --tenant ten_1", "a_tenants_usage_comes_from_its_exports_and_the_others_is_carried_over"),
            ("--tenant ten_1 --from-exports", "a_tenants_usage_comes_from_its_exports_and_the_others_is_carried_over"),
            (
                "--trial-days 0 --from-exports --tenant ten_1",
                "a_tenants_usage_comes_from_its_exports_and_the_others_is_carried_over",
            ),
            (
                "--not-for-resale --from-exports --tenant ten_1",
                "a_tenants_usage_comes_from_its_exports_and_the_others_is_carried_over",
            ),
            ("--allow-empty --from-exports --tenant ten_1", "an_empty_list_of_users_is_recorded_only_if_asked_for"),
        ],
    ),
    command(
        "usage show --org org_1",
        &[ORG, ("--date 2026-01-31", "usage_and_billable_users_are_shown_as_the_api_returns_them")],
    ),
    command(
        "billable-users show --org org_1 --tenant ten_1",
        &[ORG, ("--tenant ten_1", "usage_and_billable_users_are_shown_as_the_api_returns_them")],
    ),
    command(
        "billable-users record --org org_1 --tenant ten_1 users.json",
        &[
            ORG,
            ("--tenant ten_1", "billable_users_are_those_with_a_licence"),
            ("--from-exports", "billable_users_come_from_complete_exports"),
            ("--allow-empty --from-exports", "an_empty_list_of_users_is_recorded_only_if_asked_for"),
        ],
    ),
];
