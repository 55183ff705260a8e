//! The function behind the bucket of assessment files.

use import_assessment::bucket::Importer;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use shared::runtime::start;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let importer = start(Importer::connect)?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| importer.handle(event.payload))).await
}
