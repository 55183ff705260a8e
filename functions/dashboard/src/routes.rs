//! Every route of the dashboard: the router, the tests of roles and docs/DASHBOARD.md are made of this table.

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads, and changes nothing.
    Get,
    /// Changes something, and answers with a redirection to a page (303) unless noted.
    Post,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, without signing in.
    Public,
    /// Every member of the organization: Admins and Full Members.
    Member,
    /// Admins. A Full Member gets 403.
    Admin,
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Method of the request.
    pub method: Method,
    /// Path, with parameters in braces.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it is for, in one sentence for the docs.
    pub summary: &'static str,
}

use Access::{Admin, Member, Public};

/// All routes.
///
/// Every page is one function of `view`, `view::MODULE::page(&MODULE::Page) -> Markup`, named behind its route. Filters
/// and sorting are parameters of the query, so that they work without a script and can be linked to.
pub const ROUTES: &[Route] = &[
    // view::portfolio; query: sort, order, q (text)
    get("/", Member, "All tenants with their newest reports, worst first."),
    get("/portfolio.csv", Member, "The same as CSV."),
    // view::tenants: the list to manage, with a form to add one; paused ones are marked
    get("/tenants", Member, "The list of tenants, and the form that adds one."),
    post("/tenants", Member, "Adds a tenant. Fields: name, providerTenantId."),
    // view::tenant: history chart, reports; links to rename, pause, kept edits, remove (Admin)
    get("/tenants/{tenant}", Member, "A tenant: history of its score, its reports."),
    get("/tenants/{tenant}/reports.csv", Member, "Its reports as CSV."),
    post("/tenants/{tenant}/rename", Member, "Renames a tenant. Field: name."),
    post("/tenants/{tenant}/pause", Member, "Pauses a tenant."),
    post("/tenants/{tenant}/resume", Member, "Resumes a tenant."),
    // view::tenant_removal: asks for the tenant's name once more
    get("/tenants/{tenant}/remove", Admin, "Asks whether to remove a tenant."),
    post("/tenants/{tenant}/remove", Admin, "Removes a tenant. Field: name, as it is."),
    // view::kept_edits: edits that are kept for later reports, with a button each to end one
    get("/tenants/{tenant}/kept-edits", Member, "Edits that later imports apply to the tenant's reports."),
    post("/tenants/{tenant}/kept-edits/remove", Member, "Stops keeping an edit. Field: control."),
    // view::report; query: status, severity, q (text)
    get("/tenants/{tenant}/reports/{report}", Member, "A report."),
    get("/tenants/{tenant}/reports/{report}/checks.csv", Member, "Its checks as CSV."),
    // view::comparison; query: with (report id), without it the page offers the reports of the same tool
    get("/tenants/{tenant}/reports/{report}/compare", Member, "Compares two reports of one tool."),
    // view::edit_check; query: check (control id)
    get("/tenants/{tenant}/reports/{report}/edit", Member, "The form that edits a check of a report."),
    post("/tenants/{tenant}/reports/{report}/edit", Member, "Edits a check of a report."),
    // view::edit_administrator; query: administrator (digest of the sign-in name)
    get("/tenants/{tenant}/reports/{report}/administrator", Member, "The form that edits an administrator's status."),
    post("/tenants/{tenant}/reports/{report}/administrator", Member, "Edits an administrator's status."),
    // view::imports: the form, and the newest imports
    get("/imports", Member, "The form that uploads results of tools, and earlier imports."),
    post("/imports", Member, "Imports the uploaded files. Fields: files, and the options of the import."),
    // view::import: what became of each file
    get("/imports/{import}", Member, "What became of the files of an import."),
    // view::usage; query: asOf
    get("/usage", Member, "Usage of all tenants on a day."),
    get("/usage.csv", Member, "The same as CSV."),
    // view::billable_users; without a tenant, the list to choose one from
    get("/billable-users", Member, "The tenants to choose from."),
    get("/billable-users/{tenant}", Member, "Billable users of a tenant."),
    get("/billable-users/{tenant}/users.csv", Member, "The same as CSV."),
    // view::api_keys; an Admin sees the form and a button each
    get("/settings/api-keys", Member, "The organization's API keys."),
    // view::api_key_created: shows the key once
    post("/settings/api-keys", Admin, "Creates an API key and shows it once (200). Field: description."),
    // view::api_key_deletion
    get("/settings/api-keys/{key}/delete", Admin, "Asks whether to delete an API key."),
    post("/settings/api-keys/{key}/delete", Admin, "Deletes an API key."),
    // view::members: members and open invitations, with forms
    get("/settings/members", Admin, "Members and open invitations."),
    post("/settings/members/{member}/role", Admin, "Changes a member's role. Field: role."),
    // view::member_removal
    get("/settings/members/{member}/remove", Admin, "Asks whether to remove a member."),
    post("/settings/members/{member}/remove", Admin, "Removes a member."),
    // view::invitation_created: shows the link once
    post("/settings/invitations", Admin, "Invites a member and shows the link once (200). Fields: role, note."),
    post("/settings/invitations/{invitation}/revoke", Admin, "Revokes an invitation."),
    // view::audit; query: before (to page)
    get("/settings/audit", Admin, "Who changed what, newest first."),
    get("/settings/audit.csv", Admin, "The same as CSV."),
    // view::organizations: those that the person is a member of
    get("/organizations", Member, "The person's organizations, to change between them."),
    post("/organizations", Member, "Changes to another organization. Field: organization."),
    // view::sign_in: the welcome page with one button; query: to (a path of ours to return to)
    get("/sign-in", Public, "The page that offers to sign in."),
    get("/sign-in/start", Public, "Redirects to the issuer (303)."),
    get("/sign-in/callback", Public, "Where the issuer returns to; redirects into the dashboard (303)."),
    post("/sign-out", Public, "Ends the session."),
    // view::signed_out
    get("/signed-out", Public, "Says that the person is signed out."),
    // view::invitation: which organization and role; one button that starts to sign in
    get("/invitations/{token}", Public, "An invitation."),
    post("/invitations/{token}", Public, "Accepts an invitation: starts to sign in (303)."),
    // view::assets: bytes, media type, name with a hash
    get("/assets/{name}", Public, "Stylesheet, script and icons, by names with a hash."),
    // view::error::page for every failure: status, what happened, what to do
];

const fn get(path: &'static str, access: Access, summary: &'static str) -> Route {
    Route { method: Method::Get, path, access, summary }
}

const fn post(path: &'static str, access: Access, summary: &'static str) -> Route {
    Route { method: Method::Post, path, access, summary }
}
