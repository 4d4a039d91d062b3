/** The list of keys: order, cursors, filters, and that it stands still while keys come in. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  allKeyIds,
  call,
  importKeys,
  issue,
  KEYS,
  listKeys,
  movableClock,
} from "../../support/keys.ts";

const clock = movableClock();
const start = clock.at;
const reason = "because";

/**
 * Issues `count` keys, a second apart from each other every third time, and gives their ids, newest
 * first.
 */
async function issueMany(desk: TestDesk, count: number): Promise<string[]> {
  clock.at = start;
  const issued: { at: number; key_id: string }[] = [];
  for (let n = 0; n < count; n++) {
    if (n % 3 === 0) clock.at += 1000;
    const plans = n % 2 === 0 ? ["even", "all"] : ["odd", "all"];
    const { key_id } = await issue(desk, plans, `dev-${n % 4}`);
    issued.push({ at: clock.at, key_id });
  }
  return issued.sort((a, b) => b.at - a.at || (a.key_id < b.key_id ? 1 : -1))
    .map(({ key_id }) => key_id);
}

testOnEngines(
  "list: a page links to the next one, the last one to none",
  async (desk) => {
    const ids = await issueMany(desk, 3);
    const first = await desk.send("GET", `${KEYS}?limit=2&plan=all`);
    const link = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const last = await desk.send("GET", link);
    const shown = [...(await first.json()).data, ...(await last.json()).data];
    assert.deepEqual(shown.map(({ key_id }) => key_id), ids);
    assert.equal(last.headers.get("link"), null);
  },
  { clock },
);

testOnEngines(
  "list: newest first, in pages that follow each other without a gap or a twin",
  async (desk) => {
    assert.deepEqual(await listKeys(desk), { data: [], next_cursor: null });
    const ids = await issueMany(desk, 25);
    for (const limit of [1, 7, 24, 25, 26, 100]) {
      assert.deepEqual(await allKeyIds(desk, `limit=${limit}`), ids, `limit ${limit}`);
    }
    const first = await listKeys(desk);
    assert.equal(first.data.length, 20);
    assert.ok(first.next_cursor !== null);
    assert.equal((await listKeys(desk, "?limit=25")).next_cursor, null);
  },
  { clock },
);

testOnEngines(
  "list: keys that are issued or change their state meanwhile move nothing",
  async (desk) => {
    const ids = await issueMany(desk, 12);
    const first = await listKeys(desk, "?limit=5");
    clock.at += 1000;
    await issue(desk);
    await call(desk, "POST", `${KEYS}/${ids[6]}/suspend`, { reason });
    await call(desk, "POST", `${KEYS}/${ids[2]}/revoke`, { reason });
    const rest = await listKeys(desk, `?limit=100&cursor=${first.next_cursor}`);
    assert.deepEqual([...first.data, ...rest.data].map((key) => key.key_id), ids);
    assert.equal(rest.data[1]?.state, "suspended");
  },
  { clock },
);

testOnEngines(
  "list: each filter and each pair of filters gives exactly its keys, in order",
  async (desk) => {
    const ids = await issueMany(desk, 16);
    const at = (n: number) => ids[n] ?? "";
    await call(desk, "POST", `${KEYS}/${at(0)}/suspend`, { reason });
    await call(desk, "POST", `${KEYS}/${at(5)}/revoke`, { reason });
    await call(desk, "POST", `${KEYS}/${at(6)}/revoke`, { reason });
    const soon = new Date(clock.at + 1000).toISOString();
    await call(desk, "PUT", `${KEYS}/${at(0)}/expiry`, { expires_at: soon });
    await call(desk, "PUT", `${KEYS}/${at(9)}/expiry`, { expires_at: soon });
    await call(desk, "PUT", `${KEYS}/${at(10)}/plans`, { plans: ["changed"] });
    clock.at += 1000;
    const { data } = await listKeys(desk, "?limit=100");
    assert.deepEqual(data.map((key) => key.key_id), ids);
    assert.equal(data.filter((key) => key.state === "expired").length, 2);
    for (const state of ["", "active", "suspended", "revoked", "expired"]) {
      for (const plan of ["", "even", "odd", "all", "changed", "none"]) {
        for (const developer of ["", "dev-1", "dev-3", "nobody"]) {
          const expected = data.filter((key) =>
            (state === "" || key.state === state) && (plan === "" || key.plans.includes(plan)) &&
            (developer === "" || key.developer_id === developer)
          ).map((key) => key.key_id);
          const query = Object.entries({ state, plan, developer })
            .filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`);
          for (const limit of [2, 100]) {
            const found = await allKeyIds(desk, [...query, `limit=${limit}`].join("&"));
            // What has expired is in the order of its end, all others in that of the list.
            const byEnd = state === "expired" && plan === "" && developer === "";
            assert.deepEqual(
              byEnd ? found.toSorted() : found,
              byEnd ? expected.toSorted() : expected,
              `${query}`,
            );
          }
        }
      }
    }
  },
  { clock },
);

testOnEngines(
  "list: what has expired comes by its end, the newest end first",
  async (desk) => {
    const ids = await issueMany(desk, 4);
    const ends = [2000, 4000, 1000, 3000];
    for (const [n, ms] of ends.entries()) {
      const expires_at = new Date(clock.at + ms).toISOString();
      await call(desk, "PUT", `${KEYS}/${ids[n]}/expiry`, { expires_at });
    }
    clock.at += 3000;
    for (const limit of [1, 3]) {
      const found = await allKeyIds(desk, `state=expired&limit=${limit}`);
      assert.deepEqual(found, [ids[3], ids[0], ids[2]]);
    }
  },
  { clock },
);

testOnEngines(
  "list: a page looks at about a thousand keys; the cursor leads on where none of them fits",
  async (desk) => {
    const lines = Array.from({ length: 2500 }, (_, n) => ({
      key: `key-${n}`,
      developer: "dev-ada",
      plans: n === 0 || n === 1300 ? ["rare"] : ["common"],
      created: new Date(start + n * 1000).toISOString(),
      state: n % 500 === 1 ? "suspended" : "active",
    }));
    for (let from = 0; from < lines.length; from += 500) {
      await importKeys(desk, lines.slice(from, from + 500));
    }
    const ids = lines.map(({ key }) => sha256(key)).reverse();
    for (const filter of ["", "developer=dev-ada&"]) {
      assert.deepEqual(await allKeyIds(desk, `${filter}limit=100`), ids);
    }
    assert.deepEqual(await allKeyIds(desk, "plan=rare"), [sha256("key-1300"), sha256("key-0")]);
    const suspended = [2001, 1501, 1001, 501, 1].map((n) => sha256(`key-${n}`));
    assert.deepEqual(await allKeyIds(desk, "state=suspended"), suspended);
    const first = await listKeys(desk, "?developer=dev-ada&plan=rare");
    assert.deepEqual(first.data, []);
    assert.ok(first.next_cursor !== null);
    const both = await allKeyIds(desk, "developer=dev-ada&plan=rare");
    assert.deepEqual(both, [sha256("key-1300"), sha256("key-0")]);
  },
);

testOnEngines("list: another organisation's keys are absent, by any filter", async (desk) => {
  const { key_id, RawKey } = await issue(desk);
  const { admin: credential } = await desk.otherOrganisation();
  for (const query of ["", "?developer=dev-ada", "?plan=plan-weather", "?state=active"]) {
    const page = await call(desk, "GET", `${KEYS}${query}`, undefined, { credential });
    assert.deepEqual(page, { data: [], next_cursor: null });
  }
  assert.equal(key_id, sha256(RawKey));
});
