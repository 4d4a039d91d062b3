/** A list reads what is looked at, and no page that nobody has asked for. */
import assert from "node:assert/strict";
import { PagedList } from "../../console/api/paged-list.ts";
import { eventually } from "../support/eventually.ts";

const ROWS = 175;
const PAGE = 50;

/** A list of rows "0" to "174", and the places that it has asked for. */
function opened() {
  const asked: number[] = [];
  const list = new PagedList<string>((row) => row, (cursor) => {
    const from = Number(cursor ?? 0);
    asked.push(from);
    const data = Array.from({ length: Math.min(PAGE, ROWS - from) }, (_, n) => `${from + n}`);
    const next_cursor = from + PAGE < ROWS ? `${from + PAGE}` : null;
    return Promise.resolve({ data, next_cursor });
  });
  list.open();
  return { list, asked };
}

Deno.test("paged list: the second page is read when somebody works in the list, not before", async () => {
  const { list, asked } = opened();
  await eventually("50 rows", () => list.length === 50);
  list.need(0, 20);
  await eventually("read", () => !list.isReading);
  assert.deepEqual(asked, [0]);
  list.use();
  await eventually("100 rows", () => list.length === 100);
  list.use();
  assert.deepEqual(asked, [0, 50]);
  list.close();
});

Deno.test("paged list: one that is used before its first page is there reads ahead at once", async () => {
  const { list, asked } = opened();
  list.use();
  await eventually("50 rows", () => list.length === 50);
  list.need(0, 20);
  await eventually("100 rows", () => list.length === 100);
  assert.deepEqual(asked, [0, 50]);
  list.close();
});

Deno.test("paged list: scrolled by a row, it reads ahead", async () => {
  const { list, asked } = opened();
  await eventually("50 rows", () => list.length === 50);
  list.need(1, 21);
  await eventually("100 rows", () => list.length === 100);
  assert.deepEqual(asked, [0, 50]);
  list.close();
});

Deno.test("paged list: a window that shows the whole first page gets the next", async () => {
  const { list, asked } = opened();
  await eventually("50 rows", () => list.length === 50);
  list.need(0, 49);
  await eventually("100 rows", () => list.length === 100);
  list.need(0, 49);
  assert.deepEqual(asked, [0, 50]);
  list.close();
});

Deno.test("paged list: scrolled to its end, it knows all rows and reads no further", async () => {
  const { list, asked } = opened();
  await eventually("50 rows", () => list.length === 50);
  for (let last = 20; !list.atEnd && last <= ROWS; last += 20) {
    list.need(last - 20, last);
    await eventually("read", () => !list.isReading);
  }
  list.need(150, ROWS);
  assert.equal(list.at(174), "174");
  assert.deepEqual(asked, [0, 50, 100, 150]);
  list.close();
});

Deno.test("paged list: one that was scrolled reads ahead when it is shown again", async () => {
  const { list, asked } = opened();
  await eventually("50 rows", () => list.length === 50);
  list.top = 300;
  list.need(0, 20);
  await eventually("two pages", () => asked.length === 2);
  list.close();
});
