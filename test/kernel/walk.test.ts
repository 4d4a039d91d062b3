import assert from "node:assert/strict";
import type { Place } from "../../src/kernel/cursor.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { byId, type Source, source, walk, type WalkedList } from "../../src/kernel/walk.ts";

interface Row {
  at: string;
  id: string;
}

Deno.test("walk: pages of a merge hold every row once and in order, in both directions", async () => {
  const rows = rowsOf(
    700,
    (i) => ({ at: String(i % 50).padStart(3, "0"), id: `${i}\u{10000}\uffff` }),
  );
  const parts = [0, 1, 2].map((part) => rows.filter((_, i) => (i * i) % 3 === part));
  for (const ascending of [true, false]) {
    const expected = inOrder(rows, ascending);
    for (const limit of [1, 20, 50, 100]) {
      const list: WalkedList<Row> = {
        order: "rows",
        first: { sort: ascending ? "" : "~", id: "" },
        sources: parts.map((part) => listed(inOrder(part, ascending), ascending)),
        ascending,
      };
      const pages = await allPages(list, limit);
      assert.deepEqual(pages.flat(), expected);
      assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
    }
  }
});

Deno.test("walk: the last page has no next one, even where it is full or unwanted rows follow", async () => {
  const rows = inOrder(rowsOf(40, (i) => ({ at: "1", id: String(i).padStart(3, "0") })), true);
  const list: WalkedList<Row> = {
    order: "rows",
    first: { sort: "", id: "" },
    sources: [listed(rows, true)],
    wanted: (row) => row.id < "020",
  };
  const page = await walk(list, { limit: 20 });
  assert.deepEqual(page, { rows: rows.slice(0, 20), next_cursor: null });
});

Deno.test("walk: rows that come in before a cursor move nothing behind it", async () => {
  const rows = rowsOf(30, (i) => ({ at: "1", id: String(i).padStart(3, "0") }));
  const list = (all: Row[]) =>
    byId<Row>(
      "rows",
      (below, limit) =>
        Promise.resolve(inOrder(all, false).filter((row) => row.id < below).slice(0, limit)),
    );
  const { next_cursor } = await walk(list(rows), { limit: 10 });
  assert.ok(next_cursor);
  const more = [...rows, { at: "1", id: "500" }];
  const { rows: next } = await walk(list(more), { limit: 10, cursor: next_cursor });
  assert.deepEqual(
    next.map((row) => row.id),
    inOrder(rows, false).slice(10, 20).map((row) => row.id),
  );
});

Deno.test("walk: a page that looked at enough ends early, and the next one goes on behind it", async () => {
  const rows = inOrder(rowsOf(5000, (i) => ({ at: "1", id: String(i).padStart(4, "0") })), true);
  const reads: number[] = [];
  const counted: Source<Row> = async (place, limit) => {
    const part = await listed(rows, true)(place, limit);
    reads.push(part.looked);
    return part;
  };
  const list: WalkedList<Row> = {
    order: "rows",
    first: { sort: "", id: "" },
    sources: [counted],
    wanted: (row) => row.id === "3000",
  };
  const first = await walk(list, {});
  assert.deepEqual(first.rows, []);
  const looked = reads.reduce((sum, n) => sum + n, 0);
  assert.ok(looked >= 1000 && looked < 1110, String(looked));
  assert.deepEqual((await allPages(list, 20)).flat().map((row) => row.id), ["3000"]);
});

Deno.test("walk: a source may look without finding anything, and goes on where it says", async () => {
  let reads = 0;
  const empty: Source<Row> = ({ sort }) => {
    reads++;
    const next = Number(sort) + 5;
    return Promise.resolve({ rows: [], next: { sort: String(next), id: "" }, looked: 5 });
  };
  const list = { order: "rows", first: { sort: "0", id: "" }, sources: [empty], mostLooked: 20 };
  const { rows, next_cursor } = await walk(list, {});
  assert.deepEqual(rows, []);
  assert.equal(reads, 4);
  const second = await walk(list, { cursor: next_cursor ?? "" });
  assert.notEqual(second.next_cursor, next_cursor);
});

Deno.test("walk: what lies behind the end of what is asked for ends the list", async () => {
  const rows = inOrder(rowsOf(300, (i) => ({ at: String(i).padStart(3, "0"), id: "a" })), true);
  const list: WalkedList<Row> = {
    order: "rows",
    first: { sort: "", id: "" },
    sources: [listed(rows, true)],
    isPast: (row) => row.at >= "030",
  };
  const pages = await allPages(list, 20);
  assert.deepEqual(pages, [rows.slice(0, 20), rows.slice(20, 30)]);
});

Deno.test("walk: a list of no sources is empty", async () => {
  const list = { order: "rows", first: { sort: "", id: "" }, sources: [] };
  assert.deepEqual(await walk(list, {}), { rows: [], next_cursor: null });
});

Deno.test("walk: a cursor of another list, or of none, is refused", async () => {
  const rows = inOrder(rowsOf(30, (i) => ({ at: "1", id: String(i).padStart(2, "0") })), true);
  const list = (order: string) => ({
    order,
    first: { sort: "", id: "" },
    sources: [listed(rows, true)],
  });
  const { next_cursor } = await walk(list("these"), { limit: 10 });
  assert.ok(next_cursor);
  for (
    const cursor of [
      next_cursor,
      "",
      "nonsense",
      btoa('["those",1,2]'),
      btoa('["those","","\\u0000"]'),
    ]
  ) {
    await assert.rejects(
      walk(list("those"), { cursor }),
      (error) => error instanceof Failure && error.code === "invalid_input",
    );
  }
});

function rowsOf(n: number, make: (i: number) => Row): Row[] {
  return Array.from({ length: n }, (_, i) => make(i));
}

/** By code points, as both engines compare. */
function inOrder(rows: readonly Row[], ascending: boolean): Row[] {
  const sign = ascending ? 1 : -1;
  return [...rows].sort((a, b) => sign * compare([a.at, a.id], [b.at, b.id]));
}

function listed(rows: readonly Row[], ascending: boolean): Source<Row> {
  const sign = ascending ? 1 : -1;
  const isBehind = (row: Row, { sort, id }: Place) =>
    sign * compare([row.at, row.id], [sort, id]) > 0;
  return source(
    (place, limit) => Promise.resolve(rows.filter((row) => isBehind(row, place)).slice(0, limit)),
    ({ at, id }) => ({ sort: at, id }),
  );
}

function compare([a, aId]: [string, string], [b, bId]: [string, string]): number {
  if (a !== b) return a < b ? -1 : 1;
  const [left, right] = [[...aId], [...bId]].map((id) => id.map((one) => one.codePointAt(0) ?? 0));
  for (let i = 0; left && right && i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

async function allPages(list: WalkedList<Row>, limit: number): Promise<Row[][]> {
  const pages: Row[][] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await walk(list, { limit, cursor });
    pages.push(page.rows);
    cursor = page.next_cursor;
  }
  return pages;
}
