/** A key in the words of the original's gateway: what it may do and has left. */
import assert from "node:assert/strict";
import type { NamedKeyData } from "../../../../src/features/verification/key-data/key-data.service.ts";
import { assertFailure } from "../../../support/answers.ts";
import { DEVELOPERS, succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { call, issue, KEYS, movableClock } from "../../../support/keys.ts";
import { leastProcessorMs } from "../../../support/processor.ts";
import { heeds, outcome, planWith, valid, withSecond } from "../../../support/verification.ts";

/** Every way to read one, by what may stand in the path. */
const ways: ((key: string) => string)[] = [
  (key) => `/api/apis/weather/keys/${key}`,
  (key) => `/api/apis/-/keys/${key}`,
  (key) => `/api/apis//keys/${key}`,
  (key) => `/api/api/apis/weather/keys/${key}`,
  (key) => `/api/keys/${key}`,
  (key) => `/api/keys/${key}/?auto_guess=true`,
];

const DETAILED = "/api/keys/detailed?p=-1";

const read = (desk: TestDesk, path: string) => succeed<NamedKeyData>(desk, "GET", path);

testOnEngines(
  "key data: what a plan grants, by each path, by the id and by the key",
  async (desk) => {
    const plan = await planWith(desk, {
      rate: 60,
      per: 30,
      quota_max: 100,
      quota_renewal_rate: 3600,
      key_expires_in: 600,
    }, ["weather"]);
    const { RawKey, key_id } = await issue(desk, [plan]);
    const labels = { name: "Till", tags: ["shop"] };
    const { expires_at, created } = await call(desk, "PUT", `${KEYS}/${key_id}/labels`, labels);
    for (const way of ways) {
      for (const named of [key_id, RawKey, encodeURIComponent(RawKey)]) {
        const shown = await read(desk, way(named));
        assert.deepEqual(shown, {
          key_id,
          key_hash: key_id,
          data: {
            quota_max: 100,
            quota_remaining: 100,
            quota_renews: Math.ceil(Date.parse(created) / 1000 + 3600),
            rate: 60,
            per: 30,
            expires: Math.floor(Date.parse(expires_at ?? "") / 1000),
            apply_policies: [plan],
            access_rights: {
              weather: { api_id: "weather", api_name: "weather", versions: ["Default"] },
            },
            is_inactive: false,
            alias: "Till",
            org_id: desk.org_id,
            tags: ["shop"],
            quota_renewal_rate: 3600,
            date_created: created,
            last_updated: String(Math.floor(Date.parse(created) / 1000)),
            meta_data: { tyk_developer_id: "dev-ada" },
          },
        });
        assert.ok(!JSON.stringify(shown).includes(RawKey));
      }
    }
  },
);

testOnEngines(
  "key data: without limits, and of several plans as verification chooses",
  async (desk) => {
    const free = await planWith(desk, {}, ["weather"]);
    const slow = await planWith(desk, { rate: 1, per: 1, quota_max: 5 }, ["maps"]);
    const { key_id } = await issue(desk, [free, slow]);
    const dataFor = async (api: string) =>
      (await read(desk, `/api/apis/${api}/keys/${key_id}`)).data;
    const unlimited = {
      quota_max: -1,
      quota_remaining: -1,
      quota_renews: 0,
      quota_renewal_rate: -1,
      rate: 0,
      per: 0,
    };
    for (const api of ["weather", "-"]) {
      const data = await dataFor(api);
      assert.deepEqual({ ...data, ...unlimited }, data);
      assert.equal(data.expires, 0);
      assert.deepEqual(Object.keys(data.access_rights).sort(), ["maps", "weather"]);
    }
    const maps = await dataFor("maps");
    assert.deepEqual([maps.rate, maps.per, maps.quota_max], [1, 1, 5]);
    // Never renewed.
    assert.equal(maps.quota_renews, 0);
  },
);

testOnEngines("key data: of an API that no plan opens, as of any API", async (desk) => {
  const plan = await planWith(desk, { rate: 60, per: 30, quota_max: 100 }, ["weather"]);
  const { key_id } = await issue(desk, [plan]);
  const shown = await read(desk, `/api/apis/maps/keys/${key_id}`);
  assert.equal(shown.data.quota_remaining, 100);
  assert.deepEqual(shown, await read(desk, `/api/apis/-/keys/${key_id}`));
});

testOnEngines("key data: a key whose plans open nothing is inactive", async (desk) => {
  const plan = await planWith(desk, {});
  const { key_id } = await issue(desk, [plan]);
  const shown = async () => {
    const { access_rights, is_inactive } = (await read(desk, `/api/keys/${key_id}`)).data;
    return { access_rights, is_inactive };
  };
  assert.deepEqual(await shown(), { access_rights: {}, is_inactive: false });
  await succeed(desk, "DELETE", `/api/portal/policies/${plan}`);
  assert.deepEqual(await shown(), { access_rights: {}, is_inactive: true });
});

testOnEngines(
  "key data: what is left goes down with each call, on this desk exactly",
  async (desk) => {
    const plan = await planWith(desk, { quota_max: 500, quota_renewal_rate: 3600 });
    const { RawKey, key_id } = await issue(desk, [plan]);
    const remaining = async () => (await read(desk, `/api/keys/${key_id}`)).data.quota_remaining;
    for (const left of [499, 498, 497, 496, 495, 494, 493]) {
      await valid(desk, RawKey);
      assert.equal(await remaining(), left);
    }
    // What another was given counts as spent: a hundredth of the quota at a time.
    await withSecond(desk, async (second) => {
      await valid(second, RawKey);
      assert.equal(await remaining(), 488);
    });
  },
);

const clock = movableClock();

testOnEngines("key data: a reset begins the quota anew, whole, on every desk", async (desk) => {
  const plan = await planWith(desk, { quota_max: 6, quota_renewal_rate: 3600 });
  const { RawKey, key_id } = await issue(desk, [plan]);
  const reset = `${DEVELOPERS}/dev-ada/keys/${key_id}/reset_quota`;
  const left = async () => (await read(desk, `/api/keys/${key_id}`)).data;
  await withSecond(desk, async (second) => {
    const both = [desk, second];
    for (let n = 0; n < 6; n++) await valid(both[n % 2] ?? desk, RawKey);
    for (const one of both) assert.equal(await outcome(one, RawKey), "over_quota");
    assert.equal((await left()).quota_remaining, 0);
    clock.at += 1000;
    assert.deepEqual(await succeed(desk, "POST", reset), {
      Status: "OK",
      Message: "Data updated",
      Meta: null,
    });
    const { quota_remaining, quota_renews } = await left();
    assert.deepEqual([quota_remaining, quota_renews], [6, Math.ceil(clock.at / 1000) + 3600]);
    const since = performance.now();
    let passed = 0;
    for (const one of both) {
      await heeds(one, RawKey, "valid", since);
      passed++;
    }
    for (const one of both) while (await outcome(one, RawKey) === "valid") passed++;
    assert.equal(passed, 6);
  }, clock);
}, { clock });

testOnEngines("key data: a revoked key is none, to read or to reset the quota of", async (desk) => {
  const { key_id } = await issue(desk);
  const reset = (developer: string, key: string) =>
    desk.send("POST", `${DEVELOPERS}/${developer}/keys/${key}/reset_quota`);
  await succeed(desk, "DELETE", `/api/keys/${key_id}`);
  await assertFailure(await reset("dev-ada", key_id), "not_found");
  await assertFailure(await desk.send("GET", `/api/keys/${key_id}`), "key_not_found");
});

testOnEngines("key data: a plain key stands in no log and no answer", async (desk) => {
  const { RawKey } = await issue(desk);
  const credential = await desk.token(["certs:read"]);
  for (const way of ways) {
    await desk.send("GET", way(RawKey));
    const refused = await desk.send("GET", way(RawKey), { credential });
    assert.equal(refused.status, 403);
    assert.ok(!(await refused.text()).includes(RawKey));
  }
  assert.ok(!desk.logLines.join("\n").includes(RawKey));
});

testOnEngines(
  "key data: suspended and expired keys are inactive, and in the lists",
  async (desk) => {
    const { key_id } = await issue(desk);
    await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason: "x" });
    assert.equal((await read(desk, `/api/keys/${key_id}`)).data.is_inactive, true);
    const path = "/api/apis/keys?p=-1";
    const { data } = await succeed<{ data: { keys: string[] } }>(desk, "GET", path);
    assert.deepEqual(data.keys, [key_id]);
  },
);

testOnEngines(
  "key data: four times the APIs of a plan cost about four times as much",
  async (desk) => {
    const cheapest = async (apis: number) => {
      const named = Array.from({ length: apis }, (_, n) => `api-${n}`);
      const plan = await planWith(desk, {}, named);
      const keys: string[] = [];
      for (let n = 0; n < 10; n++) keys.push((await issue(desk, [plan])).key_id);
      let shown: NamedKeyData[] = [];
      const least = await leastProcessorMs(3, async () => {
        ({ keys: shown } = await succeed<{ keys: NamedKeyData[] }>(desk, "GET", DETAILED));
      });
      assert.equal(shown.length, keys.length);
      for (const { data } of shown) assert.deepEqual(Object.keys(data.access_rights), named);
      for (const key of keys) await succeed(desk, "DELETE", `/api/keys/${key}`);
      return least;
    };
    // Squared it would be 16 times, however often it is measured.
    let [few, many] = [Infinity, Infinity];
    for (let turn = 0; turn < 4 && !(many < 8 * few); turn++) {
      few = await cheapest(240);
      many = Math.min(many, await cheapest(960));
    }
    assert.ok(many < 8 * few, `${few} ms, ${many} ms`);
  },
);
