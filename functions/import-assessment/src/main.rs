//! The function behind the bucket of assessment files.

use import_assessment::bucket::Importer;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};
use shared::runtime::{Config, start_log};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    start_log();
    let importer = Importer::connect(&Config::from_env()?);
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| importer.handle(event.payload))).await
}
