// A real OpenID provider in a process of its own: `oidc-provider` of npm, on a free port of this
// machine. It says where it is on its first line, and begins once it was told its client by
// `POST /client`, since a desk knows the redirect URI once the provider was added. Whatever name
// somebody signs in with is their subject; what stands behind a `+` in it is their group. As it is
// by default, claims come from the UserInfo endpoint alone. `POST /disable` and `POST /groupless`
// disable whoever they name, and take their groups away.

import { createServer } from "node:http";
import process from "node:process";
import { Provider } from "oidc-provider";

let handle;

const disabled = new Set();
const groupless = new Set();

const server = createServer((request, response) => {
  const told = { "/client": client, "/disable": disable, "/groupless": takeGroups }[request.url];
  if (!told) return handle(request, response);
  let text = "";
  request.on("data", (part) => text += part);
  request.on("end", () => {
    told(JSON.parse(text));
    response.end("{}");
  });
});

server.listen(0, "127.0.0.1", () => process.stdout.write(`${issuer()}\n`));

function client(given) {
  handle = providerOf(given).callback();
}

function disable({ sub }) {
  disabled.add(sub);
}

function takeGroups({ sub }) {
  groupless.add(sub);
}

function issuer() {
  return `http://127.0.0.1:${server.address().port}`;
}

function providerOf(client) {
  return new Provider(issuer(), {
    clients: [{
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...client,
    }],
    claims: { openid: ["sub"], profile: ["name", "groups"], email: ["email"] },
    findAccount: (_, id) =>
      disabled.has(id) ? undefined : ({
        accountId: id,
        claims: () => {
          const [name, ...groups] = id.split("+");
          return { sub: id, name, groups: groupless.has(id) ? [] : groups };
        },
      }),
    features: { backchannelLogout: { enabled: true } },
    // Its own way out refuses addresses of this machine, where the desk is.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    cookies: { keys: ["only of this test"] },
  });
}
