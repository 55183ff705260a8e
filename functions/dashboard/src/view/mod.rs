//! Pages as pure functions: `view::MODULE::page(&MODULE::Page) -> Markup`, where `Page` says all that the page shows.
//!
//! - `web::view`: the frame of every page, forms and texts.
//! - [`words`], [`when`]: states and dates as people read them; [`chart`], [`history`]: charts as SVG.
//! - [`link`]: addresses of pages; [`table`]: what tables share; [`csv`]: the same tables as files.
//! - The others are a page each, named as in the table of routes.

pub(crate) mod api_key_created;
pub(crate) mod api_key_deletion;
pub(crate) mod api_keys;
pub(crate) mod audit;
pub(crate) mod billable_users;
pub(crate) mod brand;
pub(crate) mod chart;
pub(crate) mod comparison;
mod confirmation;
pub(crate) mod connection;
pub(crate) mod controls;
pub(crate) mod csv;
pub(crate) mod documents;
pub(crate) mod edit_administrator;
pub(crate) mod edit_check;
pub(crate) mod edits;
pub(crate) mod filter;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod import_tenant;
pub(crate) mod imports;
pub(crate) mod invitation;
pub(crate) mod invitation_created;
pub(crate) mod kept_edits;
pub(crate) mod link;
pub(crate) mod mail;
pub(crate) mod member_removal;
pub(crate) mod members;
pub(crate) mod notifications;
mod of_check;
pub(crate) mod organizations;
pub(crate) mod portfolio;
pub(crate) mod report;
pub(crate) mod report_request;
pub(crate) mod schedule;
pub(crate) mod search;
pub(crate) mod set_back;
mod settings;
pub(crate) mod sign_in;
pub(crate) mod signed_out;
pub(crate) mod table;
pub(crate) mod tasks;
pub(crate) mod tenant;
pub(crate) mod tenant_question;
pub(crate) mod tenants;
pub(crate) mod texts;
pub(crate) mod usage;
pub(crate) mod when;
pub(crate) mod words;
