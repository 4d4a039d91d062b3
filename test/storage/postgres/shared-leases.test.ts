/** Readers who come at the same time share a connection. */
import assert from "node:assert/strict";
import { SharedLeases } from "../../../src/storage/engines/postgres-shared-leases.ts";

/** Leases that count themselves; each is given when `give` is called, or refused. */
function servers() {
  const waiting: PromiseWithResolvers<unknown>[] = [];
  const ended: string[] = [];
  return {
    waiting,
    ended,
    give: () =>
      waiting.shift()?.resolve({
        release: () => ended.push("released"),
        discard: () => ended.push("discarded"),
      }),
    lease: () => {
      const one = Promise.withResolvers<unknown>();
      waiting.push(one);
      return one.promise;
    },
  };
}

function shared() {
  const all = servers();
  // as: no more of a lease is used.
  return { ...all, leases: new SharedLeases({ lease: all.lease } as never) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("postgres: readers at the same time share a connection, given back after the last answer", async () => {
  const { leases, waiting, give, ended } = shared();
  const readers = Array.from({ length: 5 }, () => leases.lease());
  assert.equal(waiting.length, 1, "one connection for five");
  give();
  const got = await Promise.all(readers);
  assert.equal(new Set(got.map(({ lease }) => lease)).size, 1);
  for (const { end } of got.slice(1)) end(false);
  assert.deepEqual(ended, []);
  got[0]?.end(false);
  assert.deepEqual(ended, ["released"]);
});

Deno.test("postgres: readers beyond a number take another connection", async () => {
  const { leases, waiting, give } = shared();
  const readers = Array.from({ length: 40 }, () => leases.lease());
  assert.ok(waiting.length >= 2, `${waiting.length}`);
  // Those who have no connection to share yet get one, though nobody else comes.
  const all = Promise.all(readers);
  let over = false;
  void all.then(() => over = true);
  while (!over) {
    give();
    await turn();
  }
  const sizes = new Map<unknown, number>();
  for (const { lease } of await all) sizes.set(lease, (sizes.get(lease) ?? 0) + 1);
  assert.ok(Math.max(...sizes.values()) <= 16, `${[...sizes.values()]}`);
});

Deno.test("postgres: a connection that one of its readers has lost is given back as lost, once", async () => {
  const { leases, give, ended } = shared();
  const readers = Array.from({ length: 3 }, () => leases.lease());
  give();
  const [first, second, third] = await Promise.all(readers);
  first?.end(true);
  second?.end(false);
  third?.end(true);
  assert.deepEqual(ended, ["discarded"]);
});

Deno.test("postgres: where there is no connection all its readers hear why, and the next is asked for", async () => {
  const { leases, waiting, give } = shared();
  const readers = Array.from({ length: 3 }, () => leases.lease());
  waiting.shift()?.reject(new Error("away"));
  for (const reader of readers) await assert.rejects(reader, /away/);
  const next = leases.lease();
  give();
  (await next).end(false);
});
