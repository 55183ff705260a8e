use super::*;

const DESCRIPTION: &str = "\
Guests **may** read `all` [users](https://example.com/a_b?c=d).
This goes on.

A second paragraph.

#### Remediation action:

To do so:

1. Open the **portal**.
2. Select:
   - this
   - that one
3. Run:
   ```
   Get-It
   ```

```powershell
# No heading
Set-It
```

##### In the shell

Type it. See [the page](https://example.com).

See [another page](https://example.com)

#### Related links

* [A page](https://example.com)
";

#[test]
fn sections_are_found_by_their_headings() {
    let document = Document::parse(DESCRIPTION);
    let introduction: Vec<_> = document.introduction().collect();
    assert_eq!(introduction, ["Guests may read all users. This goes on.", "A second paragraph."]);
    assert_eq!(
        document.section(|title| title.starts_with("Remediation")).unwrap(),
        "To do so: 1. Open the portal. 2. Select: this; that one; 3. Run: Get-It; Type it."
    );
    assert_eq!(document.section(|title| title == "Related links").unwrap(), "A page.");
    assert_eq!(document.section(|title| title == "No heading"), None);
}

#[test]
fn a_paragraph_in_bold_is_a_heading() {
    let document = Document::parse("Some **bold** text.\n\n**Remediation action**\n- First\n- Second.\n\n**Next**\n");
    assert_eq!(document.section(|title| title == "Remediation action").unwrap(), "First; Second.");
    assert_eq!(document.section(|title| title == "Next"), None, "there is nothing in it");
    assert_eq!(Document::parse("**A:** b").introduction().count(), 1);
    assert_eq!(Document::parse("**A**\nb\nc").section(|title| title == "A").unwrap(), "b c.");
}

#[test]
fn links_that_are_a_sentence_of_their_own_vanish() {
    for (markdown, text) in [
        ("Skipped. Not connected. See [how](x)", vec!["Skipped. Not connected."]),
        ("Skipped. See [how](x) to connect", vec!["Skipped. See how to connect"]),
        ("To connect, See [how](x)", vec!["To connect, See how"]),
        ("They saw See [how](x)", vec!["They saw See how"]),
        ("See [how](x).\n\nSee [how](x) and [why](x).", vec!["See how and why."]),
    ] {
        assert_eq!(Document::parse(markdown).lines(), text, "{markdown}");
    }
}

#[test]
fn links_that_say_nothing_without_their_address_leave_no_words() {
    for (markdown, text) in [
        ("Block it:\n\n- [Block it - Microsoft Learn](x)", "Block it:"),
        ("Read [Set up | Microsoft Learn](x) first.", "Read Set up first."),
        ("#### Links\n- [Set up | Microsoft Docs](x)", "Set up."),
        ("1. The center helps. [Go to the wizard](x).\n\n2. Or do it.", "1. The center helps. 2. Or do it."),
        ("Click “Select” (all). [Learn more](x)", "Click “Select” (all)."),
        ("1. [Go to the center](x).\n2. Next.", "1. Go to the center. 2. Next."),
        ("Do it. [Go to the center](x) and act.", "Do it. Go to the center and act."),
        ("Do it. [Go to it](https://a.example/b?c=d\" # \"/e/f).", "Do it."),
        ("See [a](https://a.example/b c) and [d](https://a.example/e).", "See a and d."),
        ("5. 1\\. Do it.", "1. Do it."),
        ("A. [no address](https://a.example", "A. [no address](https://a.example."),
    ] {
        assert_eq!(Document::parse(markdown).line(), text, "{markdown}");
    }
}

#[test]
fn results_are_lines() {
    let result = "
Found 2:

| Name | State |
| :--- | --- |
| [A\\|b](https://example.com) | **On** |
| | Off |

## Summary

- one
  - [two]()

➡️ Open [the page](https://example.com).

<p>An <b>old</b> page</p>

a<br/>b";
    assert_eq!(
        Document::parse(result).lines(),
        ["Found 2:", "Name | State", "A|b | On", "Off", "Summary", "- one", "- two", "An old page", "a b"]
    );
    assert_eq!(Document::parse(" \n").lines(), Vec::<String>::new());
}
