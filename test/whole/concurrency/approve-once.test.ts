import assert from "node:assert/strict";
import type { ServerCall } from "../../../src/open-server.ts";
import { approve } from "../../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../../src/features/key-requests/key-requests.service.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { engines } from "../../support/desk.ts";
import { withDesks } from "../../support/desks.ts";
import { readLedger } from "../../support/ledger.ts";

const REQUESTS = 300;
const RIVALS = 12;
const DESKS = 3;
/** Requests whose approvals run at the same moment. */
const AT_ONCE = 25;

for (const engine of engines) {
  Deno.test({
    name:
      `${engine}: of ${RIVALS} approvals of one request at once, through several desks, one succeeds`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => withDesks(engine, DESKS, contend),
  });
}

async function contend(desks: readonly ServerCall[]): Promise<void> {
  const [first] = desks;
  assert.ok(first);
  const ids = await inBatches(
    Array.from({ length: REQUESTS }, (_, n) => n),
    (n) =>
      create(first, {
        by_user: `dev-${n % 40}`,
        for_plan: `plan-${n % 7}`,
        approved: n % 5 === 0,
        ...n % 3 === 0 ? { oauth_info: { redirect_uri: "https://example.org" } } : {},
        date_created: `2026-0${1 + n % 9}-01T00:${n % 60 < 10 ? "0" : ""}${n % 60}:00Z`,
      }),
  );

  const outcomes = await inBatches(
    ids,
    (id) =>
      Promise.all(Array.from({ length: RIVALS }, async (_, rival) => {
        const desk = desks[rival % desks.length] ?? first;
        try {
          return { won: (await approve(desk, id, null)).RawKey };
        } catch (error) {
          return { lost: error instanceof Failure ? error.code : String(error) };
        }
      })),
  );

  const keys = new Set<string>();
  for (const rivals of outcomes) {
    const won = rivals.flatMap((r) => r.won ?? []);
    assert.equal(won.length, 1, JSON.stringify(rivals));
    won.forEach((key) => keys.add(key));
    const lost = rivals.flatMap((r) => r.lost ?? []);
    assert.deepEqual(lost, Array(RIVALS - 1).fill("already_processed"));
  }
  assert.equal(keys.size, REQUESTS);

  const ledger = await readLedger(first.storage.reader);
  assert.equal(ledger.keysOf.size, REQUESTS);
  const approvals = ledger.audit.filter((row) => row.startsWith("key_request.approved"));
  assert.equal(approvals.length, REQUESTS);
  assert.deepEqual(
    [...ledger.requests.values()].map((r) => r.state),
    Array(REQUESTS).fill("issued"),
  );
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...await Promise.all(items.slice(start, start + AT_ONCE).map(work)));
  }
  return results;
}
