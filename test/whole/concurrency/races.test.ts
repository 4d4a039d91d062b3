import assert from "node:assert/strict";
import type { ServerCall } from "../../../src/open-server.ts";
import { approve } from "../../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../../src/features/key-requests/key-requests.service.ts";
import { remove, update } from "../../../src/features/key-requests/key-requests.operations.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { engines } from "../../support/desk.ts";
import { withDesks } from "../../support/desks.ts";
import { shortOr } from "../../support/effort.ts";
import { type Ledger, readLedger } from "../../support/ledger.ts";

const ROUNDS = shortOr(20, 60);

type Ends = "done" | string;

/** What became of a call: done, or the code of its failure. */
async function endOf(call: Promise<unknown>): Promise<Ends> {
  try {
    await call;
    return "done";
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

type Race = (id: string, n: number, desks: [ServerCall, ServerCall]) => Promise<unknown>[];

/** Runs a race on many requests, several at the same moment, and gives the ends of each. */
async function run(
  desks: readonly ServerCall[],
  race: Race,
): Promise<{ ends: Map<string, Ends[]>; ledger: Ledger }> {
  const [one, two] = desks;
  assert.ok(one && two);
  const ends = new Map<string, Ends[]>();
  for (let round = 0; round < ROUNDS; round += 10) {
    await Promise.all(Array.from({ length: 10 }, async (_, i) => {
      const n = round + i;
      const id = await create(one, { by_user: `dev-${n % 5}`, for_plan: "plan" });
      // Who is submitted first alternates, and so does the desk.
      const calls = race(id, n, n % 2 === 0 ? [one, two] : [two, one]);
      ends.set(id, await Promise.all(calls.map(endOf)));
    }));
  }
  return { ends, ledger: await readLedger(one.storage.reader) };
}

function raceOn(promise: string, test: (desks: readonly ServerCall[]) => Promise<void>): void {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: ${promise}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () => withDesks(engine, 2, test),
    });
  }
}

raceOn(
  "approve against delete: the request is gone, and a key is there only if it was issued",
  async (desks) => {
    const { ends, ledger } = await run(
      desks,
      (id, _, [a, b]) => [approve(a, id, null), remove(b, id)],
    );
    for (const [id, [approved, removed]] of ends) {
      assert.equal(removed, "done");
      assert.ok(!ledger.requests.has(id));
      assert.equal(ledger.keysOf.get(id)?.length ?? 0, approved === "done" ? 1 : 0);
      assert.ok(["done", "not_found"].includes(approved ?? ""), `${approved}`);
    }
  },
);

raceOn(
  "approve against an update to another plan: the key is for the plan that the request shows",
  async (desks) => {
    const { ends, ledger } = await run(desks, (id, n, [a, b]) => [
      approve(a, id, null),
      update(b, id, { by_user: `dev-${n % 5}`, for_plan: "other-plan", approved: false }),
    ]);
    for (const [id, [approved, updated]] of ends) {
      assert.equal(approved, "done");
      assert.ok(["done", "already_issued"].includes(updated ?? ""), `${updated}`);
      const shown = JSON.parse(ledger.requests.get(id)?.text ?? "{}");
      assert.equal(shown.for_plan, updated === "done" ? "other-plan" : "plan");
      assert.equal(shown.approved, true);
    }
    await assertPlansOfKeys(desks, ends);
  },
);

raceOn(
  "approve against an update that keeps the terms: both are done, and it stays issued",
  async (desks) => {
    const { ends, ledger } = await run(desks, (id, n, [a, b]) => [
      update(b, id, { by_user: `dev-${n % 5}`, for_plan: "plan", fields: { round: String(n) } }),
      approve(a, id, null),
    ]);
    let n = 0;
    for (const [id, both] of ends) {
      assert.deepEqual(both, ["done", "done"]);
      const request = ledger.requests.get(id);
      assert.equal(request?.state, "issued", `round ${n++}`);
      assert.ok(JSON.parse(request?.text ?? "{}").fields.round !== undefined);
    }
  },
);

raceOn(
  "updates that move a request between lists and times leave every counter right",
  async (desks) => {
    const { ends, ledger } = await run(
      desks,
      (id, n, [a, b]) =>
        Array.from({ length: 6 }, (_, i) =>
          update(i % 2 ? a : b, id, {
            by_user: "dev",
            for_plan: "plan",
            approved: i % 3 === 0,
            date_created: `20${10 + (n + i) % 20}-03-0${1 + i}T10:00:00Z`,
          })),
    );
    for (const all of ends.values()) {
      assert.deepEqual(all, Array(6).fill("done"));
    }
    assert.equal(ledger.requests.size, ROUNDS);
  },
);

raceOn("everything at once on one request ends in one consistent state", async (desks) => {
  const { ends, ledger } = await run(desks, (id, n, [a, b]) => [
    approve(a, id, null),
    update(b, id, { by_user: "dev-new", for_plan: `plan-${n % 3}`, approved: true }),
    approve(b, id, null),
    remove(a, id),
    update(a, id, { by_user: `dev-${n % 5}`, for_plan: "plan" }),
    remove(b, id),
  ]);
  for (const [id, [first, , second, removed, , removedToo]] of ends) {
    const issued = [first, second].filter((end) => end === "done").length;
    assert.ok(issued <= 1);
    assert.equal(ledger.keysOf.get(id)?.length ?? 0, issued);
    assert.deepEqual([removed, removedToo].sort(), ["done", "not_found_for_deletion"]);
  }
  assert.equal(ledger.requests.size, 0);
});

/** The issued credential of each request is for the plan that the request still shows. */
async function assertPlansOfKeys(
  desks: readonly ServerCall[],
  ends: ReadonlyMap<string, Ends[]>,
): Promise<void> {
  const [desk] = desks;
  assert.ok(desk);
  const { requests, plansOf } = await readLedger(desk.storage.reader);
  for (const id of ends.keys()) {
    const shown = JSON.parse(requests.get(id)?.text ?? "{}");
    assert.deepEqual(plansOf.get(id), [shown.for_plan]);
  }
}
