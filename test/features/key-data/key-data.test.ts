/** Keys in the words of the original's gateway: what they may do and have left, and their lists. */
import assert from "node:assert/strict";
import type { NamedKeyData } from "../../../src/features/key-data/key-data.service.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { DEVELOPERS, succeed } from "../../support/companions.ts";
import { tampered, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call, issue, KEYS, movableClock } from "../../support/keys.ts";
import { heeds, outcome, planWith, valid, withSecond } from "../../support/verification.ts";

interface KeyIds {
  data: { keys: string[] };
  pages: number;
}

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
      ...{ rate: 60, per: 30, quota_max: 100, quota_renewal_rate: 3600, key_expires_in: 600 },
    }, ["weather"]);
    const { RawKey, key_id } = await issue(desk, [plan]);
    const { expires_at, created } = await call(desk, "GET", `${KEYS}/${key_id}`);
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
    const unlimited = { quota_max: -1, quota_remaining: -1, quota_renews: 0, rate: 0, per: 0 };
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

testOnEngines("key data: whose quota is reset must be the developer's, alive", async (desk) => {
  const { key_id } = await issue(desk);
  const reset = (developer: string, key: string) =>
    desk.send("POST", `${DEVELOPERS}/${developer}/keys/${key}/reset_quota`);
  await assertFailure(await reset("dev-bob", key_id), "not_found");
  await assertFailure(await reset("dev-ada", "none"), "not_found");
  await succeed(desk, "DELETE", `/api/keys/${key_id}`);
  await assertFailure(await reset("dev-ada", key_id), "not_found");
});

testOnEngines(
  "key data: unknown, foreign and revoked keys are one and the same 404",
  async (desk) => {
    const { RawKey, key_id } = await issue(desk);
    const { admin: credential } = await desk.otherOrganisation();
    for (const way of ways) {
      for (const named of [RawKey, key_id]) {
        await assertFailure(await desk.send("GET", way(named), { credential }), "key_not_found");
      }
      for (const named of ["none", "0".repeat(64), "%00", "x".repeat(5000)]) {
        await assertFailure(await desk.send("GET", way(named)), "key_not_found");
      }
    }
    await succeed(desk, "DELETE", `/api/keys/${key_id}`);
    await assertFailure(await desk.send("GET", `/api/keys/${key_id}`), "key_not_found");
  },
);

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
    const { data } = await succeed<KeyIds>(desk, "GET", "/api/apis/keys?p=-1");
    assert.deepEqual(data.keys, [key_id]);
  },
);

