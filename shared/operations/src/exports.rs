//! Exports of a tenant's directory, from which usage and billable users follow.

use assessments::Directory;
use model::{ProviderTenantId, ServiceTenantId};
use store::TenantRecord;

use crate::files::{FileError, InputFile};

/// Why files cannot be used as the exports of a tenant's directory. A bill from only some of them would be wrong, so
/// every file must be readable.
#[derive(Debug, thiserror::Error)]
pub enum ExportsError {
    /// A file was not fetched or is unreadable.
    #[error("{file}: {error}")]
    File {
        /// Name of the file.
        file: String,
        /// The fault.
        error: FileError,
    },
    /// The files contain no exports, or those of several directories.
    #[error("the files are not exports of a single directory: {0}")]
    NotOneDirectory(String),
    /// The exports name another tenant.
    #[error(
        "the exports are of provider tenant {found}, but tenant {tenant} is {expected}: use the exports of that tenant"
    )]
    OtherTenant {
        /// Provider identifier in the exports.
        found: ProviderTenantId,
        /// The tenant.
        tenant: ServiceTenantId,
        /// Its provider identifier.
        expected: ProviderTenantId,
    },
}

/// Returns the exports of a tenant's directory that the files contain together.
///
/// # Errors
/// If any file is unreadable, or the exports are not of a single directory, or they name another tenant.
pub fn directory_of<'a>(
    tenant: &TenantRecord,
    files: impl IntoIterator<Item = InputFile<'a>>,
) -> Result<Directory, ExportsError> {
    let mut contents = Vec::new();
    for file in files.into_iter().flat_map(InputFile::unpacked) {
        let name = file.name.clone();
        contents.push(file.read().map_err(|error| ExportsError::File { file: name, error })?);
    }
    let combined = assessments::combine(contents);
    let Some(directory) = combined.directory else {
        let issues: Vec<_> = combined.issues.iter().map(ToString::to_string).collect();
        return Err(ExportsError::NotOneDirectory(issues.join("; ")));
    };
    match directory.tenant() {
        Some(found) if found != tenant.provider_tenant_id => Err(ExportsError::OtherTenant {
            found,
            tenant: tenant.service_tenant_id.clone(),
            expected: tenant.provider_tenant_id.clone(),
        }),
        _ => Ok(directory),
    }
}
