//! Many imports at once, repeated, with interruptions in between.

use std::collections::BTreeSet;
use std::env;
use std::pin::pin;

use api::App;
use futures_util::{StreamExt, stream};

use super::{Importing, OF_FILE, accepted};
use crate::faults::FaultyStore;
use crate::samples::results;
use crate::support::{IMPORTS, provider_id, tenant};

/// Imports at once; `IMPORTS_AT_ONCE` sets another number.
const AT_ONCE: usize = 40;

#[tokio::test]
async fn imports_at_once_are_each_one_report_whatever_is_repeated_and_interrupted() {
    let number = env::var("IMPORTS_AT_ONCE").ok().and_then(|number| number.parse().ok()).unwrap_or(AT_ONCE);
    let it = Importing::new().await;
    let tenants: Vec<_> = (0..number).map(|number| format!("ten_{number}").parse().unwrap()).collect();
    for id in &tenants {
        it.app.org_a.add_tenant(&tenant(id, "A tenant")).await;
    }
    // Every request is sent twice, with the same key.
    let sent = stream::iter(tenants.iter().cycle().take(2 * number).enumerate()).map(async |(place, id)| {
        let key = format!("run {}", place % number);
        let file = results(&provider_id(id), 1, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]);
        let path = format!("{IMPORTS}?fileName=results.json");
        accepted(&it.client.post(&path, &[OF_FILE, ("idempotency-key", &key)], file).await)["importId"].to_string()
    });
    let ids: BTreeSet<_> = sent.buffer_unordered(2 * number).collect().await;
    assert_eq!(ids.len(), number, "a repeated request is the same import");
    // The worker is killed again and again, after more and more calls: with several imports at once, wherever each is.
    let faulty = FaultyStore::over(&it.app.engine).await;
    let over = App { store: faulty.store.clone(), ..it.app.app.clone() };
    for calls in (0..400).step_by(7) {
        faulty.forget();
        if faulty.until_made(calls, pin!(it.app.uploads.import_all(&over))).await == Some(false) {
            break;
        }
    }
    while it.app.uploads.import_all(&it.app.app).await {}
    let imports = it.client.get(&format!("{IMPORTS}?limit=500")).await.success();
    let imports = imports["imports"].as_array().unwrap();
    assert_eq!(imports.len(), number.min(500));
    assert!(imports.iter().all(|import| import["status"] == "COMPLETED"), "an import is not in its last state");
    for id in &tenants {
        let reports =
            it.app.org_a().get(&format!("/v1/report-summaries?latestOnly=false&tenantId={id}")).await.success();
        assert_eq!(reports["totalReports"], 1, "{id}");
    }
}
