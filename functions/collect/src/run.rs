//! A run as it is stored with its request.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use graph::Position;
use model::snapshot::{Completion, Header};
use serde::{Deserialize, Serialize};

/// How a run goes on.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    pub(crate) position: Position,
    /// The parts of the snapshot, in order: each by the version of the request with which it was stored. The part
    /// of a worker that was too late is not listed.
    pub(crate) parts: Vec<u64>,
    /// The end of the snapshot, once nothing is left to collect.
    pub(crate) completion: Option<Completion>,
}

impl Run {
    pub(crate) fn new(header: Header) -> Self {
        Self { position: Position::new(header), parts: Vec::new(), completion: None }
    }

    /// Reads a stored run. Returns `None` if there is none that this release can go on with.
    pub(crate) fn read(stored: &[u8]) -> Option<Self> {
        let mut text = Vec::new();
        DeflateDecoder::new(stored).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok()
    }

    pub(crate) fn stored(&self) -> Vec<u8> {
        let write = || -> io::Result<Vec<u8>> {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&serde_json::to_vec(self)?)?;
            encoder.finish()
        };
        write().expect("memory takes all bytes, and positions have texts as keys")
    }
}
