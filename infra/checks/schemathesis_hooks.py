"""What Schemathesis has to know beside the OpenAPI document."""

import datetime

import schemathesis


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Leaves out days to come: that they are refused is nothing that a schema can say."""
    try:
        day = datetime.date.fromisoformat((case.query or {})["asOf"])
    except (KeyError, TypeError, ValueError):
        return True
    return day <= datetime.datetime.now(datetime.UTC).date()
