//! Reads a snapshot and judges it.

use std::cell::RefCell;
use std::fmt;

use model::snapshot::{Completion, Header, RequestFailure, VERSION};
use model::{ProviderTenantId, Timestamp};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::body;
use super::received::Problem;
use super::rows::directory_list;
use super::source::{Form, Source};
use super::table::CONTROLS;
use super::tenant::{Collected, Tenant};
use super::verdict::{NotAssessed, Verdict};
use crate::catalogue::RevisedControl;
use crate::directory::Directory;
use crate::file::{Input, Unreadable};
use crate::run::{ControlResult, ControlResults, Describe, Description, Outcome, Repetition, Run, RunFacts, Tool};

/// Reads a snapshot. Returns the run of all controls, and the lists of the directory.
pub(crate) fn read_snapshot(input: Input<'_>) -> Result<(Run, Directory), Unreadable> {
    let reader = RefCell::new(Reader::default());
    input.json_values(|| Line(&reader), |()| {})?;
    let tenant = reader.into_inner().finish()?;
    Ok((judged(&tenant), tenant.directory))
}

fn judged(tenant: &Tenant) -> Run {
    let mut results = ControlResults::new(Repetition::Duplicates);
    for (id, judge) in &CONTROLS {
        let (outcome, state) = match judge(tenant) {
            Ok(Verdict { is_secure: true, state }) => (Outcome::Passed, state),
            Ok(Verdict { is_secure: false, state }) => (Outcome::Failed, state),
            Err(NotAssessed { reason, sentence }) => (Outcome::NotAssessed(reason), sentence),
        };
        let control = RevisedControl { control: id.parse().expect("the table has valid identifiers"), revision: 1 };
        results.take(Some(ControlResult { control, outcome: Ok(outcome), state, texts: InCatalogue, damaged: vec![] }));
    }
    let facts = RunFacts {
        tenant: Some(tenant.header.provider_tenant_id.to_string()),
        started: Some(tenant.header.requested_at.unwrap_or(tenant.header.started_at)),
        completed: Some(tenant.completion.completed_at),
        ..RunFacts::default()
    };
    let run = facts.into_run(Tool::BuiltIn, results);
    Run { lookback_days: Some(tenant.completion.activity_lookback_days), ..run }
}

/// Texts of a control, which are all in the catalogue.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct InCatalogue;

impl Describe for InCatalogue {
    fn describe(self) -> Description {
        Description::default()
    }
}

/// The lines that were read so far.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    collected: Collected,
    responses: usize,
    completion: Option<Completion>,
}

impl Reader {
    fn finish(self) -> Result<Tenant, Unreadable> {
        let Self { header, mut collected, responses, completion } = self;
        let header = header.ok_or(Unreadable::SnapshotCutOff)?;
        let completion = completion.filter(|it| it.responses == responses).ok_or(Unreadable::SnapshotCutOff)?;
        if header.snapshot != VERSION {
            return Err(Unreadable::SnapshotVersion(header.snapshot));
        }
        collected.drop_partial_logs();
        collected.add_groups();
        let directory = Directory::of_tenant(header.provider_tenant_id.clone());
        collected.directory.join(directory);
        collected.directory.logs_cover(completion.completed_at, completion.activity_lookback_days);
        collected.directory.deduplicate();
        let of_organization = collected.lists.organization.rows().map(|it| it.get("id").and_then(Value::as_str));
        let is_foreign = |id: Option<&str>| id.is_none_or(|id| id.parse() != Ok(header.provider_tenant_id.clone()));
        if collected.directory.tenants().len() > 1 || { of_organization }.any(is_foreign) {
            return Err(Unreadable::SnapshotOfOtherTenant);
        }
        Ok(Tenant::new(collected, header, completion))
    }
}

/// The fields of a response before its body.
#[derive(Default)]
struct Head {
    endpoint: String,
    query: String,
    status: Option<u16>,
    more: bool,
    failure: Option<RequestFailure>,
}

/// The fields of a header.
#[derive(Default)]
struct HeaderFields {
    version: Option<u32>,
    tenant: Option<ProviderTenantId>,
    requested_at: Option<Timestamp>,
    started_at: Option<Timestamp>,
    emergency_access: Vec<String>,
}

/// A line of the file.
struct Line<'a>(&'a RefCell<Reader>);

