/**
 * What the console reads is asked for once, shown as it is known, and never overtaken by an older
 * answer.
 */
import assert from "node:assert/strict";
import { QueryCache, type QueryOptions } from "../../console/api/query-cache.ts";
import { eventually } from "../support/eventually.ts";

/** A cache whose server answers when the test says so. */
function world() {
  let now = 0;
  const cache = new QueryCache({
    pauseBeforeRetry: (failures, error) =>
      error instanceof TypeError && failures < 2 ? 1 : undefined,
    now: () => now,
  });
  const asked: { answer: (data: unknown) => void; fail: (error: Error) => void }[] = [];
  const queryFn = () => new Promise<unknown>((answer, fail) => void asked.push({ answer, fail }));
  const look = (queryKey: string[], options: Partial<QueryOptions<unknown>> = {}) => {
    const seen: unknown[] = [];
    const changed = () => seen.push(cache.peek(queryKey).data);
    const user = { options: { queryKey, queryFn, ...options }, changed };
    const leave = cache.join(user);
    cache.refresh(user);
    return { user, seen, leave };
  };
  return { cache, asked, look, pass: (ms: number) => now += ms };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("queries: two who look at a key send one request, and both are shown its answer", async () => {
  const { asked, look, cache } = world();
  const [one, two] = [look(["keys", "a"]), look(["keys", "a"])];
  assert.equal(asked.length, 1);
  asked[0]?.answer({ id: "a" });
  await settled();
  assert.deepEqual([one.seen, two.seen], [[{ id: "a" }], [{ id: "a" }]]);
  assert.deepEqual(cache.peek(["keys", "a"]), { data: { id: "a" }, error: null });
});

Deno.test("queries: an answer is fresh for its time, then asked for again, and an equal one shows nothing anew", async () => {
  const { asked, look, pass, cache } = world();
  const { user, seen } = look(["keys"]);
  asked[0]?.answer([{ id: "a" }]);
  await settled();
  const first = cache.peek(["keys"]).data;
  pass(4999);
  cache.refresh(user);
  assert.equal(asked.length, 1);
  pass(1);
  cache.refresh(user);
  asked[1]?.answer([{ id: "a" }]);
  await settled();
  assert.equal(seen.length, 1);
  assert.equal(cache.peek(["keys"]).data, first);
});

Deno.test("queries: what was invalidated is read again where somebody looks, and an older answer is dropped", async () => {
  const { asked, look, cache } = world();
  const { seen } = look(["keys", "a"]);
  look(["plans"]);
  const over = cache.invalidateQueries({ queryKey: ["keys"] });
  assert.equal(asked.length, 3);
  asked[2]?.answer("new");
  await over;
  asked[0]?.answer("old");
  await settled();
  assert.deepEqual(seen, ["new"]);
});

Deno.test("queries: what nobody enabled is not asked for, and what is spared by the predicate is left alone", async () => {
  const { asked, look, cache } = world();
  look(["keys"], { enabled: false });
  assert.equal(asked.length, 0);
  await cache.invalidateQueries();
  assert.equal(asked.length, 0);
  look(["keys", "gone"]);
  await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== "gone" });
  assert.equal(asked.length, 1);
});

Deno.test("queries: a failure leaves the last good answer, and the next success takes it back", async () => {
  const { asked, look, cache } = world();
  const { user } = look(["keys"]);
  asked[0]?.answer(1);
  await settled();
  const refused = new Error("refused");
  const again = cache.refetch(user.options);
  asked[1]?.fail(refused);
  await again;
  assert.deepEqual(cache.peek(["keys"]), { data: 1, error: refused });
  const third = cache.refetch(user.options);
  asked[2]?.answer(1);
  await third;
  assert.deepEqual(cache.peek(["keys"]), { data: 1, error: null });
});

Deno.test("queries: a busy server is asked three times in all, and no more", async () => {
  const { asked, look, cache } = world();
  look(["keys"]);
  const busy = new TypeError("busy");
  for (const turn of [0, 1, 2]) {
    await eventually("the next try", () => asked.length > turn);
    asked[turn]?.fail(busy);
  }
  await eventually("the failure", () => cache.peek(["keys"]).error === busy);
  assert.equal(asked.length, 3);
});

Deno.test("queries: who left is told nothing, and what nobody looks at is forgotten after its time", async () => {
  const { asked, look, cache } = world();
  const { seen, leave } = look(["keys"], { gcTime: 1 });
  leave();
  asked[0]?.answer(1);
  await settled();
  assert.deepEqual(seen, []);
  await eventually("it is forgotten", () => cache.peek(["keys"]).data === undefined);
});

Deno.test("queries: what a change answered with is known without a request, and all is forgotten at once", async () => {
  const { asked, look, cache } = world();
  cache.setQueryData(["keys", "a"], 2);
  const { seen, leave } = look(["keys", "a"]);
  assert.equal(asked.length, 0);
  assert.equal(cache.peek(["keys", "a"]).data, 2);
  cache.clear();
  assert.deepEqual(seen, [undefined]);
  leave();
  cache.clear();
  await settled();
});
