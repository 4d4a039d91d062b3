/** Look-ups at the same time are one statement, and each gets its own row. */
import assert from "node:assert/strict";
import { gatheredLookup } from "../../src/storage/gathered-lookups.ts";
import type { Connection } from "../../src/storage/storage.ts";

interface Row {
  id: string;
  org_id: string;
}

/** A store that is asked and answers when it is told to. */
function lookups() {
  const asked: { org_id: string; ids: readonly string[]; answer: PromiseWithResolvers<Row[]> }[] =
    [];
  const find = gatheredLookup<Row>((_, org_id, ids) => {
    const answer = Promise.withResolvers<Row[]>();
    asked.push({ org_id, ids, answer });
    return answer.promise;
  }, ({ id }) => id);
  // as: it is handed on alone.
  const db = {} as Connection;
  const answerAll = () => {
    for (const { org_id, ids, answer } of asked.splice(0)) {
      const there = ids.filter((id) => id !== "absent");
      answer.resolve(there.toReversed().map((id) => ({ id, org_id })));
    }
  };
  return { asked, answerAll, find: (id: string, org_id = "a") => find(db, org_id, id) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Answers until all have theirs. */
async function settled<T>(all: Promise<T>[], answer: () => void): Promise<T[]> {
  let over = false;
  const waiting = Promise.all(all).finally(() => over = true);
  while (!over) {
    answer();
    await turn();
  }
  return await waiting;
}

Deno.test("gathered look-ups: one turn's are one statement, and each gets the row asked for", async () => {
  const { asked, answerAll, find } = lookups();
  const ids = Array.from({ length: 20 }, (_, n) => `${n}`);
  let statements = 0;
  // As answers of the runtime do, each asks in a task of its own of the same turn.
  const found = await settled(ids.map((id) => Promise.resolve().then(() => find(id))), () => {
    statements += asked.length;
    answerAll();
  });
  assert.deepEqual(found.map((row) => row?.id), ids);
  assert.equal(statements, 1);
});

Deno.test("gathered look-ups: who comes while statements are under way shares the next", async () => {
  const { asked, answerAll, find } = lookups();
  const all: Promise<Row | undefined>[] = [];
  for (let n = 0; n < 20; n++) {
    all.push(find(`${n}`));
    if (n < 2) await turn();
  }
  const sizes: number[] = [];
  await settled(all, () => {
    sizes.push(...asked.map(({ ids }) => ids.length));
    answerAll();
  });
  assert.deepEqual(sizes, [1, 1, 18]);
});

Deno.test("gathered look-ups: a row that is not there, the same twice, and too many for one statement", async () => {
  const { asked, answerAll, find } = lookups();
  const ids = ["absent", "1", "1", ...Array.from({ length: 200 }, (_, n) => `${n}`)];
  const sizes: number[] = [];
  const found = await settled(ids.map((id) => find(id)), () => {
    sizes.push(...asked.map(({ ids }) => ids.length));
    answerAll();
  });
  assert.deepEqual(found.map((row) => row?.id), [undefined, ...ids.slice(1)]);
  assert.ok(Math.max(...sizes) <= 32, `${sizes}`);
});

Deno.test("gathered look-ups: organisations share nothing", async () => {
  const { asked, answerAll, find } = lookups();
  const all = ["a", "b", "a", "b", "a", "b"].map((org_id) => find("1", org_id));
  assert.ok(asked.every(({ ids }) => ids.length === 1));
  const found = await settled(all, answerAll);
  assert.deepEqual(found.map((row) => row?.org_id), ["a", "b", "a", "b", "a", "b"]);
});

Deno.test("gathered look-ups: a row is asked for again after a statement that was under way before", async () => {
  const { asked, find } = lookups();
  const before = find("1");
  await turn();
  const after = find("1");
  asked[0]?.answer.resolve([]);
  assert.equal(await before, undefined);
  while (asked.length < 2) await turn();
  asked[1]?.answer.resolve([{ id: "1", org_id: "a" }]);
  assert.deepEqual(await after, { id: "1", org_id: "a" }, "what was committed meanwhile is seen");
});

Deno.test("gathered look-ups: a statement that fails fails for all who asked by it, and for nobody else", async () => {
  const { asked, answerAll, find } = lookups();
  const first = find("1");
  await turn();
  asked.splice(0)[0]?.answer.reject(new Error("lost"));
  await assert.rejects(first, /lost/);
  assert.deepEqual(await settled([find("1")], answerAll), [{ id: "1", org_id: "a" }]);
});
