//! Recordings and uploads, of which a part must not pass for all.

use chrono::NaiveDate;
use model::{ServiceTenantId, UploadId};

use super::Plan;
use super::contents::State;
use crate::StoreError;
use crate::billable::BillableRecord;
use crate::keys::{Key, Range};
use crate::usage::UsageDay;

impl Plan<'_> {
    /// Sets aside recordings and uploads with a broken or missing item.
    pub(super) async fn recordings(&mut self) -> Result<(), StoreError> {
        let partition = &self.organization.partition;
        for key in self.contents.keys(partition.all_usage_days()) {
            let Some(date) = key.part(1).and_then(|date| date.parse::<NaiveDate>().ok()) else { continue };
            let day: Option<UsageDay> = self.contents.value(&key);
            let rows = day.as_ref().map(|day| (partition.usage_rows(date, &day.recording), day.tenants));
            self.recording(key, rows, partition.usage_recordings(date)).await?;
        }
        for key in self.contents.keys(partition.all_billable_users()) {
            let Some(tenant) = key.part(1).and_then(|tenant| tenant.parse::<ServiceTenantId>().ok()) else { continue };
            let record: Option<BillableRecord> = self.contents.value(&key);
            let chunks = record.map(|record| (partition.billable_chunks(&tenant, &record.recording), record.chunks));
            self.recording(key, chunks, partition.billable_recordings(&tenant)).await?;
        }
        for key in self.contents.damaged() {
            if partition.uploads().contains(&key)
                && let Some(id) = key.part(1).and_then(|id| id.parse::<UploadId>().ok())
            {
                self.set_range_aside(partition.upload(&id));
            }
        }
        Ok(())
    }

    /// Sets a recording aside if its record is damaged, or not all of the items are intact that the record counts.
    async fn recording(&mut self, record: Key, own: Option<(Range, usize)>, all: Range) -> Result<(), StoreError> {
        let Some((own, items)) = own else {
            if !self.contents.is_later(&record) {
                self.set_range_aside(all);
                self.set_aside(&record, None);
            }
            return Ok(());
        };
        if self.has(State::Intact, &own) == items {
            return Ok(());
        }
        // The items were read before the record. Another recording may have been made in between.
        self.contents.read_range(self.organization, own.clone()).await?;
        if self.has(State::Later, &own) == 0 && self.has(State::Intact, &own) != items {
            self.set_range_aside(own);
            self.set_aside(&record, None);
        }
        Ok(())
    }

    /// Returns how many items of a range are in a state.
    fn has(&self, state: State, range: &Range) -> usize {
        self.contents.range(range.clone()).filter(|(_, read)| read.state == state).count()
    }

    fn set_range_aside(&mut self, range: Range) {
        for key in self.contents.keys(range) {
            self.set_aside(&key, None);
        }
    }
}
