//! Runs the embedded engine with the data of the sample events, for functions that are started on their own:
//! `cargo run -p local --example event_data -- 127.0.0.1:8000`.

mod data;

use std::net::SocketAddr;

use local::Engine;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), data::BoxError> {
    let address: SocketAddr = std::env::args().nth(1).as_deref().unwrap_or("127.0.0.1:8000").parse()?;
    let engine = Engine::memory(TcpListener::bind(address).await?).await?;
    data::write(&engine).await?;
    eprintln!("The data of the sample events is in table {} at http://{}.", data::TABLE, engine.address());
    std::future::pending().await
}
