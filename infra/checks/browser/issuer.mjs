// An OpenID Connect issuer that is not ours: npm's oidc-provider, with its own pages, on PORT. Any name may sign in.
import { createRequire } from "node:module";

// The packages are installed elsewhere, so that no folder of the project holds them.
const { default: Provider } = await import(createRequire(`${process.env.PACKAGES}/`).resolve("oidc-provider"));

const { PORT, CLIENT_ID, CLIENT_SECRET, DASHBOARD } = process.env;
const provider = new Provider(`http://localhost:${PORT}`, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${DASHBOARD}/sign-in/callback`],
      post_logout_redirect_uris: [`${DASHBOARD}/signed-out`],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  claims: { openid: ["sub"], email: ["email"], profile: ["name"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  cookies: { keys: ["of-a-test"] },
  findAccount: async (_, id) => ({
    accountId: id,
    claims: async () => ({ sub: id, email: `${id}@northwind.example`, name: `Priya ${id}` }),
  }),
});
provider.listen(Number(PORT), "127.0.0.1");
