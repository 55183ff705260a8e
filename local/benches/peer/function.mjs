// The function that one would write in Node instead: a peer to measure against, and no part of the service.
//
// It returns the history of posture reports from a table in which reports are plain items: read by the document client,
// made JSON by `JSON.stringify`, compressed by zlib at level 6. It runs as the other functions do, as a process that asks
// the Runtime API for events.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";

const RUNTIME = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const table = DynamoDBDocumentClient.from(new DynamoDBClient());
const compress = promisify(gzip);

/** The newest reports of the caller's organization. */
async function handler(event) {
  const organization = event.requestContext.authorizer.organizationId;
  const reports = await newest(organization, Number(event.queryStringParameters.limit));
  const body = await compress(JSON.stringify({ reports, totalReports: reports.length }));
  return { statusCode: 200, headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" }, body };
}

/** The organization's newest items without the table's keys, page by page. */
async function newest(organization, limit) {
  const reports = [];
  let last;
  do {
    const page = await table.send(
      new QueryCommand({
        TableName: process.env.TABLE_NAME,
        KeyConditionExpression: "pk = :organization",
        ExpressionAttributeValues: { ":organization": organization },
        ScanIndexForward: false,
        Limit: limit - reports.length,
        ExclusiveStartKey: last,
      }),
    );
    reports.push(...page.Items.map(({ pk, sk, ...report }) => report));
    last = page.LastEvaluatedKey;
  } while (last && reports.length < limit);
  return reports;
}

for (;;) {
  const next = await fetch(`${RUNTIME}/next`);
  const request = next.headers.get("lambda-runtime-aws-request-id");
  const { body, ...head } = await handler(await next.json());
  const posted = Buffer.concat([Buffer.from(JSON.stringify(head)), Buffer.alloc(8), body]);
  const taken = await fetch(`${RUNTIME}/${request}/response`, { method: "POST", body: posted });
  await taken.arrayBuffer();
}
