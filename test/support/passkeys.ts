import assert from "node:assert/strict";
import { Authenticator, type Told } from "./authenticator.ts";
import type { TestDesk } from "./desk.ts";
import { type Browser, bySession, cookieOf } from "./sign-in.ts";

/** By which address browsers of tests come. */
export const HOST = "localhost:3000";
/** What its answers say. */
export const SITE = { origin: `http://${HOST}`, rpId: "localhost" };

/** Adds a passkey to the person of a session, and gives it with its id. */
export async function addPasskey(
  desk: TestDesk,
  browser: Browser,
  name = "Laptop",
): Promise<{ authenticator: Authenticator; id: string; userHandle: string }> {
  const authenticator = new Authenticator();
  const given = await passkeyChallenge(desk, browser);
  const response = await createPasskey(desk, browser, {
    name,
    ticket: given.ticket,
    ...authenticator.create({ ...SITE, challenge: given.challenge }),
  });
  const made = await response.json();
  assert.equal(response.status, 200, JSON.stringify(made));
  return { authenticator, id: made.id, userHandle: given.user_handle };
}

/** The challenge of a session that adds a passkey. */
export async function passkeyChallenge(
  desk: TestDesk,
  browser: Browser,
): Promise<{ ticket: string; challenge: string; user_handle: string }> {
  const headers = { host: HOST };
  const response = await bySession(
    desk,
    browser,
    "POST",
    "/v1/passkeys/challenge",
    undefined,
    headers,
  );
  const given = await response.json();
  assert.equal(response.status, 200, JSON.stringify(given));
  return given;
}

/** The call that adds a passkey. */
export async function createPasskey(
  desk: TestDesk,
  browser: Browser,
  body: unknown,
): Promise<Response> {
  return await bySession(desk, browser, "POST", "/v1/passkeys", body, { host: HOST });
}

/** A challenge of a sign-in, with the cookie that binds it to the browser. */
export async function signInChallenge(
  desk: TestDesk,
): Promise<{ challenge: string; cookie: string }> {
  const init = { credential: null, headers: { host: HOST } };
  const response = await desk.send("POST", "/v1/session/passkey", init);
  const { challenge } = await response.json();
  assert.equal(response.status, 200);
  return { challenge, cookie: cookieOf(response) };
}

/** The call that signs in by a passkey; what its answer says can be falsified. */
export async function presentPasskey(
  desk: TestDesk,
  authenticator: Authenticator,
  { cookie, challenge }: { cookie: string; challenge: string },
  told: Partial<Told> = {},
): Promise<Response> {
  const passkey = authenticator.get({ ...SITE, challenge, ...told });
  const headers = { host: HOST, cookie };
  return await desk.send("POST", "/v1/session", { credential: null, headers, body: { passkey } });
}

/** Signs in by a passkey. */
export async function signInByPasskey(
  desk: TestDesk,
  authenticator: Authenticator,
): Promise<Browser> {
  const response = await presentPasskey(desk, authenticator, await signInChallenge(desk));
  const session = await response.json();
  assert.equal(response.status, 200, JSON.stringify(session));
  return { cookie: cookieOf(response), csrf: session.csrf_token };
}
