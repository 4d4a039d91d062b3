/** Keys of the default hash function, each of which is migrated at its first call. */
import assert from "node:assert/strict";
import { legacyKey, rawKey } from "../../../../examples/moving/keys.ts";
import { shortOr } from "../../../support/effort.ts";
import { keep, learn, testLearning, textOf } from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { ask } from "../../../support/verification.ts";

const KEYS = shortOr(1000, 200);
const CALLERS = 8;

/** As a gateway of the default makes them, by its own interface and of old. */
function keyOf(org_id: string, n: number): string {
  return n % 4 === 0 ? legacyKey(org_id, textOf(n)) : rawKey(org_id, textOf(n), "murmur32");
}

testLearning(
  "learning: many murmur32 keys are each migrated at the first call",
  async (learning) => {
    const { desk, door, id } = learning;
    const keys = Array.from({ length: KEYS }, (_, n) => keyOf(desk.org_id, n));
    const end = Math.floor(Date.now() / 1000) + 86_400;
    for (const [n, key] of keys.entries()) {
      const plans = n % 3 === 0 ? ["plan-free", "plan-quota"] : ["plan-free"];
      await keep(door, key, n % 2 === 0 ? { expires: end } : {}, plans);
    }
    assert.equal(
      door.gateway.names().length,
      KEYS + 1,
      "no two keys have one name, and its canary",
    );
    await learn(learning, { questions_per_second: KEYS });
    let next = 0;
    const refused: string[] = [];
    await Promise.all(Array.from({ length: CALLERS }, async () => {
      for (let n = next++; n < KEYS; n = next++) {
        // Asked once: what can't be told at the first call fails.
        const answer = await ask(desk, { key: keys[n] });
        const { valid, reason, plans, expires_at } = await answer.json();
        const isWhole = plans?.length === (n % 3 === 0 ? 2 : 1) &&
          (expires_at !== null) === !(n % 2);
        if (!valid || !isWhole) refused.push(`${n}: ${answer.status} ${reason}`);
      }
    }));
    assert.deepEqual(refused, []);
    const { migrated: learned, alarms } = await call(
      desk,
      "GET",
      `/v1/gateways/${id}/lazy-migration`,
    );
    assert.deepEqual([learned, alarms], [KEYS, 0]);
  },
);
