//! Usage reports, which are tables.

use std::fmt::Write;

use chrono::TimeDelta;

use super::people::person;
use crate::tenant::{Tenant, View};

/// Returns a user's name in a report, which is a digest if names are concealed.
fn name(tenant: &Tenant, place: usize) -> String {
    match tenant.quirks.names_concealed {
        true => tenant.object("concealed", place).replace('-', "").to_uppercase(),
        false => person(tenant, place).sign_in_name,
    }
}

pub(crate) fn mail_apps(View { tenant, now }: View) -> String {
    let date = (now - TimeDelta::days(2)).date_naive();
    let mut table = "\u{feff}Report Refresh Date,User Principal Name,Display Name,Is Deleted,Deleted Date,\
Last Activity Date,Mail For Mac,Outlook For Mac,Outlook For Windows,Outlook For Mobile,Other For Mobile,\
Outlook For Web,POP3 App,IMAP4 App,SMTP App,Report Period\r\n"
        .to_owned();
    for place in 0..tenant.users {
        let old = if place % 97 == 5 && !tenant.has("modern clients") { "Yes" } else { "" };
        let name = name(tenant, place);
        let _ = write!(table, "{date},{name},{name},False,,{date},,,Yes,,,Yes,,{old},,30\r\n");
    }
    table
}

pub(crate) fn active_users(View { tenant, now }: View) -> String {
    let date = (now - TimeDelta::days(2)).date_naive();
    let mut table = "\u{feff}Report Refresh Date,User Principal Name,Display Name,Is Deleted,Deleted Date,\
Has Exchange License,Has OneDrive License,Has SharePoint License,Has Skype For Business License,Has Yammer License,\
Has Teams License,Exchange Last Activity Date,OneDrive Last Activity Date,SharePoint Last Activity Date,\
Skype For Business Last Activity Date,Yammer Last Activity Date,Teams Last Activity Date,\
Exchange License Assign Date,OneDrive License Assign Date,SharePoint License Assign Date,\
Skype For Business License Assign Date,Yammer License Assign Date,Teams License Assign Date,Assigned Products\r\n"
        .to_owned();
    for place in 0..tenant.users {
        let unused = place > 5 && tenant.number("unused", place, 100) < 4;
        let last =
            if unused { date - TimeDelta::days(120) } else { date - TimeDelta::days((place % 9).cast_signed() as i64) };
        let name = name(tenant, place);
        let _ = write!(
            table,
            "{date},{name},{name},False,,True,True,True,False,False,True,{last},,,,,{last},{date},{date},{date},,,{date},SUITE\r\n"
        );
    }
    table
}
