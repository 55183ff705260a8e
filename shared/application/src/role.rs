//! The role of the function, for which AWS vouches by a token of its own.

use aws_sdk_sts::Client;
use aws_sdk_sts::error::DisplayErrorContext;
use aws_types::SdkConfig;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::Voucher;

/// Audience that Microsoft expects in a token of another issuer.
const AUDIENCE: &str = "api://AzureADTokenExchange";
/// The only algorithm that Microsoft supports there.
const ALGORITHM: &str = "RS256";
/// Validity of a token in seconds. The template lets the role ask for no longer one.
const LASTS: i32 = 300;

/// The role of this process.
pub struct Role(Client);

impl Role {
    /// Returns the role that the settings have the credentials of.
    pub fn new(settings: &SdkConfig) -> Self {
        Self(Client::new(settings))
    }
}

impl Voucher for Role {
    fn token(&self) -> BoxFuture<'_, Result<String, String>> {
        async move {
            let request = self.0.get_web_identity_token().audience(AUDIENCE).signing_algorithm(ALGORITHM);
            let issued = request.duration_seconds(LASTS).send().await;
            let issued = issued.map_err(|error| DisplayErrorContext(error).to_string())?;
            issued.web_identity_token.ok_or_else(|| "AWS issued no token".to_owned())
        }
        .boxed()
    }
}
