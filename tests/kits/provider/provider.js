// A real identity provider on loopback for the tests: oidc-provider, a certified OpenID Connect server. It prints its
// address. Whoever signs in is who they say (`devInteractions`); their groups are in the name, such as `ada+editors`.
import { createServer } from "node:http";
import Provider from "oidc-provider";

const [returnsTo, home] = process.argv.slice(2);
const client = (id) => ({
  client_id: id,
  client_secret: "a-secret-of-the-tests",
  redirect_uris: [returnsTo],
  post_logout_redirect_uris: [home],
});
const now = Date.now;
Date.now = () => now() - 1000 * Number(process.env.SECONDS_SLOW ?? 0);
const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [client("medground"), client("other")],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"] },
    conformIdTokenClaims: process.env.GROUPS_IN_USERINFO === "1",
    pkce: { required: () => true },
    ttl: { IdToken: 60, AccessToken: 600, AuthorizationCode: 60, Session: 7200, Interaction: 7200, Grant: 7200 },
    findAccount: (ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, preferred_username: id.split("+")[0], groups: id.split("+").slice(1) }),
    }),
    features: { devInteractions: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  });
  server.on("request", provider.callback());
  console.log(issuer);
});
