/** What identity providers lie about, for whomever they sign in. */
import * as jose from "jose";
import type { FailureCode } from "../../src/kernel/failure-codes.ts";
import { CLIENT, type Lies } from "./identity-provider.ts";

const now = () => Math.floor(Date.now() / 1000);

async function signedBy(alg: "none" | "HS256" | "ES256", claims: Record<string, unknown>) {
  if (alg === "none") {
    const part = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
    return `${part({ alg, kid: "key-1" })}.${part(claims)}.`;
  }
  const key = alg === "HS256"
    ? new TextEncoder().encode(CLIENT.client_secret.padEnd(32, "0"))
    : (await jose.generateKeyPair(alg)).privateKey;
  return await new jose.SignJWT(claims).setProtectedHeader({ alg, kid: "key-1" }).sign(key);
}

/** One answer in place of what it should be. */
export const at = (path: string, answer: () => Response): Lies => ({
  answer: (asked) => asked === path ? answer() : undefined,
});

const elsewhere = (location: string) => () =>
  new Response(null, { status: 302, headers: { location } });

const huge = () => Response.json({ x: "x".repeat(300 * 1024) });
const broken = () => new Response("<html>", { headers: { "content-type": "application/json" } });
/** A provider that is down. */
export const down = () => new Response("down", { status: 502 });
const DISCOVERY = "/.well-known/openid-configuration";

/** What it does, and what becomes of whoever comes by it; `begin`: they do not even get there. */
export const LIES: Readonly<Record<string, [Lies, FailureCode, "begin"?]>> = {
  "another nonce": [{ claims: { nonce: "another" } }, "not_authorised"],
  "no nonce": [{ claims: { nonce: undefined } }, "not_authorised"],
  "another audience": [{ claims: { aud: "another" } }, "not_authorised"],
  "another's audience too": [
    { claims: { aud: [CLIENT.client_id, "another"], azp: "another" } },
    "not_authorised",
  ],
  "another issuer": [{ claims: { iss: "https://evil.example" } }, "not_authorised"],
  "a token that is over": [{ claims: { iat: now() - 7200, exp: now() - 3600 } }, "not_authorised"],
  "no end": [{ claims: { exp: undefined } }, "not_authorised"],
  "a token of later": [{ claims: { nbf: now() + 3600 } }, "not_authorised"],
  "no subject": [{ claims: { sub: undefined } }, "not_authorised"],
  "an empty subject": [{ claims: { sub: "" } }, "not_authorised"],
  "an endless subject": [{ claims: { sub: "x".repeat(256) } }, "not_authorised"],
  "no signature": [{ idToken: (claims) => signedBy("none", claims) }, "not_authorised"],
  "no signature, as it says": [
    {
      idToken: (claims) => signedBy("none", claims),
      metadata: { id_token_signing_alg_values_supported: ["none"] },
    },
    "not_authorised",
  ],
  "a signature by the shared secret": [
    {
      idToken: (claims) => signedBy("HS256", claims),
      metadata: { id_token_signing_alg_values_supported: ["HS256", "ES256"] },
    },
    "not_authorised",
  ],
  "another's key": [{ idToken: (claims) => signedBy("ES256", claims) }, "not_authorised"],
  "no token": [
    at("/token", () => Response.json({ access_token: "x", token_type: "Bearer" })),
    "not_authorised",
  ],
  "no keys": [at("/jwks", () => Response.json({ keys: [] })), "not_authorised"],
  "no JSON at the token's": [at("/token", broken), "not_authorised"],
  "a redirect at the token's": [at("/token", elsewhere("/jwks")), "not_authorised"],
  "a redirect inside": [at("/jwks", elsewhere("http://169.254.169.254/")), "not_authorised"],
  "a huge answer": [at("/token", huge), "provider_away"],
  "huge keys": [at("/jwks", huge), "provider_away"],
  "being down": [at("/token", down), "provider_away"],
  "huge metadata": [at(DISCOVERY, huge), "provider_away", "begin"],
  "metadata elsewhere": [at(DISCOVERY, elsewhere("/jwks")), "provider_away", "begin"],
  "no metadata": [at(DISCOVERY, broken), "provider_away", "begin"],
  "another's metadata": [
    { metadata: { issuer: "https://evil.example" } },
    "provider_away",
    "begin",
  ],
  "a script to go to": [
    { metadata: { authorization_endpoint: "javascript:alert(1)" } },
    "provider_away",
    "begin",
  ],
  "a token's address that nobody named": [
    { metadata: { token_endpoint: "https://169.254.169.254/token" } },
    "provider_away",
  ],
  "plain http elsewhere": [
    { metadata: { jwks_uri: "http://login.example.org/keys" } },
    "provider_away",
    "begin",
  ],
};
