/**
 * Every order in which calls on one key request can meet, on the real transactions:
 * docs/contributing/simulation.md. The short form draws some orders of each scenario, the long one
 * tries all.
 */
import assert from "node:assert/strict";
import { effort } from "../../support/effort.ts";
import { committeeVariants } from "../simulation/committee-variants.ts";
import { asItIs, type Variant } from "../simulation/variants.ts";
import { explore, type Explored, type Part } from "./explore.ts";
import { openReplayedDesk } from "./replayed-desk.ts";
import { scenarios } from "./scenarios.ts";

const isShort = effort === 1;
const PART: Part = isShort ? { most: 60, width: 2 } : {};
/** Of a broken committee the orders are tried until one shows it. */
const SEARCH: Part = isShort ? { most: 100, width: 2 } : { most: 10_000, width: 3 };
/** It goes by a clock that stands still here. */
const NOT_HERE = ["a request is seen as it was before"];

Deno.test("interleavings: in every order a committee decides once, by others than who asks", async () => {
  const began = performance.now();
  await using desk = await openReplayedDesk();
  let all = 0;
  const sum = { acknowledged: 0, refused: 0, unknown: 0 };
  for (const scenario of scenarios) {
    const told = await explore(desk, scenario, PART);
    assert.equal(told.broken, undefined, textOf(scenario.name, told));
    assert.ok(told.interleavings > 0 && told.acknowledged > 0, JSON.stringify(told));
    for (const name of ["acknowledged", "refused", "unknown"] as const) sum[name] += told[name];
    all += told.interleavings;
    if (!isShort) console.log(`${scenario.name}: ${JSON.stringify(told)}`);
  }
  for (const [name, n] of Object.entries(sum)) assert.ok(n > 0, name);
  if (!isShort) assert.ok(all >= 1_000_000, `${all} interleavings`);
  console.log(
    `${isShort ? "some" : "all"} orders of ${scenarios.length} scenarios: ${all} interleavings, ` +
      `${sum.acknowledged} acknowledged, ${sum.refused} refused, ${sum.unknown} unknown, ` +
      `0 doubled, 0 by who asks; ${Math.round((performance.now() - began) / 1000)} s`,
  );
});

Deno.test("interleavings: every committee that decides wrongly is found", async (test) => {
  const names = Object.keys(committeeVariants).filter((one) => one !== asItIs);
  for (const name of NOT_HERE) assert.ok(names.includes(name), name);
  for (const name of names.filter((one) => !NOT_HERE.includes(one))) {
    await test.step(name, async () => {
      const found = await firstBroken(committeeVariants[name]);
      assert.ok(found, "not found in any order");
    });
  }
});

async function firstBroken(variant: Variant | undefined): Promise<string | undefined> {
  assert.ok(variant);
  await using desk = await openReplayedDesk(variant);
  for (const scenario of scenarios) {
    const told = await explore(desk, scenario, SEARCH);
    if (told.broken) return textOf(scenario.name, told);
  }
  return undefined;
}

function textOf(name: string, { broken }: Explored): string {
  return broken ? [name, ...broken.order, ...broken.problems].join("\n") : name;
}
