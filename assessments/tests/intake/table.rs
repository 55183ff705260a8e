//! The table of cases.

use super::files::*;
use super::{Case, Companions, case};

/// Returns all cases.
pub(crate) fn cases() -> Vec<Case> {
    let results = || scuba(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")]);
    let table = |rows: &[(&str, &str)]| scuba_table("", rows);
    let same_table = || table(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")]);
    vec![
        case("objects as text", vec![("maester.json", depth_2())]).report([1, 3, 0], MINUTE, "ResultDetail is damaged"),
        case("the sister tool", vec![("goggles.json", goggles())]).no_report("ScubaGoggles for Google Workspace"),
        case("a folder of ScubaGear", scuba_folder(results(), same_table()))
            .report([2, 1, 0], DAY, "")
            .skipped(SCUBA_COMPANIONS),
        case("more columns", vec![("results.csv", scuba_table(",Non-Compliance Reason", &[("MS.AAD.1.1v1", "Fail")]))])
            .completed_at(DAY)
            .report([0, 1, 0], DAY, ""),
        case("a table without a time", vec![("results.csv", same_table())]).no_report("completed-at"),
        case("numbered recommendations", vec![("maester.json", numbered())]).report([2, 1, 0], MINUTE, ""),
        case("on-premises tests alone", vec![("maester.json", on_premises())]).no_report("1 about"),
        case("all skipped", vec![("maester.json", maester(&[("MT.1001", "Skipped")], DAY))]).no_report("assessed none"),
        case("no tests", vec![("maester.json", maester(&[], DAY))]).no_report("contains no control results"),
        case("unknown words", vec![("maester.json", maester(&[("MT.1001", "Vermutlich")], DAY))])
            .no_report("a known result"),
        case("a blank row", vec![("prowler.csv", prowler(&[FINDING, &["", ""]]))]).report([0, 1, 0], DAY, ""),
        case("a header alone", vec![("prowler.csv", prowler(&[]))]).no_report("a header but no rows"),
        case("muted in German", vec![("prowler.csv", prowler(&[FINDING, MUTED]))]).report([0, 1, 1], DAY, ""),
        case("a date of Excel", vec![("prowler.csv", prowler(&[&["25.05.2026 09:00", "FAIL"]]))]).report(
            [0, 1, 0],
            "2026-05-25T09:00:00.000Z",
            "",
        ),
        case("an ambiguous date", vec![("prowler.csv", prowler(&[&["01/05/2026 09:00", "FAIL"]]))])
            .no_report("ambiguous"),
        case("a date of Microsoft", vec![("maester.json", maester(&[("MT.1001", "Failed")], "/Date(1777626000000)/"))])
            .report([0, 1, 0], MINUTE, ""),
        case("a date as an object", vec![("zerotrust.json", zero_trust("x"))]).report([0, 1, 0], DAY, ""),
        case("invalid JSON behind the results", vec![("results.json", invalid_raw())]).report(
            [0, 1, 0],
            DAY,
            "Raw is invalid",
        ),
        case("an empty list of users", vec![("users.json", list("users", &[]))]).no_report("no assessment"),
        case("users alone", vec![("users.json", list("users", &[user()]))]).no_report("no assessment"),
        case("a table with semicolons", vec![("results.csv", semicolons())]).completed_at(DAY).report(
            [1, 1, 0],
            DAY,
            "",
        ),
        case("an archive", vec![("output.zip", packed(&scuba_folder(results(), same_table())))])
            .report([2, 1, 0], DAY, "")
            .skipped(SCUBA_COMPANIONS),
        case("an archive that is damaged", vec![("output.zip", packed(&[("output/a", results())])[..100].to_vec())])
            .no_report("the ZIP archive is damaged"),
        case("a note in bold", vec![("results.json", scuba(&[("MS.AAD.2.1v1", "Fail")]))]).report([0, 1, 0], DAY, ""),
        case("a text of any length", vec![("zerotrust.json", zero_trust(&"| a user |\n".repeat(500_000)))]).report(
            [0, 1, 0],
            DAY,
            "",
        ),
        case("a folder of Maester", maester_folder()).report([1, 1, 0], MINUTE, "").skipped(MAESTER_COMPANIONS),
        case("a folder of Prowler", prowler_folder()).report([0, 1, 0], DAY, "").skipped(PROWLER_COMPANIONS),
        case("a folder of Zero Trust Assessment", zero_trust_folder())
            .report([0, 1, 0], DAY, "")
            .skipped(ZERO_TRUST_COMPANIONS),
        case(
            "a part without its whole",
            vec![("IndividualReports/AADReport.json", product(&[("MS.AAD.1.1v1", "Fail")]))],
        )
        .no_report("a part of a run"),
        case("a table that is cut off", vec![("prowler.csv", cut(prowler(&[FINDING, FINDING])))])
            .no_report("the table ends in the middle of row 2"),
        case("a table without its last line break", vec![("prowler.csv", cut_by(1, prowler(&[FINDING])))])
            .no_report("the table ends without a line break"),
        case(
            "results in capitals",
            vec![("results.json", scuba(&[("MS.AAD.1.1v1", "PASS"), ("MS.EXO.1.1v2", "FAIL")]))],
        )
        .report([1, 1, 0], DAY, ""),
        case("most words unknown", vec![("maester.json", maester(&[("MT.1001", "Failed"), ("MT.1002", "Rot")], DAY))])
            .no_report("1 of 2 rows have a result of unknown meaning"),
        case("findings for a framework", vec![("cis_m365.ocsf.json", compliance())])
            .no_report("Prowler's findings for one compliance framework"),
        case("findings of another tool", vec![("other.ocsf.json", of_product("Another Scanner"))])
            .no_report("only those of Prowler can be imported"),
        case("a context in another case", vec![("scores.json", secure_scores("Security/SecureScores"))]).report(
            [1, 1, 0],
            DAY,
            "",
        ),
        case("an unknown context", vec![("scores.json", secure_scores("Collection(microsoft.graph.secureScore)"))])
            .report([1, 1, 0], DAY, ""),
        case("the line of a type", vec![("results.csv", [b"#TYPE Some.Object\r\n".to_vec(), same_table()].concat())])
            .completed_at(DAY)
            .report([2, 1, 0], DAY, ""),
        case(
            "the first year of .NET",
            vec![("maester.json", maester(&[("MT.1001", "Failed")], "0001-01-01T00:00:00Z"))],
        )
        .no_report("is before 2010: set it with --completed-at"),
        case("a time in the future", vec![("maester.json", maester(&[("MT.1001", "Failed")], "2226-05-01T09:00:00Z"))])
            .no_report("is in the future: set it with --completed-at"),
        case("a repeated product", vec![("results.json", repeated_product())]).no_report("the JSON repeats a field"),
        case(
            "Maester's flat table",
            vec![("flat.csv", b"\"ID\",\"Title\",\"Result\"\n\"MT.1001\",\"x\",\"Passed\"\n".to_vec())],
        )
        .no_report("Maester's table of results"),
        case(
            "an error of Microsoft Graph",
            vec![("signIns.json", br#"{"error": {"code": "x", "message": "y"}}"#.to_vec())],
        )
        .no_report("an error of Microsoft Graph"),
        case("JSON lines of an unknown kind", vec![("lines.json", b"{\"a\": 1}\n{\"a\": 2}\n".to_vec())])
            .no_report("the file is JSON lines, but its format is not supported"),
        case("pages and images alone", vec![("output/report.html", b"<html>".to_vec())]).no_report("no assessment"),
    ]
}

const SCUBA_COMPANIONS: Companions = &[
    ("ActionPlan.csv", "ScubaGear's ActionPlan.csv"),
    ("BaselineReports.html", "an HTML or XML page"),
    ("AADReport.html", "an HTML or XML page"),
    ("logo.png", "an image"),
    ("ProviderSettingsExport.json", "ScubaGear's ProviderSettingsExport.json"),
    ("TestResults.json", "ScubaGear's TestResults.json"),
    ("ScubaResults.csv", "contains the same run as"),
    ("EXOReport.json", "contains the same run as"),
    ("AADReport.json", "contains the same run as"),
];
const MAESTER_COMPANIONS: Companions = &[
    ("TestResults.csv", "Maester's table of results"),
    ("TestResults.html", "an HTML or XML page"),
    ("TestResults.md", "in an unsupported format"),
];
const PROWLER_COMPANIONS: Companions = &[
    ("cis_4.0_m365.csv", "Prowler's table for one compliance framework"),
    ("cis_4.0_m365.ocsf.json", "Prowler's findings for one compliance framework"),
    ("output.html", "an HTML or XML page"),
    ("output.csv", "contains the same run as"),
];
const ZERO_TRUST_COMPANIONS: Companions = &[
    ("ZeroTrustAssessmentReport.html", "an HTML or XML page"),
    ("Application-0.json", "in an unsupported format"),
    ("zt.db", "a database"),
];
