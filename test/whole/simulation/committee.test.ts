/**
 * Histories of a committee, on SQLite over a simulated disk: people who decide in steps, by offers,
 * declines and edits, while the process dies: docs/contributing/simulation.md. SIMULATION_SEED: the
 * first seed.
 */
import assert from "node:assert/strict";
import { effort, shortOr } from "../../support/effort.ts";
import { committeeVariants } from "./committee-variants.ts";
import type { Found } from "./run.ts";
import { simulate } from "./simulate.ts";
import { asItIs } from "./variants.ts";

const FIRST = Number(Deno.env.get("SIMULATION_SEED") ?? "1");
const HISTORIES = shortOr(2, 1000);
/** Within so many seeds a broken committee is found. */
const FOUND_WITHIN = effort === 1 ? 10 : 300;
/** What `npm test` looks for; the others it finds in test/whole/interleavings, for less. */
const SHORT_FORM = ["a step is counted twice", "a request is seen as it was before"];
const PROCESSES = effort === 1 ? 1 : 2;
const SHARE = 1000;

Deno.test("simulation: a committee decides once, by the steps of distinct people who might", async () => {
  const began = performance.now();
  const found: Found[] = [];
  let next = FIRST;
  await Promise.all(Array.from({ length: PROCESSES }, async () => {
    while (next < FIRST + HISTORIES) {
      const from = next;
      next += SHARE;
      const last = Math.min(next, FIRST + HISTORIES) - 1;
      found.push(...(await simulate(from, last, [], "committee")).found);
    }
  }));
  const broken = found.flatMap((one) => one.broken.map(({ text }) => text));
  assert.equal(broken.length, 0, `\n${broken.join("\n\n")}`);
  const sum = (name: string) => found.reduce((all, one) => all + (one.figures[name] ?? 0), 0);
  assert.equal(found.reduce((all, { histories }) => all + histories, 0), HISTORIES);
  for (const name of ["acknowledged", "refused", "unknown", "interleavings", "stops"]) {
    assert.ok(sum(name) >= HISTORIES / 4, `${name}: ${sum(name)}`);
  }
  console.log(
    `committee, seed ${FIRST}: ${HISTORIES} histories to seed ${FIRST + HISTORIES - 1}, ${
      sum("interleavings")
    } interleavings, ${sum("distinct")} of them distinct in their share, ${
      sum("acknowledged")
    } acknowledged, ${sum("refused")} refused, ${sum("unknown")} unknown, ${sum("stops")} stops, ${
      sum("jumps")
    } jumps of the clock; ${Math.round((performance.now() - began) / 1000)} s`,
  );
});

Deno.test("simulation: every committee that decides wrongly is found", async (test) => {
  const names = Object.keys(committeeVariants).filter((one) => one !== asItIs);
  for (const name of SHORT_FORM) assert.ok(names.includes(name), name);
  const wanted = names.filter((one) => effort > 1 || SHORT_FORM.includes(one));
  const { found, code } = await simulate(1, FOUND_WITHIN, wanted, "committee");
  assert.equal(code, 1);
  for (const name of wanted) {
    await test.step(name, () => {
      const [first] = found.find(({ variant }) => variant === name)?.broken ?? [];
      assert.ok(first, `not found within ${FOUND_WITHIN} seeds`);
      assert.match(first.text, new RegExp(`run\\.ts ${first.seed} --variant "`));
    });
  }
});
