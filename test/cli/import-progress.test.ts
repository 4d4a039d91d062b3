/** Progress of an import: how far, how fast, how long still. */
import assert from "node:assert/strict";
import { Progress } from "../../src/cli/import-progress.ts";
import type { Kind } from "../../src/maintenance/import/source.ts";

/** A progress whose clock stands still until it is moved on. */
function started(expected: [Kind, number][], isTerminal: boolean) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const progress = new Progress(new Map(expected), {
    isTerminal,
    write: (text) => void written.push(text),
    now: () => clock.ms,
  });
  return { progress, written, clock };
}

Deno.test("import progress: a terminal shows one line with rate and time left", () => {
  const { progress, written, clock } = started([["developer", 1000], ["request", 2000]], true);
  for (let n = 0; n < 100; n++) {
    clock.ms += 10;
    progress.read("developer", 1);
  }
  assert.equal(
    written.at(-1),
    "\r\x1b[K100 of about 3,000 read, 100 a second, about 29 s left, now developer",
  );
  assert.ok(written.length < 10);
  progress.end();
  assert.equal(written.at(-1), "\r\x1b[K");
});

Deno.test("import progress: elsewhere a line each ten seconds, and one for each kind", () => {
  const { progress, written, clock } = started([["developer", 30], ["request", 10]], false);
  for (let n = 0; n < 25; n++) {
    clock.ms += 1000;
    progress.read("developer", 1);
  }
  clock.ms += 1000;
  progress.read("request", 8);
  progress.end();
  assert.deepEqual(written, [
    "10 of about 40 read, 1 a second, about 30 s left, now developer\n",
    "20 of about 40 read, 1 a second, about 20 s left, now developer\n",
    // Fewer came than were expected.
    "25 of about 40 read, 1 a second, about 18 s left, now developer\n",
    "33 of about 35 read, 2 a second, less than a second left, now request\n",
  ]);
});

Deno.test("import progress: where nobody knows how much there is, it says how much was read", () => {
  const { progress, written, clock } = started([], false);
  clock.ms = 2000;
  progress.read("key", 4);
  progress.end();
  assert.deepEqual(written, ["4 read, 2 a second, now key\n"]);
});
