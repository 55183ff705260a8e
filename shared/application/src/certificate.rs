//! The certificate of a key that cannot be read: the key signs it itself.

use std::sync::Mutex;

use aws_sdk_kms::types::SigningAlgorithmSpec;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{CertificateParams, DistinguishedName, DnType, Error, PublicKeyData, SerialNumber, SigningKey};
use ring::digest::{SHA256, digest};
use time::{Duration, OffsetDateTime};

use crate::Key;

/// The beginning of a public key of 2,048 bits in X.509's form: two lengths and the name of the algorithm.
const RSA_2048: [u8; 24] = [
    0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    0x03, 0x82, 0x01, 0x0f, 0x00,
];

/// A certificate, which is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCertificate {
    /// The text to upload.
    pub pem: String,
    /// Its SHA-256 in base64url, which assertions name.
    pub thumbprint: String,
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The key is another one than applications use here.
    #[error("the key is no RSA key of 2,048 bits: create one with --key-spec RSA_2048 --key-usage SIGN_VERIFY")]
    OtherKey,
    /// The key cannot be used.
    #[error("the key cannot be used: {0}")]
    Unusable(String),
    /// The certificate cannot be written.
    #[error("the certificate cannot be made: {0}")]
    Unmade(#[from] Error),
}

/// The key as the author of a certificate asks for its signature. The first time, it has none and keeps the text.
struct Remote<'a> {
    public: &'a [u8],
    text: Mutex<Vec<u8>>,
    signature: Vec<u8>,
}

impl PublicKeyData for Remote<'_> {
    fn der_bytes(&self) -> &[u8] {
        self.public
    }

    fn algorithm(&self) -> &'static rcgen::SignatureAlgorithm {
        &rcgen::PKCS_RSA_SHA256
    }
}

impl SigningKey for Remote<'_> {
    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        *self.text.lock().map_err(|_| Error::RemoteKeyError)? = text.to_vec();
        Ok(self.signature.clone())
    }
}

impl KeyCertificate {
    /// Makes a certificate of a key, which is valid from a time on for a number of days.
    ///
    /// # Errors
    /// If the key cannot be used, or is none of 2,048 bits.
    pub async fn of(key: &Key, from: OffsetDateTime, days: u16) -> Result<Self, CertificateError> {
        let public = key.public_key().await.map_err(CertificateError::Unusable)?;
        let public = public.strip_prefix(&RSA_2048).ok_or(CertificateError::OtherKey)?;
        let mut parameters = CertificateParams::default();
        parameters.distinguished_name = DistinguishedName::new();
        parameters.distinguished_name.push(DnType::CommonName, "Security Posture Reporting API");
        (parameters.not_before, parameters.not_after) = (from, from + Duration::days(days.into()));
        parameters.serial_number = Some(SerialNumber::from(u64::try_from(from.unix_timestamp()).unwrap_or_default()));
        // The author asks for the signature at once, and the key is elsewhere: so the text is written twice.
        let unsigned = Remote { public, text: Mutex::default(), signature: Vec::new() };
        parameters.self_signed(&unsigned)?;
        let text = unsigned.text.into_inner().map_err(|_| Error::RemoteKeyError)?;
        let signature = key.signature(&text, SigningAlgorithmSpec::RsassaPkcs1V15Sha256).await;
        let signature = signature.map_err(CertificateError::Unusable)?;
        let certificate = parameters.self_signed(&Remote { public, text: Mutex::default(), signature })?;
        let thumbprint = URL_SAFE_NO_PAD.encode(digest(&SHA256, certificate.der()));
        Ok(Self { pem: certificate.pem(), thumbprint })
    }
}
