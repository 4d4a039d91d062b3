/** Reads that met a damaged page, or a disk that did not answer once. */
import assert from "node:assert/strict";
import { Failure } from "../../src/kernel/failure.ts";
import { DoubtfulReads } from "../../src/storage/engines/doubtful-reads.ts";

/** A page that can't be read so many times, and what is told of it. */
function page(failures: number) {
  const told: string[] = [];
  const reads = new DoubtfulReads({
    damaged: (reason) => told.push(`damaged: ${reason}`),
    whole: () => told.push("whole"),
  });
  const question = () => {
    if (failures-- <= 0) return Promise.resolve("answer");
    return Promise.reject(new Failure("store_damaged", { cause: new Error("malformed") }));
  };
  return { told, reads, read: () => reads.read(() => "a page", question) };
}

Deno.test("damage: a read that failed once is answered, and nothing is called damaged", async () => {
  const { told, read } = page(1);
  assert.equal(await read(), "answer");
  assert.deepEqual(told, []);
});

Deno.test("damage: what failed twice is damaged until it can be read again", async () => {
  const { told, reads, read } = page(3);
  await assert.rejects(read(), { code: "store_damaged" });
  await reads.lookAgain();
  assert.deepEqual(told, ["damaged: malformed"]);
  await reads.lookAgain();
  await reads.lookAgain();
  assert.deepEqual(told, ["damaged: malformed", "whole"], "told once");
});

Deno.test("damage: what a change met counts until the store is closed", async () => {
  const { told, reads, read } = page(2);
  await assert.rejects(read());
  reads.noteChange(new Failure("store_damaged"));
  await reads.lookAgain();
  assert.ok(!told.includes("whole"));
});
