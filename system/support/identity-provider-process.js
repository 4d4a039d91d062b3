// A real OpenID provider in a process of its own: `oidc-provider` of npm, on a free port of this
// machine. It says where it is on its first line, and begins once it was told its client by
// `POST /client`, since a desk knows the redirect URI once the provider was added. Whatever name
// somebody signs in with is their subject; what stands behind a `+` in it is their group. As it is
// by default, claims come from the UserInfo endpoint alone. `POST /disable` and `POST /groupless`
// disable whoever they name, and take their groups away. `TLS_FOLDER` names a folder with `ca.pem`,
// `server.pem` and `server.key`: then it speaks TLS, and clients may prove themselves by a
// certificate of that authority (RFC 8705, 2.1).

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join } from "node:path";
import process from "node:process";
import { Provider } from "oidc-provider";

let handle;

const disabled = new Set();
const groupless = new Set();

const folder = process.env.TLS_FOLDER;

const answer = (request, response) => {
  const told = { "/client": client, "/disable": disable, "/groupless": takeGroups }[request.url];
  if (!told) return handle(request, response);
  let text = "";
  request.on("data", (part) => text += part);
  request.on("end", () => {
    told(JSON.parse(text));
    response.end("{}");
  });
};

const server = folder === undefined
  ? createServer(answer)
  : createTlsServer({ ...tls(), requestCert: true, rejectUnauthorized: false }, answer);

server.listen(0, "127.0.0.1", () => process.stdout.write(`${issuer()}\n`));

function tls() {
  const read = (name) => readFileSync(join(folder, name));
  return { ca: read("ca.pem"), cert: read("server.pem"), key: read("server.key") };
}

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
  return `${folder === undefined ? "http" : "https"}://127.0.0.1:${server.address().port}`;
}

/** The name in a certificate of the authority is the client's `tls_client_auth_subject_dn`. */
const mTLS = {
  enabled: true,
  tlsClientAuth: true,
  getCertificate: ({ req }) => {
    const { raw } = req.socket.getPeerCertificate();
    const body = raw?.toString("base64").replaceAll(/.{1,64}/g, "$&\n");
    return body && `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`;
  },
  certificateAuthorized: ({ req }) => req.socket.authorized,
  certificateSubjectMatches: ({ req }, _property, expected) =>
    `CN=${req.socket.getPeerCertificate().subject?.CN}` === expected,
};

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
    features: {
      backchannelLogout: { enabled: true },
      ...folder === undefined ? {} : { mTLS },
    },
    ...folder === undefined ? {} : { clientAuthMethods: ["tls_client_auth"] },
    // Its own way out refuses addresses of this machine, where the desk is.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    cookies: { keys: ["only of this test"] },
  });
}
