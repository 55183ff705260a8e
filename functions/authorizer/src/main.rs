//! The authorizer's function.

use api::App;
use api::runtime::start;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| authorizer::handle(App::clone(&app), event.payload))).await
}
