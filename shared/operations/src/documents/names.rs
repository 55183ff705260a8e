//! The names of documents' files.

use model::{Timestamp, is_hidden};

use super::Kind;

/// Maximum length of the tenant's part of a file name, in characters and in bytes: systems take 255 bytes for a name.
const LONGEST_NAME: (usize, usize) = (60, 150);

/// The parts of a file's name: tenant, tool, day and kind, as far as a name may have their characters.
pub struct FileName<'a> {
    /// Name of the tenant.
    pub tenant: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// When the report was completed.
    pub completed: Timestamp,
    /// Who the document is for.
    pub kind: Kind,
}

impl FileName<'_> {
    /// Returns the name in ASCII.
    pub fn in_ascii(&self) -> String {
        self.without(|c| !c.is_ascii_alphanumeric())
    }

    /// Returns the name in the tenant's own script, without characters that a system refuses or that mislead a reader.
    pub fn in_own_script(&self) -> String {
        self.without(|c| is_hidden(c) || c.is_whitespace() || c.is_ascii() && !c.is_ascii_alphanumeric())
    }

    fn without(&self, leaves_out: fn(char) -> bool) -> String {
        let words = |text: &str| {
            let words = text.split(leaves_out).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-");
            let words = words.chars().take(LONGEST_NAME.0).collect::<String>().to_lowercase();
            words[..words.floor_char_boundary(LONGEST_NAME.1)].trim_end_matches('-').to_owned()
        };
        let tenant = Some(words(self.tenant)).filter(|name| !name.is_empty()).unwrap_or_else(|| "report".to_owned());
        let kind = match self.kind {
            Kind::Everything => "",
            Kind::Open => "-open-items",
            Kind::Board => "-board",
        };
        format!("{tenant}-{}-{}{kind}.pdf", words(self.tool), self.completed.date())
    }
}
