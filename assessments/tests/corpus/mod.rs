//! Real results of the tools, in a folder next to the checkout if it exists; without it, tests print that they skip.

pub(crate) mod skip;

use std::path::{Path, PathBuf};
use std::sync::Once;

use skip::say_once;

/// Returns the path of a file of the corpus, or prints a message and returns `None` if there is no corpus.
pub(crate) fn path(file: &str) -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    beside("corpus", &TOLD).map(|folder| folder.join(file))
}

/// Returns a folder next to the checkout, or prints a message once and returns `None` if there is none.
pub(crate) fn beside(folder: &str, told: &Once) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(folder);
    if !path.is_dir() {
        say_once(told, &format!("there is no {folder} next to the checkout"));
        return None;
    }
    Some(path)
}
