//! The key and certificate of an application, from a file.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PSS_SHA256, RsaKeyPair};

use super::credential::Signer;

/// An RSA key, and the digest of its certificate.
pub struct Certificate {
    key: RsaKeyPair,
    thumbprint: String,
}

/// Why a file is no certificate with its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// A part is missing.
    #[error("the file must contain one CERTIFICATE and one PRIVATE KEY in PEM")]
    Incomplete,
    /// The key is not usable.
    #[error("the key must be an RSA key of at least 2,048 bits in PKCS #8, without a password")]
    Key,
}

impl Certificate {
    /// Reads a certificate and its key from the text of a PEM file.
    ///
    /// # Errors
    /// If one of them is missing or not usable.
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        let certificate = section(text, "CERTIFICATE").ok_or(CertificateError::Incomplete)?;
        let key = section(text, "PRIVATE KEY").ok_or(CertificateError::Incomplete)?;
        let key = RsaKeyPair::from_pkcs8(&key).map_err(|_| CertificateError::Key)?;
        let thumbprint = URL_SAFE_NO_PAD.encode(digest(&SHA256, &certificate));
        Ok(Self { key, thumbprint })
    }

    /// Returns the public key in DER, as PKCS #1 has it.
    pub fn public_key(&self) -> &[u8] {
        self.key.public().as_ref()
    }
}

/// Returns the content of the first section with a label.
fn section(text: &str, label: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
    let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
    STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()
}

impl Signer for Certificate {
    fn thumbprint(&self) -> &str {
        &self.thumbprint
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, String>> {
        let mut signature = vec![0; self.key.public().modulus_len()];
        let signed = self.key.sign(&RSA_PSS_SHA256, &SystemRandom::new(), message, &mut signature);
        let signed = signed.map(|()| signature).map_err(|_| "the key cannot sign".to_owned());
        async move { signed }.boxed()
    }
}
