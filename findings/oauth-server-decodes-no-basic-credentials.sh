#!/bin/sh
# A right client secret with "-" or "_" is invalid_client at a server that decodes no HTTP Basic.
#
# Versions: openid-client 6.9.0 and @node-oauth/oauth2-server 5.3.0 (npm), run 2026-11-29.
# Behaviour: RFC 6749, 2.3.1 has a client form-encode its id and its secret before it makes the
# header of HTTP Basic. openid-client encodes "-", "_", "." and "~" too, which the form encoding
# allows and few expect. @node-oauth/oauth2-server decodes nothing, so it compares "a%2Db%5Fc" with
# "a-b_c". The same secret sent as it is opens. Whoever meets `invalid_client` looks for a typing
# mistake first; the cause is the encoding, so a client needs a setting for such servers.
# Output seen:
#   encoded: the server saw ["desk","a%2Db%5Fc"]: invalid_client
#   unencoded: the server saw ["desk","a-b_c"]: token
# Source: RFC 6749, section 2.3.1 and appendix B; both packages' own code.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --ignore-scripts \
  @node-oauth/oauth2-server@5.3.0 openid-client@6.9.0 >/dev/null
cat >run.mjs <<'M'
import { createServer } from "node:http";
import OAuth2Server from "@node-oauth/oauth2-server";
import * as client from "openid-client";

const SECRET = "a-b_c";
let seen = [];
const model = {
  getClient: (id, secret) => {
    seen = [id, secret];
    return secret === SECRET ? { id, grants: ["client_credentials"] } : null;
  },
  getUserFromClient: () => ({}),
  saveToken: (token, of, user) => ({ ...token, client: of, user }),
  validateScope: () => [],
};
const oauth = new OAuth2Server({ model });
const server = createServer(async (incoming, outgoing) => {
  let text = "";
  for await (const part of incoming) text += part;
  const { headers, method } = incoming;
  const body = Object.fromEntries(new URLSearchParams(text));
  const request = new OAuth2Server.Request({ headers, method, query: {}, body });
  const response = new OAuth2Server.Response({});
  await oauth.token(request, response).catch(() => {});
  outgoing.writeHead(response.status ?? 200, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(response.body));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const ways = {
  encoded: client.ClientSecretBasic(SECRET),
  unencoded: (_as, _client, _body, headers) =>
    headers.set("authorization", `Basic ${btoa(`desk:${SECRET}`)}`),
};
for (const [name, way] of Object.entries(ways)) {
  const known = { issuer, token_endpoint: `${issuer}/token` };
  const config = new client.Configuration(known, "desk", {}, way);
  client.allowInsecureRequests(config);
  const answer = await client.clientCredentialsGrant(config).then(() => "token", (e) => e.error);
  console.log(`${name}: the server saw ${JSON.stringify(seen)}: ${answer}`);
}
server.close();
M
node run.mjs >seen
cat seen
printf '%s\n' \
  'encoded: the server saw ["desk","a%2Db%5Fc"]: invalid_client' \
  'unencoded: the server saw ["desk","a-b_c"]: token' | diff - seen
