//! The typesetter's inputs: the template, the fonts, and the data of one report. No clock, no disk, no network.

use std::collections::HashMap;
use std::sync::LazyLock;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Duration};
use typst::syntax::{DiagSpan, FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World, WorldExt};

use crate::fonts::FONTS;

/// The template's main file.
const MAIN: &str = "report.typ";

/// The template's files.
const TEMPLATE: [(&str, &str); 8] = [
    (MAIN, include_str!("../template/report.typ")),
    ("theme.typ", include_str!("../template/theme.typ")),
    ("cover.typ", include_str!("../template/cover.typ")),
    ("progress.typ", include_str!("../template/progress.typ")),
    ("summary.typ", include_str!("../template/summary.typ")),
    ("risks.typ", include_str!("../template/risks.typ")),
    ("administrators.typ", include_str!("../template/administrators.typ")),
    ("checks.typ", include_str!("../template/checks.typ")),
];

/// Shared by all documents; created once per process.
struct Shared {
    library: LazyHash<Library>,
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
    sources: HashMap<FileId, Source>,
}

static SHARED: LazyLock<Shared> = LazyLock::new(|| {
    let fonts: Vec<Font> = FONTS.iter().flat_map(|font| Font::iter(Bytes::new(*font))).collect();
    let sources = TEMPLATE.iter().map(|(name, text)| (file_id(name), Source::new(file_id(name), (*text).to_owned())));
    Shared {
        library: LazyHash::new(Library::default()),
        book: LazyHash::new(FontBook::from_fonts(&fonts)),
        sources: sources.collect(),
        fonts,
    }
});

/// The inputs of one document.
pub(crate) struct Inputs {
    files: HashMap<FileId, Bytes>,
}

impl Inputs {
    /// Returns the inputs with these files, which the template reads by name.
    pub(crate) fn new(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        Self { files: files.into_iter().map(|(name, data)| (file_id(name), Bytes::new(data))).collect() }
    }

    /// Returns a position as `checks.typ:12`; useful only for the template.
    pub(crate) fn place(&self, span: DiagSpan) -> String {
        let place = || {
            let id = span.id()?;
            let line = self.source(id).ok()?.lines().byte_to_line(self.range(span)?.start)?;
            Some(format!("{}:{}", id.get().vpath().get_without_slash(), line + 1))
        };
        place().unwrap_or_else(|| "the whole document".to_owned())
    }
}

/// Returns whether a font has a glyph for the character.
pub(crate) fn has_glyph(character: char) -> bool {
    SHARED.fonts.iter().any(|font| font.info().coverage.contains(character.into()))
}

/// Returns the identifier of a file. Identifiers are kept for the whole process, so names come from a fixed set.
fn file_id(name: &str) -> FileId {
    let path = VirtualPath::new(name).expect("names of files are fixed and valid");
    RootedPath::new(VirtualRoot::Project, path).intern()
}

impl World for Inputs {
    fn library(&self) -> &LazyHash<Library> {
        &SHARED.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &SHARED.book
    }

    fn main(&self) -> FileId {
        file_id(MAIN)
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        SHARED.sources.get(&id).cloned().ok_or(FileError::AccessDenied)
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        SHARED.fonts.get(index).cloned()
    }

    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

#[cfg(test)]
mod tests {
    use typst::text::FontWeight;

    use super::*;

    #[test]
    fn names_of_many_scripts_have_bold_glyphs() {
        let bold = |character: char| {
            let fonts = SHARED.fonts.iter().map(Font::info).filter(|font| font.variant.weight == FontWeight::BOLD);
            fonts.into_iter().any(|font| font.coverage.contains(character.into()))
        };
        for name in [
            "Müller",
            "Ελλάδα",
            "Україна",
            "株式会社東京セキュリティ総合研究所",
            "北京市海淀区",
            "臺灣",
            "주식회사",
            "شركة",
            "קבוצה",
        ] {
            assert!(name.chars().all(bold), "{name}");
        }
    }
}
