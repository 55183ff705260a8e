//! The rules of edits: what is refused, which fields change, and what becomes of a kept edit.

use chrono::Months;
use model::{AcceptedRisk, Check, Choice, GlobalAdmin, ReportBody, ReportType, Status, Timestamp, is_hidden_in_lines};
use store::{Draft, EditedField, EditedPart, Keep, KeptValues};

use super::{CheckChange, EditOptions, Refusal, ReportEdit, Seen, TEXT_LIMIT, digest, is_comparison};

impl ReportEdit {
    /// Applies the edit to a report, and recalculates all dependent values. Returns what of a check shall be kept.
    pub(super) fn apply(
        &self,
        draft: &mut Draft<'_>,
        options: EditOptions<'_>,
        at: Timestamp,
    ) -> Result<Keep, Refusal> {
        if options.tenant.is_some_and(|tenant| *tenant != draft.report.summary.service_tenant_id) {
            return Err(Refusal::OtherTenant);
        }
        let kind = draft.body.figures.report_type;
        let keep = match self {
            Self::Check { control, change } => {
                change.edit(check_of(&mut draft.body, control)?, (kind, at), &draft.kept, options)?
            }
            Self::SetBack { control, fields } => {
                let risk = set_back(draft, control, fields, options)?;
                Keep { risk, ..Keep::default() }
            }
            Self::Administrator { name, status } => {
                let admin = administrator_of(&mut draft.body, name)?;
                require_unchanged(options.seen, || Seen::administrator(admin))?;
                if options.seen.is_some() && admin.status == *status {
                    return Err(Refusal::Unchanged);
                }
                require_possible(*status, kind)?;
                admin.status = *status;
                Keep::default()
            }
        };
        assessments::rescore(&mut draft.body).map_err(|_| Refusal::NothingAssessed)?;
        Ok(keep)
    }
}

impl CheckChange {
    /// Edits a check. Returns what shall be kept.
    fn edit(
        &self,
        check: &mut Check,
        (kind, at): (ReportType, Timestamp),
        kept: &KeptValues,
        options: EditOptions<'_>,
    ) -> Result<Keep, Refusal> {
        require_unchanged(options.seen, || Seen::check(check))?;
        let accepted_until = check.accepted_risk.as_ref().map(|risk| risk.until);
        if options.accepted_until.is_some_and(|seen| seen != accepted_until) {
            return Err(Refusal::ChangedMeanwhile);
        }
        let (change, keep) = match options.seen {
            None => (self.clone(), options.keep),
            Some(_) => {
                let change = Self::between(check, self.clone());
                let keep = options.keep.and_then(|keep| change.keeping(kept.has_fields(), keep));
                if change.is_empty() && keep.is_none() {
                    return Err(Refusal::Unchanged);
                }
                (change, keep)
            }
        };
        change.status.map_or(Ok(()), |status| require_possible(status, kind))?;
        if change.severity.flatten().is_some_and(|severity| !severity.is_known()) {
            return Err(Refusal::UnknownValue(EditedField::Severity));
        }
        change.apply(check)?;
        Ok(Keep { fields: keep, risk: change.accept(check, kept, at)? })
    }

    /// Accepts the risk of an edited check, or ends this. Returns whether later reports need to follow.
    fn accept(&self, check: &mut Check, kept: &KeptValues, at: Timestamp) -> Result<bool, Refusal> {
        match self.accepted_risk.clone().map(plain_reason) {
            Some(Some(risk)) => {
                require_acceptable(&risk, at)?;
                if !check.status.is_failing() {
                    return Err(Refusal::NothingToAccept);
                }
                check.accepted_risk = Some(risk);
                Ok(true)
            }
            Some(None) if check.accepted_risk.is_none() && kept.accepted_risk.is_none() => Err(Refusal::NotAccepted),
            Some(None) => {
                check.accepted_risk = None;
                Ok(true)
            }
            // It ends with the risk. A status of a later release may be one.
            None => {
                let has_ended = check.status.is_known() && !check.status.is_failing();
                Ok(has_ended && check.accepted_risk.take().is_some())
            }
        }
    }

    /// Returns whether the change shall be kept, if an editor who saw whether the earlier edit is kept wants `keep`.
    /// What is kept already is only kept anew if the change adds to it.
    fn keeping(&self, is_kept: bool, keep: bool) -> Option<bool> {
        match (is_kept, keep) {
            (true, true) => self.can_be_kept().then_some(true),
            (before, keep) => (before != keep).then_some(keep),
        }
    }

    /// Returns whether a field changes that later reports can keep.
    fn can_be_kept(&self) -> bool {
        !Self { current_state: None, accepted_risk: None, ..self.clone() }.is_empty()
    }

    /// Returns whether nothing changes.
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the change that turns a check into the editor's version.
    fn between(before: &Check, wanted: CheckChange) -> Self {
        let text = |text: Option<String>, before: Option<&str>| {
            text.map(|text| with_plain_lines(&text))
                .filter(|text| *text != with_plain_lines(before.unwrap_or_default()))
        };
        Self {
            status: wanted.status.filter(|status| *status != before.status),
            severity: wanted.severity.filter(|severity| *severity != before.severity),
            current_state: text(wanted.current_state, Some(&before.current_state)),
            why: text(wanted.why, before.why.as_deref()),
            suggested_fix: text(wanted.suggested_fix, before.suggested_fix.as_deref()),
            accepted_risk: wanted.accepted_risk.map(plain_reason).filter(|risk| *risk != before.accepted_risk),
        }
    }

