/** What the console's page of a move says of its figures. */
import assert from "node:assert/strict";
import {
  answerOf,
  canUndo,
  daysUntil,
  type MigrationReport,
  sawYesterday,
  shareOf,
} from "../../console/screens/gateways/migration/words.ts";
import { meterFigures } from "../../system/console/meter-figures.ts";

const NOW = Date.parse("2026-03-12T09:40:00Z");
const DAY_MS = 24 * 60 * 60 * 1000;

/** A move that is over: nothing is decided there any more, and every key was seen. */
function over(): MigrationReport {
  const meter = meterFigures(NOW);
  const plans = meter.plans.map((plan) => ({ ...plan, safe: true, allowed_at_gateway_only: [] }));
  return {
    ...meter,
    plans,
    safe_plans: plans.length,
    unknown: { calls: 0, opened: 0 },
    keys: { ...meter.keys, at_gateway_yesterday: 0, never_seen: 0 },
  };
}

Deno.test("moving in: yes is said where nothing at all hinders it, and each hindrance alone is a no", () => {
  const done = over();
  assert.deepEqual([answerOf(done).tone, answerOf(done).why], ["good", []]);
  const [first] = done.plans;
  assert.ok(first);
  const differs = { ...first, allowed_at_gateway_only: [{ reason: "expired" as const, calls: 1 }] };
  const hindered: Record<string, Partial<MigrationReport>> = {
    "never says": { reports: false },
    "2 keys called it": { keys: { ...done.keys, at_gateway_yesterday: 2 } },
    "calls of 1 plan": { plans: [differs, ...done.plans.slice(1)] },
    "1 call in 7 days": { unknown: { calls: 2, opened: 1 } },
    "5 of 6 plans are safe": { safe_plans: 5 },
    "6 of 7 plans are safe": { more_plans: 1 },
    "No plan has keys": { plans: [], safe_plans: 0 },
  };
  for (const [words, more] of Object.entries(hindered)) {
    const { tone, why } = answerOf({ ...done, ...more });
    assert.equal(tone, "waiting", words);
    assert.equal(why.length, 1, `${why}`);
    assert.ok(why[0]?.includes(words), `${why}`);
  }
});

Deno.test("moving in: keys never seen hinder nothing and are named, and nothing observed is no answer", () => {
  const done = over();
  const { tone, why } = answerOf({ ...done, keys: { ...done.keys, never_seen: 1 } });
  assert.deepEqual([tone, why], ["good", [
    "1 key was never seen at either, which proves nothing.",
  ]]);
  assert.equal(answerOf({ ...done, since: null }).tone, "quiet");
});

Deno.test("moving in: a share is all only where nothing is left, and known only of what was observed", () => {
  assert.equal(shareOf({ in_keydesk: 99_999, at_gateway: 1 }), "99.9%");
  assert.equal(shareOf({ in_keydesk: 5, at_gateway: 0 }), "100%");
  assert.equal(shareOf({ in_keydesk: 0, at_gateway: 5 }), "0%");
  assert.equal(shareOf({ in_keydesk: 0, at_gateway: 0 }), "");
  const meter = meterFigures(NOW);
  assert.equal(sawYesterday(meter), true);
  assert.equal(sawYesterday({ ...meter, since: "2026-03-12" }), false);
  assert.equal(sawYesterday({ ...meter, since: null }), false);
});

Deno.test("moving in: one click undoes a switch for 7 days, and not a moment longer", () => {
  const [plan] = meterFigures(NOW).plans;
  assert.ok(plan);
  const since = (ms: number, decided: "keydesk" | "gateway" = "keydesk") =>
    canUndo({ ...plan, decided, decided_at: new Date(NOW - ms).toISOString() }, NOW);
  assert.deepEqual([since(7 * DAY_MS - 1), since(7 * DAY_MS)], [true, false]);
  assert.equal(since(0, "gateway"), false);
  assert.equal(canUndo({ ...plan, decided: "keydesk" }, NOW), false, "nobody knows since when");
  assert.deepEqual([daysUntil("2026-03-13", NOW), daysUntil("2026-03-18", NOW)], [1, 6]);
});
