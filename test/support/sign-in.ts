import assert from "node:assert/strict";
import { findTokenByHash } from "../../src/features/people/access-tokens.store.ts";
import { addSignInCode } from "../../src/features/people/sessions.transactions.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import type { TestDesk } from "./desk.ts";

/**
 * Lets this code sign in, once, as the holder of a credential; the first administrator by default.
 */
export async function addCode(
  desk: TestDesk,
  code: string,
  credential: string = desk.admin,
): Promise<void> {
  const { storage, clock } = desk.app.ctx;
  const token = await findTokenByHash(storage.reader, { hash: sha256(credential) });
  assert.ok(token);
  const { org_id, id: token_id } = token;
  const actor = { org_id, user_id: "operator", token_id: "operator", now: clock.now() };
  await storage.commit(addSignInCode, { actor, token_id, hash: sha256(code) });
}

/** What a browser holds after it signed in. */
export interface Browser {
  /** The Cookie header that it sends. */
  cookie: string;
  csrf: string;
}

/** Signs in with an access token or a code. */
export async function signIn(
  desk: TestDesk,
  body: { credential: string } | { code: string },
): Promise<Browser> {
  const sent = "code" in body ? body : { access_token: body.credential };
  const response = await desk.send("POST", "/v1/session", { credential: null, body: sent });
  const { csrf_token } = await response.json();
  assert.equal(response.status, 200);
  return { cookie: cookieOf(response), csrf: csrf_token };
}

/** The cookie that a response sets, as a browser sends it back. */
export function cookieOf(response: Response): string {
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

/** Calls by session: GET with the cookie alone, anything else with its token too. */
export async function bySession(
  desk: TestDesk,
  { cookie, csrf }: Browser,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const token: Record<string, string> = method === "GET" ? {} : { "x-csrf-token": csrf };
  const all = { cookie, ...token, ...headers };
  return await desk.send(method, path, { credential: null, body, headers: all });
}

/** A call of `/v1` by a fresh session of whoever has this access token; gives its answer. */
export async function callInPerson(
  desk: TestDesk,
  method: string,
  path: string,
  body?: unknown,
  credential: string = desk.admin,
  // deno-lint-ignore no-explicit-any -- tests look at members of many shapes
): Promise<any> {
  const browser = await signIn(desk, { credential });
  const response = await bySession(desk, browser, method, path, body);
  const answer = await response.json();
  assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/**
 * The same at the address of a server. Says yes to what an access token added there, such as a
 * gateway.
 */
export async function fetchInPerson(
  url: string,
  credential: string,
  path: string,
  body: unknown,
  // deno-lint-ignore no-explicit-any -- as above
): Promise<any> {
  const send = (to: string, json: unknown, headers: Record<string, string>) =>
    fetch(new URL(to, url), { method: "POST", body: JSON.stringify(json), headers });
  const signedIn = await send("/v1/session", { access_token: credential }, {});
  const { csrf_token } = await signedIn.json();
  const headers = { cookie: cookieOf(signedIn), "x-csrf-token": csrf_token };
  const response = await send(path, body, headers);
  const answer = await response.json();
  assert.equal(response.status, 200, `${path}: ${JSON.stringify(answer)}`);
  return answer;
}
