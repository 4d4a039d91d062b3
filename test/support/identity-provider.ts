/** A stand-in of an identity provider on a real socket, which does what it should, or lies. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as jose from "jose";
import { openOutbound } from "../../src/kernel/outbound/open-outbound.ts";
import type { TestDesk } from "./desk.ts";
import { call } from "./people.ts";
import { type Browser, bySession, cookieOf } from "./sign-in.ts";

/** By which address browsers of these tests come. */
export const HOST = "localhost:3000";

type Claims = Record<string, unknown>;

/** What a stand-in makes of its answers; what is not set is as it should be. */
export interface Lies {
  metadata?: Claims;
  claims?: Claims;
  /** The whole token. */
  idToken?: (claims: Claims) => Promise<string>;
  /** What is answered at a path in place of all else. */
  answer?: (path: string) => Response | Promise<Response> | undefined;
  /** What its UserInfo endpoint says beside the subject; absent: it has none. */
  userInfo?: Claims;
  /** True: tokens come with a refresh token, which is good for one use. */
  refreshes?: boolean;
  /** How it knows its client: by basic credentials, encoded or not, in the form, or by its key. */
  knows?: "encoded" | "plain" | "form" | "key";
  /** Where it reads the client's keys. */
  clientKeys?: () => Promise<jose.JSONWebKeySet>;
  /** True: it takes pushed requests alone. */
  pushed?: boolean;
}

/** A stand-in. */
export interface StandIn extends AsyncDisposable {
  readonly issuer: string;
  readonly host: string;
  /** The paths that were asked for, in their order. */
  readonly asked: string[];
  lies: Lies;
  /** Subjects that are disabled there. */
  readonly disabled: Set<string>;
  /** Somebody signs in there; gives what stands behind the `?` of where they come back. */
  authorize(url: string, claims: Claims): string;
  /** Other keys from now on. */
  changeKeys(): Promise<void>;
  logoutToken(claims: Claims, header?: { alg?: string; typ?: string }): Promise<string>;
}

/** The client at it. */
export const CLIENT = { client_id: "keydesk-console", client_secret: "a secret of both" };

interface Given {
  claims: Claims;
  challenge: string;
  redirect: string;
}

/** Whether a call of the token endpoint, or of another, is the client's. */
async function isClient(request: Request, form: URLSearchParams, lies: Lies): Promise<boolean> {
  const { client_id, client_secret } = CLIENT;
  if (lies.knows === "key") {
    const keys = await lies.clientKeys?.();
    const assertion = form.get("client_assertion") ?? "";
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    if (!keys || form.get("client_assertion_type") !== type) return false;
    const set = jose.createLocalJWKSet(keys);
    const subject = { issuer: client_id, subject: client_id, algorithms: ["RS256"] };
    return await jose.jwtVerify(assertion, set, subject).then(() => true, () => false);
  }
  if (lies.knows === "form") {
    return form.get("client_id") === client_id && form.get("client_secret") === client_secret;
  }
  const basic = atob((request.headers.get("authorization") ?? "").replace("Basic ", ""));
  // Encoded as forms are, each (RFC 6749, 2.3.1).
  const [id, secret] = basic.split(":").map((one) =>
    lies.knows === "plain" ? one : decodeURIComponent(one.replaceAll("+", " "))
  );
  return id === client_id && secret === client_secret;
}

