//! The second set of real-world files, uploaded.

use model::ServiceTenantId;

use super::imports::Uploading;
use super::now;
use crate::second_cases::{TENANT, cases, files, folder};

#[tokio::test]
async fn each_file_of_the_second_set_has_its_right_result() {
    let Some(folder) = folder() else { return };
    for case in cases() {
        let uploading = Uploading::new().await;
        let tenant = ServiceTenantId::generate(now(&uploading.app));
        let (name, provider_id) = ("Harbour Dental".parse().unwrap(), TENANT.parse().unwrap());
        uploading.app.org_a.writer().add_tenant(tenant.clone(), name, provider_id).await.unwrap();
        let of_table = case.completed_at.map(|time| [("tenant", tenant.as_str()), ("completedAt", time)]);
        let fields: Vec<_> = of_table.into_iter().flatten().collect();
        let mut last = String::new();
        for step in case.steps {
            let files = files(&folder, step);
            let files: Vec<_> = files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
            last = uploading.import(&fields, &files).await;
        }
        let newest = uploading.newest().await;
        case.assert_result(&last, Some(&newest).filter(|newest| !newest.is_null()));
    }
}
