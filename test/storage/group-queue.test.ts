import assert from "node:assert/strict";
import { GroupQueue } from "../../src/storage/engines/group-queue.ts";
import type { Job, Outcome } from "../../src/storage/engines/sqlite-writer.ts";

/** A queue whose groups end when the test says so. */
function startQueue() {
  const groups: {
    inputs: string[];
    flush(): void;
    end: PromiseWithResolvers<Outcome[]>;
    succeed(): void;
  }[] = [];
  const queue = new GroupQueue((jobs, onFlush) => {
    const end = Promise.withResolvers<Outcome[]>();
    const succeed = () => end.resolve(jobs.map(({ input }) => ({ ok: true, output: input })));
    groups.push({ inputs: jobs.map((job) => String(job.input)), flush: onFlush, end, succeed });
    return end.promise;
  });
  const submit = (input: string) => queue.submit({ transaction: "test", input } satisfies Job);
  return { queue, groups, submit };
}

/** After everything that promises have set off. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("group queue: what comes until a group's flush is the next group, sent before that one has ended", async () => {
  const { queue, groups, submit } = startQueue();
  const first = submit("a");
  await settled();
  const others = [submit("b"), submit("c")];
  await settled();
  others.push(submit("d"));
  await settled();
  assert.deepEqual(groups.map(({ inputs }) => inputs), [["a"]]);

  groups[0]?.flush();
  assert.deepEqual(groups.map(({ inputs }) => inputs), [["a"], ["b", "c", "d"]]);
  others.push(submit("e"));
  await settled();
  assert.equal(groups.length, 2, "one group at the most waits beside the one being flushed");

  groups[0]?.succeed();
  assert.equal(await first, "a");
  await settled();
  assert.equal(groups.length, 2, "the end of a group that came to its flush sends nothing");

  groups[1]?.flush();
  groups[1]?.succeed();
  groups[2]?.flush();
  groups[2]?.succeed();
  assert.deepEqual(await Promise.all(others), ["b", "c", "d", "e"]);
  assert.deepEqual([queue.flushes, queue.commits], [3, 5]);
  await queue.close();
});

Deno.test("group queue: a group that ends without coming to its flush lets the next one go", async () => {
  const { queue, groups, submit } = startQueue();
  const first = submit("a");
  await settled();
  const second = submit("b");
  groups[0]?.end.reject(new Error("the thread died"));
  await assert.rejects(first, { code: "unavailable" });
  await settled();
  assert.deepEqual(groups[1]?.inputs, ["b"]);
  groups[1]?.succeed();
  assert.equal(await second, "b");
  await queue.close();
});

Deno.test("group queue: closing sends what waits, and ends after it", async () => {
  const { queue, groups, submit } = startQueue();
  const first = submit("a");
  await settled();
  const second = submit("b");
  let closed = false;
  const closing = queue.close().then(() => void (closed = true));
  groups[0]?.flush();
  groups[0]?.succeed();
  assert.equal(await first, "a");
  await settled();
  assert.equal(closed, false);
  groups[1]?.succeed();
  assert.equal(await second, "b");
  await closing;
  await assert.rejects(submit("c"), { code: "unavailable" });
});
