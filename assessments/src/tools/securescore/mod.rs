//! Microsoft Secure Score, as Microsoft Graph returns it: daily scores with a result for each control, and the profiles
//! that describe the controls. Each list has one or several pages.
//!
//! | list | request |
//! |---|---|
//! | scores | `GET /security/secureScores`; `?$top=1` is enough, because only the latest score becomes a report |
//! | profiles | `GET /security/secureScoreControlProfiles` |
//!
//! A score alone makes a report. Without the profile of a control, its title, fix and points are unknown, and so is
//! whether it was marked as ignored, as covered by a third party, or as planned.

mod files;
mod number;
mod profile;
mod profiles;
mod run;
mod score;

pub(crate) use files::{SecureScore, read_profiles, read_scores};
