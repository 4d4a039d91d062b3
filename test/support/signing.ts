/** Decisions that are signed by a passkey, as a browser does it. */
import assert from "node:assert/strict";
import type { Authenticator, Told } from "./authenticator.ts";
import type { TestDesk } from "./desk.ts";
import { HOST, SITE } from "./passkeys.ts";
import { type Browser, bySession } from "./sign-in.ts";

/** What is to be signed. */
export interface Challenge {
  nonce: string;
  challenge: string;
  rp_id: string;
  expires_at: string;
  content: string;
}

/** Switches signed approvals on, or off. */
export async function demandSignatures(desk: TestDesk, browser: Browser, on = true): Promise<void> {
  const body = { tokens: true, domains: [], signed_approvals: on };
  const response = await bySession(desk, browser, "PUT", "/v1/sign-in-rules", body);
  assert.equal(response.status, 200, await response.text());
}

/** What the browser's person would sign; the call must succeed. */
export async function challengeOf(
  desk: TestDesk,
  browser: Browser,
  id: string,
  body: unknown = {},
): Promise<Challenge> {
  const path = `/v1/key-requests/${id}/challenge`;
  const response = await bySession(desk, browser, "POST", path, body, { host: HOST });
  const given = await response.json();
  assert.equal(response.status, 200, JSON.stringify(given));
  return given;
}

/** The signature of an authenticator, what it says falsified where `told` says so. */
export function signatureBy(
  authenticator: Authenticator,
  { nonce, challenge }: Pick<Challenge, "nonce" | "challenge">,
  told: Partial<Told> = {},
) {
  return { nonce, ...authenticator.get({ ...SITE, challenge, ...told }) };
}

/** Sends a decision with its signature, as the browser that was given the challenge. */
export async function decide(
  desk: TestDesk,
  browser: Browser,
  id: string,
  body: unknown,
  { what = "approve", headers = {} }: { what?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const path = `/v1/key-requests/${id}/${what}`;
  return await bySession(desk, browser, "POST", path, body, { host: HOST, ...headers });
}
