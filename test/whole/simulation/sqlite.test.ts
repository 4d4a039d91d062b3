/**
 * Histories from seeds, on SQLite over a simulated disk: docs/contributing/simulation.md.
 * SIMULATION_SEED: the first seed, for others than the usual ones.
 */
import assert from "node:assert/strict";
import { effort, shortOr } from "../../support/effort.ts";
import type { Found } from "./run.ts";
import { simulate } from "./simulate.ts";
import { asItIs, variants } from "./variants.ts";

const FIRST = Number(Deno.env.get("SIMULATION_SEED") ?? "1");
const HISTORIES = shortOr(20, 1000);
/** Within so many seeds a broken variant is found; most need fewer than ten. */
const FOUND_WITHIN = effort === 1 ? 60 : 300;
/** Variants that need more than the short form has. */
const RARE = [
  "a log whose flush failed is trusted by the next start",
  "the idempotency row in a second transaction",
];
/** Processes at a time, and what each of them does. */
const PROCESSES = effort === 1 ? 1 : 2;
const SHARE = 500;

Deno.test("simulation: with a failing disk, power cuts, kills and clock jumps every promise is kept", async () => {
  const began = performance.now();
  const found: Found[] = [];
  let next = FIRST;
  await Promise.all(Array.from({ length: PROCESSES }, async () => {
    while (next < FIRST + HISTORIES) {
      const from = next;
      next += SHARE;
      const share = await simulate(from, Math.min(next, FIRST + HISTORIES) - 1);
      found.push(...share.found);
      // At once, so that a long run that is broken off has told what it found.
      for (const { histories, last, broken } of effort === 1 ? [] : share.found) {
        const told = broken.map(({ text }) => `\n${text}`).join("");
        console.error(
          `${histories} histories to seed ${last.seed}: ${broken.length} broken${told}`,
        );
      }
    }
  }));
  const broken = found.flatMap((one) => one.broken.map(({ text }) => text));
  assert.equal(broken.length, 0, `\n${broken.join("\n\n")}`);
  const sum = (name: string) => found.reduce((all, one) => all + (one.figures[name] ?? 0), 0);
  assert.equal(found.reduce((all, { histories }) => all + histories, 0), HISTORIES);
  // A simulation in which nothing happens finds nothing.
  for (
    const name of ["acknowledged", "refused", "unknown", "looks", "failures", "jumps", "stops"]
  ) {
    assert.ok(sum(name) > HISTORIES / 10, `${name}: ${sum(name)}`);
  }
  console.log(
    `sqlite, seed ${FIRST}: ${HISTORIES} histories to seed ${FIRST + HISTORIES - 1}, ${
      sum("acknowledged")
    } acknowledged, ${sum("unknown")} unknown, ${sum("looks")} looks, ${sum("stops")} stops, ${
      sum("failures")
    } failed calls of the disk, ${sum("jumps")} jumps of the clock; ${
      Math.round((performance.now() - began) / 1000)
    } s`,
  );
});

Deno.test("simulation: a seed gives the same history again, whatever ran before", async () => {
  const [several] = (await simulate(FIRST, FIRST + 4)).found;
  const [alone] = (await simulate(FIRST + 4, FIRST + 4)).found;
  assert.deepEqual(alone?.last, several?.last);
  assert.equal(alone?.last.seed, FIRST + 4);
});

Deno.test("simulation: every broken variant is found, and a command is named that repeats it", async (test) => {
  const names = Object.keys(variants).filter((one) => one !== asItIs);
  for (const name of RARE) assert.ok(names.includes(name), name);
  const wanted = names.filter((one) => effort > 1 || !RARE.includes(one));
  const { found, code } = await simulate(1, FOUND_WITHIN, wanted);
  assert.equal(code, 1);
  for (const name of wanted) {
    await test.step(name, () => {
      const one = found.find(({ variant }) => variant === name);
      const [first] = one?.broken ?? [];
      assert.ok(first, `not found within ${FOUND_WITHIN} seeds`);
      assert.match(first.text, new RegExp(`run\\.ts ${first.seed} --variant "`));
    });
  }
});
