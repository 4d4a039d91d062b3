/** Break-glass, as a person's browser does it. */
import assert from "node:assert/strict";
import type { Authenticator, Told } from "./authenticator.ts";
import type { TestDesk } from "./desk.ts";
import type { SerializedTemporaryAccess } from "../../src/features/sign-in/temporary-access/serialized-temporary-access.ts";
import { addPasskey, HOST, SITE } from "./passkeys.ts";
import { call } from "./people.ts";
import { type Browser, bySession, signIn } from "./sign-in.ts";

/** A person with a browser that has just signed in, and a passkey. */
export interface Insider {
  id: string;
  credential: string;
  browser: Browser;
  authenticator: Authenticator;
}

/** Adds one who holds these permissions. */
export async function insider(
  desk: TestDesk,
  more: Record<string, unknown> = {},
): Promise<Insider> {
  const person = { name: "Grace", permissions: ["portal:read"], ...more };
  const { id } = await call(desk, "POST", "/v1/people", person);
  const path = `/v1/people/${id}/access-tokens`;
  const { access_token: credential } = await call(desk, "POST", path, {
    name: "laptop",
    deliver: "answer",
  });
  const browser = await signIn(desk, { credential });
  const { authenticator } = await addPasskey(desk, browser);
  return { id, credential, browser, authenticator };
}

/** Rules of each desk: their names are unique. */
const written = new WeakMap<TestDesk, number>();

/** Writes a rule and gives its id; by passkey, to the role approver, for an hour. */
export async function ruleFor(
  desk: TestDesk,
  people: readonly string[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const n = (written.get(desk) ?? 0) + 1;
  written.set(desk, n);
  const name = n === 1 ? "Incidents" : `Incidents ${n}`;
  const rule = { name, people, role: "approver", minutes: 60, proof: "passkey" };
  return (await call(desk, "POST", "/v1/temporary-access-rules", { ...rule, ...more })).id;
}

/** Why, in every test. */
export const REASON = "Incident 4711: keys of a partner leaked";

/** The body that starts it, signed; what the passkey says falsified where `told` says so. */
export async function signedStart(
  desk: TestDesk,
  { browser, authenticator }: Pick<Insider, "browser" | "authenticator">,
  rule_id: string,
  minutes = 30,
  told: Partial<Told> = {},
) {
  const body = { rule_id, reason: REASON, minutes };
  const path = "/v1/temporary-access/challenge";
  const response = await bySession(desk, browser, "POST", path, body, { host: HOST });
  const given = await response.json();
  assert.equal(response.status, 200, JSON.stringify(given));
  const { nonce, challenge, access_expires_at } = given;
  return {
    ...body,
    signature: { nonce, access_expires_at, ...authenticator.get({ ...SITE, challenge, ...told }) },
  };
}

/** Sends what starts one. */
export async function sendStart(
  desk: TestDesk,
  browser: Browser,
  body: unknown,
): Promise<Response> {
  return await bySession(desk, browser, "POST", "/v1/temporary-access", body, { host: HOST });
}

/** Gives a person temporary access by their passkey, and returns it. */
export async function takeTemporaryAccess(
  desk: TestDesk,
  who: Insider,
  rule: string,
  minutes = 30,
) {
  const response = await sendStart(desk, who.browser, await signedStart(desk, who, rule, minutes));
  const shown = await response.json();
  assert.equal(response.status, 200, JSON.stringify(shown));
  // as: the contract says so, and every answer is held against it.
  return shown as SerializedTemporaryAccess;
}

/** What a session's person holds now, where a call asks. */
export async function heldBy(desk: TestDesk, browser: Browser): Promise<string[]> {
  return (await (await bySession(desk, browser, "GET", "/v1/session")).json()).permissions;
}
