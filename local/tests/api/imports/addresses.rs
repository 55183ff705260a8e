//! Addresses take the file that they are for, and no other.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lambda_http::http::header::{CONTENT_TYPE, HOST, HeaderValue};

use super::{Importing, OF_LIST, accepted, client, list, put};
use crate::support::{IMPORTS, TestOrganization};

async fn address(it: &Importing, organization: &TestOrganization, size: usize) -> String {
    let client = client(&it.app, organization, None).await;
    let response = client.post(IMPORTS, &[OF_LIST], list(&[("a.json", size)])).await;
    accepted(&response)["files"][0]["uploadUrl"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_address_of_another_object_time_or_length_is_refused() {
    let it = Importing::new().await;
    let in_an_hour = || (SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(3_600)).as_secs();
    let earliest = in_an_hour();
    let own = address(&it, &it.app.org_a, 5).await;
    let other = address(&it, &it.app.org_b, 5).await;
    let (object, signature) = own.split_once('?').unwrap();
    let (other_object, _) = other.split_once('?').unwrap();
    let parts: Vec<_> = signature.split('.').collect();
    let end = parts[0].parse::<u64>().unwrap();
    assert!((earliest..=in_an_hour()).contains(&end));
    let later = end + 1;
    let key = object.split_once("/uploads/").unwrap().1.to_owned();
    let expired = it.app.uploads.called("localhost").address(key, 5, Duration::ZERO).await.unwrap();
    for (address, content) in [
        (format!("{other_object}?{signature}"), "12345"),
        (format!("{object}1?{signature}"), "12345"),
        (format!("{object}?{later}.{}.{}", parts[1], parts[2]), "12345"),
        (format!("{object}?{}.6.{}", parts[0], parts[2]), "123456"),
        (format!("{object}?{}", signature.replace('.', "")), "12345"),
        (object.to_owned(), "12345"),
        (own.clone(), "1234"),
        (own.clone(), "123456"),
        (expired, "12345"),
    ] {
        let refused = put(&it.app, &address, content.into()).await;
        assert_eq!(refused.status, 403, "{address}");
        assert_eq!(refused.json()["error"]["code"], "FORBIDDEN", "{address}");
    }
    assert_eq!(put(&it.app, &own, "12345".into()).await.status, 200);
}

#[tokio::test]
async fn a_deleted_key_imports_nothing_that_it_had_requested() {
    let it = Importing::new().await;
    let file = "{}";
    let response = it.client.post(IMPORTS, &[OF_LIST], list(&[("a.json", file.len())])).await;
    let path = super::path_of(&response);
    let (organization, writer) = (&it.app.org_a.organization, it.app.org_a.writer());
    let key = organization.keys().await.unwrap().into_iter().find(|key| key.key_id != it.app.org_a.key_id).unwrap();
    writer.delete_key(&key.key_id).await.unwrap();
    it.put(accepted(&response)["files"][0]["uploadUrl"].as_str().unwrap(), file).await;
    assert!(!it.app.uploads.import_all(&it.app.app).await);
    it.client.get(&path).await.unauthorized();
    let now = (it.app.app.clock)().try_into().unwrap();
    let job = organization.import_job(&key.key_id, &path.rsplit('/').next().unwrap().parse().unwrap(), now).await;
    let result = String::from_utf8(job.unwrap().unwrap().result().unwrap().inflate().unwrap()).unwrap();
    assert!(result.contains("the API key was deleted"), "{result}");
    assert_eq!(it.reports().await["totalReports"], 0);
}

#[tokio::test]
async fn an_address_has_the_name_that_the_client_called() {
    let it = Importing::new().await;
    for host in ["localhost:4711", "host.docker.internal:9000", "[::1]:9000"] {
        let mut request = it.client.request("POST", IMPORTS);
        request.headers_mut().insert(HOST, HeaderValue::from_static(host));
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(OF_LIST.1));
        *request.body_mut() = list(&[("a.json", 5)]).into();
        let response = it.client.send(request).await;
        let address = accepted(&response)["files"][0]["uploadUrl"].as_str().unwrap().to_owned();
        assert!(address.starts_with(&format!("http://{host}/uploads/imports/")), "{address}");
        assert_eq!(it.put(&address, "12345").await.status, 200);
    }
}
