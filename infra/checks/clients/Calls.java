import java.time.LocalDate;
import java.time.ZoneOffset;

import org.openapitools.client.ApiClient;
import org.openapitools.client.api.BetaApi;
import org.openapitools.client.api.V1Api;
import org.openapitools.client.model.PostureReportSummary;

/** Calls every endpoint with the generated client, with and without each parameter. */
public class Calls {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    String key = System.getenv("API_KEY");
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    String tenant = System.getenv("TENANT_ID");
    V1Api v1 = new V1Api(client);
    equal(v1.listTenants().getTotalTenants(), 3);
    equal(v1.listPostureReports(null, null, null, null, null).getTotalReports(), 3);
    equal(v1.listPostureReports(tenant, null, null, null, null).getTotalReports(), 1);
    equal(v1.listPostureReports(null, false, null, null, null).getTotalReports(), 5);
    equal(v1.listPostureReports(null, null, "2999-01-01", null, null).getTotalReports(), 0);
    equal(v1.listPostureReports(null, null, null, 1, null).getTotalReports(), 1);
    String next = v1.listPostureReports(null, false, null, 3, null).getNextCursor();
    equal(v1.listPostureReports(null, false, null, 3, next).getTotalReports(), 2);
    PostureReportSummary report = v1.listReportSummaries(tenant, true, "2000-01-01", 1, null).getReports().get(0);
    next = v1.listReportSummaries(null, false, null, 3, null).getNextCursor();
    equal(v1.listReportSummaries(null, false, null, 3, next).getTotalReports(), 2);
    equal(v1.listReportSummaries(null, null, null, null, null).getTotalReports(), 3);
    var control = v1.listControls(null, null, null, null, 1, null).getControls().get(0);
    equal(v1.getControl(control.getControlId(), control.getTool(), null, null, 500, null).getName(), control.getName());
    next = v1.listEvents(tenant, null, "2000-01-01", 1, null).getNextCursor();
    equal(v1.listEvents(tenant, null, "2000-01-01", 1, next).getTotalEvents() >= 0, true);
    equal(v1.getPostureReport(report.getId()).getScore(), report.getScore());
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    equal(v1.getUsage(null).getAsOf(), today);
    equal(v1.getUsage(today).getAsOf(), today);
    equal(new BetaApi(client).listBillableUsers(tenant).getTotalBillableUsers() > 0, true);
  }

  private static void equal(Object found, Object expected) {
    if (!expected.equals(found)) {
      throw new AssertionError(found + " instead of " + expected);
    }
  }
}
