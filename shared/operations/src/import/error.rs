//! Why a run made no report.

use assessments::NoReport;
use model::{ProviderTenantId, ReportId, ServiceTenantId};
use store::StoreError;

/// A run that made no report. Says what to do, and repeats identifiers only.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Neither the operator nor the file names the tenant.
    #[error("the file does not say which tenant it is of: name the tenant")]
    TenantUnnamed,
    /// The tenant is not the organization's, or is removed.
    #[error("the organization has no tenant {0}: add it first")]
    NoSuchTenant(String),
    /// The operator names one tenant and the file another.
    #[error(
        "the file is of the provider tenant {found}, but {tenant} is {expected}: import it for the tenant it is of, \
         or leave the tenant to the file"
    )]
    OtherTenant {
        /// Provider identifier in the file.
        found: ProviderTenantId,
        /// The tenant that the operator named.
        tenant: ServiceTenantId,
        /// Its provider identifier.
        expected: ProviderTenantId,
    },
    /// The run ended after now.
    #[error("the run ended in the future: check the clock of the machine that it ran on")]
    InTheFuture,
    /// The run cannot become a report.
    #[error(transparent)]
    NoReport(#[from] NoReport),
    /// The report to compare with is not the organization's, or its tenant is removed.
    #[error("the organization has no report {0} to compare with")]
    NoSuchBaseline(ReportId),
    /// The report to compare with is another tenant's.
    #[error("the report {0} is of another tenant: only reports of one tenant compare")]
    BaselineOfOtherTenant(ReportId),
    /// The report to compare with was made of another tool's results.
    #[error("the report {id} was made of results of {tool}: only reports of one tool compare")]
    BaselineOfOtherTool {
        /// The report.
        id: ReportId,
        /// Name of its tool.
        tool: String,
    },
    /// The report to compare with is not earlier than the run.
    #[error("the report {0} did not complete before this run: a report compares with an earlier one")]
    BaselineNotEarlier(ReportId),
    /// Others changed the tenant again and again.
    #[error("the tenant is being changed by others: import the file again in a moment")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    /// Whether another writer came between: the import is to start over on what that one left.
    pub(crate) fn is_contention(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Store(error) => error.is_conflict(),
            _ => false,
        }
    }

    /// Whether the same import may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Busy => true,
            Self::Store(error) => error.is_transient(),
            _ => false,
        }
    }
}
