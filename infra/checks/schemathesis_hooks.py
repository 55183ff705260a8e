"""Rules about parameters that the OpenAPI document cannot express."""

import datetime
import re

import schemathesis


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Skips days after today, days that do not exist, labels that no tenant can have, and cursors, which only the
    service can write."""
    query = case.query or {}
    if "cursor" in query or not is_label(query.get("label", "-")):
        return False
    try:
        is_future = day(query["asOf"]) > datetime.datetime.now(datetime.UTC).date()
    except (KeyError, TypeError, ValueError):
        is_future = False
    return not is_future and exists(query.get("startDate"))


def is_label(text: object) -> bool:
    """Returns whether a text has 1 to 40 characters, all of which are shown, and no comma."""
    return not isinstance(text, str) or 1 <= len(text.strip()) <= 40 and text.isprintable() and "," not in text


def day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def exists(moment: object) -> bool:
    """Returns whether a text in the form of a date is an existing date, and not in the first or last year."""
    if not isinstance(moment, str) or not re.match(r"\d{4}-\d{2}-\d{2}", moment, re.ASCII):
        return True
    try:
        return 1 < day(moment[:10]).year < 9999
    except ValueError:
        return False
