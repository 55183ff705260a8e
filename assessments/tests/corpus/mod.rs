//! Real results of the tools, in a folder next to the checkout if it exists; without it, tests print that they skip.

pub(crate) mod skip;

use std::path::{Path, PathBuf};
use std::sync::Once;

use skip::say_once;

/// Returns the path of a file of the corpus, or prints a message and returns `None` if there is no corpus.
pub(crate) fn path(file: &str) -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if !folder.is_dir() {
        say_once(&TOLD, "there is no corpus next to the checkout");
        return None;
    }
    Some(folder.join(file))
}
