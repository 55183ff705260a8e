//! Real results of the tools, and recorded tenants: in the folder that `POSTURE_CORPUS` names, else in `shared` next to
//! the checkout. Without it, tests print that they skip, or fail if `REQUIRE_CORPUS` is set.

pub(crate) mod skip;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Once;

use skip::say_once;

/// Returns the path of a file of the tools' results, or prints a message and returns `None` if there are none.
pub(crate) fn path(file: &str) -> Option<PathBuf> {
    folder("corpus").map(|folder| folder.join(file))
}

/// Returns a folder of real data, or prints a message and returns `None` if there is none.
///
/// # Panics
/// If there is none although `REQUIRE_CORPUS` is set.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let parent = env::var_os("POSTURE_CORPUS").map(PathBuf::from);
    let parent = parent.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let folder = parent.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(env::var_os("REQUIRE_CORPUS").is_none(), "there is no folder {}", folder.display());
    say_once(
        &TOLD,
        &format!("there is no folder {}: set POSTURE_CORPUS to the folder that has {name}", folder.display()),
    );
    None
}
