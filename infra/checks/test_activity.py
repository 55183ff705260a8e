"""What a report says about a tenant's activity is what a count of the same exports gives."""

import csv
import datetime
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

import service

TENANT = "5c9a3f0e-7d1b-4e7a-9a55-0c2f6f1d8b21"
END = datetime.datetime(2026, 6, 30, 12, tzinfo=datetime.UTC)
DAYS = 30
START = END - datetime.timedelta(days=DAYS)
REFRESHED = END.date() - datetime.timedelta(days=1)
LEGACY = {"IMAP4": "IMAP4", "POP3": "POP3", "Authenticated SMTP": "SMTP AUTH", "Exchange ActiveSync": "Exchange ActiveSync"}
WEAK = {"Text message": "text message", "Phone call": "voice call"}
WRONG_PASSWORD = 50126
CONTROLS = [
    "MS.EXO.1.1",
    *(f"MS.AAD.{number}" for number in ("1.1", "2.1", "3.2", "3.5", "3.7", "3.9", "5.1", "5.2", "8.1", "8.2")),
    *("MS.EXO.5.1", "MS.EXO.13.1", "MS.SHAREPOINT.1.1", "MS.TEAMS.1.1"),
]

chance = random.Random(20260630)


def identifier(number: int) -> str:
    return f"{number:08x}-5e1f-4a3c-9d20-000000000001"


def moment() -> datetime.datetime:
    """Returns a moment from before the window until after the end of the run."""
    return START - datetime.timedelta(days=9) + datetime.timedelta(minutes=chance.randrange((DAYS + 12) * 24 * 60), seconds=30)


