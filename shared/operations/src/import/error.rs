//! Why a run has no report.

use assessments::NoReport;
use model::{ProviderTenantId, ReportId, ServiceTenantId, counted};
use store::StoreError;

/// Why a run has no report. Says what to do and repeats only identifiers.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Neither the operator nor the file names the tenant.
    #[error("the file does not name its tenant: specify the tenant")]
    TenantUnnamed,
    /// The organization has no such tenant, or it is removed.
    #[error("the organization has no tenant {0}: add it first")]
    NoSuchTenant(String),
    /// The file names another tenant than the one that it is imported for.
    #[error(
        "the file belongs to provider tenant {found}, but tenant {tenant} is {expected}: import it for its own tenant, \
         or without naming a tenant"
    )]
    OtherTenant {
        /// Provider identifier in the file.
        found: ProviderTenantId,
        /// The tenant that it is imported for.
        tenant: ServiceTenantId,
        /// Its provider identifier.
        expected: ProviderTenantId,
    },
    /// The run ended after the time of the import.
    #[error("the run ended in the future: check the clock of the machine that it ran on")]
    InTheFuture,
    /// The files contain a part of a run, and the options do not request a report of it.
    #[error(
        "this is a part of a run, such as the results of one product: import the complete results, which the tool wrote \
         next to it, or import the part with --fragments"
    )]
    OnlyPart,
    /// The files contain a part of a run, and the options request a baseline.
    #[error("a part of a run cannot be a baseline: import the complete results instead")]
    PartAsBaseline,
    /// The run cannot become a report.
    #[error("{0}")]
    NoReport(#[from] NoReport),
    /// The organization has no such report to compare with, or its tenant is removed.
    #[error("the organization has no report {0} to compare with: choose another")]
    NoSuchBaseline(ReportId),
    /// The report to compare with belongs to another tenant.
    #[error("report {0} belongs to another tenant: choose a report of the same tenant")]
    BaselineOfOtherTenant(ReportId),
    /// The report to compare with comes from another tool.
    #[error("report {id} comes from {tool}: choose a report of the same tool")]
    BaselineOfOtherTool {
        /// The report.
        id: ReportId,
        /// Name of its tool.
        tool: String,
    },
    /// The report to compare with is not earlier than the run.
    #[error("report {0} did not complete before this run: choose an earlier report")]
    BaselineNotEarlier(ReportId),
    /// The run already has a report, from a larger copy of the run.
    #[error(
        "report {report} of the same run contains {}, and this copy only {}: it may be cut off, so it was not imported; to \
         import it nevertheless, delete the report first",
        size(rows.1, controls.1),
        size(rows.0, controls.0)
    )]
    SmallerCopy {
        /// The report.
        report: ReportId,
        /// Number of rows of the copy and of the report, or 0 if it is unknown.
        rows: (usize, usize),
        /// Number of controls of the copy and of the report.
        controls: (usize, usize),
    },
    /// Other writers kept changing the tenant.
    #[error("other changes of the tenant are in progress: import the file again in a moment")]
    Busy,
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl ImportError {
    /// Returns whether another writer was faster, so that the import must start over on its result.
    pub(crate) fn is_contention(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Store(error) => error.is_conflict(),
            _ => false,
        }
    }

    /// Returns whether the same import may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Store(error) => error.is_transient(),
            _ => false,
        }
    }
}

fn size(rows: usize, controls: usize) -> String {
    let controls = counted(controls, "control");
    if rows > 0 { format!("{} of {controls}", counted(rows, "row")) } else { controls }
}
