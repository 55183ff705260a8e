"""The function that a user would write instead: a peer to measure against, and no part of the service.

It returns the history of posture reports from a table in which reports are plain items: read by boto3, made JSON by
`json.dumps`, compressed by gzip at level 6. It runs as the other functions do, as a process that asks the Runtime API
for events; and it is spared two limits of Python on the platform, which cannot stream and ends a response at 6 MB.
"""

import gzip
import http.client
import json
import os

import boto3
from boto3.dynamodb.conditions import Key

RUNTIME = "/2018-06-01/runtime/invocation"
KEYS = ("pk", "sk")
TABLE = boto3.resource("dynamodb").Table(os.environ["TABLE_NAME"])


def handler(event: dict) -> dict:
    """The newest reports of the caller's organization."""
    limit = int(event["queryStringParameters"]["limit"])
    reports = [plain(item) for item in newest(event["requestContext"]["authorizer"]["organizationId"], limit)]
    text = json.dumps({"reports": reports, "totalReports": len(reports)}, default=int)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return {"statusCode": 200, "headers": headers, "body": gzip.compress(text.encode(), 6)}


def newest(organization: str, limit: int) -> list[dict]:
    """The organization's newest items, page by page."""
    query = {"KeyConditionExpression": Key("pk").eq(organization), "ScanIndexForward": False, "Limit": limit}
    items = []
    while len(items) < limit:
        page = TABLE.query(**query)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            break
        query |= {"ExclusiveStartKey": page["LastEvaluatedKey"], "Limit": limit - len(items)}
    return items


def plain(item: dict) -> dict:
    """The report without the table's keys."""
    return {name: value for name, value in item.items() if name not in KEYS}


def serve() -> None:
    """Handles events until the platform ends the process."""
    platform = http.client.HTTPConnection(os.environ["AWS_LAMBDA_RUNTIME_API"])
    while True:
        platform.request("GET", f"{RUNTIME}/next")
        response = platform.getresponse()
        request = response.headers["Lambda-Runtime-Aws-Request-Id"]
        result = handler(json.loads(response.read()))
        body = result.pop("body")
        platform.request("POST", f"{RUNTIME}/{request}/response", json.dumps(result).encode() + bytes(8) + body)
        platform.getresponse().read()


if __name__ == "__main__":
    serve()