def wire(at: datetime.datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def sign_in(number: int) -> dict:
    method = chance.choice([*WEAK, "FIDO2 security key", "Password"])
    return {
        "id": identifier(1_000_000 + number),
        "createdDateTime": wire(moment()),
        "userId": identifier(chance.randrange(40)),
        "userPrincipalName": "someone@example.com",
        "clientAppUsed": chance.choice(["Browser", "Browser", "Mobile Apps and Desktop clients", *LEGACY]),
        "authenticationProtocol": chance.choice(["oAuth2", "oAuth2", "oAuth2", "deviceCode"]),
        "isInteractive": chance.random() < 0.6,
        "authenticationRequirement": chance.choice(["singleFactorAuthentication", "multiFactorAuthentication"]),
        "authenticationDetails": [{"authenticationMethod": method, "succeeded": True}],
        "riskLevelDuringSignIn": chance.choice(["none"] * 8 + ["low", "high"]),
        "userType": chance.choice(["member", "member", "member", "guest"]),
        "crossTenantAccessType": "b2bCollaboration",
        "deviceDetail": {"isCompliant": chance.random() < 0.5, "isManaged": chance.random() < 0.5},
        "status": {"errorCode": chance.choice([0, 0, 0, 0, WRONG_PASSWORD])},
    }


def audit(number: int) -> dict:
    activity = chance.choice(["Consent to application", "Add application", "Invite external user", "Redeem external user invite", "Update user"])
    admin = chance.choice(["True", "False"])
    consent = [{"displayName": "ConsentContext.IsAdminConsent", "newValue": f'"{admin}"'}]
    return {
        "id": f"Directory_{number}",
        "activityDisplayName": activity,
        "activityDateTime": wire(moment()),
        "result": chance.choice(["success", "success", "failure"]),
        "targetResources": [{"id": identifier(2_000_000 + chance.randrange(60)), "modifiedProperties": consent}],
    }


def write_pages(folder: Path, resource: str, rows: list[dict]) -> None:
    """Pages as they come: the last row of each page comes again on the next one."""
    context = f"https://graph.microsoft.com/beta/$metadata#{resource}"
    for start in range(0, len(rows), 400):
        page = {"@odata.context": context, "value": rows[max(start - 1, 0) : start + 400]}
        if start + 400 < len(rows):
            page["@odata.nextLink"] = f"https://graph.microsoft.com/beta/{resource}?$skiptoken={start}"
        (folder / f"{resource.rpartition('/')[2]}-{start:05}.json").write_text(json.dumps(page))


def write_table(folder: Path, name: str, columns: list[str]) -> list[dict]:
    """Returns a usage report with a byte-order mark, of users who were active at some time or never."""
    rows = []
    for number in range(60):
        last = REFRESHED - datetime.timedelta(days=chance.randrange(60))
        row = {
            "Report Refresh Date": str(REFRESHED),
            "User Principal Name": f"user{number}@example.com",
            "Is Deleted": chance.choice(["False", "False", "False", "True"]),
            "Last Activity Date": chance.choice([str(last), ""]),
            "Report Period": str(DAYS),
        }
        rows.append(row | {column: str(chance.choice([0, 0, 3, 17])) for column in columns})
    with (folder / f"{name}.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return [row for row in rows if row["Is Deleted"] == "False"]


def write_rows(folder: Path, name: str, rows: list[dict]) -> None:
    """A table as Windows writes it, with a byte-order mark."""
    with (folder / f"{name}.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def in_the_admin_centre(row: dict) -> dict:
    """A sign-in as the admin centre exports it, in local time forms that can be read in one way only."""
    return {
        "Date (UTC)": row["createdDateTime"],
        "Request ID": row["id"],
        "User ID": row["userId"],
        "Username": row["userPrincipalName"],
        "User type": row["userType"].capitalize(),
        "Cross tenant access type": row["crossTenantAccessType"],
        "Authentication Protocol": row["authenticationProtocol"],
        "Status": "Failure" if row["status"]["errorCode"] else "Success",
        "Sign-in error code": row["status"]["errorCode"] or "",
        "Client app": row["clientAppUsed"],
        "Compliant": row["deviceDetail"]["isCompliant"],
        "Managed": row["deviceDetail"]["isManaged"],
        "Multifactor authentication auth method": row["authenticationDetails"][0]["authenticationMethod"],
    }


def in_the_audit_search(row: dict) -> dict:
    """An audit entry as the search of all services exports it."""
    [target] = row["targetResources"]
    record = {
        "CreationTime": row["activityDateTime"].removesuffix("Z"),
        "Id": row["id"],
        "Operation": row["activityDisplayName"] + ".",
        "Workload": "AzureActiveDirectory",
        "ResultStatus": row["result"].capitalize(),
        "ObjectId": target["id"],
        "UserId": "someone@example.com",
        "ModifiedProperties": [
            {"Name": it["displayName"], "NewValue": it["newValue"].strip('"'), "OldValue": ""} for it in target["modifiedProperties"]
        ],
    }
    return {"RecordId": row["id"], "CreationDate": row["activityDateTime"], "UserId": "someone@example.com", "AuditData": json.dumps(record)}


def in_the_directory_audit(row: dict) -> dict:
    """An audit entry as the admin centre exports it."""
    [target] = row["targetResources"]
    [consent] = target["modifiedProperties"]
    return {
        "Date (UTC)": row["activityDateTime"],
        "CorrelationId": row["id"],
        "Service": "Core Directory",
        "Category": "ApplicationManagement",
        "Activity": row["activityDisplayName"],
        "Result": row["result"],
        "ActorType": "User",
        "ActorUserPrincipalName": "someone@example.com",
        "Target1Type": "ServicePrincipal",
        "Target1ObjectId": target["id"],
        "Target1ModifiedProperty1Name": consent["displayName"],
        "Target1ModifiedProperty1OldValue": "",
        "Target1ModifiedProperty1NewValue": consent["newValue"],
    }


def forwarded(number: int) -> dict:
    kind = chance.choice(["Mailbox rule", "SMTP forwarding", "Transport rule"])
    return {
        "Date": wire(moment()),
        "Forwarder": f"user{chance.randrange(20)}@example.com",
        "Forwarding type": kind,
        "Recipient name": f"someone{number}",
        "Recipient domain": "elsewhere.example",
        "Forward count": chance.randrange(1, 30),
    }


def scubagear(folder: Path) -> None:
    row = {"Requirement": "A requirement.", "Result": "Fail", "Criticality": "Shall", "Details": "Details."}
    rows = [row | {"Control ID": f"{control}v1"} for control in CONTROLS]
    metadata = {"TenantId": TENANT, "ToolVersion": "1.7.1", "TimestampZulu": wire(END)}
    results = {"MetaData": metadata, "Results": {"AAD": [{"GroupName": "A group", "Controls": rows}]}}
    (folder / "ScubaResults.json").write_text(json.dumps(results))


def within(rows: list[dict], field: str) -> list[dict]:
    return [row for row in rows if wire(START) < row[field] <= wire(END)]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict]:
    """Returns the sentence of each control, and the rows of the exports that they have to agree with."""
    folder = tmp_path_factory.mktemp("tenant")
    scubagear(folder)
    sign_ins, audits = [sign_in(number) for number in range(3_000)], [audit(number) for number in range(900)]
    write_pages(folder, "auditLogs/signIns", sign_ins)
    write_pages(folder, "auditLogs/directoryAudits", audits)
    shared = ["Viewed Or Edited File Count", "Synced File Count", "Shared Internally File Count", "Shared Externally File Count"]
    tables = {
        "mailbox": write_table(folder, "mailbox", ["Item Count", "Storage Used (Byte)", "Has Archive"]),
        "sharepoint": write_table(folder, "sharepoint", [*shared, "Visited Page Count"]),
        "onedrive": write_table(folder, "onedrive", shared),
        "teams": write_table(folder, "teams", ["Team Chat Message Count", "Meeting Count", "Meetings Organized Count"]),
    }
    messages = [forwarded(number) for number in range(300)]
    write_rows(folder, "forwarding", messages)
    rows = {"sign-ins": within(sign_ins, "createdDateTime"), "audits": within(audits, "activityDateTime")}
    return observed(folder), rows | tables | {"forwarded": within(messages, "Date")}


@pytest.fixture(scope="module")
def said_by_tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict]:
    """The same of a tenant whose logs were exported as tables."""
    folder = tmp_path_factory.mktemp("tables")
    scubagear(folder)
    sign_ins, audits = [sign_in(number) for number in range(2_000)], [audit(number) for number in range(900)]
    write_rows(folder, "sign-ins", [in_the_admin_centre(row) for row in sign_ins])
    write_rows(folder, "audit", [in_the_audit_search(row) for row in audits])
    return observed(folder), {"sign-ins": within(sign_ins, "createdDateTime"), "audits": within(audits, "activityDateTime")}


@pytest.fixture(scope="module")
def said_of_other_forms(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict]:
    """The same for a tenant without sign-ins, whose other exports have the forms that are left."""
    folder = tmp_path_factory.mktemp("other")
    scubagear(folder)
    apps = write_table(folder, "mail", ["POP3 App", "IMAP4 App", "SMTP App"])
    audits, messages = [audit(number) for number in range(900)], [forwarded(number) for number in range(300)]
    write_rows(folder, "audit", [in_the_directory_audit(row) for row in audits])
    names = {"Forwarder": "Forwarders", "Forward count": "Count"}
    write_rows(folder, "forwarding", [{names.get(name, name): it for name, it in row.items() if name != "Date"} for row in messages])
    return observed(folder), {"apps": apps, "audits": within(audits, "activityDateTime"), "forwarded": messages}


def observed(folder: Path) -> dict[str, str]:
    """The sentence of each control, after an import of a folder."""
    with service.running() as running:
        organization = running.command("org", "create", "--name", "Activity")["organizationId"]
        key = running.command("key", "create", "--org", organization)["key"]
        running.command("tenant", "add", "--org", organization, "--name", "Tenant", "--provider-tenant-id", TENANT)
        running.command("report", "import", "--org", organization, "--lookback-days", str(DAYS), str(folder))
        [report] = running.get(key, "/v1/posture-reports")["reports"]
    return {check["controlId"]: check["observedUsage"] for check in report["checks"]}


def succeeded(rows: dict) -> list[dict]:
    return [row for row in rows["sign-ins"] if row["status"]["errorCode"] == 0]


def users(rows: list[dict]) -> int:
    return len({row["userId"] for row in rows})


def numbers(sentence: str) -> list[int]:
    """Returns the numbers of a sentence, without those of labels, dates and the window."""
    text = re.sub(r"\(.*?\)|\d{4}-\d\d-\d\d|the (last )?\d+ days", "", sentence)
    return [int(number) for number in re.findall(r"\d+", text)]


def labels(sentence: str) -> dict[str, int]:
    """Returns the figures in parentheses, by their labels."""
    return {label: int(number) for label, number in re.findall(r"([A-Za-z][\w -]*?) (\d+)", re.search(r"\((.*?)\)", sentence)[1])}


def test_sign_ins_by_legacy_protocols(said):
    sentences, rows = said
    legacy = [row for row in succeeded(rows) if row["clientAppUsed"] in LEGACY]
    assert numbers(sentences["MS.AAD.1.1"]) == [len(legacy), users(legacy)]
    found = {label: number for label, number in labels(sentences["MS.AAD.1.1"].replace("IMAP4", "IMAP").replace("POP3", "POP")).items()}
    assert found == {label.rstrip("34"): number for label, number in Counter(LEGACY[row["clientAppUsed"]] for row in legacy).items()}
    assert max(row["createdDateTime"] for row in legacy)[:10] in sentences["MS.AAD.1.1"]
    smtp = [row for row in legacy if row["clientAppUsed"] == "Authenticated SMTP"]
    assert numbers(sentences["MS.EXO.5.1"]) == [len(smtp), users(smtp)]


@pytest.mark.parametrize(
    ("control", "shows"),
    [
        ("MS.AAD.3.9", lambda row: row["authenticationProtocol"] == "deviceCode"),
        ("MS.AAD.3.5", lambda row: row["authenticationDetails"][0]["authenticationMethod"] in WEAK),
        ("MS.AAD.2.1", lambda row: row["riskLevelDuringSignIn"] != "none"),
        ("MS.AAD.8.1", lambda row: row["userType"] == "guest"),
    ],
)
def test_sign_ins_of_a_kind(said, control, shows):
    sentences, rows = said
    shown = [row for row in succeeded(rows) if shows(row)]
    assert numbers(sentences[control]) == [len(shown), users(shown)]


def test_one_factor_and_devices(said):
    sentences, rows = said
    interactive = [row for row in succeeded(rows) if row["isInteractive"]]
    single = [row for row in interactive if row["authenticationRequirement"] == "singleFactorAuthentication"]
    assert numbers(sentences["MS.AAD.3.2"]) == [len(single), len(interactive), users(single)]
    unmanaged = [row for row in succeeded(rows) if not any(row["deviceDetail"].values())]
    assert numbers(sentences["MS.AAD.3.7"]) == [len(unmanaged), len(succeeded(rows)), users(unmanaged)]


@pytest.mark.parametrize("form", ["said", "said_by_tables", "said_of_other_forms"])
def test_the_audit_log(form, request):
    sentences, rows = request.getfixturevalue(form)
    done = [row for row in rows["audits"] if row["result"] == "success"]

    def targets(activity: str, admin: str | None = None) -> int:
        chosen = [row["targetResources"][0] for row in done if row["activityDisplayName"] == activity]
        return len({target["id"] for target in chosen if admin is None or admin in target["modifiedProperties"][0]["newValue"]})

    assert numbers(sentences["MS.AAD.5.2"]) == [targets("Consent to application", who) for who in ("False", "True")]
    assert numbers(sentences["MS.AAD.5.1"]) == [targets("Add application")]
    invited, accepted = targets("Invite external user"), targets("Redeem external user invite")
    assert numbers(sentences["MS.AAD.8.2"]) == [invited, accepted]


def test_usage_reports(said):
    sentences, rows = said
    first = str(REFRESHED - datetime.timedelta(days=DAYS))
    used = [row for row in rows["mailbox"] if row["Last Activity Date"] > first]
    assert numbers(sentences["MS.EXO.13.1"]) == [len(used), len(rows["mailbox"])]

    shared = {
        service: {row["User Principal Name"]: int(row["Shared Externally File Count"]) for row in rows[service.lower()]}
        for service in ("SharePoint", "OneDrive")
    }
    files = {service: sum(counts.values()) for service, counts in shared.items()}
    sharers = {user for counts in shared.values() for user, count in counts.items() if count}
    assert numbers(sentences["MS.SHAREPOINT.1.1"]) == [sum(files.values()), len(sharers)]
    assert labels(sentences["MS.SHAREPOINT.1.1"]) == files

    meetings = [int(row["Meetings Organized Count"]) for row in rows["teams"]]
    assert numbers(sentences["MS.TEAMS.1.1"]) == [sum(meetings), len([count for count in meetings if count])]


@pytest.mark.parametrize("form", ["said", "said_of_other_forms"])
def test_forwarded_mail(form, request):
    sentences, rows = request.getfixturevalue(form)
    forwarders = {row["Forwarder"] for row in rows["forwarded"]}
    assert numbers(sentences["MS.EXO.1.1"]) == [sum(row["Forward count"] for row in rows["forwarded"]), len(forwarders)]
    kinds = {"Mailbox rule": "inbox rules", "SMTP forwarding": "mailbox forwarding", "Transport rule": "mail flow rules"}
    counted = Counter()
    for row in rows["forwarded"]:
        counted[kinds[row["Forwarding type"]]] += row["Forward count"]
    assert labels(sentences["MS.EXO.1.1"]) == counted


def test_sign_ins_of_the_admin_centre(said_by_tables):
    sentences, rows = said_by_tables
    done = succeeded(rows)
    kinds = {
        "MS.AAD.1.1": lambda row: row["clientAppUsed"] in LEGACY,
        "MS.EXO.5.1": lambda row: row["clientAppUsed"] == "Authenticated SMTP",
        "MS.AAD.3.9": lambda row: row["authenticationProtocol"] == "deviceCode",
        "MS.AAD.3.5": lambda row: row["authenticationDetails"][0]["authenticationMethod"] in WEAK,
        "MS.AAD.8.1": lambda row: row["userType"] == "guest",
    }
    for control, shows in kinds.items():
        shown = [row for row in done if shows(row)]
        assert numbers(sentences[control])[:2] == [len(shown), users(shown)], control
    unmanaged = [row for row in done if not any(row["deviceDetail"].values())]
    assert numbers(sentences["MS.AAD.3.7"])[:3] == [len(unmanaged), len(done), users(unmanaged)]


def test_mail_apps(said_of_other_forms):
    sentences, rows = said_of_other_forms
    used = {app: {row["User Principal Name"] for row in rows["apps"] if int(row[f"{app} App"])} for app in ("IMAP4", "POP3", "SMTP")}
    assert numbers(sentences["MS.AAD.1.1"]) == [len(set.union(*used.values()))]
    for app, people in used.items():
        assert f"{app} {len(people)}" in sentences["MS.AAD.1.1"]


@pytest.mark.parametrize("form", ["said", "said_by_tables", "said_of_other_forms"])
def test_nobody_is_named(form, request):
    sentences, _ = request.getfixturevalue(form)
    assert any(sentences.values()) and (form != "said" or all(sentences.values()))
    sentences = {control: text for control, text in sentences.items() if text}
    assert not [text for text in sentences.values() if "example.com" in text or "5e1f-4a3c" in text]
