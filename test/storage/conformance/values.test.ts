/** What every engine holds about values, their order and their absence. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { statement } from "../../../src/storage/statement.ts";
import { testOnStores } from "../../support/stores.ts";
import {
  insertNullable,
  insertScratch,
  nullableRows,
  nullCount,
  scratchBelow,
  scratchCount,
  scratchPage,
  scratchRows,
  scratchTransactions,
} from "./scratch.ts";

const org_id = "org";

/** Texts on which code points, UTF-16 units, dictionaries and case folding disagree. */
const texts = [
  "a",
  "B",
  "b",
  "A",
  "",
  " ",
  "-",
  "_",
  "ä",
  "Ä",
  "é",
  "e\u0301",
  "z",
  "Z",
  "ß",
  "ss",
  "ı",
  "I",
  "i",
  "İ",
  "Ω",
  "\u2126",
  "日本",
  "\uff5e",
  "\u{1f600}",
  "a b",
  "ab",
  "a-b",
  "AB",
  "\u00ad",
  "10",
  "9",
  "~",
  "\u{10ffff}",
  "'",
  "%",
  "\\",
  '"',
  "\n",
  "\t",
  "\u200b",
];
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

testOnStores("text sorts and compares by its bytes, and comes back unchanged", async (store) => {
  const storage = await store.open();
  const rows = texts.map((name, i) => ({ org_id, id: String(i), name }));
  await storage.commit(insertScratch, { rows });
  const sorted = texts.toSorted(byBytes);

  const found = await storage.reader.rows(scratchRows, { org_id });
  assert.deepEqual(found.map((row) => row.name), sorted);
  for (const name of texts) {
    const below = await storage.reader.rows(scratchBelow, { org_id, name });
    assert.deepEqual(below.map((row) => row.name), sorted.slice(0, sorted.indexOf(name)), name);
  }
}, scratchTransactions);

testOnStores("two texts are the same only when every byte is", async (store) => {
  const storage = await store.open();
  const twins = ["é", "e\u0301", "É", "e", "E", "Ω", "\u2126", "e ", " e", "e\u200b"];
  const rows = twins.map((id) => ({ org_id, id, name: id }));
  assert.equal(await storage.commit(insertScratch, { rows }), twins.length);
  for (const id of twins) {
    const again = storage.commit(insertScratch, { rows: [{ org_id, id, name: `new ${id}` }] });
    await assert.rejects(again);
  }
  // The same id in another organisation is another row.
  const elsewhere = twins.map((id) => ({ org_id: "other", id, name: id }));
  assert.equal(await storage.commit(insertScratch, { rows: elsewhere }), twins.length);
}, scratchTransactions);

testOnStores("counts are numbers, of nothing too", async (store) => {
  const storage = await store.open();
  assert.deepEqual(await storage.reader.row(scratchCount, { org_id }), { n: 0 });
  const rows = Array.from({ length: 12 }, (_, i) => ({ org_id, id: `${i}`, name: `${i}` }));
  await storage.commit(insertScratch, { rows });
  assert.deepEqual(await storage.reader.row(scratchCount, { org_id }), { n: 12 });
}, scratchTransactions);

testOnStores("null stays null and an empty text an empty text", async (store) => {
  const storage = await store.open();
  await storage.commit(insertNullable, { org_id, values: [null, "", "null", null] });
  assert.deepEqual(
    await storage.reader.rows(nullableRows, { org_id }),
    [
      { scope: "0", answer: null },
      { scope: "1", answer: "" },
      { scope: "2", answer: "null" },
      { scope: "3", answer: null },
    ].map((row) => row),
  );
  const nulls = await storage.reader.rows(nullCount, { org_id });
  assert.deepEqual(nulls.map((row) => row.scope).sort(), ["0", "3"]);
}, scratchTransactions);

testOnStores("a row that is not there is undefined, a page past the end empty", async (store) => {
  const storage = await store.open();
  assert.strictEqual(
    await storage.reader.row(scratchPage, { org_id, limit: 5, offset: 0 }),
    undefined,
  );
  const rows = Array.from({ length: 7 }, (_, i) => ({ org_id, id: `${i}`, name: `${i}` }));
  await storage.commit(insertScratch, { rows });
  const page = async (limit: number, offset: number) =>
    (await storage.reader.rows(scratchPage, { org_id, limit, offset })).map((row) => row.id);
  assert.deepEqual(await page(5, 0), ["0", "1", "2", "3", "4"]);
  assert.deepEqual(await page(5, 5), ["5", "6"]);
  assert.deepEqual(await page(5, 7), []);
  assert.deepEqual(await page(5, 1_000_000_000), []);
}, scratchTransactions);

testOnStores("no value is in a list of none, each is outside of it", async (store) => {
  const storage = await store.open();
  await storage.commit(insertScratch, { rows: [{ org_id, id: "1", name: "a" }] });
  const among = (names: string[], how: "in" | "not in" = "in") =>
    statement<{ org_id: string }>()((db, p) =>
      db.selectFrom("plans").select("id").where("org_id", "=", p.org_id).where("name", how, names)
    );
  assert.deepEqual(await storage.reader.rows(among(["a", "b"]), { org_id }), [{ id: "1" }]);
  assert.deepEqual(await storage.reader.rows(among([]), { org_id }), []);
  assert.deepEqual(await storage.reader.rows(among([], "not in"), { org_id }), [{ id: "1" }]);
}, scratchTransactions);

testOnStores("a long text and many parameters' worth of rows come back whole", async (store) => {
  const storage = await store.open();
  const name = "é".repeat(1000);
  await storage.commit(insertScratch, { rows: [{ org_id, id: "long", name }] });
  const [row] = await storage.reader.rows(scratchRows, { org_id });
  assert.equal(row?.name, name);
}, scratchTransactions);
