//! Mail in words: a text, and the same in simple HTML. Texts of others are shown as they are: they format nothing.

use mail_builder::MessageBuilder;
use mail_builder::headers::raw::Raw;
use maud::{Markup, html};
use model::{MailAddress, Secret, Timestamp, counted};
use store::{CONFIRMATION_HOURS, Target};

use crate::notice::Notice;
use crate::subject::Subject;

/// Events of a mail that are listed. The dashboard has all.
const LISTED: usize = 100;

/// A mail, without the people.
pub(crate) struct Letter {
    /// Identifier: the same mail has the same one, however often it is sent.
    pub(crate) id: String,
    subject: String,
    text: String,
    html: String,
    /// Address of the page that ends such mail.
    end: Option<String>,
}

impl Letter {
    /// Returns the mail to a target.
    pub(crate) fn of(subject: Subject, target: &Target, dashboard_url: &str) -> Self {
        let id = format!("{}.{}", subject.id(), target.target_id);
        let (listed, more) = match &subject {
            Subject::Period(_, events) => {
                let of_event = |event: &model::Event| {
                    let at = event.occurred_at.to_datetime().format("%Y-%m-%d %H:%M UTC").to_string();
                    (at, Notice::of_event(event.clone(), dashboard_url))
                };
                (events.iter().take(LISTED).map(of_event).collect(), events.len().saturating_sub(LISTED))
            }
            Subject::Event(_) | Subject::Test(_) => (Vec::new(), 0),
        };
        let notice = Notice::of(subject, dashboard_url);
        let about = notice.facts.first().map(|(_, value)| format!(": {value}")).unwrap_or_default();
        let end = format!("{dashboard_url}/settings/mail/{}/end", target.target_id);
        let more = (more > 0).then(|| format!("Not listed: {}.", counted(more, "more event")));
        let reason = format!("You receive this mail because of the target \"{}\" of notifications.", target.name);
        let mut text = in_text(&notice.headline, &notice, "");
        for (at, event) in &listed {
            text += &in_text(&format!("{at}: {}", event.headline), event, "  ");
        }
        text += &more.iter().map(|more| format!("{more}\n\n")).collect::<String>();
        text += &format!("-- \n{reason}\nEnd it: {end}\n");
        let body = html! {
            h1 style="font-size:1.25em" { (notice.headline) }
            (in_html(&notice))
            @for (at, event) in &listed {
                h2 style="font-size:1em" { (at) ": " (event.headline) }
                (in_html(event))
            }
            @if let Some(more) = more { p { (more) } }
            p style="color:#555" { (reason) " " a href=(end) { "End it" } }
        };
        Self { id, subject: format!("{}{about}", notice.headline), text, html: page(body), end: Some(end) }
    }

    /// Returns the mail that confirms an address by a link with a secret. Whoever reads it only confirms it as the member who
    /// asked for it.
    pub(crate) fn confirmation(id: String, secret: &Secret, dashboard_url: &str) -> Self {
        let link = format!("{dashboard_url}/settings/mail/confirm/{}", secret.reveal());
        let reason = "A member of an organization asked for notifications at this address.";
        let advice = format!(
            "Open the link within {CONFIRMATION_HOURS} hours in the browser in which you are signed in. If you did not ask for this, ignore this mail: you will receive nothing else."
        );
        let text = format!("{reason} To confirm that it is yours:\n\n{link}\n\n{advice}\n");
        let body = html! {
            p { (reason) }
            p { a href=(link) { "Confirm that the address is yours" } }
            p style="color:#555" { (advice) }
        };
        Self { id, subject: "Confirm your mail address".to_owned(), text, html: page(body), end: None }
    }

    /// Returns the message with its headers.
    pub(crate) fn message(&self, from: &MailAddress, to: &MailAddress, now: Timestamp) -> Vec<u8> {
        // A name in the subject is on one line.
        let subject = self.subject.replace('\n', " ");
        let mut message = MessageBuilder::new()
            .from(("Security posture", from.as_str()))
            .to(to.as_str())
            .subject(subject)
            .date(now.to_datetime().timestamp())
            .message_id(format!("{}@{}", self.id, from.domain()))
            // SES replaces the identifier of a message, so that only this one shows that a mail is a repeated one.
            .header("X-Notification-Id", Raw::new(&*self.id))
            .header("Auto-Submitted", Raw::new("auto-generated"))
            .text_body(&*self.text)
            .html_body(&*self.html);
        if let Some(end) = &self.end {
            message = message.header("List-Unsubscribe", Raw::new(format!("<{end}>")));
        }
        let mut bytes = Vec::new();
        message.serialize(&mut bytes);
        bytes
    }
}

fn in_text(headline: &str, notice: &Notice, indent: &str) -> String {
    let facts = notice.facts.iter().map(|(name, value)| format!("{indent}{name}: {value}\n"));
    let facts = facts.collect::<String>();
    format!("{headline}\n{facts}{indent}Open in the dashboard: {}\n\n", notice.link)
}

fn in_html(notice: &Notice) -> Markup {
    html! {
        @if !notice.facts.is_empty() {
            ul style="list-style:none;padding:0" { @for (name, value) in &notice.facts {
                li style="white-space:pre-line" { (name) ": " (value) }
            } }
        }
        p { a href=(notice.link) { "Open in the dashboard" } }
    }
}

fn page(body: Markup) -> String {
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; }
            body style="font-family:sans-serif;line-height:1.5" { (body) }
        }
    };
    page.into_string()
}
