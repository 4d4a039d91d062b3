/** The watch over what has changed: what it can't tell whole means everything. */
import assert from "node:assert/strict";
import { invalidate } from "../../../src/changes/invalidation.ts";
import { InvalidationWatch } from "../../../src/features/verification/invalidation-watch.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const add = defineTransaction(
  "test.invalidate",
  async (tx, input: { ids: string[]; now: number }) => {
    for (const object_id of input.ids) {
      await invalidate(tx, { org_id: "org", kind: "key", object_id, now: input.now });
    }
  },
);

/** A watch of its own over the desk's store, and what it told. */
function watchOver(desk: TestDesk) {
  const told: string[] = [];
  const memory = {
    forget: ({ object_id }: { object_id: string }) => void told.push(object_id),
    forgetAll: () => void told.push("everything"),
  };
  const watch = new InvalidationWatch(desk.app.ctx.storage.reader, memory, 1000);
  const look = async () => {
    told.length = 0;
    await watch.look();
    return [...told];
  };
  const change = (ids: string[], now = Date.now()) =>
    desk.app.ctx.storage.commit(add, { ids, now });
  return { look, change };
}

testOnEngines(
  "watch: it tells each change once, and nothing where there is none",
  async (desk) => {
    const { look, change } = watchOver(desk);
    assert.deepEqual(await look(), ["everything"]);
    assert.deepEqual(await look(), []);
    await change(["a", "b"]);
    await change(["c"]);
    assert.deepEqual(await look(), ["a", "b", "c"]);
    assert.deepEqual(await look(), []);
  },
  { extra: [add] },
);

testOnEngines(
  "watch: rows that were purged, or too many of them, mean everything",
  async (desk) => {
    const { look, change } = watchOver(desk);
    await look();
    const now = Date.now();
    // From a node whose clock is far behind: the next one's purge takes it.
    await change(["lost"], now - 11 * 60_000);
    await change(["kept"], now);
    assert.deepEqual(await look(), ["everything"]);
    await change(["a"]);
    assert.deepEqual(await look(), ["a"]);
    await change(Array.from({ length: 1000 }, (_, n) => `key-${n}`));
    assert.deepEqual(await look(), ["everything"]);
    assert.deepEqual(await look(), []);
  },
  { extra: [add] },
);
