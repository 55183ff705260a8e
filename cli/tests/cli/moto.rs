//! moto, which emulates services of AWS. Tests run if `MOTO_ENDPOINT` has a moto server's address or `moto_server` is
//! installed; otherwise they print that they skip, or fail if `REQUIRE_MOTO` is set.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Once;

use crate::corpus_files::skip::say_once;

/// A moto server; stops at the end of the test that started it.
pub(crate) struct Moto {
    address: String,
    /// `None` if it runs for several tests.
    process: Option<Child>,
}

impl Moto {
    /// Returns `None` and prints a message if moto is not installed.
    pub(crate) fn start() -> Option<Self> {
        if let Ok(address) = env::var("MOTO_ENDPOINT") {
            return Some(Self { address, process: None });
        }
        let mut command = Command::new("moto_server");
        let Ok(mut process) = command.args(["-p", "0"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn() else {
            const MISSING: &str = "MOTO_ENDPOINT is not set and moto_server is not installed";
            assert!(env::var_os("REQUIRE_MOTO").is_none(), "{MISSING}");
            static TOLD: Once = Once::new();
            say_once(&TOLD, MISSING);
            return None;
        };
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map(Result::unwrap);
        let address =
            lines.find_map(|line| line.split_once("Running on ").map(|(_, address)| address.trim().to_owned()));
        Some(Self { address: address.unwrap(), process: Some(process) })
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // It may have ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
