//! A function as a separate process, as the platform runs it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};

use crate::process::Memory;
use crate::runtime_api::{Received, RuntimeApi};
use crate::support::{BoxError, DASHBOARD, TABLE};

/// How a function is started.
pub(crate) struct Program {
    command: Command,
}

/// A function that has asked for its first event.
pub(crate) struct Function {
    process: Child,
    api: RuntimeApi,
    /// From its start until its first request for an event.
    pub(crate) start: Duration,
}

impl Program {
    /// Creates a command whose environment contains only the variables of the platform and the template.
    pub(crate) fn new(program: impl AsRef<Path>, endpoint: &str) -> Self {
        let mut command = Command::new(program.as_ref());
        command.env_clear().stdout(Stdio::null()).kill_on_drop(true);
        for (name, value) in [
            ("AWS_LAMBDA_FUNCTION_NAME", "bench"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", "bench"),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
            ("AWS_LAMBDA_LOG_FORMAT", "JSON"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_DEFAULT_REGION", "eu-central-1"),
            ("AWS_ACCESS_KEY_ID", "local"),
            ("AWS_SECRET_ACCESS_KEY", "local"),
            ("AWS_SESSION_TOKEN", "local"),
            ("AWS_ENDPOINT_URL", endpoint),
            ("TABLE_NAME", TABLE),
            ("DASHBOARD_URL", DASHBOARD),
            ("SIGN_IN_ISSUER", "https://issuer.example.com"),
            ("SIGN_IN_CLIENT_ID", "bench"),
        ] {
            command.env(name, value);
        }
        Self { command }
    }

    /// Adds a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Adds an argument.
    pub(crate) fn argument(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Starts the function, and waits until it requests an event.
    pub(crate) async fn start(&mut self) -> Result<Function, BoxError> {
        let mut api = RuntimeApi::start().await?;
        self.command.env("AWS_LAMBDA_RUNTIME_API", api.address());
        let start = Instant::now();
        let mut process = self.command.spawn()?;
        let polled = tokio::select! {
            polled = api.polled() => polled,
            ended = process.wait() => return Err(format!("a function ended: {}", ended?).into()),
        };
        Ok(Function { process, api, start: polled - start })
    }
}

impl Function {
    /// Returns the response to an event.
    pub(crate) async fn invoke(&mut self, event: &str) -> Result<Received, BoxError> {
        self.api.invoke(event).await
    }

    /// Returns peak memory in bytes.
    pub(crate) fn peak_memory(&self) -> Result<u64, BoxError> {
        Memory::of(&self.process)?.peak()
    }
}

/// Returns the path of a program that cargo built with the release profile.
pub(crate) fn built(name: &str) -> Result<PathBuf, BoxError> {
    let program = env::current_exe()?;
    let release = program.ancestors().nth(2).ok_or("this program was not built by cargo")?;
    let path = release.join(name);
    if path.is_file() { Ok(path) } else { Err(format!("{name} is not built: start local/benches/run").into()) }
}
