import assert from "node:assert/strict";
import { codeOfStep, stepAt } from "../../src/features/people/one-time-code.ts";
import type { TestDesk } from "./desk.ts";
import { type Browser, bySession, cookieOf } from "./sign-in.ts";

/** An authenticator app, with the recovery codes that came with it. */
export interface App {
  secret: string;
  recovery: string[];
  /** What it shows so many steps from now: the next, which counts already, by default. */
  code(steps?: number): string;
}

/** A secret that a session is shown. */
export async function beginCodes(
  desk: TestDesk,
  browser: Browser,
): Promise<{ secret: string; ticket: string; uri: string; expires_at: string }> {
  const response = await bySession(desk, browser, "POST", "/v1/one-time-codes/secret");
  const given = await response.json();
  assert.equal(response.status, 200, JSON.stringify(given));
  return given;
}

/** What an app with this secret shows, so many steps from now. */
export function codeNow(desk: TestDesk, secret: string, steps = 0): string {
  return codeOfStep(secret, stepAt(desk.app.ctx.clock.now()) + steps);
}

/** Sets up one-time codes of the person of a session, by the code of this moment. */
export async function setUpCodes(desk: TestDesk, browser: Browser): Promise<App> {
  const { secret, ticket } = await beginCodes(desk, browser);
  const body = { ticket, code: codeNow(desk, secret) };
  const response = await bySession(desk, browser, "POST", "/v1/one-time-codes", body);
  const made = await response.json();
  assert.equal(response.status, 200, JSON.stringify(made));
  return { secret, recovery: made.codes, code: (steps = 1) => codeNow(desk, secret, steps) };
}

/** The call that signs in by an access token, with a code where one is given. */
export async function presentCode(
  desk: TestDesk,
  credential: string,
  one_time_code?: string,
  from?: string,
): Promise<Response> {
  const body = {
    access_token: credential,
    ...one_time_code === undefined ? {} : { one_time_code },
  };
  const init = { credential: null, body, ...from === undefined ? {} : { from } };
  return await desk.send("POST", "/v1/session", init);
}

/** Signs in by an access token and a code. */
export async function signInByCode(
  desk: TestDesk,
  credential: string,
  code: string,
): Promise<Browser> {
  const response = await presentCode(desk, credential, code);
  const session = await response.json();
  assert.equal(response.status, 200, JSON.stringify(session));
  return { cookie: cookieOf(response), csrf: session.csrf_token };
}