testOnEngines(
  "key lists: newest first, everything or by pages, by API and without",
  async (desk) => {
    const weather = await planWith(desk, {}, ["weather"]);
    const maps = await planWith(desk, {}, ["maps", "weather"]);
    const all = await planWith(desk, {});
    const issued: { key_id: string; plans: string[] }[] = [];
    for (const plans of [[weather], [maps], [weather, maps], [all]]) {
      for (let n = 0; n < 6; n++) {
        issued.unshift({ plans, key_id: (await issue(desk, plans, `dev-${n}`)).key_id });
      }
    }
    const gone = issued.shift();
    await succeed(desk, "DELETE", `/api/keys/${gone?.key_id}`);
    const of = (...plans: string[]) =>
      issued.filter((key) => key.plans.some((plan) => plans.includes(plan))).map((key) =>
        key.key_id
      );
    const ids = async (path: string) => await succeed<KeyIds>(desk, "GET", path);
    const sorted = (list: string[]) => list.toSorted();

    for (const path of ["/api/apis/keys", "/api/apis/-/keys", "/api/apis//keys"]) {
      for (const query of ["", "?p=-1", "?p=0", "/?p=-1"]) {
        const { data, pages } = await ids(path + query);
        assert.equal(pages, 1);
        assert.deepEqual(sorted(data.keys), sorted(of(weather, maps, all)));
      }
    }
    const everything = (await ids("/api/apis/keys")).data.keys;
    const native = await call<{ data: { key_id: string }[] }>(
      desk,
      "GET",
      `${KEYS}?limit=100&state=active`,
    );
    assert.deepEqual(everything, native.data.map(({ key_id }) => key_id));
    for (const p of [1, 2, 3]) {
      const { data, pages } = await ids(`/api/apis/keys?p=${p}`);
      assert.deepEqual(data.keys, everything.slice((p - 1) * 10, p * 10));
      assert.equal(pages, 3);
    }
    assert.deepEqual(await ids("/api/apis/keys?p=4"), { data: { keys: [] }, pages: 3 });

    const ofMaps = await ids("/api/apis/maps/keys");
    assert.deepEqual(ofMaps.data.keys, everything.filter((key) => of(maps, all).includes(key)));
    const ofWeather = await ids("/api/apis/weather/keys?p=1");
    assert.deepEqual([ofWeather.data.keys.length, ofWeather.pages], [10, 3]);
    assert.deepEqual(await ids("/api/apis/none/keys"), {
      data: { keys: everything.filter((key) => of(all).includes(key)) },
      pages: 1,
    });

    const detailed = await succeed<{ keys: NamedKeyData[]; pages: number }>(
      desk,
      "GET",
      "/api/keys/detailed/?p=-1",
    );
    assert.deepEqual(detailed.keys.map(({ key_id }) => key_id), everything);
    const [first] = detailed.keys;
    assert.deepEqual(first, await read(desk, `/api/keys/${first?.key_id}`));
    const page = await succeed<{ keys: NamedKeyData[]; pages: number }>(
      desk,
      "GET",
      "/api/keys/detailed?p=2",
    );
    assert.deepEqual([page.keys.map(({ key_id }) => key_id), page.pages], [
      everything.slice(10, 20),
      3,
    ]);
  },
);

testOnEngines("key lists: an empty organisation, and what is no page", async (desk) => {
  const lists = ["/api/apis/keys", "/api/apis/x/keys", "/api/keys/detailed", "/api/apis"];
  for (const path of lists) {
    for (const p of ["-1", "1", "7"]) {
      const text = await (await desk.send("GET", `${path}?p=${p}`)).text();
      assert.match(text, /^\{("data":\{"keys":\[\]\}|"(keys|apis)":\[\]),"pages":0\}$/);
    }
    const error = "p: expected an integer: a page from 1, or 0 and below for everything";
    await assertInvalid(await desk.send("GET", `${path}?p=x`), error);
  }
});

testOnEngines(
  "key lists: with many plans for one API each key still stands there once",
  async (desk) => {
    const plans: string[] = [];
    for (let n = 0; n < 24; n++) plans.push(await planWith(desk, {}, ["weather"]));
    const { key_id } = await issue(desk, plans);
    await issue(desk, [await planWith(desk, {}, ["maps"])]);
    const { data } = await succeed<KeyIds>(desk, "GET", "/api/apis/weather/keys");
    assert.deepEqual(data.keys, [key_id]);
  },
);

const MANY = 12_050;
const fill = defineTransaction(
  "test.many-keys",
  async (tx, { org_id, at }: { org_id: string; at: string }) => {
    await tx.change({
      compile: () => ({
        sql: `with recursive s (n) as (select 100000 union all select n + 1 from s
          where n < ${100_000 + MANY - 1})
        insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans,
          mask, attempt_id, issued_at, issued_by, algorithm)
        select '${org_id}', 'key-' || n, 'token', 'active', 'dev', '', '[]', '', '',
          '${at}', '', 'sha256' from s`,
        values: () => [],
      }),
    }, {});
  },
);

