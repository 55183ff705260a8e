//! Golden tables: what released formats look like, and that this release reads, changes and still writes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::{env, fs};

use model::Role;
use serde_json::{Value, json};
use store::FORMAT;

use super::sample::{self, Sample};
use super::{Item, check, items, later, read_all, signed_in, with_items};
use crate::dashboard::{hidden, send};
use crate::support::{TestApp, baseline_report, by_operator};

/// The formats with their first release, in order. The last is the one that this release writes.
pub(super) const RELEASED: [(u32, &str); 2] = [(1, "1.0"), (2, "1.1")];

/// The golden table of a format.
pub(super) struct Golden {
    pub(super) sample: Sample,
    pub(super) items: Vec<Item>,
}

impl Golden {
    fn path(release: &str) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(release).join("table.json")
    }

    pub(super) fn read(release: &str) -> Self {
        let text = fs::read_to_string(Self::path(release)).expect("UPDATE_GOLDEN=1 writes a new golden table");
        let json: Value = serde_json::from_str(&text).unwrap();
        let items = json["items"].as_array().unwrap().iter().map(Item::from_json).collect();
        Self { sample: Sample::new(json["apiKey"].as_str().unwrap().to_owned()), items }
    }

    /// Returns the table of the format that this release writes.
    pub(super) fn newest() -> Self {
        Self::read(RELEASED[RELEASED.len() - 1].1)
    }
}

/// Returns the names and types of all attributes of every kind of items.
pub(super) fn shapes(items: &[Item]) -> BTreeMap<String, BTreeSet<String>> {
    let mut shapes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for item in items {
        shapes.entry(item.kind()).or_default().extend(item.values().into_keys());
    }
    shapes
}

#[tokio::test]
async fn stored_shapes_are_those_of_the_golden_table() {
    let (format, release) = RELEASED[RELEASED.len() - 1];
    assert_eq!(FORMAT, format, "a new format needs a golden table: add its first release to RELEASED");
    let app = TestApp::new().await;
    let sample = sample::write(&app).await;
    let written = items(&app).await;
    let path = Golden::path(release);
    if env::var_os("UPDATE_GOLDEN").is_some() && !path.exists() {
        let items: Vec<_> = written.iter().map(Item::to_json).collect();
        let text = serde_json::to_string_pretty(&json!({ "apiKey": sample.key, "items": items })).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text + "\n").unwrap();
    }
    let (golden, now) = (shapes(&Golden::read(release).items), shapes(&written));
    assert_eq!(now.len(), 52, "{:?}", now.keys());
    let kinds: BTreeSet<_> = golden.keys().chain(now.keys()).collect();
    let none = BTreeSet::new();
    let changed: Vec<_> = kinds
        .into_iter()
        .filter(|kind| golden.get(*kind) != now.get(*kind))
        .map(|kind| {
            let (golden, now) = (golden.get(kind).unwrap_or(&none), now.get(kind).unwrap_or(&none));
            let (added, missing): (Vec<_>, Vec<_>) =
                (now.difference(golden).collect(), golden.difference(now).collect());
            format!("{kind}: added {added:?}, missing {missing:?}")
        })
        .collect();
    assert!(
        changed.is_empty(),
        "the shape of stored items differs from release {release}.\n{}\nDo not change its golden table. If the change is \
         meant: raise FORMAT in shared/store/src/table/format.rs, add the format to RELEASED, and run the test with \
         UPDATE_GOLDEN=1 to write its golden table. CONTRIBUTING.md, 'Change a stored shape', says how a release before \
         this one can still read the items.",
        changed.join("\n")
    );
    assert!(written.iter().all(|item| item.0["v"].as_n() == Ok(&FORMAT.to_string())), "an item has no format");
}

#[tokio::test]
async fn every_golden_table_is_read_listed_shown_edited_and_consistent() {
    for (_, release) in RELEASED {
        let Golden { sample, items } = Golden::read(release);
        let number = items.iter().filter(|item| item.kind() == "COMPLETED").count();
        let app = with_items(items).await;
        let reports = read_all(&app, &sample).await;
        assert_eq!(reports.as_array().unwrap().len(), number, "{release}");
        assert_eq!(reports[0]["tenant"]["name"], "Renamed", "{release}");
        assert_eq!(reports[0]["checks"][0]["why"], "A reason", "{release}");
        change_all(&app, &sample).await;
        let reports = read_all(&app, &sample).await;
        assert_eq!(reports.as_array().unwrap().len(), number + 1, "{release}");
        assert_eq!(reports[0]["tenant"]["name"], "Renamed again", "{release}");
        assert_eq!(reports[1]["checks"][0]["why"], "Another reason", "{release}");
        check(&app).await;
    }
}

/// Edits, renames, resumes, imports and records, as people do.
pub(super) async fn change_all(app: &TestApp, sample: &Sample) {
    let organization = app.app.store.organization(&sample.organization);
    let writer = by_operator(&organization, later());
    let (router, cookie) = signed_in(app, Role::Admin).await;
    let form = format!("/tenants/{}/reports/rpt_golden_2/edit/check", sample.tenants[0]);
    let page = send(&router, "GET", &format!("{form}?control=Y.1"), Some(&cookie), "").await.text;
    let selected = |name: &str| {
        let (_, select) = page.split_once(&format!("<select id=\"{name}\"")).unwrap();
        let (before, _) = select.split_once(" selected").expect("a value is selected");
        before.rsplit_once("value=\"").unwrap().1.trim_end_matches('"').to_owned()
    };
    let mut fields = form_urlencoded::Serializer::new(String::new());
    fields.append_pair("control", "Y.1").append_pair("seen", hidden(&page, "seen").unwrap());
    fields.append_pair("status", &selected("status")).append_pair("severity", &selected("severity"));
    fields.append_pair("currentState", "Now.").append_pair("why", "Another reason").append_pair("keep", "on");
    let typed = |before: &str, after: &str| {
        let (_, rest) = page.split_once(before)?;
        Some(rest.split_once(after)?.1.split(['"', '<']).next().unwrap())
    };
    fields.append_pair("until", typed("name=\"until\"", "value=\"").unwrap_or_default());
    fields.append_pair("reason", typed("name=\"reason\"", ">\n").unwrap_or_default());
    let answer = send(&router, "POST", &form, Some(&cookie), fields.finish()).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    writer.rename_tenant(&sample.tenants[0], &"Renamed again".parse().unwrap()).await.unwrap();
    writer.pause_tenant(&sample.tenants[0], false).await.unwrap();
    sample::add_report(app, &sample.tenants[0], 4, baseline_report("2026-07-10T00:00:00.000Z")).await;
    let usage = organization.usage(later().date()).await.unwrap().unwrap();
    assert_eq!(usage.as_of, crate::support::TODAY);
    writer.continue_usage(usage.as_of, |_, rows| rows).await.unwrap();
    for target in organization.targets().await.unwrap() {
        writer.pause_target(&target.target_id, true).await.unwrap();
    }
    let brand = organization.brand().await.unwrap();
    let changed = store::BrandRecord { footer: Some("Another foot".to_owned()), ..brand.clone() };
    assert!(writer.set_brand(&brand, &changed).await.unwrap());
}
