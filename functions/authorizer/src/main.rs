//! The authorizer's function.

use api::App;
use api::runtime::{last_words, start};
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let app = start(App::connect)?;
    let handler = |LambdaEvent { payload, context }| authorizer::handle(app.until(last_words(&context)), payload);
    lambda_runtime::run(service_fn(handler)).await
}
