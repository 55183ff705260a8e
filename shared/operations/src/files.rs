//! Files that a front end passes to an operation: from a disk, a bucket or an upload.

use std::fs::File;
use std::io::{self, Seek};
use std::sync::Arc;

use assessments::{Contents, Source, Unreadable};
use model::Timestamp;

/// Suffix of the result that an import from a bucket writes next to a file. Such files are never imported.
pub const RESULT_SUFFIX: &str = ".import.json";

/// Folder of hidden files that some systems add to an archive.
const HIDDEN_FOLDER: &str = "__MACOSX";

/// The content of a file.
type Content<'a> = Arc<dyn Source + Send + Sync + 'a>;

/// A file with its name at the sender.
pub struct InputFile<'a> {
    /// Name or path, repeated in results and errors.
    pub name: String,
    /// The content, or why the front end could not get it.
    pub content: Result<Content<'a>, FileError>,
    /// Whether the file was found in a folder or an archive. Such files are skipped if they contain no results.
    pub is_found: bool,
    /// End of the runs in the file that do not contain it.
    pub completed_at: Option<Timestamp>,
}

/// Why a file was not used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The front end could not get the file.
    #[error("{reason}")]
    NotFetched {
        /// What happened and what to do.
        reason: String,
        /// Whether another attempt may succeed later.
        is_transient: bool,
    },
    /// The content has an unsupported format, or is damaged.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// An archive without files.
    #[error("the archive contains no files: pack the tool's output folder again")]
    EmptyArchive,
}

impl FileError {
    /// Returns whether another attempt may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::NotFetched { is_transient: true, .. })
    }

    /// Returns the reason to skip the file, if tools write it along with their results or it contains no results.
    pub(crate) fn beside_results(&self) -> Option<&'static str> {
        if let Self::Unreadable(error) = self { error.beside_results() } else { None }
    }
}

impl<'a> InputFile<'a> {
    /// Returns a file that the sender named and whose content can be opened.
    pub fn new(name: impl Into<String>, content: impl Source + Send + Sync + 'a) -> Self {
        Self { name: name.into(), content: Ok(Arc::new(content)), is_found: false, completed_at: None }
    }

    /// Returns a file that is open already, such as one without a name on the disk.
    pub fn opened(name: impl Into<String>, file: File) -> Self {
        Self::new(name, move || rewound(&file))
    }

    /// Returns a file whose content could not be fetched.
    pub fn not_fetched(name: impl Into<String>, reason: impl ToString, is_transient: bool) -> Self {
        Self::failed(name.into(), FileError::NotFetched { reason: reason.to_string(), is_transient })
    }

    /// Returns the same file as one that was found in a folder.
    #[must_use]
    pub fn found(self) -> Self {
        Self { is_found: true, ..self }
    }

    /// Returns the same file as one that a client sent. If its name is a path, it was found in a folder.
    #[must_use]
    pub fn sent(self) -> Self {
        if self.name.contains('/') { self.found() } else { self }
    }

    fn failed(name: String, error: FileError) -> Self {
        Self { name, content: Err(error), is_found: false, completed_at: None }
    }

    /// Reads the results and exports in the file.
    ///
    /// # Errors
    /// If the file was not fetched or is unreadable.
    pub(crate) fn read(self) -> Result<Contents, FileError> {
        Ok(assessments::read(&*self.content?)?)
    }

    /// Returns the files of an archive, without those that [`is_omitted`]; any other file unchanged. Archives within an
    /// archive are not unpacked.
    pub(crate) fn unpacked(self) -> Vec<Self> {
        let Ok(content) = &self.content else { return vec![self] };
        let members = match assessments::members(content) {
            Ok(Some(members)) => members,
            Ok(None) => return vec![self],
            Err(error) => return vec![Self::failed(self.name, error.into())],
        };
        let kept = members.into_iter().filter(|member| !member.name.split('/').any(is_omitted));
        let files: Vec<_> = kept
            .map(|member| Self {
                name: format!("{}/{}", self.name, member.name),
                content: member.content.map(|packed| Arc::new(packed) as Content<'a>).map_err(FileError::from),
                is_found: true,
                completed_at: self.completed_at,
            })
            .collect();
        if files.is_empty() { vec![Self::failed(self.name, FileError::EmptyArchive)] } else { files }
    }
}

/// Returns a handle at the beginning of a file. The handles share one position, which is sufficient to read the file
/// repeatedly from its beginning.
fn rewound(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.rewind().map(|()| file)
}

/// Returns whether a file or folder of this name is omitted: hidden ones and import results.
pub fn is_omitted(name: &str) -> bool {
    name.starts_with('.') || name == HIDDEN_FOLDER || name.ends_with(RESULT_SUFFIX)
}