testOnEngines("key lists: everything is everything, pages count 10,000", async (desk) => {
  tampered.add(desk.app);
  await desk.app.ctx.storage.commit(fill, { org_id: desk.org_id, at: "2026-01-01T00:00:00.000Z" });
  const names = Array.from({ length: MANY }, (_, n) => `key-${100_000 + MANY - 1 - n}`);
  const all = await succeed<KeyIds>(desk, "GET", "/api/apis/keys?p=-1");
  assert.deepEqual(all, { data: { keys: names }, pages: 1 });
  const page = await succeed(desk, "GET", "/api/apis/-/keys?p=31");
  assert.deepEqual(page, { data: { keys: names.slice(300, 310) }, pages: 1000, capped: true });
  // No key of another organisation is among them.
  const { admin: credential } = await desk.otherOrganisation();
  const foreign = await succeed(desk, "GET", "/api/apis/keys", { credential });
  assert.deepEqual(foreign, { data: { keys: [] }, pages: 0 });
}, { extra: [fill] });

testOnEngines(
  "key lists: a page by many plans looks at 10,000 keys, everything at all",
  async (desk) => {
    const plans: string[] = [];
    for (let n = 0; n < 24; n++) plans.push(await planWith(desk, {}, ["weather"]));
    const { key_id } = await issue(desk, plans);
    const page = () => succeed(desk, "GET", "/api/apis/weather/keys?p=1");
    assert.deepEqual(await page(), { data: { keys: [key_id] }, pages: 1 });
    tampered.add(desk.app);
    await desk.app.ctx.storage.commit(fill, {
      org_id: desk.org_id,
      at: "2999-01-01T00:00:00.000Z",
    });
    // The page says that it has an end before the last key.
    assert.deepEqual(await page(), { data: { keys: [] }, pages: 0, capped: true });
    const all = await succeed(desk, "GET", "/api/apis/weather/keys");
    assert.deepEqual(all, { data: { keys: [key_id] }, pages: 1 });
  },
  { extra: [fill] },
);

testOnEngines("apis: those that plans and catalogue name, each once, by name", async (desk) => {
  await planWith(desk, {}, ["weather", "maps"]);
  await succeed(desk, "PUT", "/api/portal/catalogue", {
    body: { apis: [{ name: "Weather, by the hour", api_id: "weather" }, { name: "Old" }] },
  });
  const { apis, pages } = await succeed<{
    apis: { api_definition: { id: string } }[];
    pages: number;
  }>(desk, "GET", "/api/apis?p=-1");
  assert.deepEqual({ apis, pages }, {
    apis: [
      {
        api_definition: {
          ...{ api_id: "weather", name: "Weather, by the hour", id: "weather", active: true },
        },
      },
      { api_definition: { api_id: "maps", name: "maps", id: "maps", active: true } },
    ],
    pages: 1,
  });
  const second = await succeed<{ apis: unknown[]; pages: number }>(desk, "GET", "/api/apis?p=2");
  assert.deepEqual([second.apis, second.pages], [[], 1]);
});

testOnEngines(
  "key data: four times the APIs of a plan cost about four times as much",
  async (desk) => {
    const fastest = async (apis: number) => {
      const named = Array.from({ length: apis }, (_, n) => `api-${n}`);
      const plan = await planWith(desk, {}, named);
      const keys: string[] = [];
      for (let n = 0; n < 10; n++) keys.push((await issue(desk, [plan])).key_id);
      const times: number[] = [];
      for (let n = 0; n < 3; n++) {
        const since = performance.now();
        const { keys: shown } = await succeed<{ keys: NamedKeyData[] }>(desk, "GET", DETAILED);
        times.push(performance.now() - since);
        assert.equal(shown.length, keys.length);
        for (const { data } of shown) assert.deepEqual(Object.keys(data.access_rights), named);
      }
      for (const key of keys) await succeed(desk, "DELETE", `/api/keys/${key}`);
      return Math.min(...times);
    };
    // Squared it would be 16 times, however often it is measured.
    let [few, many] = [Infinity, Infinity];
    for (let turn = 0; turn < 4 && !(many < 8 * few); turn++) {
      few = await fastest(240);
      many = Math.min(many, await fastest(960));
    }
    assert.ok(many < 8 * few, `${few} ms, ${many} ms`);
  },
);
