//! Files and folders that are named on the command line.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context;
use operations::InputFile;
use walkdir::{DirEntry, WalkDir};

/// Returns the files of a command line for an operation: named files and the files in named folders, at any depth,
/// sorted by name. Omits hidden files and import results in folders.
pub(crate) fn inputs(paths: &[PathBuf]) -> Vec<InputFile<'static>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
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
    fn a_folder_that_leads_back_to_itself_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        let (files, unlisted) = listed(&[folder.path().to_owned()]);
        assert!(files.is_empty());
        assert!(unlisted[0].ends_with("again: the link leads back to a folder that contains it"), "{unlisted:?}");
    }
}
