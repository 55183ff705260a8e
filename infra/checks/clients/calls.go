// Calls every endpoint with the generated client, with and without each parameter.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"posture"
)

func main() {
	settings := posture.NewConfiguration()
	settings.Servers = posture.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("API_KEY"))
	client, key, tenant := posture.NewAPIClient(settings), context.Background(), os.Getenv("TENANT_ID")
	tenants, _, err := client.V1API.ListTenants(key).Execute()
	check(err, tenants.GetTotalTenants() == 3)
	for _, asked := range []struct {
		request posture.ApiListPostureReportsRequest
		reports int32
	}{
		{client.V1API.ListPostureReports(key), 3},
		{client.V1API.ListPostureReports(key).TenantId(tenant), 1},
		{client.V1API.ListPostureReports(key).LatestOnly(false), 5},
		{client.V1API.ListPostureReports(key).StartDate("2999-01-01"), 0},
		{client.V1API.ListPostureReports(key).Limit(1), 1},
	} {
		response, _, err := asked.request.Execute()
		check(err, response.GetTotalReports() == asked.reports)
	}
	page, _, err := client.V1API.ListPostureReports(key).LatestOnly(false).Limit(3).Execute()
	check(err, page.NextCursor.IsSet())
	page, _, err = client.V1API.ListPostureReports(key).LatestOnly(false).Limit(3).Cursor(page.GetNextCursor()).Execute()
	check(err, page.GetTotalReports() == 2 && page.NextCursor.Get() == nil)
	summaries, _, err := client.V1API.ListReportSummaries(key).TenantId(tenant).LatestOnly(true).StartDate("2000-01-01").Limit(1).Execute()
	check(err, summaries.GetTotalReports() == 1)
	report, _, err := client.V1API.GetPostureReport(key, summaries.GetReports()[0].GetId()).Execute()
	check(err, report.GetScore() == summaries.GetReports()[0].GetScore())
	summaries, _, err = client.V1API.ListReportSummaries(key).LatestOnly(false).Limit(3).Execute()
	check(err, summaries.NextCursor.IsSet())
	summaries, _, err = client.V1API.ListReportSummaries(key).LatestOnly(false).Limit(3).Cursor(summaries.GetNextCursor()).Execute()
	check(err, summaries.GetTotalReports() == 2)
	summaries, _, err = client.V1API.ListReportSummaries(key).Execute()
	check(err, summaries.GetTotalReports() == 3)
	controls, _, err := client.V1API.ListControls(key).Limit(1).Execute()
	check(err, controls.GetTotalControls() == 1)
	control, _, err := client.V1API.GetControl(key, controls.GetControls()[0].GetControlId()).Tool(controls.GetControls()[0].GetTool()).Execute()
	check(err, control.GetTotalTenants() > 0)
	events, _, err := client.V1API.ListEvents(key).TenantId(tenant).StartDate("2000-01-01").Limit(1).Execute()
	check(err, events.GetNextCursor() != "")
	events, _, err = client.V1API.ListEvents(key).TenantId(tenant).StartDate("2000-01-01").Limit(1).Cursor(events.GetNextCursor()).Execute()
	check(err, len(events.GetEvents()) == int(events.GetTotalEvents()))
	today := time.Now().UTC().Format("2006-01-02")
	for _, request := range []posture.ApiGetUsageRequest{
		client.V1API.GetUsage(key), client.V1API.GetUsage(key).AsOf(today),
	} {
		usage, _, err := request.Execute()
		check(err, usage.GetAsOf() == today)
	}
	users, _, err := client.BetaAPI.ListBillableUsers(key).TenantId(tenant).Execute()
	check(err, users.GetTotalBillableUsers() > 0)
}

func check(err error, right bool) {
	if err != nil || !right {
		log.Fatal("a call failed: ", err)
	}
}
