import { generateKeyPairSync, sign } from "node:crypto";
import { LeakWorker, reportsWait } from "../../src/features/hygiene/leaks/work-off.ts";
import type { Asked } from "./verification.ts";
import type { TestDesk } from "./desk.ts";

/** A key pair of a scanning partner, made for this run. */
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** The identifier of its public key. */
export const partnerKeyId = "test-partner-key";

/** The setting with its public key, in the form in which GitHub publishes its own. */
export const partnerKeys = JSON.stringify({
  public_keys: [{
    key_identifier: partnerKeyId,
    key: pair.publicKey.export({ type: "spki", format: "pem" }),
    is_current: true,
  }],
});

/** The headers with which the partner sends a body. */
export function signed(body: string): Record<string, string> {
  return {
    "github-public-key-identifier": partnerKeyId,
    "github-public-key-signature": sign("sha256", new TextEncoder().encode(body), pair.privateKey)
      .toString("base64"),
  };
}

/** Settings of a desk that takes reports. */
export const openDesk = {
  KEYDESK_LEAK_REPORTS: "on",
  KEYDESK_LEAK_PARTNER_KEYS: partnerKeys,
};

/** Sends anybody's report. */
export function report(
  desk: TestDesk,
  keys: readonly string[],
  more: { url?: string; from?: string } = {},
): Promise<Response> {
  const { url, from } = more;
  const body = { keys, ...url === undefined ? {} : { url } };
  return desk.send("POST", "/v1/leaks", {
    credential: null,
    body,
    ...from === undefined ? {} : { from },
  });
}

/** Works off all reports that wait. */
export async function workOff({ app }: Pick<Asked, "app">): Promise<void> {
  const worker = new LeakWorker(app.ctx);
  while (await reportsWait(app.ctx.storage.reader)) await worker.turn();
}
