//! Every route of the dashboard: the router, the tests of roles and docs/DASHBOARD.md use this table.

use axum::routing;
use web::archive::ARCHIVE;
use web::pdf::PDF;
use web::route::{Access, Route, form, get, post};

use crate::connect::CALLBACK;
use crate::pages::{
    self, api_keys, audit, billable_users, brand, connections, control_edits, controls, documents, edits, imports,
    kept_edits, mail, members, notifications, organizations, placing, portfolio, report, report_requests, schedules,
    set_back, tasks, tenants, texts, usage,
};
use crate::sign_in;

use Access::{Admin, Member, Person, Public};

/// All routes.
///
/// Filters and sorting are parameters of the query, so that they work without a script and can be linked to.
pub const ROUTES: &[Route] = &[
    get("/", Member, "All tenants with their newest reports, worst first.", || routing::get(portfolio::show)),
    get("/portfolio.csv", Member, "The same as CSV.", || routing::get(portfolio::download)),
    get(
        "/controls",
        Member,
        "All controls, with the number of tenants by result. Parameters: q, tool, status, severity, category. With control \
         and tool: the tenants of that control, those that do not meet it chosen with chosen=all.",
        || routing::get(controls::show),
    ),
    get("/controls.csv", Member, "The same as CSV.", || routing::get(controls::download)),
    form(
        "/controls/edit",
        Member,
        "Accepts the risk of a control for several tenants, ends this, edits the control, or sets or removes its task. \
         Fields: filter, the query of its page; tenant, once for each; do: accept, end, edit, assign or release; reason, \
         until; severity, why, suggestedFix, keep; owner, due, note.",
        || routing::post(control_edits::edit),
    ),
    get("/documents", Member, "The PDFs of many reports: the form that requests them, and their archives.", || {
        routing::get(documents::list)
    }),
    form(
        "/documents",
        Member,
        "Requests the PDFs of many reports. Fields: form, label, reports (all or new), kind, paper, tasks, foreword.",
        || routing::post(documents::request),
    ),
    get("/documents/schedule", Admin, "When the PDFs of many reports are made unasked.", || {
        routing::get(documents::show_schedule)
    }),
    form(
        "/documents/schedule",
        Admin,
        "Sets when the PDFs of many reports are made unasked. Fields as above, and every, which is never to end it.",
        || routing::post(documents::schedule),
    ),
    ARCHIVE,
    get("/tenants", Member, "The list of tenants, and the form that adds one.", || routing::get(tenants::list)),
    form("/tenants", Member, "Adds a tenant. Fields: name, providerTenantId.", || routing::post(tenants::add)),
    get("/tenants/{tenant}", Member, "A tenant: history of its score, its reports.", || routing::get(tenants::show)),
    get("/tenants/{tenant}/reports.csv", Member, "Its reports as CSV.", || routing::get(tenants::download)),
    form("/tenants/{tenant}/rename", Member, "Renames a tenant. Field: name.", || routing::post(tenants::rename)),
    post("/tenants/{tenant}/report-requests", Member, "Requests a report. Field: form.", || {
        routing::post(report_requests::add)
    }),
    post("/tenants/{tenant}/leading-tool", Member, "Chooses the leading tool of a tenant. Field: tool.", || {
        routing::post(tenants::lead)
    }),
    form("/tenants/{tenant}/labels", Member, "Labels a tenant. Field: labels.", || routing::post(tenants::label)),
    form("/tenants/{tenant}/emergency-access", Member, "Declares emergency access. Field: objects.", || {
        routing::post(tenants::declare_emergency_access)
    }),
    post("/tenants/{tenant}/schedule", Member, "Sets when its reports are due. Fields: every, from, hours.", || {
        routing::post(schedules::change_of_tenant)
    }),
    get("/tenants/{tenant}/connection", Member, "The connection of a tenant, its permissions by name.", || {
        routing::get(connections::show)
    }),
    post("/tenants/{tenant}/connection", Admin, "Connects a tenant: leads to Microsoft (303).", || {
        routing::post(connections::begin)
    }),
    post("/tenants/{tenant}/connection/check", Member, "Looks whether the connection works.", || {
        routing::post(connections::check)
    }),
    get("/tenants/{tenant}/connection/end", Admin, "Asks whether to disconnect a tenant.", || {
        routing::get(connections::ask_end)
    }),
    post("/tenants/{tenant}/connection/end", Admin, "Disconnects a tenant.", || routing::post(connections::end)),
    get(CALLBACK, Admin, "Receives Microsoft's answers, then redirects to the next visit or the tenant (303).", || {
        routing::get(connections::callback)
    }),
    get("/tenants/{tenant}/pause", Member, "Asks whether to pause a tenant.", || routing::get(tenants::ask_pause)),
    post("/tenants/{tenant}/pause", Member, "Pauses a tenant.", || routing::post(tenants::pause)),
    post("/tenants/{tenant}/resume", Member, "Resumes a tenant.", || routing::post(tenants::resume)),
    get("/tenants/{tenant}/remove", Admin, "Asks whether to remove a tenant.", || routing::get(tenants::ask_removal)),
    form("/tenants/{tenant}/remove", Admin, "Removes a tenant. Field: name, as it is.", || {
        routing::post(tenants::remove)
    }),
    get("/tenants/{tenant}/reports/{report}", Member, "A report.", || routing::get(report::show)),
    get("/tenants/{tenant}/reports/{report}/checks.csv", Member, "Its checks as CSV.", || {
        routing::get(report::download)
    }),
    PDF,
    get("/tenants/{tenant}/reports/{report}/compare", Member, "Compares two reports of one tool.", || {
        routing::get(report::compare)
    }),
    get(
        "/tenants/{tenant}/reports/{report}/edit/check",
        Member,
        "The form that edits a check. Parameter: control.",
        || routing::get(edits::ask_check),
    ),
    form(
        "/tenants/{tenant}/reports/{report}/edit/check",
        Member,
        "Edits a check. Fields: control, seen, status, severity, currentState, why, suggestedFix, keep.",
        || routing::post(edits::edit_check),
    ),
    get(
        "/tenants/{tenant}/reports/{report}/edit/administrator",
        Member,
        "The form that edits an administrator. Parameter: administrator.",
        || routing::get(edits::ask_administrator),
    ),
    form(
        "/tenants/{tenant}/reports/{report}/edit/administrator",
        Member,
        "Edits an administrator. Fields: administrator, seen, status.",
        || routing::post(edits::edit_administrator),
    ),
    get(
        "/tenants/{tenant}/reports/{report}/set-back",
        Member,
        "The form that sets edited values of a check back to the tool's. Parameter: control.",
        || routing::get(set_back::ask),
    ),
    form(
        "/tenants/{tenant}/reports/{report}/set-back",
        Member,
        "Sets edited values of a check back to the tool's. Fields: control, seen; field, once for each.",
        || routing::post(set_back::set),
    ),
    get(
        "/tenants/{tenant}/reports/{report}/task",
        Member,
        "The form that sets the task of a control. Parameter: control.",
        || routing::get(tasks::ask),
    ),
    form(
        "/tenants/{tenant}/reports/{report}/task",
        Member,
        "Sets the task of a control, or removes it. Fields: control, seen, owner, due, note; do: set or remove.",
        || routing::post(tasks::set),
    ),
    get("/tenants/{tenant}/kept-edits", Member, "Edits that later imports apply.", || routing::get(kept_edits::list)),
    post("/tenants/{tenant}/kept-edits/end", Member, "Ends a kept edit. Field: control.", || {
        routing::post(kept_edits::end)
    }),
    get("/imports", Member, "The form that uploads results of tools, and the last imports.", || {
        routing::get(imports::list)
    }),
    form(
        "/imports",
        Member,
        "Imports files. Fields: upload, files, tenant, completedAt, asBaseline.",
        imports::receiver,
    ),
    post("/imports/files", Member, "Keeps files until their import (204). Fields: upload, files.", imports::keeper),
    get("/imports/{import}", Member, "The result of an import.", || routing::get(imports::show)),
    form(
        "/imports/{import}/tenant",
        Member,
        "Gives a tenant to runs without one, and imports them. Fields: tenant, or name and providerTenantId.",
        || routing::post(placing::place),
    ),
    get("/usage", Member, "Usage of all tenants on a day.", || routing::get(usage::show)),
    get("/usage.csv", Member, "The same as CSV.", || routing::get(usage::download)),
    get("/billable-users", Member, "The tenants to choose from.", || routing::get(billable_users::choose)),
    get("/billable-users/{tenant}", Member, "Billable users of a tenant.", || routing::get(billable_users::show)),
    get("/billable-users/{tenant}/users.csv", Member, "The same as CSV.", || routing::get(billable_users::download)),
    get("/settings/api-keys", Member, "The organization's API keys.", || routing::get(api_keys::list)),
    form("/settings/api-keys", Admin, "Creates an API key and shows it once (200). Field: description.", || {
        routing::post(api_keys::create)
    }),
    get("/settings/api-keys/{key}/delete", Admin, "Asks whether to delete an API key.", || {
        routing::get(api_keys::ask_deletion)
    }),
    post("/settings/api-keys/{key}/delete", Admin, "Deletes an API key.", || routing::post(api_keys::delete)),
    get("/settings/members", Admin, "Members and open invitations.", || routing::get(members::list)),
    get("/settings/members/{member}/role", Admin, "Asks whether to give up the role of an Admin.", || {
        routing::get(members::ask_role)
    }),
    post("/settings/members/{member}/role", Admin, "Changes a member's role. Field: role.", || {
        routing::post(members::change_role)
    }),
    get("/settings/members/{member}/remove", Admin, "Asks whether to remove a member.", || {
        routing::get(members::ask_removal)
    }),
    post("/settings/members/{member}/remove", Admin, "Removes a member.", || routing::post(members::remove)),
    form("/settings/invitations", Admin, "Invites a member and shows the link once (200). Fields: role, note.", || {
        routing::post(members::invite)
    }),
    post("/settings/invitations/{invitation}/revoke", Admin, "Revokes an invitation.", || {
        routing::post(members::revoke)
    }),
    get(
        "/settings/schedule",
        Admin,
        "When reports are due: of all tenants, or with the parameter label, of tenants with it.",
        || routing::get(schedules::show),
    ),
    post(
        "/settings/schedule",
        Admin,
        "Sets when reports are due, of all tenants or of those with a label. Fields: every, from, hours, label.",
        || routing::post(schedules::change),
    ),
    post("/settings/schedule/stale-after", Admin, "Sets after how many days a tenant is stale. Field: days.", || {
        routing::post(schedules::change_days)
    }),
    get("/settings/notifications", Admin, "The targets that are told of events.", || routing::get(notifications::list)),
    get("/settings/notifications/add", Admin, "The form that adds a target.", || {
        routing::get(notifications::ask_target)
    }),
    form(
        "/settings/notifications/add",
        Admin,
        "Adds a target and shows its secret once (200). Fields: name, url, shape, kind, severity, tool, label, tenant. With the \
         field preview: shows what the rules would have sent, and saves nothing.",
        || routing::post(notifications::add),
    ),
    get("/settings/notifications/add-member", Admin, "The form that adds a member as a target.", || {
        routing::get(mail::ask_member)
    }),
    form(
        "/settings/notifications/add-member",
        Admin,
        "Adds a member, who receives mail. Fields: member, every (EVENT, DAY or WEEK), and as above without url and shape.",
        || routing::post(mail::add_member),
    ),
    get(
        "/settings/notifications/{target}",
        Admin,
        "A target: its state, the last deliveries to it, its rules.",
        || routing::get(notifications::show),
    ),
    form("/settings/notifications/{target}", Admin, "Changes a target, or shows a preview. Fields: as above.", || {
        routing::post(notifications::change)
    }),
    post("/settings/notifications/{target}/test", Admin, "Sends a test.", || routing::post(notifications::test)),
    post("/settings/notifications/{target}/pause", Admin, "Pauses a target.", || routing::post(notifications::pause)),
    post("/settings/notifications/{target}/resume", Admin, "Resumes a target.", || {
        routing::post(notifications::resume)
    }),
    post("/settings/notifications/{target}/secret", Admin, "Replaces its secret and shows it once (200).", || {
        routing::post(notifications::rotate)
    }),
    post("/settings/notifications/{target}/deliveries/{event}/send-again", Admin, "Sends an event again.", || {
        routing::post(notifications::repeat)
    }),
    get("/settings/notifications/{target}/remove", Admin, "Asks whether to remove a target.", || {
        routing::get(notifications::ask_removal)
    }),
    post("/settings/notifications/{target}/remove", Admin, "Removes a target.", || {
        routing::post(notifications::remove)
    }),
    get("/settings/mail", Member, "The own mail address, and what is sent there.", || routing::get(mail::show)),
    form("/settings/mail", Member, "Adds mail to the own address. Fields: as above without member.", || {
        routing::post(mail::subscribe)
    }),
    post("/settings/mail/confirmation", Member, "Sends a mail with a link that confirms the own address.", || {
        routing::post(mail::send_confirmation)
    }),
    get("/settings/mail/confirm/{confirmation}", Member, "Asks whether to confirm the own address.", || {
        routing::get(mail::ask)
    }),
    post("/settings/mail/confirm/{confirmation}", Member, "Confirms the own address.", || routing::post(mail::confirm)),
    get("/settings/mail/{mail}/end", Member, "Asks whether to end mail to the own address: mails lead here.", || {
        routing::get(mail::ask_end)
    }),
    post("/settings/mail/{mail}/end", Member, "Ends mail to the own address, whoever added it.", || {
        routing::post(mail::end)
    }),
    get("/settings/texts", Member, "The organization's texts for controls. Parameter: q.", || {
        routing::get(texts::list)
    }),
    get(
        "/settings/texts/edit",
        Member,
        "The form that sets a text. Parameters: control, tool; tenant and report to begin with the texts of a check.",
        || routing::get(texts::ask),
    ),
    form(
        "/settings/texts/edit",
        Member,
        "Sets the organization's text for a control, or removes it. Fields: tool, control, seen, why, suggestedFix; do: set \
         or remove.",
        || routing::post(texts::set),
    ),
    get("/settings/brand", Admin, "The brand of PDFs.", || routing::get(brand::show)),
    form("/settings/brand", Admin, "Changes the brand. Fields: name, accent, footer, logo, removeLogo.", || {
        routing::post(brand::change)
    }),
    get(
        "/settings/audit",
        Member,
        "Who changed what, newest first; for a Full Member, the own changes. Parameters: person, tenant, kind, from, until.",
        || routing::get(audit::show),
    ),
    get("/settings/audit.csv", Member, "The same as CSV.", || routing::get(audit::download)),
    get("/organizations", Person, "The person's organizations, to change between them.", || {
        routing::get(organizations::list)
    }),
    post("/organizations", Person, "Switches to another organization. Fields: organization, to.", || {
        routing::post(organizations::change)
    }),
    get("/sign-in", Public, "The page that offers to sign in.", || routing::get(sign_in::offer)),
    get("/sign-in/start", Public, "Redirects to the issuer (303).", || routing::get(sign_in::start)),
    get("/sign-in/callback", Public, "Receives the issuer's redirect, then redirects to a page (303).", || {
        routing::get(sign_in::callback)
    }),
    post("/sign-out", Public, "Ends the session.", || routing::post(sign_in::sign_out)),
    post("/sign-out/everywhere", Person, "Ends all sessions of the person, in every organization.", || {
        routing::post(sign_in::sign_out_everywhere)
    }),
    get("/signed-out", Public, "Confirms that you are signed out.", || routing::get(sign_in::signed_out)),
    get("/invitations/{token}", Public, "An invitation.", || routing::get(sign_in::invitation)),
    post("/invitations/{token}", Public, "Accepts an invitation: starts to sign in (303).", || {
        routing::post(sign_in::accept_invitation)
    }),
    get("/assets/{name}", Public, "Stylesheet, script, icons and fonts, by names with a hash.", || {
        routing::get(pages::asset)
    }),
];
