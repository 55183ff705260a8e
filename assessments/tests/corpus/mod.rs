//! Real results of the tools, in a folder beside the checkout where there is one; tests without it say that they skip.

pub(crate) mod skip;

use std::path::{Path, PathBuf};
use std::sync::Once;

use skip::say_once;

/// The path of a file of the corpus, or nothing and a word about it where there is no corpus.
pub(crate) fn path(file: &str) -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if !folder.is_dir() {
        say_once(&TOLD, "there is no corpus beside the checkout");
        return None;
    }
    Some(folder.join(file))
}
