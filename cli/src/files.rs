//! Files and folders that are named on the command line.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use operations::InputFile;
use walkdir::{DirEntry, WalkDir};

/// The path that names the standard input.
const STANDARD_INPUT: &str = "-";

/// Why a pipe is not imported.
const PIPE: &str = "it is a pipe, and files are read twice: save it to a file, or pass `-` to read the standard input";

/// Returns the files of a command line for an operation: named files and the files in named folders, at any depth,
/// sorted by name. Omits hidden files and import results in folders. The path `-` is the standard input, which is read
/// once.
pub(crate) fn inputs(paths: &[PathBuf]) -> Vec<InputFile<'static>> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() == STANDARD_INPUT {
            files.push(standard_input(std::io::stdin()));
        } else if is_pipe(path) {
            files.push(InputFile::not_fetched(path.display().to_string(), PIPE, false));
        } else if path.is_dir() {
            walk(path, &mut files);
        } else {
            files.push(input(path.clone()));
        }
    }
    files
}

/// Returns the names and contents of files.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn contents(paths: &[PathBuf]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let content = |path: &PathBuf| {
        let name = path.display().to_string();
        let content = fs::read(path).with_context(|| name.clone())?;
        Ok((name, content))
    };
    paths.iter().map(content).collect()
}

fn standard_input(mut input: impl Read) -> InputFile<'static> {
    let mut content = Vec::new();
    match input.read_to_end(&mut content) {
        Ok(_) => InputFile::new("standard input", content),
        Err(error) => InputFile::not_fetched("standard input", format!("it cannot be read: {}", error.kind()), false),
    }
}

/// Returns whether a path is neither a file nor a folder: a pipe can be read once only.
fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn input(path: PathBuf) -> InputFile<'static> {
    InputFile::new(path.display().to_string(), move || File::open(&path))
}

fn walk(folder: &Path, files: &mut Vec<InputFile<'_>>) {
    let before = files.len();
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    for entry in entries.into_iter().filter_entry(|entry| entry.depth() == 0 || !is_omitted(entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(input(entry.into_path()).found()),
            Ok(_) => {}
            Err(error) => files.push(unlisted(&error)),
        }
    }
    if files.len() == before {
        files.push(InputFile::not_fetched(folder.display().to_string(), "the folder contains no files", false));
    }
}

fn is_omitted(entry: &DirEntry) -> bool {
    operations::is_omitted(&entry.file_name().to_string_lossy())
}

fn unlisted(error: &walkdir::Error) -> InputFile<'static> {
    let path = error.path().unwrap_or(Path::new("")).display().to_string();
    let problem = match error.io_error() {
        Some(error) => format!("it cannot be read: {}", error.kind()),
        None => "the link leads back to a folder that contains it".to_owned(),
    };
    InputFile::not_fetched(path, problem, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of the files, and the names and reasons of entries that are not files.
    fn listed(paths: &[PathBuf]) -> (Vec<String>, Vec<String>) {
        let (mut files, mut unlisted) = (Vec::new(), Vec::new());
        for file in inputs(paths) {
            match file.content {
                Ok(_) => files.push(file.name),
                Err(error) => unlisted.push(format!("{}: {error}", file.name)),
            }
        }
        (files, unlisted)
    }

    #[test]
    fn folders_are_walked_in_order_without_hidden_files_and_results() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/.git")).unwrap();
        fs::create_dir_all(path("empty")).unwrap();
        for name in ["c.json", "b/2.json", "b/1.json", "b/.git/config", ".hidden", "a.json", "a.json.import.json"] {
            fs::write(path(name), "").unwrap();
        }
        let named = [path("c.json"), folder.path().to_owned(), path(".hidden"), path("empty"), path("missing.json")];
        let (files, unlisted) = listed(&named);
        let expected = ["c.json", "a.json", "b/1.json", "b/2.json", "c.json", ".hidden", "missing.json"];
        let expected = expected.map(|name| path(name).display().to_string());
        assert_eq!(files, expected, "a named path is always a file to read");
        assert_eq!(unlisted, [format!("{}: the folder contains no files", path("empty").display())]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_as_one() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let path = PathBuf::from(format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader)));
        let (files, unlisted) = listed(std::slice::from_ref(&path));
        assert!(files.is_empty());
        assert_eq!(unlisted, [format!("{}: {PIPE}", path.display())]);
    }

    #[test]
    fn the_standard_input_is_read_once() {
        let file = standard_input(&b"[]"[..]);
        assert_eq!((file.name.as_str(), file.content.is_ok()), ("standard input", true));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_leads_back_to_itself_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        let (files, unlisted) = listed(&[folder.path().to_owned()]);
        assert!(files.is_empty());
        assert!(unlisted[0].ends_with("again: the link leads back to a folder that contains it"), "{unlisted:?}");
    }
}
