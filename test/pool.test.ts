/** What runs beside what in a run of tests: tools/pool.ts. */
import assert from "node:assert/strict";
import { type Kind, kindOf, nextOf, type Part, runPool } from "../tools/pool.ts";

function part(kind: Kind, seconds: number): Part {
  return { path: `${kind} of ${seconds}`, kind, seconds };
}

/** The parts in the order of their beginning, and for each what ran beside it then. */
async function runAll(parts: readonly Part[], lanes: number): Promise<[string, string[]][]> {
  const began: [string, string[]][] = [];
  const running = new Set<string>();
  await runPool(parts, {
    lanes,
    signal: new AbortController().signal,
    run: async ({ path, seconds }) => {
      began.push([path, [...running].toSorted()]);
      running.add(path);
      // As long as it says, in turns of the loop.
      for (let turn = 0; turn < seconds; turn++) await new Promise((done) => setTimeout(done));
      running.delete(path);
    },
  });
  return began;
}

Deno.test("pool: every part runs once, no more at a time than there are lanes", async () => {
  const parts = Array.from({ length: 40 }, (_, n) => ({ ...part("test", n % 7), path: `${n}` }));
  const began = await runAll(parts, 3);
  assert.deepEqual(
    began.map(([path]) => path).toSorted(),
    parts.map(({ path }) => path).toSorted(),
  );
  assert.equal(Math.max(...began.map(([, beside]) => beside.length)), 2);
});

Deno.test("pool: what runs one at a time begins first, and the longest before the others", async () => {
  const began = await runAll([part("test", 3), part("test", 9), part("machine", 5)], 1);
  assert.deepEqual(began.map(([path]) => path), ["machine of 5", "test of 9", "test of 3"]);
});

Deno.test("pool: one file of the machine runs after the other from the beginning on", async () => {
  const files = [9, 8, 7].map((seconds) => part("machine", seconds));
  const tests = Array.from({ length: 12 }, (_, n) => ({ ...part("test", 20), path: `${n}` }));
  const began = await runAll([...tests, ...files], 3);
  const last = began.findLast(([path]) => path.startsWith("machine"));
  assert.ok(began.length - began.indexOf(last ?? ["", []]) > 6, JSON.stringify(began));
});

Deno.test("pool: two browsers and one file of the machine at once, whatever lanes are free", async () => {
  const parts = [1, 2, 3, 4].flatMap((n) => [part("browser", 9 + n), part("machine", 9 + n)]);
  for (const [path, beside] of await runAll(parts, 8)) {
    const [kind = ""] = path.split(" ");
    const alike = beside.filter((one) => one.startsWith(kind)).length;
    assert.ok(alike < (kind === "browser" ? 2 : 1), `${path} beside ${beside}`);
  }
});

Deno.test("pool: who changes the network runs before every browser, beside what needs none", async () => {
  const parts = [part("browser", 30), part("network", 4), part("network", 3), part("test", 20)];
  assert.deepEqual(await runAll(parts, 4), [
    ["network of 4", []],
    ["test of 20", ["network of 4"]],
    ["network of 3", ["test of 20"]],
    ["browser of 30", ["test of 20"]],
  ]);
});

Deno.test("pool: what bounds the clock runs by itself, when all others have ended", async () => {
  const parts = [part("alone", 50), part("alone", 3), part("test", 2), part("machine", 4)];
  assert.deepEqual((await runAll(parts, 4)).slice(2), [["alone of 50", []], ["alone of 3", []]]);
});

Deno.test("pool: one that is stopped begins nothing more, and waits for what runs", async () => {
  const stop = new AbortController();
  const ended: string[] = [];
  await runPool([part("test", 2), part("test", 1)], {
    lanes: 1,
    signal: stop.signal,
    run: async ({ path }) => {
      stop.abort();
      await new Promise((done) => setTimeout(done, 5));
      ended.push(path);
    },
  });
  assert.deepEqual(ended, ["test of 2"]);
});

Deno.test("pool: a file says what it can't run beside, else its place and imports do", () => {
  const browser = `import { sharedBrowser } from "../support/shared-browser.ts";`;
  assert.equal(kindOf("test/a.test.ts", browser), "test");
  assert.equal(kindOf("system/client/a.test.ts", browser), "browser");
  assert.equal(kindOf("system/console/a.test.ts", ""), "browser");
  assert.equal(kindOf("system/storage/a.test.ts", ""), "machine");
  assert.equal(kindOf("system/storage/a.test.ts", "// alone: network\n"), "network");
  assert.equal(kindOf("test/a.test.ts", "/** x */\n// alone: clock\n"), "alone");
  assert.equal(nextOf([], []), undefined);
});
