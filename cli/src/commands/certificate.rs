//! `posture certificate`: the certificate of the application's key in AWS.

use anyhow::Context;
use application::{Key, KeyCertificate};
use clap::Args;
use serde::Serialize;
use store::{Timeouts, aws_settings};
use time::OffsetDateTime;

use crate::exit::{Exit, ended, print_progress};
use crate::output::Output;

const AFTER_HELP: &str = "\
Upload the certificate to the application's registration in Microsoft Entra, and set the parameters GraphKeyArn and \
GraphKeyThumbprint of the stack. The key signs the certificate itself and never leaves AWS. Needs kms:GetPublicKey and \
kms:Sign.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct MakeCertificate {
    /// The key: its ARN, of a key for signing with RSA of 2,048 bits
    #[arg(long, value_name = "ARN")]
    key: String,
    /// Number of days for which it is valid, from now on
    #[arg(long, value_name = "DAYS", default_value_t = 730, value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
    #[command(flatten)]
    output: Output,
}

/// The certificate, which is public.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    certificate: String,
    thumbprint: String,
}

impl MakeCertificate {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |_| None)
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let settings = aws_settings(Timeouts::PATIENT).load().await;
        let key = Key::new(&settings, &self.key, "");
        let made = KeyCertificate::of(&key, OffsetDateTime::now_utc(), self.days).await;
        let made = made.context("the certificate cannot be made")?;
        let made = Made { certificate: made.pem, thumbprint: made.thumbprint };
        self.output.show(&made, readable)?;
        Ok(Exit::Done)
    }
}

/// Returns the certificate, which goes into a file, and prints the thumbprint beside it.
fn readable(made: &Made) -> String {
    print_progress(&format!("GraphKeyThumbprint={}", made.thumbprint));
    made.certificate.clone()
}
