"""The built function makes a set of documents from a message, and serves pages: moto replaces S3, the embedded engine the
table."""

import io
import zipfile

import boto3

import functions
import processes
import project
from test_collect import CREDENTIALS, Runtime

SET = project.EVENTS / "report-pdf" / "set.json"
PAGE = project.EVENTS / "report-pdf" / "signed-out.json"
BUCKET = "assessments-example"
KEY = {"pk": "ORG#org_harbor", "sk": "DOCUMENTS#req_1"}


def test_one_function_makes_a_set_and_serves_pages() -> None:
    functions.build()
    engine, runtime, moto = (processes.free_port() for _ in range(3))
    address = f"http://127.0.0.1:{moto}"
    variables = {
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{runtime}",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_S3": address,
        "ASSESSMENTS_BUCKET": BUCKET,
    }
    with functions.engine(engine), processes.listening(["moto_server", "--port", str(moto)], moto):
        s3 = boto3.client("s3", endpoint_url=address, **CREDENTIALS)
        s3.create_bucket(Bucket=BUCKET)
        table = boto3.resource("dynamodb", endpoint_url=f"http://127.0.0.1:{engine}", **CREDENTIALS).Table(functions.TABLE)
        at = "2026-07-15T12:00:00.000Z"
        item = {"setId": "req_1", "state": "WAITING", "requestedAt": at, "by": "Operator", "changedAt": at}
        item |= {"which": {"label": None, "since": None}, "choice": '{"kind":"board"}', "documents": 0, "done": 0}
        table.put_item(Item=KEY | item | {"missing": 0, "version": 1, "expiresAt": 1 << 40, "v": 2})
        api = Runtime(runtime, SET)
        with functions.function("ReportPdfFunction", engine, 0, variables):
            assert api.asked.wait(processes.PATIENCE)
            assert api.invoke() == {"batchItemFailures": []}
            made = table.get_item(Key=KEY, ConsistentRead=True)["Item"]
            assert (made["state"], made["missing"]) == ("COMPLETED", 0)
            (found,) = s3.list_objects_v2(Bucket=BUCKET)["Contents"]
            assert found["Key"] == "documents/org_harbor/req_1.zip"
            archive = s3.get_object(Bucket=BUCKET, Key=found["Key"])["Body"].read()
            with zipfile.ZipFile(io.BytesIO(archive)) as files:
                assert len(files.namelist()) == made["documents"] > 0
                assert files.testzip() is None
            api.event = PAGE
            assert api.invoke()["statusCode"] == project.expected_response(PAGE)["statusCode"]
        api.shutdown()
