//! The form of a target of notifications, as it was sent.

use std::collections::BTreeSet;

use model::{
    Choice, DisplayName, Event, EventKind, EventRules, Hours, InvalidQuietTimes, QuietTimes, ServiceTenantId, Severity,
    TargetShape, TargetUrl,
};
use store::TenantRecord;
use web::failure::Failure;
use web::session::Viewer;
use web::view::form::Errors;

use super::sent::Sent;
use crate::view::notifications::{Form, Recipient};
use crate::view::words::{chosen, sentence};

impl Sent {
    /// Returns the form of the messages.
    pub(super) fn shape(&self) -> Result<TargetShape, Failure> {
        chosen(TargetShape::KNOWN.iter().copied(), self.one("shape")).ok_or_else(Failure::incomplete)
    }

    /// Returns the rules. They may name the tenants of the organization, and those that they named before.
    pub(super) fn rules(&self, tenants: &[TenantRecord], before: &EventRules) -> Result<EventRules, Failure> {
        let severity = match self.one("severity") {
            "" => None,
            least => Some(chosen(Severity::KNOWN.iter().copied(), least).ok_or_else(Failure::incomplete)?),
        };
        let kinds = self.all("kind").map(|kind| chosen(EventKind::KNOWN.iter().copied(), kind));
        let tools = self.all("tool").map(|tool| tool.parse::<DisplayName>().ok().map(String::from));
        let own = |id: &ServiceTenantId| {
            before.tenants.contains(id) || tenants.iter().any(|tenant| tenant.service_tenant_id == *id)
        };
        let named: Option<BTreeSet<_>> = self.all("tenant").map(|id| id.parse().ok()).collect();
        let named = named.ok_or_else(Failure::incomplete)?;
        if !named.iter().all(own) {
            return Err(Failure::NotFound);
        }
        Ok(EventRules {
            kinds: kinds.collect::<Option<_>>().ok_or_else(Failure::incomplete)?,
            severity,
            tools: tools.collect::<Option<_>>().ok_or_else(Failure::incomplete)?,
            tenants: named,
            labels: self
                .all("label")
                .map(|label| label.parse().ok())
                .collect::<Option<_>>()
                .ok_or_else(Failure::incomplete)?,
            quiet: self.quiet().unwrap_or_default(),
        })
    }

    fn quiet(&self) -> Result<QuietTimes, InvalidQuietTimes> {
        let number = |name| self.one(name).parse().map_err(|_| InvalidQuietTimes);
        let hours = match self.one("quiet_from") {
            "" => None,
            _ => Some(Hours::new(number("quiet_from")?, number("quiet_hours")?).map_err(|_| InvalidQuietTimes)?),
        };
        let days = self.all("quiet_day").map(|day| day.parse().map_err(|_| InvalidQuietTimes));
        QuietTimes::new(hours, days.collect::<Result<_, _>>()?)
    }

    /// Returns the name and the address to save.
    ///
    /// # Errors
    /// The errors of the form, if it is to be shown again; none if a preview is asked for.
    pub(super) fn entered(&self, viewer: &Viewer) -> Result<(DisplayName, TargetUrl), Errors> {
        self.checked(viewer)?;
        match (self.name(), self.one("url").parse::<TargetUrl>()) {
            (Ok(name), Ok(url)) => Ok((name, url)),
            (name, Ok(_)) => Err(name.err().unwrap_or_default()),
            (name, Err(error)) => {
                let errors = name.err().unwrap_or_default();
                Err(errors.with("url", sentence(&format!("the address {error}"))))
            }
        }
    }

    /// Returns the name to save.
    ///
    /// # Errors
    /// As [`Sent::entered`].
    pub(super) fn named(&self, viewer: &Viewer) -> Result<DisplayName, Errors> {
        self.checked(viewer)?;
        self.name()
    }

    fn name(&self) -> Result<DisplayName, Errors> {
        let wrong = |_| Errors::default().with("name", "A name has 1 to 200 characters on one line.");
        self.one("name").parse().map_err(wrong)
    }

    fn checked(&self, viewer: &Viewer) -> Result<(), Errors> {
        if let Some(errors) = viewer.resumed() {
            return Err(errors);
        }
        if self.quiet().is_err() {
            return Err(Errors::default().with("quiet_from", "Leave at least an hour in a week that is not quiet."));
        }
        if self.asks_for_preview() {
            return Err(Errors::default());
        }
        Ok(())
    }

    /// Returns the address with the form of its messages, as entered.
    pub(super) fn recipient(&self, shape: TargetShape) -> Recipient<'_> {
        Recipient::Address { url: self.one("url"), shape }
    }

    /// Returns the form with what was entered.
    pub(super) fn form<'a>(
        &'a self,
        recipient: Recipient<'a>,
        rules: &'a EventRules,
        tenants: &'a [TenantRecord],
        preview: Option<&'a [Event]>,
        errors: &'a Errors,
    ) -> Form<'a> {
        Form { name: self.one("name"), recipient, rules, tenants, preview, errors }
    }
}
