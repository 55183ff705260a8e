//! Processes: this program in its other roles, so that time and memory are measured per part.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use api::App;
use local::{Engine, Functions, Gateway, Limits, TEMPLATE};
use store::Store;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::{BoxError, DASHBOARD, TABLE};

/// Listening address of a process that prints it.
pub(crate) const ANY_PORT: &str = "127.0.0.1:0";

/// This program in another role. It ends when this value is dropped.
pub(crate) struct Child {
    process: tokio::process::Child,
    /// Address that it serves.
    pub(crate) address: SocketAddr,
}

impl Child {
    /// Starts this program in a role, and waits until it prints its address.
    pub(crate) async fn start(role: &[&str]) -> Result<Self, BoxError> {
        let mut command = Command::new(env::current_exe()?);
        let mut process = command.args(role).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("the output is not piped")?).lines();
        let address = lines.next_line().await?.ok_or("a process ended early")?.parse()?;
        Ok(Self { process, address })
    }

    /// Its memory.
    pub(crate) fn memory(&self) -> Result<Memory, BoxError> {
        Memory::of(&self.process)
    }
}

/// The memory of a process, as the system counts it.
pub(crate) struct Memory {
    process: u32,
}

impl Memory {
    /// Returns the memory of a running process.
    pub(crate) fn of(process: &tokio::process::Child) -> Result<Self, BoxError> {
        Ok(Self { process: process.id().ok_or("a process ended early")? })
    }

    /// Bytes that it holds now.
    pub(crate) fn resident(&self) -> Result<u64, BoxError> {
        self.status("VmRSS:")
    }

    /// Returns the peak memory since the start or the last reset.
    pub(crate) fn peak(&self) -> Result<u64, BoxError> {
        self.status("VmHWM:")
    }

    /// Resets the peak.
    pub(crate) fn forget_peak(&self) -> Result<(), BoxError> {
        // proc_pid_clear_refs(5): 5 resets the peak resident set size.
        Ok(fs::write(format!("/proc/{}/clear_refs", self.process), "5")?)
    }

    fn status(&self, field: &str) -> Result<u64, BoxError> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process))?;
        let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("no such field")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }
}

/// Returns the role of the engine, on a file.
pub(crate) async fn engine(file: &Path) -> Result<(), BoxError> {
    let engine = Engine::file(file, TcpListener::bind(ANY_PORT).await?).await?;
    announce(engine.address());
    std::future::pending().await
}

/// Returns the role of the gateway with all functions, without limits, in front of an engine.
pub(crate) async fn gateway(engine: SocketAddr) -> Result<(), BoxError> {
    let app = App::new(Store::new(Engine::client_at(engine).await, TABLE), DASHBOARD);
    let gateway = Gateway::from_template(TEMPLATE, &Functions::of(&app), &Limits::Off)?;
    let listener = TcpListener::bind(ANY_PORT).await?;
    announce(listener.local_addr()?);
    Ok(axum::serve(listener, gateway.into_router()).await?)
}

#[allow(clippy::print_stdout, reason = "the process that started this one reads it")]
fn announce(address: SocketAddr) {
    println!("{address}");
}
