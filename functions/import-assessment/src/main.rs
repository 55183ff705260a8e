//! The function that imports from the bucket of assessment files.

// The layout of the nested futures of an import is deeper than the compiler's default limit.
#![recursion_limit = "256"]

use api::runtime::{last_words, start};
use import_assessment::Importer;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let importer = start(Importer::connect)?;
    let handler = |LambdaEvent { payload, context }| {
        let importer = importer.until(last_words(&context));
        async move { importer.handle(payload).await }
    };
    lambda_runtime::run(service_fn(handler)).await
}
