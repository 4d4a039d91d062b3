import fc from "fast-check";
import assert from "node:assert/strict";
import { Failure } from "../../src/kernel/failure.ts";
import { countRow, listCounter } from "../../src/storage/list-counts.ts";
import { defineTransaction, type Storage } from "../../src/storage/storage.ts";
import { storeEngines, testOnStores, testStore } from "../support/stores.ts";

/** A row as the counters know it: the list that it stands in, and when. */
interface Row {
  list: string;
  instant: string;
}

const recount = defineTransaction(
  "test.recount",
  async (
    tx,
    input: { org_id: string; changes: (Row & { by: 1 | -1 })[]; thenRefuse?: boolean },
  ) => {
    for (const { by, ...row } of input.changes) {
      countRow(tx, { ...row, org_id: input.org_id }, by);
    }
    if (input.thenRefuse) throw new Failure("not_found");
  },
);

/** What a property run does to the rows; `at` picks one of those that are there. */
type Step =
  | { do: "insert"; row: Row }
  | { do: "move"; at: number; to: Row }
  | { do: "remove"; at: number };

// Few values at each level, so that rows meet in a year, a month, a day, an hour, a minute, an
// instant.
const two = (n: number) => String(n).padStart(2, "0");
const instant = fc.tuple(
  fc.constantFrom("0000", "1999", "2025", "2026", "9999"),
  fc.constantFrom(1, 2, 12),
  fc.constantFrom(1, 15, 28),
  fc.constantFrom(0, 9, 23),
  fc.constantFrom(0, 30, 59),
  fc.constantFrom(0, 59),
  fc.constantFrom("000000000", "000000001", "999999999"),
).map(([y, mo, d, h, mi, s, f]) =>
  `${y}-${two(mo)}-${two(d)}T${two(h)}:${two(mi)}:${two(s)}.${f}Z`
);
const lists = ["a", "a/b", "b"];
const row: fc.Arbitrary<Row> = fc.record({ list: fc.constantFrom(...lists), instant });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: row.map((r): Step => ({ do: "insert", row: r })) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), row).map(([at, to]): Step => ({ do: "move", at, to })),
  },
  { weight: 2, arbitrary: fc.nat().map((at): Step => ({ do: "remove", at })) },
);
const steps = fc.array(step, { minLength: 1, maxLength: 60 });
const views = fc.uniqueArray(fc.constantFrom(...lists), { minLength: 1 });

/** Does a step to the plain rows and gives the changes that the counters are told. */
function apply(rows: Row[], step: Step): (Row & { by: 1 | -1 })[] {
  if (step.do === "insert") {
    rows.push(step.row);
    return [{ ...step.row, by: 1 }];
  }
  const [gone] = rows.splice(step.at % Math.max(rows.length, 1), 1);
  if (!gone) return [];
  if (step.do === "remove") return [{ ...gone, by: -1 }];
  rows.push(step.to);
  return [{ ...gone, by: -1 }, { ...step.to, by: 1 }];
}

/** Every page start of a view, found by the counters, is where the plain array has it. */
async function agrees(storage: Storage, org_id: string, rows: readonly Row[], view: string[]) {
  const times = rows.filter((r) => view.includes(r.list)).map((r) => r.instant).sort().reverse();
  // Nothing is walked that a counter can narrow down.
  const counter = listCounter(view, 0);
  assert.equal(await counter.count(storage.reader, org_id), times.length);
  for (let offset = 0; offset < times.length; offset++) {
    const { before, skip } = await counter.seekNewest(storage.reader, org_id, offset);
    const rest = times.filter((time) => time < before);
    assert.deepEqual(rest.slice(skip), times.slice(offset), `offset ${offset}`);
    // Flat: what is skipped lies in the one minute in which the page starts.
    const minute = times[offset]?.slice(0, 16) ?? "";
    assert.ok(skip < times.filter((time) => time.startsWith(minute)).length, `offset ${offset}`);
  }
}

for (const engine of storeEngines) {
  Deno.test({
    name: `${engine}: the counters find every page that a plain array has`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await testStore(engine, [recount]);
      const storage = await store.open();
      let run = 0;
      await fc.assert(
        fc.asyncProperty(steps, views, async (all, view) => {
          const org_id = `org${++run}`;
          const rows: Row[] = [];
          const changes = all.flatMap((one) => apply(rows, one));
          await storage.commit(recount, { org_id, changes });
          await agrees(storage, org_id, rows, view);
        }),
        { numRuns: engine === "sqlite" ? 60 : 12 },
      );
    },
  });

  Deno.test({
    name: `${engine}: writers that count at once lose nothing`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await testStore(engine, [recount]);
      const openers = [await store.open(), await store.open(), await store.open()];
      const [storage] = openers;
      assert.ok(storage);
      const rows: Row[] = [];
      const sample = fc.sample(steps, { numRuns: 40, seed: 7 });
      await Promise.all(sample.map(async (all, i) => {
        const own: Row[] = [];
        for (const one of all.slice(0, 8)) {
          const changes = apply(own, one);
          await openers[i % 3]?.commit(recount, { org_id: "org", changes });
        }
        rows.push(...own);
      }));
      for (const view of [["a"], ["b", "a/b"], lists]) await agrees(storage, "org", rows, view);
    },
  });
}

testOnStores(
  "what a refused transaction counted is not counted, whoever shares its commit",
  async (store) => {
    const storage = await store.open();
    const row = { list: "a", instant: "2026-01-01T00:00:00.000000000Z", by: 1 as const };
    const count = (thenRefuse: boolean) =>
      storage.commit(recount, { org_id: "org", changes: [row], thenRefuse });
    // Submitted together: on SQLite they share one durable group.
    const results = await Promise.allSettled([
      count(false),
      count(true),
      count(false),
      count(true),
    ]);
    assert.deepEqual(results.map(({ status }) => status === "fulfilled"), [
      true,
      false,
      true,
      false,
    ]);
    assert.equal(await listCounter(["a"]).count(storage.reader, "org"), 2);
  },
  [recount],
);

Deno.test("sqlite: a place past the end is the end", async () => {
  await using store = await testStore("sqlite", [recount]);
  const storage = await store.open();
  const counter = listCounter(["a"], 0);
  assert.equal(await counter.count(storage.reader, "nobody"), 0);
  const changes = [{ list: "a", instant: "2026-01-01T00:00:00.000000000Z", by: 1 as const }];
  await storage.commit(recount, { org_id: "org", changes });
  const { before, skip } = await counter.seekNewest(storage.reader, "org", 5);
  assert.deepEqual(changes.filter((c) => c.instant < before).slice(skip), []);
});
