//! Controls about mail: the records of mail domains in DNS, and old mail apps.

mod apps;
mod dmarc;
mod dns;
mod domains;
mod spf;

pub(super) use apps::mail_apps;
pub(super) use dmarc::{dmarc, dmarc_reports};
pub(super) use dns::DnsAnswers;
pub(super) use domains::{Domain, dkim};
pub(super) use spf::spf;
