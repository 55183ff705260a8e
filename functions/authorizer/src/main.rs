//! The authorizer's function.

use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = shared::runtime::start()?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| authorizer::handle(app.clone(), event.payload))).await
}
