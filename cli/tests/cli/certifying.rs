//! The certificate of a key in AWS's key management, which moto emulates.

use aws_sdk_kms::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_kms::types::{KeySpec, KeyUsageType};
use serde_json::Value;

use crate::moto::Moto;
use crate::support::{failed, posture, succeeded};

#[tokio::test]
async fn a_certificate_is_made_of_a_key_that_stays_in_aws() {
    let Some(moto) = Moto::start() else { return };
    let config = aws_sdk_kms::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .region(Region::from_static("eu-west-1"))
        .endpoint_url(moto.address());
    let kms = aws_sdk_kms::Client::from_conf(config.build());
    let key = async |spec: KeySpec| {
        let created = kms.create_key().key_spec(spec).key_usage(KeyUsageType::SignVerify).send().await.unwrap();
        created.key_metadata.unwrap().arn.unwrap()
    };
    let command = |key: &str, more: &[&str]| {
        let mut command = posture();
        command.args(["certificate", "--key", key]).args(more).env("AWS_ENDPOINT_URL", moto.address());
        let settings = [("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test"), ("AWS_REGION", "eu-west-1")];
        command.envs(settings).output().unwrap()
    };
    let rsa = key(KeySpec::Rsa2048).await;
    let made: Value = serde_json::from_str(&succeeded(&command(&rsa, &["--json"]))).unwrap();
    assert_eq!(made["thumbprint"].as_str().unwrap().len(), 43);
    // In text, the certificate alone can go into a file.
    let output = command(&rsa, &["--days", "30"]);
    assert!(output.status.success(), "{output:?}");
    let pem = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(pem.starts_with("-----BEGIN CERTIFICATE-----") && pem.trim_end().ends_with("-----END CERTIFICATE-----"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("GraphKeyThumbprint="), "{output:?}");
    assert_ne!(made["certificate"].as_str().unwrap().trim(), pem.trim(), "it is valid for another time");
    let other = key(KeySpec::EccNistP256).await;
    assert!(failed(1, &command(&other, &[])).contains("--key-spec RSA_2048"));
    assert!(failed(1, &command("alias/nowhere", &[])).contains("the key cannot be used"));
}
