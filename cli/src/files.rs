//! The files that a command line names.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use assessments::{Contents, Directory, Unreadable};
use operations::import::RESULT_SUFFIX;
use store::TenantRecord;
use walkdir::{DirEntry, WalkDir};

/// A folder, or something in it, that gives no file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub(crate) struct Unlisted {
    pub(crate) path: PathBuf,
    pub(crate) problem: String,
}

/// The named files and those of the named folders, at any depth, in the order of their names. In folders, hidden files
/// and the results of imports are passed over.
pub(crate) fn listed(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Unlisted>) {
    let (mut files, mut unlisted) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            walk(path, &mut files, &mut unlisted);
        } else {
            files.push(path.clone());
        }
    }
    (files, unlisted)
}

/// What a file holds of results and exports.
pub(crate) fn read(file: &Path) -> Result<Contents, Unreadable> {
    let file = file.to_owned();
    assessments::read(&move || File::open(&file))
}

/// The exports of a tenant's directory that files and folders hold. A bill from part of them would be wrong, so each
/// file has to be readable, and what names a tenant has to name this one.
pub(crate) fn directory_of(tenant: &TenantRecord, paths: &[PathBuf]) -> anyhow::Result<Directory> {
    let (files, unlisted) = listed(paths);
    if let Some(unlisted) = unlisted.into_iter().next() {
        return Err(unlisted.into());
    }
    let mut contents = Vec::new();
    for file in &files {
        contents.push(read(file).with_context(|| file.display().to_string())?);
    }
    let combined = assessments::combine(contents);
    let Some(directory) = combined.directory else {
        let issues: Vec<_> = combined.issues.iter().map(ToString::to_string).collect();
        bail!("the files hold no exports of one directory; {}", issues.join("; "));
    };
    match directory.tenant() {
        Some(other) if other != tenant.provider_tenant_id => {
            bail!("the exports are of the provider tenant {other}, and {} is another", tenant.service_tenant_id)
        }
        _ => Ok(directory),
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>, unlisted: &mut Vec<Unlisted>) {
    let before = files.len() + unlisted.len();
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    for entry in entries.into_iter().filter_entry(|entry| entry.depth() == 0 || !is_passed_over(entry)) {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => unlisted.push(error.into()),
        }
    }
    if files.len() + unlisted.len() == before {
        unlisted.push(Unlisted { path: folder.to_owned(), problem: "the folder holds no file".to_owned() });
    }
}

fn is_passed_over(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    name.starts_with('.') || name.ends_with(RESULT_SUFFIX)
}

impl From<walkdir::Error> for Unlisted {
    fn from(error: walkdir::Error) -> Self {
        let path = error.path().unwrap_or(Path::new("")).to_owned();
        let problem = match error.io_error() {
            Some(error) => format!("it cannot be read: {}", error.kind()),
            None => "the link leads back to a folder that it lies in".to_owned(),
        };
        Self { path, problem }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn folders_are_walked_in_order_without_what_is_hidden_or_a_result() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("b/.git")).unwrap();
        fs::create_dir_all(path("empty")).unwrap();
        for name in ["c.json", "b/2.json", "b/1.json", "b/.git/config", ".hidden", "a.json", "a.json.import.json"] {
            fs::write(path(name), "").unwrap();
        }
        let named = [path("c.json"), folder.path().to_owned(), path(".hidden"), path("empty"), path("missing.json")];
        let (files, unlisted) = listed(&named);
        let expected = ["c.json", "a.json", "b/1.json", "b/2.json", "c.json", ".hidden", "missing.json"].map(path);
        assert_eq!(files, expected, "what is named itself is always a file to read");
        let unlisted: Vec<_> = unlisted.iter().map(ToString::to_string).collect();
        assert_eq!(unlisted, [format!("{}: the folder holds no file", path("empty").display())]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_leads_back_to_itself_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        let (files, unlisted) = listed(&[folder.path().to_owned()]);
        assert!(files.is_empty());
        assert!(unlisted[0].to_string().ends_with("again: the link leads back to a folder that it lies in"));
    }
}
