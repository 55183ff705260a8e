//! A key in AWS's key management, which signs and never leaves it.

use aws_sdk_kms::Client;
use aws_sdk_kms::error::DisplayErrorContext;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use aws_types::SdkConfig;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::Signer;

/// An RSA key, and the digest of its certificate.
pub struct Key {
    client: Client,
    id: String,
    thumbprint: String,
}

impl Key {
    /// Returns a key by its identifier or ARN. `thumbprint` is the SHA-256 of its certificate, in base64url.
    pub fn new(settings: &SdkConfig, id: &str, thumbprint: &str) -> Self {
        Self { client: Client::new(settings), id: id.to_owned(), thumbprint: thumbprint.to_owned() }
    }

    /// Returns a signature.
    pub(crate) async fn signature(&self, message: &[u8], algorithm: SigningAlgorithmSpec) -> Result<Vec<u8>, String> {
        let request = self.client.sign().key_id(&self.id).message(Blob::new(message)).message_type(MessageType::Raw);
        let signed = request.signing_algorithm(algorithm).send().await;
        let signed = signed.map_err(|error| DisplayErrorContext(error).to_string())?;
        Ok(signed.signature.ok_or("the key returned no signature")?.into_inner())
    }

    /// Returns the public key in DER, as X.509 has it.
    pub(crate) async fn public_key(&self) -> Result<Vec<u8>, String> {
        let read = self.client.get_public_key().key_id(&self.id).send().await;
        let read = read.map_err(|error| DisplayErrorContext(error).to_string())?;
        Ok(read.public_key.ok_or("the key has no public part")?.into_inner())
    }
}

impl Signer for Key {
    fn thumbprint(&self) -> &str {
        &self.thumbprint
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        self.signature(message, SigningAlgorithmSpec::RsassaPssSha256).boxed()
    }
}
