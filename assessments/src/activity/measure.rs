//! The measures that are counted in the logs, and the labels of their events.

use serde::Deserialize;

/// Something that the logs show and that says something about a control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    /// Sign-ins by a protocol that cannot ask for a second factor, by protocol.
    LegacyProtocol,
    /// Sign-ins by authenticated SMTP.
    SmtpAuth,
    /// Sign-ins in which an application sent the user's password.
    PasswordGrant,
    /// Sign-ins with a code that was shown on another device.
    DeviceCode,
    /// Sign-ins that were handed over from one device to another.
    AuthenticationTransfer,
    /// Interactive sign-ins that succeeded, by the number of factors.
    Factors,
    /// Sign-ins confirmed by a method that can be intercepted, by method.
    WeakMethod,
    /// Interactive sign-ins that succeeded, by the strength of their method.
    MethodStrength,
    /// Sign-ins that succeeded in spite of a risk, by its level.
    RiskySignIn,
    /// Sign-ins that succeeded, by whether the device is managed.
    Device,
    /// Sign-ins that succeeded; the subject is the country.
    Country,
    /// Sign-ins that a policy in report-only mode would have stopped.
    ReportOnly,
    /// Sign-ins of guests, by the kind of access.
    Guest,
    /// Failed sign-ins, by cause.
    WrongPassword,
    /// Failed sign-ins of any cause, for the list of administrators.
    FailedSignIn,
    /// Sign-ins by what required a second factor, for the list of administrators.
    SecondFactor,
    /// Consents to applications, by who granted them; the subject is the application.
    Consent,
    /// Applications that were registered.
    ApplicationAdded,
    /// Secrets and certificates that were added to applications; the subject is the application.
    SecretAdded,
    /// Guests that were invited, and that accepted.
    Invitation,
    /// Assignments of roles, by kind; the subject is the person or application that got the role.
    RoleChange,
    /// Password resets, by who made them.
    PasswordReset,
    /// Messages that were forwarded to other organizations, by what forwarded them; the subject is the mailbox.
    Forwarded,
    /// Users of mail protocols, by protocol, in the usage report.
    MailApp,
    /// Mailboxes, by whether they were used, in the usage report.
    Mailbox,
    /// Files that were shared outside the organization, by service, in the usage report.
    SharedOutside,
    /// Meetings that were organized, in the usage report.
    Meeting,
}

impl Measure {
    /// Returns the words under which events are counted. A sentence can name no other.
    pub(crate) fn labels(self) -> &'static [&'static str] {
        match self {
            Self::LegacyProtocol => &[
                "Autodiscover",
                "Exchange ActiveSync",
                "Exchange Online PowerShell",
                "Exchange Web Services",
                "IMAP4",
                "MAPI over HTTP",
                "Offline Address Book",
                "Outlook Anywhere",
                "Outlook Service",
                "POP3",
                "Reporting Web Services",
                "SMTP AUTH",
                "Universal Outlook",
                "other clients",
            ],
            Self::MailApp => &["IMAP4", "POP3", "SMTP"],
            Self::Factors => &["one factor", "two factors"],
            Self::WeakMethod => &["text message", "voice call", "e-mail code"],
            Self::MethodStrength => &["phishing-resistant", "other"],
            Self::RiskySignIn => &["high", "medium", "low"],
            Self::Device => &["managed", "unmanaged"],
            Self::Guest => &["B2B collaboration", "B2B direct connect", "service provider", "other access"],
            Self::WrongPassword => &["wrong password", "locked account"],
            Self::SecondFactor => &[BY_POLICY, BY_ACCOUNT, BY_NOTHING],
            Self::Consent => &["users", "administrators"],
            Self::Invitation => &["invited", "accepted"],
            Self::RoleChange => &["assigned", "made eligible", "activated"],
            Self::PasswordReset => &["by themselves", "by an administrator"],
            Self::Forwarded => &["inbox rules", "mailbox forwarding", "mail flow rules", "other forwarding"],
            Self::Mailbox => &["used", "unused"],
            Self::SharedOutside => &["SharePoint", "OneDrive"],
            Self::SmtpAuth
            | Self::PasswordGrant
            | Self::DeviceCode
            | Self::AuthenticationTransfer
            | Self::Country
            | Self::ReportOnly
            | Self::FailedSignIn
            | Self::ApplicationAdded
            | Self::SecretAdded
            | Self::Meeting => &[ALL],
        }
    }
}

/// The word for values that are not understood. They are no events, but any of them could be one.
pub(crate) const NOT_UNDERSTOOD: &str = "";

/// The word for all events of a measure that has no others.
pub(crate) const ALL: &str = "all";

/// A policy of the tenant required the second factor.
pub(crate) const BY_POLICY: &str = "policy";
/// The account's own setting required it.
pub(crate) const BY_ACCOUNT: &str = "account";
/// A password alone was enough.
pub(crate) const BY_NOTHING: &str = "nothing";