    fn check_texts(&self) -> Result<(), Refusal> {
        let texts = [
            (EditedField::CurrentState, &self.current_state),
            (EditedField::Why, &self.why),
            (EditedField::SuggestedFix, &self.suggested_fix),
        ];
        let is_bad = |text: &str| !fits(text, TEXT_LIMIT);
        let bad = texts.into_iter().find(|(_, text)| text.as_deref().is_some_and(is_bad));
        bad.map_or(Ok(()), |(field, _)| Err(Refusal::BadText(field)))
    }

    fn apply(&self, check: &mut Check) -> Result<(), Refusal> {
        self.check_texts()?;
        if self.current_state.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(Refusal::NoCurrentState);
        }
        check.status = self.status.unwrap_or(check.status);
        let stays = is_comparison(check.status) || !check.status.is_known();
        check.previous_state = check.previous_state.take().filter(|_| stays);
        check.severity = self.severity.unwrap_or(check.severity);
        if let Some(text) = &self.current_state {
            check.current_state.clone_from(text);
        }
        for (field, text) in [(&mut check.why, &self.why), (&mut check.suggested_fix, &self.suggested_fix)] {
            if let Some(text) = text {
                *field = Some(text.clone()).filter(|text| !text.is_empty());
            }
        }
        Ok(())
    }
}

/// Sets fields of a check back to the tool's values. A risk is no longer accepted if the control is not failing then.
/// Returns whether this ended it.
fn set_back(
    draft: &mut Draft<'_>,
    control: &str,
    fields: &[EditedField],
    options: EditOptions<'_>,
) -> Result<bool, Refusal> {
    let check = check_of(&mut draft.body, control)?;
    let part = EditedPart::Check(check.control_id.clone());
    let mark = draft.report.edits.iter().find(|mark| mark.part == part);
    require_unchanged(options.seen, || Seen::restorable(check, mark))?;
    let mut is_known = |field: &EditedField| mark.is_some_and(|mark| mark.found.restore(check, *field));
    if let Some(unknown) = fields.iter().copied().find(|field| !is_known(field)) {
        return Err(Refusal::NotKnown(unknown));
    }
    draft.set_back = fields.to_vec();
    let ended = check.accepted_risk.take_if(|_| check.status.is_known() && !check.status.is_failing());
    draft.set_back.extend(ended.as_ref().map(|_| EditedField::AcceptedRisk));
    Ok(ended.is_some())
}

fn check_of<'a>(body: &'a mut ReportBody, control: &str) -> Result<&'a mut Check, Refusal> {
    let check = body.checks.iter_mut().find(|check| check.control_id.as_str().eq_ignore_ascii_case(control));
    check.ok_or_else(|| Refusal::NoSuchControl(control.to_owned()))
}

/// Browsers send line breaks as two characters.
pub(crate) fn with_plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn plain_reason(risk: Option<AcceptedRisk>) -> Option<AcceptedRisk> {
    risk.map(|risk| AcceptedRisk { reason: with_plain_lines(risk.reason.trim()), ..risk })
}

/// Returns whether a text has at most `most` characters, of which none is hidden.
pub(crate) fn fits(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(is_hidden_in_lines)
}

/// Checks that a risk has a reason, and ends within a year.
fn require_acceptable(risk: &AcceptedRisk, at: Timestamp) -> Result<(), Refusal> {
    if risk.reason.is_empty() || !fits(&risk.reason, AcceptedRisk::LONGEST_REASON) {
        return Err(Refusal::BadReason);
    }
    let latest = at.date().checked_add_months(Months::new(12));
    match risk.is_over(at) || latest.is_some_and(|latest| risk.until > latest) {
        true => Err(Refusal::BadEnd),
        false => Ok(()),
    }
}

fn administrator_of<'a>(body: &'a mut ReportBody, name: &str) -> Result<&'a mut GlobalAdmin, Refusal> {
    let mut admins = body.global_admins.admins.iter_mut();
    let is_named = |admin: &str| admin.eq_ignore_ascii_case(name) || digest(admin) == name;
    admins.find(|admin| is_named(&admin.user_principal_name)).ok_or(Refusal::NoSuchAdministrator)
}

fn require_unchanged(seen: Option<&Seen>, now: impl FnOnce() -> Seen) -> Result<(), Refusal> {
    match seen {
        Some(seen) if *seen != now() => Err(Refusal::ChangedMeanwhile),
        _ => Ok(()),
    }
}

/// Checks that a report of that type can have a status.
fn require_possible(status: Status, kind: ReportType) -> Result<(), Refusal> {
    match is_comparison(status) && kind == ReportType::Baseline {
        true => Err(Refusal::NotInBaseline),
        false if status.is_known() => Ok(()),
        false => Err(Refusal::UnknownValue(EditedField::Status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_already_is_kept_anew_only_if_the_change_adds_to_it() {
        let state = CheckChange { current_state: Some("Other.".to_owned()), ..CheckChange::default() };
        let reason = CheckChange { why: Some("A reason.".to_owned()), ..state.clone() };
        for (is_kept, keep, of_state, of_reason) in [
            (false, false, None, None),
            (false, true, Some(true), Some(true)),
            (true, false, Some(false), Some(false)),
            (true, true, None, Some(true)),
        ] {
            let kept = (state.keeping(is_kept, keep), reason.keeping(is_kept, keep));
            assert_eq!(kept, (of_state, of_reason), "{is_kept} {keep}");
        }
    }
}
