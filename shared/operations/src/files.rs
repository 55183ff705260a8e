//! Files that a front end hands over: from a disk, a bucket or an upload.

use assessments::{Contents, Source, Unreadable};

/// A file with the name that its sender knows it by.
pub struct InputFile<'a> {
    /// Name or path, repeated in results and errors.
    pub name: String,
    /// The content, or why the front end could not get it.
    pub content: Result<Box<dyn Source + Send + 'a>, FileError>,
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
    /// The content is not one of the formats that are read, or it is damaged.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl FileError {
    /// Returns whether another attempt may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::NotFetched { is_transient: true, .. })
    }
}

impl<'a> InputFile<'a> {
    /// Returns a file whose content can be opened.
    pub fn new(name: impl Into<String>, content: impl Source + Send + 'a) -> Self {
        Self { name: name.into(), content: Ok(Box::new(content)) }
    }

    /// Returns a file whose content could not be fetched.
    pub fn not_fetched(name: impl Into<String>, reason: impl ToString, is_transient: bool) -> Self {
        let error = FileError::NotFetched { reason: reason.to_string(), is_transient };
        Self { name: name.into(), content: Err(error) }
    }

    /// Reads the results and exports that the file holds.
    ///
    /// # Errors
    /// If the file was not fetched or is unreadable.
    pub(crate) fn read(self) -> Result<Contents, FileError> {
        Ok(assessments::read(&*self.content?)?)
    }
}
