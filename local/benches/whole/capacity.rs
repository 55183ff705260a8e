//! Measures what calls read and write: items and capacity units, as the engine computes them by DynamoDB's rules.

use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextMut,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::operation::batch_get_item::{BatchGetItemInput, BatchGetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryInput, QueryOutput};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsInput, TransactWriteItemsOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What was read, or written.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Read {
    pub(crate) items: usize,
    /// Capacity units.
    pub(crate) units: f64,
}

/// Requests the consumed capacity of queries, batches, transactions and single writes, and adds it up.
#[derive(Debug, Default, Clone)]
pub(crate) struct Meter(Arc<Mutex<Read>>);

impl Meter {
    /// Returns what was read since the last call.
    pub(crate) fn take(&self) -> Read {
        std::mem::take(&mut self.0.lock().expect("nobody panics with it"))
    }

    fn add(&self, items: usize, capacity: &[ConsumedCapacity]) {
        let mut read = self.0.lock().expect("nobody panics with it");
        read.items += items;
        read.units += capacity.iter().filter_map(ConsumedCapacity::capacity_units).sum::<f64>();
    }
}

impl Intercept for Meter {
    fn name(&self) -> &'static str {
        "Meter"
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let total = Some(ReturnConsumedCapacity::Total);
        let input = context.input_mut();
        if let Some(query) = input.downcast_mut::<QueryInput>() {
            query.return_consumed_capacity = total;
        } else if let Some(batch) = input.downcast_mut::<BatchGetItemInput>() {
            batch.return_consumed_capacity = total;
        } else if let Some(transaction) = input.downcast_mut::<TransactWriteItemsInput>() {
            transaction.return_consumed_capacity = total;
        } else if let Some(put) = input.downcast_mut::<PutItemInput>() {
            put.return_consumed_capacity = total;
        }
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Ok(output) = context.output_or_error() else { return Ok(()) };
        if let Some(query) = output.downcast_ref::<QueryOutput>() {
            self.add(query.items().len(), query.consumed_capacity.as_slice());
        } else if let Some(batch) = output.downcast_ref::<BatchGetItemOutput>() {
            let items = batch.responses().into_iter().flat_map(|tables| tables.values()).map(Vec::len).sum();
            self.add(items, batch.consumed_capacity());
        } else if let Some(transaction) = output.downcast_ref::<TransactWriteItemsOutput>() {
            self.add(0, transaction.consumed_capacity());
        } else if let Some(put) = output.downcast_ref::<PutItemOutput>() {
            self.add(0, put.consumed_capacity.as_slice());
        }
        Ok(())
    }
}
