/** Rows found by SHA-256: each name leads to its own row, whatever is added and deleted. */
import assert from "node:assert/strict";
import { HashedRows } from "../../src/kernel/hashed-rows.ts";
import { sha256 } from "../../src/kernel/sha256.ts";

const VALUE = 4;

Deno.test("hashed rows: they hold what a map would, through additions and deletions", () => {
  const rows = new HashedRows(8);
  const expected = new Map<string, number>();
  let seed = 1;
  // The same numbers in each run.
  const random = (below: number) => (seed = seed * 48271 % 2147483647) % below;
  for (let step = 0; step < 60_000; step++) {
    const org_id = `org-${random(3)}`;
    const name = `${org_id} ${sha256(String(random(6000)))}`;
    const [, hash = ""] = name.split(" ");
    const row = rows.find(org_id, hash);
    assert.equal(row >= 0, expected.has(name));
    if (row >= 0 && random(2) === 0) {
      assert.equal(rows.viewOf(row).getUint32(rows.offsetOf(row) + VALUE), expected.get(name));
      rows.delete(row);
      assert.ok(!rows.has(row));
      expected.delete(name);
    } else if (row < 0) {
      const added = rows.add(org_id, hash);
      assert.equal(rows.viewOf(added).getFloat64(rows.offsetOf(added)), 0);
      rows.viewOf(added).setUint32(rows.offsetOf(added) + VALUE, step);
      expected.set(name, step);
    }
    assert.equal(rows.size, expected.size);
  }
  const every = Array.from({ length: rows.end }, (_, row) => row).filter((row) => rows.has(row));
  const part = every.filter((row) => row % 3 === 0);
  for (const row of part) expected.delete(`${rows.orgOf(row)} ${rows.hashOf(row)}`);
  rows.deleteAll(part);
  assert.equal(rows.size, expected.size);
  let seen = 0;
  for (let row = 0; row < rows.end; row++) {
    if (!rows.has(row)) continue;
    seen++;
    assert.equal(rows.find(rows.orgOf(row), rows.hashOf(row)), row);
    const value = rows.viewOf(row).getUint32(rows.offsetOf(row) + VALUE);
    assert.equal(value, expected.get(`${rows.orgOf(row)} ${rows.hashOf(row)}`));
  }
  assert.equal(seen, expected.size);
});

Deno.test("hashed rows: names that begin alike are told apart by their last digit", () => {
  const rows = new HashedRows(8);
  const digits = [..."0123456789abcdef"];
  const names = digits.map((digit) => "0".repeat(63) + digit);
  const added = names.map((name) => rows.add("org", name));
  assert.deepEqual(names.map((name) => rows.find("org", name)), added);
  // From the middle: those behind it are still found.
  for (const [n, row] of added.entries()) if (n % 3 === 0) rows.delete(row);
  names.forEach((name, n) => assert.equal(rows.find("org", name), n % 3 === 0 ? -1 : added[n]));
  assert.equal(rows.find("other", names[1] ?? ""), -1);
});

Deno.test("hashed rows: a name that is no SHA-256 is not found, and can't be added", () => {
  const rows = new HashedRows(8);
  const name = sha256("key");
  rows.add("org", name);
  for (
    const wrong of ["", "k1", name.toUpperCase(), name.slice(1), `${name}0`, `g${name.slice(1)}`]
  ) {
    assert.equal(rows.find("org", wrong), -1);
    assert.throws(() => rows.add("org", wrong));
  }
});
