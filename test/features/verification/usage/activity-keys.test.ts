/** Use as the older interface tells it: the calls of the portals that were written for it. */
import assert from "node:assert/strict";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { issue, movableClock } from "../../../support/keys.ts";
import { activityOf, written } from "../../../support/usage.ts";
import { outcome, planWith, valid } from "../../../support/verification.ts";

const clock = movableClock();
const DAY = 24 * 60 * 60_000;
const EMPTY = { data: [], pages: 0 };

/**
 * Two keys that were used on the last day of February, and one of them on the first two days of
 * March.
 */
async function usedKeys(desk: TestDesk) {
  const plan = await planWith(desk, {}, ["weather"]);
  const keys = [await issue(desk, [plan], "dev-ada"), await issue(desk, [plan], "dev-ada")];
  const [one, two] = keys.map(({ RawKey }) => RawKey);
  assert.ok(one && two);
  clock.at = Date.parse("2026-02-28T23:59:59.500Z");
  await valid(desk, one);
  await valid(desk, { key: two, api_id: "weather" });
  clock.at += 1000;
  await valid(desk, one);
  clock.at += DAY;
  assert.equal(await outcome(desk, { key: one, api_id: "maps" }), "wrong_api");
  await written(desk);
  return { one, two, ids: [sha256(one), sha256(two)] as const };
}

const row = (
  [year, month, day, hour]: readonly number[],
  [success, error]: readonly [number, number],
  last_hit: string,
) => ({
  id: { day, month, year, hour, code: success > 0 ? 200 : 403 },
  hits: success + error,
  success,
  error,
  last_hit,
});

testOnEngines(
  "key activity: a portal's days, of one key and of several together",
  async (desk) => {
    const { one, two, ids } = await usedKeys(desk);
    const february = (n: number) => row([2026, 2, 28, 0], [n, 0], "2026-02-28T23:59:59.500Z");
    const march = [
      row([2026, 3, 1, 0], [1, 0], "2026-03-01T00:00:00.500Z"),
      row([2026, 3, 2, 0], [0, 1], "2026-03-02T00:00:00.500Z"),
    ];
    const days = "1/2/2026/2/3/2026?p=-1&res=day";
    const both = { data: [february(2), ...march], pages: 1 };
    for (
      const keys of [
        ids.join(","),
        `${ids.join(",")},`,
        `,${ids[0]},,${ids[1]},${ids[1]},none`,
        [one, two].map(encodeURIComponent).join(","),
        `${ids[0]}%2C${encodeURIComponent(two)}`,
      ]
    ) {
      assert.deepEqual(await activityOf(desk, `aggregate/${keys}/${days}`), both, keys);
    }
    for (const key of [ids[0], encodeURIComponent(one)]) {
      const own = { data: [february(1), ...march], pages: 1 };
      for (const query of ["?res=day&p=-1", "", "?p=0", "/?res=day"]) {
        assert.deepEqual(await activityOf(desk, `${key}/01/02/2026/2/03/2026${query}`), own, query);
      }
    }
    for (const keys of [",", "none", ",,,", ""]) {
      assert.deepEqual(await activityOf(desk, `aggregate/${keys}/${days}`), EMPTY, keys);
    }
  },
  { clock },
);

testOnEngines("key activity: by hour, by month, and page by page", async (desk) => {
  const { ids } = await usedKeys(desk);
  const at = `aggregate/${ids.join(",")}/28/2/2026/2/3/2026`;
  assert.deepEqual(await activityOf(desk, `${at}?res=hour`), {
    data: [
      row([2026, 2, 28, 23], [2, 0], "2026-02-28T23:59:59.500Z"),
      row([2026, 3, 1, 0], [1, 0], "2026-03-01T00:00:00.500Z"),
      row([2026, 3, 2, 0], [0, 1], "2026-03-02T00:00:00.500Z"),
    ],
    pages: 1,
  });
  assert.deepEqual(await activityOf(desk, `${at}?res=month`), {
    data: [
      row([2026, 2, 0, 0], [2, 0], "2026-02-28T23:59:59.500Z"),
      row([2026, 3, 0, 0], [1, 1], "2026-03-02T00:00:00.500Z"),
    ],
    pages: 1,
  });
  const pages = await Promise.all([1, 2, 3].map((p) => activityOf(desk, `${at}?p=${p}`)));
  assert.deepEqual(pages.map(({ data, pages }) => [data.map(({ id }) => id.day), pages]), [
    [[28, 1], 2],
    [[2], 2],
    [[], 2],
  ]);
}, { clock, environment: { KEYDESK_PAGE_SIZE: "2" } });

testOnEngines("key activity: 1000 keys are enough, and 35 days by hour", async (desk) => {
  const many = Array.from({ length: 1001 }, (_, i) => `k${i}`).join(",");
  const most = many.split(",").slice(1).join(",");
  assert.deepEqual(await activityOf(desk, `aggregate/${most}/1/3/2026/1/3/2026`), EMPTY);
  assert.deepEqual(await activityOf(desk, "k/1/2/2026/7/3/2026?res=hour"), EMPTY);
});

testOnEngines(
  "key activity: a foreign key is one that was never used; a plain key stands nowhere",
  async (desk) => {
    const { one, ids } = await usedKeys(desk);
    const { admin } = await desk.otherOrganisation();
    const days = "1/2/2026/2/3/2026";
    for (const key of [...ids, encodeURIComponent(one)]) {
      assert.deepEqual(await activityOf(desk, `${key}/${days}`, admin), EMPTY);
      assert.deepEqual(await activityOf(desk, `aggregate/${key},/${days}`, admin), EMPTY);
    }
    const credential = await desk.token(["verify"]);
    for (const path of [`${encodeURIComponent(one)}/${days}`, `aggregate/${one},/${days}`]) {
      for (const init of [{ credential }, { credential: "wrong" }, {}]) {
        const response = await desk.send("GET", `/api/activity/keys/${path}?res=x`, init);
        const text = JSON.stringify([...response.headers]) + await response.text();
        assert.ok(!text.includes(one) && !text.includes(encodeURIComponent(one)), text);
      }
    }
    const read = await desk.token(["portal:read"]);
    assert.equal((await activityOf(desk, `${ids[0]}/${days}`, read)).data.length, 3);
    assert.ok(!desk.logLines.join("\n").includes(one.slice(0, 20)));
  },
  { clock },
);
