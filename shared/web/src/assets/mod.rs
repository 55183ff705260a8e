//! Stylesheet, script, icon and fonts: part of the program, named by a hash of their bytes, so that browsers may keep them for
//! a year.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The header `Cache-Control` of every asset: a changed file has another name.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// The one stylesheet, which names the fonts by their hashes.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("dashboard", "css", "text/css; charset=utf-8", STYLE_TEXT.as_bytes()));

static STYLE_TEXT: LazyLock<String> = LazyLock::new(|| {
    let text = include_str!("dashboard.css").replace("inter-regular.woff2", REGULAR.path());
    text.replace("inter-semibold.woff2", SEMIBOLD.path())
});

/// The font, so that pages look the same everywhere: Latin letters, figures and signs.
static REGULAR: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("inter-regular", "woff2", "font/woff2", include_bytes!("fonts/inter-regular.woff2")));

/// The same for headings and names.
static SEMIBOLD: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("inter-semibold", "woff2", "font/woff2", include_bytes!("fonts/inter-semibold.woff2")));

/// The script: pages work without it.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("dashboard", "js", "text/javascript; charset=utf-8", include_bytes!("dashboard.js")));

/// The icon of browser tabs.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_bytes!("icon.svg")));

/// Bytes of the hash that are in a name.
const HASH_LENGTH: usize = 6;

/// A file that browsers load.
#[derive(Debug)]
pub struct Asset {
    path: String,
    /// Value of the header `Content-Type`.
    pub content_type: &'static str,
    /// The file.
    pub bytes: &'static [u8],
}

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, bytes: &'static [u8]) -> Self {
        let hash = hex::encode(&Sha256::digest(bytes)[..HASH_LENGTH]);
        Self { path: format!("/assets/{name}-{hash}.{extension}"), content_type, bytes }
    }

    /// Returns its address, such as `/assets/dashboard-0123456789ab.css`.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// Returns all assets.
fn all() -> [&'static Asset; 5] {
    [&STYLE, &SCRIPT, &ICON, &REGULAR, &SEMIBOLD]
}

/// Returns the asset with this name, the part of its address behind `/assets/`. Returns `None` if there is none.
pub fn find(name: &str) -> Option<&'static Asset> {
    all().into_iter().find(|asset| asset.path().strip_prefix("/assets/") == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_found_by_its_name_with_the_hash_alone() {
        for asset in all() {
            let name = asset.path().strip_prefix("/assets/").unwrap();
            assert_eq!(find(name).unwrap().bytes, asset.bytes);
            assert!(name.rsplit_once('-').unwrap().1.len() > 2 * HASH_LENGTH, "{name}");
        }
        for name in ["dashboard.css", "", "../dashboard.css", "dashboard-000000000000.css"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn the_stylesheet_loads_nothing_from_elsewhere() {
        let style = std::str::from_utf8(STYLE.bytes).unwrap();
        assert!(!style.contains("@import"));
        let loaded: Vec<_> = style.split("url(").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert_eq!(loaded, [REGULAR.path(), SEMIBOLD.path()]);
    }
}
