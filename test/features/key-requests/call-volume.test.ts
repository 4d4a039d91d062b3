/** How much somebody means to call, read from the answers of a request, and held against a plan. */
import assert from "node:assert/strict";
import { isMore, type Limits, volumeOf } from "../../../src/features/key-requests/call-volume.ts";

const DAY = 86_400;
const MONTH = 30 * DAY;

Deno.test("volume: numbers with a span are understood, in the answer or in the question", () => {
  const known: readonly (readonly [string, string, number, number])[] = [
    ["expected_calls", "45,000 a day", 45_000, DAY],
    ["expected_calls", "1 a minute", 1, 60],
    ["expected_calls", "about 3,000,000 in 30 days", 3_000_000, MONTH],
    ["Traffic", "1.5M requests per month", 1_500_000, MONTH],
    ["volume", "20k/hour", 20_000, 3600],
    ["How much?", "200 calls every 10 seconds", 200, 10],
    ["Calls", "1.500 a week", 1500, 7 * DAY],
    ["Calls", "12 000 per day", 12_000, DAY],
    ["callsPerDay", "2'500", 2500, DAY],
    ["Requests per month", "2 million calls", 2_000_000, MONTH],
  ];
  for (const [name, value, calls, seconds] of known) {
    assert.deepEqual(volumeOf({ company: "9 a day", [name]: value }), {
      said: value,
      calls,
      seconds,
    }, value);
  }
});

Deno.test("volume: what says no number of calls, or not in how long, says nothing", () => {
  const silent: readonly (readonly [string, string])[] = [
    ["expected_calls", "Unlimited, please"],
    ["expected_calls", "40,000"],
    ["expected_calls", ""],
    ["expected_calls", "0 a day"],
    ["Budget", "3,000 a month"],
    ["Calls", "as many in a day as we get"],
    ["use_case", `Our calls: 9 a day, ${"and so on, ".repeat(6)}`],
    ["calls", "1,2,3.4 a day"],
  ];
  for (const [name, value] of silent) {
    assert.equal(volumeOf({ [name]: value }), undefined, value);
  }
});

Deno.test("volume: days and more are held against the quota, less against the rate", () => {
  const plan = { rate: 60, per: 60, quota: 20_000, renewal: MONTH };
  const more = (said: string, of: Partial<Limits> = {}) => {
    const volume = volumeOf({ calls: said });
    assert.ok(volume, said);
    return isMore(volume, { ...plan, ...of });
  };
  assert.deepEqual(
    ["700 a day", "20,000 a month", "60 a minute", "1 a second"].map((one) => more(one)),
    [
      true,
      false,
      false,
      false,
    ],
  );
  assert.deepEqual(["61 a minute", "2 a second", "20,001 a month"].map((one) => more(one)), [
    true,
    true,
    true,
  ]);
  assert.equal(more("20,001 a year", { renewal: 0 }), true);
  assert.equal(more("90,000 a day", { quota: -1 }), true);
  assert.equal(more("86,400 a day", { quota: -1 }), false);
  assert.equal(more("9,000,000 a second", { quota: 5, rate: 0 }), false);
});
