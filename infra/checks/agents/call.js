// Uses the service with an official client: node call.js sdk|client ADDRESS, with the key in API_KEY. The package `sdk`
// begins with a handshake; `client` finds the newest revision that the service has.
const [, , name, address] = process.argv;
const { Client, StreamableHTTPClientTransport } =
  name === "client"
    ? require("@modelcontextprotocol/client")
    : {
        ...require("@modelcontextprotocol/sdk/client/index.js"),
        ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      };

async function main() {
  const headers = { Authorization: `Bearer ${process.env.API_KEY}` };
  const options = name === "client" ? { versionNegotiation: { mode: "auto" } } : {};
  const client = new Client({ name: "check", version: "1" }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  const answer = await client.callTool({ name: "list_tenants", arguments: {} });
  const refused = await client.callTool({ name: "report", arguments: { reportId: "rpt_unknown" } });
  await client.close();
  const { data } = answer.structuredContent;
  console.log(JSON.stringify({ tools, data, isRefused: refused.isError }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
