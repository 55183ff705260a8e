//! Pages as pure functions: `view::MODULE::page(&MODULE::Page) -> Markup`, where `Page` says all that the page shows.
//!
//! - [`layout`]: the frame of every page; [`form`]: fields with what is wrong with them beside them.
//! - [`text`], [`words`], [`when`]: texts, states and dates as people read them; [`chart`], [`history`]: charts as SVG.
//! - [`link`]: addresses of pages; [`table`]: what tables share; [`csv`]: the same tables as files.
//! - The others are a page each, named as in the table of routes.

pub mod api_key_created;
pub mod api_key_deletion;
pub mod api_keys;
pub mod audit;
pub mod billable_users;
pub mod brand;
pub mod chart;
pub mod comparison;
mod confirmation;
pub mod csv;
pub mod edit_administrator;
pub mod edit_check;
pub mod edits;
pub mod error;
pub mod form;
pub mod history;
pub mod import;
pub mod imports;
pub mod invitation;
pub mod invitation_created;
pub mod kept_edits;
pub mod layout;
pub mod link;
pub mod member_removal;
pub mod members;
pub mod organizations;
pub mod portfolio;
pub mod report;
mod settings;
pub mod sign_in;
pub mod signed_out;
pub mod table;
pub mod tenant;
pub mod tenant_removal;
pub mod tenants;
pub mod text;
pub mod usage;
pub mod when;
pub mod words;
