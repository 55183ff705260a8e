//! The controls of ScubaGear with the same requirement as one of ours, and where the results of the two recorded tenants
//! differ.

use model::Status;

/// The controls with the same requirement.
pub(crate) const SAME: [(&str, &str); 31] = [
    ("MS.AAD.1.1v1", "spr.ca.1"),
    ("MS.AAD.2.1v1", "spr.ca.6"),
    ("MS.AAD.2.3v1", "spr.ca.7"),
    ("MS.AAD.3.1v1", "spr.ca.3"),
    ("MS.AAD.3.2v2", "spr.ca.2"),
    ("MS.AAD.3.3v2", "spr.ac.2"),
    ("MS.AAD.3.4v1", "spr.ac.3"),
    ("MS.AAD.3.5v2", "spr.ac.1"),
    ("MS.AAD.3.6v1", "spr.ca.4"),
    ("MS.AAD.3.7v1", "spr.ca.8"),
    ("MS.AAD.3.8v1", "spr.ca.9"),
    ("MS.AAD.3.9v1", "spr.ca.10"),
    ("MS.AAD.5.1v1", "spr.ad.1"),
    ("MS.AAD.5.2v1", "spr.ad.2"),
    ("MS.AAD.5.3v1", "spr.ad.3"),
    ("MS.AAD.5.5v1", "spr.ad.6"),
    ("MS.AAD.5.6v1", "spr.ad.6"),
    ("MS.AAD.6.1v1", "spr.ac.7"),
    ("MS.AAD.7.1v1", "spr.ga.1"),
    ("MS.AAD.7.2v1", "spr.ga.2"),
    ("MS.AAD.7.3v1", "spr.ga.3"),
    ("MS.AAD.7.4v1", "spr.ga.4"),
    ("MS.AAD.7.6v1", "spr.ga.5"),
    ("MS.AAD.7.7v1", "spr.ga.6"),
    ("MS.AAD.8.1v1", "spr.es.8"),
    ("MS.AAD.8.2v1", "spr.es.7"),
    ("MS.EXO.3.1v1", "spr.ex.2"),
    ("MS.EXO.4.1v1", "spr.ex.3"),
    ("MS.EXO.4.2v1", "spr.ex.3"),
    ("MS.SHAREPOINT.1.1v1", "spr.es.1"),
    ("MS.SHAREPOINT.1.3v1", "spr.es.2"),
];

/// Rules with another result on purpose, or whose responses were not recorded, with the reason.
pub(crate) const DIFFERENT: [(&str, Status, bool, &str); 11] = [
    ("MS.AAD.3.5v2", Status::NotAssessed, true, "the migration of methods is not complete"),
    ("MS.AAD.3.7v1", Status::NotAssessed, false, "the tenant does not manage devices"),
    ("MS.AAD.5.5v1", Status::NotAssessed, true, "not recorded"),
    ("MS.AAD.5.6v1", Status::NotAssessed, true, "not recorded"),
    ("MS.AAD.6.1v1", Status::Secure, false, "the tool's file has its one domain without the list around it"),
    ("MS.AAD.7.1v1", Status::NotAssessed, true, "the record does not say what the holders are"),
    ("MS.AAD.7.2v1", Status::NotAssessed, false, "the record does not say what the holders are"),
    ("MS.AAD.7.3v1", Status::NotAssessed, true, "the record does not say what the holders are"),
    ("MS.EXO.3.1v1", Status::NotAssessed, false, "the provider's domain alone"),
    ("MS.EXO.4.1v1", Status::NotAssessed, true, "the provider's domain alone"),
    ("MS.EXO.4.2v1", Status::NotAssessed, true, "the provider's domain alone"),
];

/// The same for the older tenant, whose file lacks fields that today's rules of the tool read.
pub(crate) const DIFFERENT_IN_2024: [(&str, Status, bool, &str); 14] = [
    ("MS.AAD.1.1v1", Status::Secure, false, "the tool passed it then"),
    ("MS.AAD.2.1v1", Status::Secure, false, "the tool passed it then"),
    ("MS.AAD.2.3v1", Status::Secure, false, "the tool passed it then"),
    ("MS.AAD.3.2v2", Status::Secure, false, "today's rule reads a field that the file lacks"),
    ("MS.AAD.3.3v2", Status::NotAssessed, false, "the file lacks the settings of the authenticator"),
    ("MS.AAD.3.5v2", Status::NotAssessed, true, "the migration of methods is not complete"),
    ("MS.AAD.3.7v1", Status::NotAssessed, false, "the tenant does not manage devices"),
    ("MS.AAD.5.2v1", Status::Open, true, "the tool failed it then"),
    ("MS.AAD.5.5v1", Status::NotAssessed, true, "not recorded"),
    ("MS.AAD.5.6v1", Status::NotAssessed, true, "not recorded"),
    ("MS.AAD.6.1v1", Status::Secure, false, "today's rule reads a field that the file lacks"),
    ("MS.EXO.3.1v1", Status::NotAssessed, true, "the provider's domains alone"),
    ("MS.EXO.4.1v1", Status::NotAssessed, false, "the provider's domains alone"),
    ("MS.EXO.4.2v1", Status::NotAssessed, false, "the provider's domains alone"),
];

/// The beginning of the rules that are not compared in the older tenant: its file lacks what they read.
pub(crate) const NOT_IN_2024: &str = "MS.AAD.7.";
