// Calls every endpoint with the generated client, with and without each parameter.
import { strict as assert } from "node:assert";

import { BetaApi, Configuration, V1Api } from "./index";

const settings = new Configuration({ basePath: process.env.BASE_URL, accessToken: process.env.API_KEY });
const tenantId = process.env.TENANT_ID!;
const [v1, beta] = [new V1Api(settings), new BetaApi(settings)];

async function main(): Promise<void> {
  assert.equal((await v1.listTenants()).totalTenants, 3);
  assert.equal((await v1.listPostureReports()).totalReports, 3);
  assert.equal((await v1.listPostureReports({ tenantId })).totalReports, 1);
  assert.equal((await v1.listPostureReports({ latestOnly: false })).totalReports, 5);
  assert.equal((await v1.listPostureReports({ startDate: "2999-01-01" })).totalReports, 0);
  assert.equal((await v1.listPostureReports({ limit: 1 })).totalReports, 1);
  const first = await v1.listPostureReports({ latestOnly: false, limit: 3 });
  const second = await v1.listPostureReports({ latestOnly: false, limit: 3, cursor: first.nextCursor! });
  assert.deepEqual([second.totalReports, second.nextCursor], [2, null]);
  const [report] = (await v1.listReportSummaries({ tenantId, latestOnly: true, startDate: "2000-01-01", limit: 1 })).reports;
  const { nextCursor } = await v1.listReportSummaries({ latestOnly: false, limit: 3 });
  const rest = await v1.listReportSummaries({ latestOnly: false, limit: 3, cursor: nextCursor! });
  assert.deepEqual([rest.totalReports, (await v1.listReportSummaries()).totalReports], [2, 3]);
  const control = (await v1.listControls({ limit: 1 })).controls[0]!;
  assert.equal((await v1.getControl({ controlId: control.controlId, tool: control.tool })).name, control.name);
  const events = await v1.listEvents({ tenantId, startDate: "2000-01-01", limit: 1 });
  const following = await v1.listEvents({ tenantId, startDate: "2000-01-01", limit: 1, cursor: events.nextCursor });
  assert.equal(following.events.length, following.totalEvents);
  assert.equal((await v1.getPostureReport({ reportId: report.id })).score, report.score);
  assert.equal((await v1.getUsage()).totalTenants, 3);
  assert.equal((await v1.getUsage({ asOf: new Date() })).totalTenants, 3);
  assert.ok((await beta.listBillableUsers({ tenantId })).totalBillableUsers > 0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
