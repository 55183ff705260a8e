//! Decides from an object's key whether to import it, and for which tenant.

use std::borrow::Cow;

use model::{InvalidId, OrganizationId, ServiceTenantId};
use percent_encoding::percent_decode_str;

use operations::{RESULT_SUFFIX, is_omitted};

/// The prefix of every file's key.
const PREFIX: &str = "assessments/";

/// Name of the file that marks a folder as complete.
const MARKER: &str = "_COMPLETE";

/// Files to import for the tenant in their key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delivery {
    pub(super) organization: OrganizationId,
    pub(super) tenant: ServiceTenantId,
    pub(super) files: Files,
}

/// The files of a delivery, which are imported together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Files {
    /// The object itself.
    One,
    /// All files below a prefix.
    Below(String),
}

/// A key of a file that is not imported.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MalformedKey {
    #[error("the file is not in a tenant's folder: move it to assessments/<organizationId>/<serviceTenantId>/")]
    NoTenant,
    #[error("the file's folder names no tenant: {0}")]
    InvalidId(#[from] InvalidId),
    #[error("put {MARKER} in a subfolder: files directly in the tenant's folder are imported as they arrive")]
    MarkerWithoutFolder,
    #[error("the file is hidden, because its name begins with a dot: rename it if it contains results")]
    Hidden,
}

/// Decodes the key of an event.
///
/// # Errors
/// If it is not encoded as events encode keys.
pub(super) fn decoded(key: &str) -> Result<String, std::str::Utf8Error> {
    let spaced = key.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().map(Cow::into_owned)
}

/// Returns the delivery that an object completes. Returns `None` for results, for files of a folder that is not
/// complete, and for objects that are not files.
///
/// # Errors
/// If the object is a file but its key names no tenant, or it is hidden or a misplaced marker.
pub(super) fn delivery(key: &str) -> Result<Option<Delivery>, MalformedKey> {
    let Some(path) = key.strip_prefix(PREFIX) else { return Ok(None) };
    if !is_file(key) {
        return Ok(None);
    }
    let mut segments = path.splitn(3, '/');
    let (Some(organization), Some(tenant), Some(file)) = (segments.next(), segments.next(), segments.next()) else {
        return Err(MalformedKey::NoTenant);
    };
    let files = match file.split_once('/') {
        None if file == MARKER => return Err(MalformedKey::MarkerWithoutFolder),
        None if is_omitted(file) => return Err(MalformedKey::Hidden),
        None => Files::One,
        Some((_, MARKER)) => Files::Below(key.trim_end_matches(MARKER).to_owned()),
        Some(_) => return Ok(None),
    };
    Ok(Some(Delivery { organization: organization.parse()?, tenant: tenant.parse()?, files }))
}

/// Returns whether an object is a file that was uploaded, not a result or the placeholder of an empty folder.
fn is_file(key: &str) -> bool {
    !key.ends_with(RESULT_SUFFIX) && !key.ends_with('/')
}

/// Returns whether an object below a folder's prefix is one of the files to import.
pub(super) fn is_piece(key: &str, prefix: &str) -> bool {
    is_file(key) && name(key) != MARKER && !within(key, prefix).split('/').any(is_omitted)
}

/// Returns the path of a key below a prefix.
pub(super) fn within<'a>(key: &'a str, prefix: &str) -> &'a str {
    key.strip_prefix(prefix).unwrap_or(key)
}

/// Returns the key of an import's result, which is next to the file.
pub(super) fn result_of(key: &str) -> String {
    format!("{key}{RESULT_SUFFIX}")
}

/// Returns the last part of a key.
pub(super) fn name(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files(key: &str) -> Option<Files> {
        delivery(key).unwrap().map(|delivery| delivery.files)
    }

    #[test]
    fn a_file_in_a_tenants_folder_is_imported_for_that_tenant() {
        let delivery = delivery("assessments/org_1/ten_1/Results of May.json").unwrap().unwrap();
        assert_eq!(delivery.organization.as_str(), "org_1");
        assert_eq!(delivery.tenant.as_str(), "ten_1");
        assert_eq!(delivery.files, Files::One);
    }

    #[test]
    fn a_folder_is_imported_once_it_is_complete() {
        assert_eq!(files("assessments/org_1/ten_1/may/profiles.json"), None);
        assert_eq!(files("assessments/org_1/ten_1/may/graph/profiles.json"), None);
        let below = Files::Below("assessments/org_1/ten_1/may/".into());
        assert_eq!(files("assessments/org_1/ten_1/may/_COMPLETE"), Some(below));
        assert_eq!(files("assessments/org_1/ten_1/may/graph/_COMPLETE"), None);
    }

    #[test]
    fn results_and_folders_are_not_imported() {
        for key in [
            "assessments/org_1/ten_1/run.json.import.json",
            "assessments/run.json.import.json",
            "assessments/org_1/ten_1/may/_COMPLETE.import.json",
            "assessments/org_1/ten_1/may/",
            "assessments/",
            "archive/org_1/ten_1/run.json",
            "",
        ] {
            assert_eq!(files(key), None, "{key}");
        }
    }

    #[test]
    fn a_file_outside_of_a_tenants_folder_is_refused() {
        for key in ["assessments/run.json", "assessments/org_1/run.json"] {
            assert_eq!(delivery(key), Err(MalformedKey::NoTenant), "{key}");
        }
        for key in
            ["assessments/org 1/ten_1/run.json", "assessments/org_1/ten#1/run.json", "assessments//ten_1/run.json"]
        {
            assert!(matches!(delivery(key), Err(MalformedKey::InvalidId(_))), "{key}");
        }
    }

    #[test]
    fn a_marker_outside_of_a_folder_and_a_hidden_file_are_refused() {
        assert_eq!(delivery("assessments/org_1/ten_1/_COMPLETE"), Err(MalformedKey::MarkerWithoutFolder));
        assert_eq!(delivery("assessments/org_1/ten_1/.DS_Store"), Err(MalformedKey::Hidden));
        let prefix = "assessments/org_1/ten_1/june/";
        for (path, expected) in
            [("a.json", true), ("b/a.json", true), (".git/a.json", false), ("b/.a", false), ("b/_COMPLETE", false)]
        {
            assert_eq!(is_piece(&format!("{prefix}{path}"), prefix), expected, "{path}");
        }
    }

    #[test]
    fn keys_are_decoded_as_events_encode_them() {
        assert_eq!(decoded("assessments/o/t/a+b%2Bc%C3%A4.json").unwrap(), "assessments/o/t/a b+cä.json");
        assert!(decoded("%FF").is_err());
    }

    proptest! {
        #[test]
        fn a_result_never_leads_to_another_import(key in "(assessments/)?.{0,40}") {
            prop_assert_eq!(delivery(&result_of(&key)), Ok(None));
        }

        #[test]
        fn a_folder_is_never_wider_than_its_tenant(set in "[^/]{0,8}", rest in ".{0,20}") {
            let folder = "assessments/org_1/ten_1/";
            if let Files::Below(prefix) = files(&format!("{folder}{set}/{rest}")).unwrap_or(Files::One) {
                prop_assert_eq!(prefix, format!("{folder}{set}/"));
            }
        }
    }
}
