//! The function behind the bucket of assessment files.

use import_assessment::bucket::Importer;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn, tracing};
use shared::runtime::Config;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let importer = Importer::connect(&Config::from_env()?).await;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| importer.handle(event.payload))).await
}
