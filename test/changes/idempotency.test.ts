import assert from "node:assert/strict";
import { approve } from "../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../src/features/key-requests/key-requests.service.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { statement } from "../../src/storage/statement.ts";
import { engines } from "../support/desk.ts";
import { type OneDesk, withDesks } from "../support/desks.ts";
import { readLedger } from "../support/ledger.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 0, 31, 9);

const answersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("idempotent_answers").select(["scope", "fingerprint", "answer"])
);

/** The same desk at another time. */
const at = (desk: OneDesk, ms: number): OneDesk => ({ ...desk, clock: { now: () => ms } });

const code = (expected: string) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, expected);
  return true;
};

for (const engine of engines) {
  const onDesks = (promise: string, test: (one: OneDesk, two: OneDesk) => Promise<void>) =>
    Deno.test({
      name: `${engine}: ${promise}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () =>
        withDesks(engine, 2, async ([one, two]) => {
          assert.ok(one && two);
          // Both desks act for one and the same caller.
          await test(one, { ...two, principal: one.principal });
        }),
    });

  onDesks(
    "many twins with one Idempotency-Key get one answer, through two desks",
    async (one, two) => {
      for (let round = 0; round < 20; round++) {
        const id = await create(one, { by_user: "dev", for_plan: "plan" });
        const call = { key: `twins-of-round-${round}`, fingerprint: id };
        const answers = await Promise.all(
          Array.from({ length: 16 }, (_, n) => approve(n % 2 ? one : two, id, call)),
        );
        assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
      }
      assert.equal((await readLedger(one.storage.reader)).keysOf.size, 20);
    },
  );

  onDesks(
    "only a success is kept: after a failure the same key may be tried again",
    async (one, two) => {
      const call = { key: "tried-before-its-time", fingerprint: "f" };
      await assert.rejects(approve(one, "nothing-there", call), code("not_found"));
      assert.deepEqual(await one.storage.reader.rows(answersSql, {}), []);
      const id = await create(one, { by_user: "dev", for_plan: "plan" });
      const first = await approve(two, id, call);
      assert.deepEqual(await approve(one, id, call), first);
    },
  );

  onDesks("the answer is given again for a day and no longer", async (one, two) => {
    const id = await create(at(one, START), { by_user: "dev", for_plan: "plan" });
    const call = { key: "asked-again-and-again", fingerprint: "f" };
    const first = await approve(at(one, START), id, call);
    assert.deepEqual(await approve(at(two, START + DAY_MS - 1), id, call), first);
    await assert.rejects(approve(at(two, START + DAY_MS), id, call), code("already_processed"));
    assert.equal((await readLedger(one.storage.reader)).keysOf.size, 1);
  });

  onDesks("another access token's same key is another key", async (one, two) => {
    const id = await create(one, { by_user: "dev", for_plan: "plan" });
    const call = { key: "the-same-key-by-chance", fingerprint: "f" };
    await approve(one, id, call);
    const stranger = { ...two, principal: { ...two.principal, token_id: "another-token" } };
    await assert.rejects(approve(stranger, id, call), code("already_processed"));
    const reused = { ...call, fingerprint: "of another body" };
    await assert.rejects(approve(one, id, reused), code("idempotency_key_reused"));
  });

  onDesks("what is kept of an answer shows neither the answer nor the key", async (one) => {
    const id = await create(one, { by_user: "dev", for_plan: "plan" });
    const call = { key: "the-header-value-itself", fingerprint: "f" };
    const { RawKey } = await approve(one, id, call);
    const kept = JSON.stringify(await one.storage.reader.rows(answersSql, {}));
    for (const secret of [RawKey, atob(RawKey), call.key, btoa(call.key)]) {
      assert.ok(!kept.includes(secret), secret);
    }
  });
}
