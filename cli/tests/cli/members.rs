//! `posture member`, and the first Admin's link.

use serde_json::{Value, json};

use crate::support::{Service, text_of};

/// Returns the command on members of an organization.
fn of<'a>(organization: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [&["member"], arguments, &["--org", organization]].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_invited_listed_changed_and_removed() {
    let service = Service::start();
    let organization = service.organization("Northwind").id;
    let none = service.text(&of(&organization, &["list"]));
    assert!(none.contains("`posture member invite`"), "{none}");

    let invited = service.json(&of(
        &organization,
        &["invite", "--role", "admin", "--note", "Priya", "--dashboard-url", "https://d.example/"],
    ));
    let link = text_of(&invited, "link");
    let secret = link.strip_prefix("https://d.example/invitations/").unwrap();
    assert_eq!((secret.len(), &invited["role"]), (64, &json!("ADMIN")));
    let words = service.text(&of(&organization, &["invite", "--role", "full-member"]));
    let own = format!("{}/invitations/", service.dashboard());
    assert!(words.starts_with(&own) && words.contains(" joins as Full Member."));
    let stored: Vec<_> = service.items().await.into_iter().map(|(pk, sk)| format!("{pk} {sk}")).collect();
    assert!(stored.iter().filter(|key| key.contains("INVITATION#")).count() == 4, "{stored:?}");
    assert!(!stored.iter().any(|key| key.contains(secret)), "only the hash of a link is stored");

    let unknown = service.failure(1, &of(&organization, &["role", "mem_unknown", "admin"]));
    assert!(unknown.contains("no such member") && unknown.contains("`posture member list`"), "{unknown}");
    let unknown = service.failure(1, &of(&organization, &["remove", "mem_unknown", "--yes"]));
    assert!(unknown.contains("the member was not removed"), "{unknown}");
    let unasked = service.failure(2, &of(&organization, &["remove", "mem_unknown"]));
    assert!(unasked.contains("--yes"), "{unasked}");
}

#[test]
fn the_people_of_the_demo_change_roles_and_the_last_admin_stays() {
    let service = Service::start_with(&["--demo"]);
    let organizations = service.json(&["org", "list"]);
    let with_two = |organization: &Value| {
        let id = text_of(organization, "organizationId");
        let members = service.json(&["member", "list", "--org", &id]);
        (members.as_array().unwrap().len() == 2).then_some((id, members))
    };
    let (organization, members) = organizations.as_array().unwrap().iter().find_map(with_two).unwrap();
    let id_of = |role: &str| {
        let member = members.as_array().unwrap().iter().find(|member| member["role"] == role).unwrap();
        text_of(member, "memberId")
    };
    let (admin, member) = (id_of("ADMIN"), id_of("FULL_MEMBER"));
    let table = service.text(&of(&organization, &["list"]));
    assert!(table.starts_with("MEMBER") && table.contains(&admin) && table.contains("Full Member"), "{table}");

    for refused in [&["role", &admin, "full-member"][..], &["remove", &admin, "--yes"]] {
        let message = service.failure(1, &of(&organization, refused));
        assert!(message.contains("last Admin"), "{message}");
    }
    let changed = service.json(&of(&organization, &["role", &member, "admin"]));
    assert_eq!(changed, json!({ "memberId": member, "role": "ADMIN", "before": "FULL_MEMBER" }));
    service.text(&of(&organization, &["remove", &admin, "--yes"]));
    let left = service.json(&of(&organization, &["list"]));
    assert_eq!((left.as_array().unwrap().len(), text_of(&left[0], "memberId")), (1, member));
}