/** Starts one on a free port of this machine. */
export async function standIn(now: () => number = Date.now): Promise<StandIn> {
  let n = 0;
  let pair = await jose.generateKeyPair("ES256", { extractable: true });
  let kid = "key-1";
  const given = new Map<string, Given>();
  const asked: string[] = [];
  const sign = (claims: Claims, header: { alg?: string; typ?: string } = {}) =>
    new jose.SignJWT(claims).setProtectedHeader({ alg: "ES256", kid, ...header })
      .sign(pair.privateKey);
  const refreshes = new Map<string, Claims>();
  const pushed = new Map<string, URLSearchParams>();
  const accesses = new Map<string, string>();
  const tokens = async (claims: Claims): Promise<Response> => {
    const all = { ...claims, ...made.lies.claims };
    const id_token = await (made.lies.idToken ?? sign)(all);
    const access_token = `access-${++n}`;
    accesses.set(access_token, String(all.sub));
    const refresh_token = `refresh-${++n}`;
    if (made.lies.refreshes) refreshes.set(refresh_token, claims);
    const more = made.lies.refreshes ? { refresh_token } : {};
    return Response.json({ access_token, token_type: "Bearer", expires_in: 60, id_token, ...more });
  };
  const refresh = async (form: URLSearchParams): Promise<Response> => {
    const before = refreshes.get(form.get("refresh_token") ?? "");
    refreshes.delete(form.get("refresh_token") ?? "");
    if (!before || made.disabled.has(String(before.sub))) {
      const error_description = before ? "User disabled" : "Token is not active";
      return Response.json({ error: "invalid_grant", error_description }, { status: 400 });
    }
    const iat = Math.floor(now() / 1000);
    const { nonce: _, ...claims } = before;
    return await tokens({ ...claims, iat, exp: iat + 300 });
  };
  const token = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const known = await isClient(request, form, made.lies);
    if (!known) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    if (form.get("grant_type") === "refresh_token") return await refresh(form);
    const code = given.get(form.get("code") ?? "");
    given.delete(form.get("code") ?? "");
    const verifier = form.get("code_verifier") ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const isGood = known && code?.challenge === challenge &&
      code.redirect === form.get("redirect_uri");
    if (!code || !isGood) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const iat = Math.floor(now() / 1000);
    const claims = { iss: made.issuer, aud: CLIENT.client_id, iat, exp: iat + 300, ...code.claims };
    return await tokens(claims);
  };
  const push = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    if (!await isClient(request, form, made.lies)) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const request_uri = `urn:ietf:params:oauth:request_uri:${++n}`;
    pushed.set(request_uri, form);
    return Response.json({ request_uri, expires_in: 60 }, { status: 201 });
  };
  const userInfo = (request: Request): Response => {
    const bearer = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
    const sub = accesses.get(bearer);
    if (sub === undefined) return new Response(null, { status: 401 });
    return Response.json({ sub, ...made.lies.userInfo });
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const path = new URL(request.url).pathname;
      asked.push(path);
      const lie = await made.lies.answer?.(path);
      if (lie) return lie;
      if (path === "/token") return await token(request);
      if (path === "/par") return await push(request);
      if (path === "/userinfo" && made.lies.userInfo) return userInfo(request);
      if (path === "/jwks") {
        const key = await jose.exportJWK(pair.publicKey);
        return Response.json({ keys: [{ ...key, kid, alg: "ES256", use: "sig" }] });
      }
      return Response.json({
        issuer: made.issuer,
        authorization_endpoint: `${made.issuer}/authorize`,
        token_endpoint: `${made.issuer}/token`,
        jwks_uri: `${made.issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
        authorization_response_iss_parameter_supported: true,
        ...made.lies.userInfo ? { userinfo_endpoint: `${made.issuer}/userinfo` } : {},
        ...made.lies.pushed
          ? {
            require_pushed_authorization_requests: true,
            pushed_authorization_request_endpoint: `${made.issuer}/par`,
          }
          : {},
        ...made.lies.metadata,
      });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const made: StandIn = {
    host,
    issuer: `http://${host}`,
    asked,
    lies: {},
    disabled: new Set(),
    authorize: (text, claims) => {
      const url = new URL(text);
      assert.equal(url.origin + url.pathname, `${made.issuer}/authorize`);
      const byName = url.searchParams.get("request_uri");
      if (made.lies.pushed) assert.equal(url.searchParams.has("nonce"), false);
      const asking = Object.fromEntries(pushed.get(byName ?? "") ?? url.searchParams);
      assert.equal(asking.code_challenge_method, "S256");
      const { nonce, state = "", code_challenge: challenge = "", redirect_uri = "" } = asking;
      const code = `code-${++n}`;
      // Whoever is asked how old a sign-in may be says when it was (OpenID Connect Core 1.0, 2).
      const seen = asking.max_age === undefined ? {} : { auth_time: Math.floor(now() / 1000) };
      const all = { nonce, ...seen, ...claims };
      given.set(code, { claims: all, challenge, redirect: redirect_uri });
      return new URLSearchParams({ code, state, iss: made.issuer }).toString();
    },
    changeKeys: async () => {
      pair = await jose.generateKeyPair("ES256", { extractable: true });
      kid = "key-2";
    },
    logoutToken: (claims, header) => {
      const iat = Math.floor(now() / 1000);
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      const whole = { iss: made.issuer, aud: CLIENT.client_id, iat, exp: iat + 60, events };
      return sign({ ...whole, jti: `jti-${++n}`, ...claims }, { typ: "logout+jwt", ...header });
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return made;
}

/** What is set of a stand-in where a test says no more. */
export const TERMS = {
  name: "Veldhaven Transit",
  ...CLIENT,
  domains: [],
  groups: [
    { group: "desk", permissions: ["portal:read", "approve"] },
    { group: "admins", permissions: ["admin"] },
  ],
  creates_people: true,
};

/** Lets a desk call it, and adds it to the desk's organisation. */
export async function addProvider(
  desk: TestDesk,
  { issuer, host }: StandIn,
  more: Record<string, unknown> = {},
): Promise<string> {
  reach(desk, host);
  const made = await call(desk, "POST", "/v1/identity-providers", { issuer, ...TERMS, ...more });
  assert.equal(typeof made.id, "string", JSON.stringify(made));
  return made.id;
}

/** Lets a desk call these hosts and no others. */
export function reach(desk: TestDesk, ...entries: string[]): void {
  (desk.app.ctx as { outbound: unknown }).outbound = openOutbound({ entries });
}

/** A browser that is on its way to a provider. */
export interface Away {
  url: string;
  cookie: string;
}

/** Sends a browser to a provider. */
export async function begin(desk: TestDesk, id: string, fresh = false): Promise<Away> {
  const init = { credential: null, headers: { host: HOST }, body: { fresh } };
  const response = await desk.send("POST", `/v1/session/provider/${id}`, init);
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  return { url: body.url, cookie: cookieOf(response) };
}

/** The call by which a browser is back. */
export async function finish(
  desk: TestDesk,
  id: string,
  answer: string,
  cookie: string,
): Promise<Response> {
  const init = { credential: null, headers: { host: HOST, cookie }, body: { answer } };
  return await desk.send("POST", `/v1/session/provider/${id}/answer`, init);
}

/** The whole way: there, signed in with these claims, and back. */
export async function come(
  desk: TestDesk,
  provider: StandIn,
  id: string,
  claims: Claims,
  fresh = false,
): Promise<Response> {
  const { url, cookie } = await begin(desk, id, fresh);
  return await finish(desk, id, provider.authorize(url, claims), cookie);
}

/** The session that it ends with. */
export async function enter(
  desk: TestDesk,
  provider: StandIn,
  id: string,
  claims: Claims,
  fresh = false,
  // deno-lint-ignore no-explicit-any -- a session
): Promise<Browser & { session: any }> {
  const response = await come(desk, provider, id, claims, fresh);
  const session = await response.json();
  assert.equal(response.status, 200, JSON.stringify(session));
  return { cookie: cookieOf(response), csrf: session.csrf_token, session };
}

/** Links an account to the person of a session. */
export async function link(
  desk: TestDesk,
  provider: StandIn,
  id: string,
  browser: Browser,
  claims: Claims,
): Promise<Response> {
  const path = `/v1/identity-providers/${id}/link`;
  const headers = { host: HOST };
  const away = await bySession(desk, browser, "POST", path, undefined, headers);
  const { url } = await away.json();
  assert.equal(away.status, 200);
  const answer = provider.authorize(url, claims);
  const both = `${browser.cookie}; ${cookieOf(away)}`;
  return await bySession(
    desk,
    { ...browser, cookie: both },
    "POST",
    `${path}/answer`,
    { answer },
    headers,
  );
}