impl<'de> DeserializeSeed<'de> for Line<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Line<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line of a snapshot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut line: A) -> Result<(), A::Error> {
        let reader = &mut *self.0.borrow_mut();
        let mut header = HeaderFields::default();
        let mut head = Head::default();
        let mut is_response = false;
        if reader.completion.is_some() {
            return Err(A::Error::custom("a line behind the last one"));
        }
        while let Some(name) = line.next_key::<String>()? {
            match name.as_str() {
                "snapshot" => header.version = Some(line.next_value()?),
                "providerTenantId" => header.tenant = Some(line.next_value()?),
                "requestedAt" => header.requested_at = line.next_value()?,
                "startedAt" => header.started_at = Some(line.next_value()?),
                "emergencyAccess" => header.emergency_access = line.next_value()?,
                "endpoint" => head.endpoint = line.next_value()?,
                "query" => head.query = line.next_value()?,
                "status" => head.status = line.next_value()?,
                "more" => head.more = line.next_value()?,
                "failure" => head.failure = line.next_value()?,
                "body" => {
                    is_response = true;
                    reader.collected.take_body(&head, &mut line)?;
                }
                "end" => reader.completion = Some(line.next_value()?),
                _ => drop(line.next_value::<IgnoredAny>()?),
            }
        }
        match header.of_line() {
            Some(header) if reader.header.is_none() && reader.responses == 0 => reader.header = Some(header),
            None if reader.header.is_some() && is_response => reader.responses += 1,
            None if reader.header.is_some() && reader.completion.is_some() => {}
            _ => return Err(A::Error::custom("neither a header nor a response")),
        }
        Ok(())
    }
}

impl HeaderFields {
    /// Returns the header, if the line is one.
    fn of_line(self) -> Option<Header> {
        Some(Header {
            snapshot: self.version?,
            provider_tenant_id: self.tenant?,
            requested_at: self.requested_at,
            started_at: self.started_at?,
            emergency_access: self.emergency_access,
        })
    }
}

impl Collected {
    /// Reads the body of a response.
    fn take_body<'de, A: MapAccess<'de>>(&mut self, head: &Head, line: &mut A) -> Result<(), A::Error> {
        let Some(source) = Source::of(&head.endpoint).filter(|source| source.reads(&head.query)) else {
            return line.next_value::<IgnoredAny>().map(drop);
        };
        let read = match (head.failure, head.status) {
            (Some(failure), _) => {
                line.next_value::<IgnoredAny>()?;
                Err(Problem::NoResponse(failure))
            }
            (None, Some(200..=299)) => self.take_success(source, head, line)?,
            (None, Some(status)) => {
                let body = line.next_value_seed(body::Document)?.unwrap_or_default();
                let code = body.pointer("/error/code").and_then(Value::as_str).unwrap_or_default();
                Err(Problem::of_error(status, code))
            }
            (None, None) => {
                line.next_value::<IgnoredAny>()?;
                Err(Problem::NoResponse(RequestFailure::Other))
            }
        };
        let part = self.received.entry(source).or_default().entry(head.collection(source)).or_default();
        match read {
            Ok(()) => part.add_page(head.more),
            Err(problem) => part.add_problem(problem),
        }
        Ok(())
    }

    /// Reads the body of a response that succeeded.
    fn take_success<'de, A: MapAccess<'de>>(
        &mut self,
        source: Source,
        head: &Head,
        line: &mut A,
    ) -> Result<Result<(), Problem>, A::Error> {
        Ok(match source.form() {
            Form::Rows => {
                let list = directory_list(source, &head.query);
                let group = head.collection(source);
                let page = line.next_value_seed(body::Rows(|row: &str| self.take_row(source, list, &group, row)))?;
                if let (Some(()), Some(list)) = (page, list) {
                    self.directory.add_page(list, head.more);
                }
                page.ok_or(Problem::Unexpected)
            }
            Form::Document => match line.next_value_seed(body::Document)? {
                Some(document) => self.take_document(source, &head.query, document),
                None => Err(Problem::Unexpected),
            },
            Form::Lines => match line.next_value_seed(body::Lines)? {
                Some(table) => self.take_table(source, &head.endpoint, &table),
                None => Err(Problem::Unexpected),
            },
        })
    }

    /// Adds the groups that hold roles, with all of their members, to the directory.
    fn add_groups(&mut self) {
        let received = self.received.get(&Source::GroupMembers).into_iter().flatten();
        let whole = received.filter(|(_, part)| part.is_whole()).map(|(group, _)| group);
        for group in whole {
            let members = self.lists.group_members.get(group).filter(|members| members.unreadable() == 0);
            let members = members.into_iter().flat_map(|members| members.rows()).map(ToString::to_string);
            self.directory.add_group_with_members(group, members);
        }
    }
}

impl Head {
    /// Returns a text that distinguishes the collection from others of its source.
    fn collection(&self, source: Source) -> String {
        match source {
            Source::GroupMembers => self.endpoint.split('/').nth(3).unwrap_or_default().to_ascii_lowercase(),
            _ => self.query.clone(),
        }
    }
}
