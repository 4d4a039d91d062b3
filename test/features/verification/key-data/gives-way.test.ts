/** Long reads on an engine that answers at once: other calls come in between two chunks. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { requestsWithCertificate } from "../../../../src/features/key-requests/requests-with-certificate.store.ts";
import { everyPlan } from "../../../../src/features/plans/every-plan.store.ts";
import { filtered } from "../../../../src/kernel/paged-list.ts";
import { source, walk } from "../../../../src/kernel/walk.ts";
import type { Connection } from "../../../../src/storage/storage.ts";

const CHUNKS = 8;

/** A connection whose statements give CHUNKS times `size` rows, then none. */
function atOnce(size: number, row: (n: number) => object): Connection {
  let chunks = 0;
  const rows = () =>
    Promise.resolve(chunks++ < CHUNKS ? Array.from({ length: size }, (_, n) => row(n)) : []);
  // as: nothing else of a connection is called.
  return { rows } as unknown as Connection;
}

/** Of the rows 1 to 512 those behind one of them. */
const behind = (last = 0, limit: number) =>
  Promise.resolve(
    Array.from({ length: limit }, (_, n) => last + n + 1).filter((n) => n <= 64 * CHUNKS),
  );

const none = filtered<number>(behind, () => false, 1000, String);
const plan = { id: "p", given_id: "p", name: "p", auth_type: "", document: "{}", date_created: "" };
const request = (certificate: string) => (n: number) => ({
  id: String(n),
  by_user: "dev",
  tail: `,"date_created":"","version":"v2","jwt_secret":"","certificate":"${certificate}"`,
});

const reads: Record<string, () => Promise<unknown>> = {
  "a page of a filtered list": () => none.page(0, 10),
  "everything of a filtered list": () => none.after(undefined, 10),
  "a walk that wants no row": () =>
    walk({
      order: "rows",
      first: { sort: "", id: "" },
      wanted: () => false,
      sources: [
        source((_, limit) => Promise.resolve(Array(limit).fill(0)), () => ({ sort: "", id: "" })),
      ],
    }, {}),
  "every plan": () => Array.fromAsync(everyPlan(atOnce(64, () => plan), "org")),
  "requests with a certificate": () =>
    requestsWithCertificate(atOnce(256, request("other")), "org", "this"),
};

for (const [name, read] of Object.entries(reads)) {
  Deno.test(`other calls come between the chunks of ${name}`, async () => {
    let [turns, done] = [0, false];
    const others = (async () => {
      while (!done) {
        await setImmediate();
        turns++;
      }
    })();
    await read();
    const between = turns;
    done = true;
    await others;
    assert.ok(between >= CHUNKS - 2, `${between} turns`);
  });
}

Deno.test("requests with a certificate are found up to 1,000", async () => {
  const found = await requestsWithCertificate(atOnce(256, request("this")), "org", "this");
  assert.equal(found.length, 1000);
});
