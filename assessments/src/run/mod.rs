//! Runs in terms that do not depend on the tool, and their construction from the rows of a file.

mod control_result;
mod facts;
mod findings;
mod id;
mod issue;
mod results;
mod same_run;
mod tool;
mod types;

pub(crate) use control_result::{ControlResult, Describe, Description, Outcome};
pub(crate) use facts::RunFacts;
pub use id::RunContent;
pub use issue::{Issue, IssueKind};
pub(crate) use results::{ControlResults, Repetition};
pub use tool::Tool;
pub(crate) use types::FileRuns;
pub use types::{AdminReview, Administrator, Finding, LeftOut, RowCount, Run};
