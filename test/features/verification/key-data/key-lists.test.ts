/** The lists of keys and of APIs in the words of the original's gateway. */
import assert from "node:assert/strict";
import type { NamedKeyData } from "../../../../src/features/verification/key-data/key-data.service.ts";
import { defineTransaction } from "../../../../src/storage/storage.ts";
import { succeed } from "../../../support/companions.ts";
import { tampered, testOnEngines } from "../../../support/desk.ts";
import { call, issue, KEYS } from "../../../support/keys.ts";
import { planWith } from "../../../support/verification.ts";

interface KeyIds {
  data: { keys: string[] };
  pages: number;
}

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
    const v1 = await call<{ data: { key_id: string }[] }>(
      desk,
      "GET",
      `${KEYS}?limit=100&state=active`,
    );
    assert.deepEqual(everything, v1.data.map(({ key_id }) => key_id));
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
    assert.deepEqual(first, await succeed<NamedKeyData>(desk, "GET", `/api/keys/${first?.key_id}`));
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

testOnEngines("key lists: an empty organisation has empty ones", async (desk) => {
  const lists = ["/api/apis/keys", "/api/apis/x/keys", "/api/keys/detailed", "/api/apis"];
  for (const path of lists) {
    for (const p of ["-1", "1", "7"]) {
      const text = await (await desk.send("GET", `${path}?p=${p}`)).text();
      assert.match(text, /^\{("data":\{"keys":\[\]\}|"(keys|apis)":\[\]),"pages":0\}$/);
    }
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
          api_id: "weather",
          name: "Weather, by the hour",
          id: "weather",
          active: true,
        },
      },
      { api_definition: { api_id: "maps", name: "maps", id: "maps", active: true } },
    ],
    pages: 1,
  });
  const second = await succeed<{ apis: unknown[]; pages: number }>(desk, "GET", "/api/apis?p=2");
  assert.deepEqual([second.apis, second.pages], [[], 1]);
});
