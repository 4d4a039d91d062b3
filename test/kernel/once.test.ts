import assert from "node:assert/strict";
import { once } from "../../src/kernel/once.ts";

Deno.test("once: whoever asks while it is made waits for the same, and it is made no more", async () => {
  let made = 0;
  const gate = Promise.withResolvers<void>();
  const get = once(async () => {
    await gate.promise;
    return { number: ++made };
  });
  const asked = Array.from({ length: 600 }, get);
  gate.resolve();
  const all = await Promise.all([...asked, get()]);
  assert.equal(new Set(all).size, 1);
  assert.equal((await get()).number, 1);
});

Deno.test("once: what failed is told to all who waited, and made anew for the next", async () => {
  let tries = 0;
  const get = once(async () => {
    await Promise.resolve();
    if (++tries === 1) throw new Error("the disk is away");
    return tries;
  });
  const outcomes = await Promise.allSettled([get(), get()]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await get(), 2);
  assert.equal(await get(), 2);
});
