/** Keys that were ended at a gateway, which may go on opening to them for a while. */
import assert from "node:assert/strict";
import { atGateway } from "../../../examples/moving/gateway-interface.ts";
import { type Closing, opensFor } from "../../../src/features/gateways/closing.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { importKeys, issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const clock = movableClock();
const REFUSED = 403;
/** Behind this a key is read for the last time. */
const LAST_MS = 15_000;

async function set(desk: TestDesk, door: StandIn, more: object = {}) {
  await plansOf(desk);
  const id = await addGateway(desk, door, more);
  const engine = engineOf(desk, door);
  const turn = () => provision(engine);
  await turn();
  const shown = () => call(desk, "GET", `/v1/gateways/${id}`);
  return { id, turn, shown };
}

/** A key at its only gateway, as each answer tells of it. */
async function told(desk: TestDesk, key_id: string) {
  const { data: [there] } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
  const { at_gateways: [listed] } = await call(desk, "GET", `/v1/keys/${key_id}`);
  const { state, valid: opens, since, may_be_valid_until } = there;
  if (state === "closing") {
    const same = { state, valid: opens, since, may_be_valid_until };
    const { state: a, valid: b, since: c, may_be_valid_until: d } = listed;
    assert.deepEqual({ state: a, valid: b, since: c, may_be_valid_until: d }, same);
  }
  const seconds = may_be_valid_until && (Date.parse(may_be_valid_until) - Date.parse(since)) / 1000;
  return { state, valid: opens, seconds };
}

const revoke = (desk: TestDesk, key_id: string) =>
  call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "over" });

testOnEngines(
  "closing: a gateway that was not measured is taken for the worst that is known",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn, shown } = await set(desk, door);
    assert.deepEqual((await shown()).closing, {
      version: "v5.14.0",
      cache: "not_tried",
      revoked: { without_quota: 10, with_quota: null },
      suspended: { without_quota: 10, with_quota: null },
    });
    const free = await issue(desk, ["plan-free"]);
    const counted = await issue(desk, ["plan-quota"]);
    const both = await issue(desk, ["plan-free", "plan-quota"]);
    await turn();
    assert.deepEqual(await told(desk, free.key_id), {
      state: "delivered",
      valid: true,
      seconds: null,
    });
    await revoke(desk, free.key_id);
    await revoke(desk, counted.key_id);
    await call(desk, "POST", `/v1/keys/${both.key_id}/suspend`, { reason: "for now" });
    assert.equal((await told(desk, free.key_id)).valid, true, "nothing was brought there yet");
    await turn();
    const closing = (seconds: number | null) => ({ state: "closing", valid: true, seconds });
    assert.deepEqual(await told(desk, free.key_id), closing(10));
    assert.deepEqual(await told(desk, counted.key_id), closing(null));
    assert.deepEqual(await told(desk, both.key_id), closing(null));
    // Its list says the same, and what is closing is no key on its way.
    const { data } = await call(desk, "GET", "/v1/keys?limit=100");
    assert.ok(data.every((one: { at_gateways: object[] }) => one.at_gateways.length === 1));
    clock.at += LAST_MS;
    await turn();
    const over = (state: string) => ({ state, valid: false, seconds: null });
    assert.deepEqual(await told(desk, free.key_id), over("gone"));
    assert.deepEqual(await told(desk, counted.key_id), over("gone"));
    assert.deepEqual(await told(desk, both.key_id), over("delivered"));
    assert.deepEqual((await call(desk, "GET", `/v1/keys/${free.key_id}`)).at_gateways, []);
  },
  { clock },
);

testOnEngines(
  "closing: with its cache on and a quota a key is never called shut while calls go on",
  async (desk) => {
    await using door = standIn(desk.org_id);
    door.gateway.cachesSessions = true;
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, ["plan-quota"]);
    await turn();
    assert.equal(await door.open(RawKey), 200);
    await revoke(desk, key_id);
    for (let n = 0; n < 6; n++) {
      await turn();
      const { valid: opens, state } = await told(desk, key_id);
      assert.deepEqual([await door.open(RawKey), opens], [200, true], state);
      clock.at += LAST_MS;
    }
    // No call comes for as long as the cache remembers.
    door.gateway.cachesSessions = false;
    for (let n = 0; n < 2; n++) {
      await turn();
      clock.at += LAST_MS;
    }
    await turn();
    assert.deepEqual(await told(desk, key_id), { state: "gone", valid: false, seconds: null });
    assert.equal(await door.open(RawKey), REFUSED);
  },
  { clock },
);

testOnEngines(
  "closing: a key that is changed meanwhile, or whose gateway loses its keys, may open still",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { key_id } = await issue(desk, ["plan-free"]);
    const other = await issue(desk, ["plan-free"]);
    await turn();
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for now" });
    await turn();
    assert.equal((await told(desk, key_id)).state, "closing");
    await revoke(desk, key_id);
    assert.deepEqual(await told(desk, key_id), { state: "waiting", valid: true, seconds: null });
    await turn();
    assert.deepEqual(await told(desk, key_id), { state: "closing", valid: true, seconds: 10 });
    // Its Redis is emptied before the end of another key came there.
    await revoke(desk, other.key_id);
    door.gateway.loseRecords();
    door.instead = ({ url, method }) =>
      url.includes(other.key_id) || method === "DELETE"
        ? new Response("", { status: 502 })
        : undefined;
    await turn();
    assert.equal((await told(desk, other.key_id)).valid, true);
  },
  { clock },
);

testOnEngines(
  "closing: a key whose making was never answered may open until its end was read back",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    // The gateway makes it, and its answer is lost.
    door.instead = async (request) => {
      if (request.method !== "POST") return undefined;
      await (await atGateway(door.gateway, request)).body?.cancel();
      return new Response("", { status: 504 });
    };
    const { key_id, RawKey } = await issue(desk, ["plan-free"]);
    await turn();
    assert.equal(await door.open(RawKey), 200);
    await revoke(desk, key_id);
    assert.deepEqual(await told(desk, key_id), { state: "waiting", valid: true, seconds: null });
    await turn();
    assert.deepEqual(await told(desk, key_id), { state: "closing", valid: true, seconds: 10 });
    clock.at += LAST_MS;
    await turn();
    assert.deepEqual(await told(desk, key_id), { state: "gone", valid: false, seconds: null });
    assert.equal(await door.open(RawKey), REFUSED);
  },
  { clock },
);

testOnEngines(
  "closing: a key that a comparison finds there again opens, until it is ended again",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const { key_id } = await issue(desk, ["plan-free"]);
    await turn();
    await revoke(desk, key_id);
    await turn();
    clock.at += LAST_MS;
    await turn();
    assert.equal((await told(desk, key_id)).valid, false);
    door.gateway.records.set(`apikey-${key_id}`, door.gateway.newSession("", ["plan-free"]));
    // It is found, and can't be ended now.
    door.instead = ({ url }) =>
      url.includes(key_id) ? new Response("", { status: 502 }) : undefined;
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await engineOf(desk, door).turn();
    await turn();
    assert.deepEqual(await told(desk, key_id), { state: "waiting", valid: true, seconds: null });
  },
  { clock },
);

testOnEngines(
  "closing: a check measures it: cache off, cache on, and from 5.15 on late alone",
  async (desk) => {
    await using door = standIn(desk.org_id);
    door.gateway.cachedMs = 300;
    const { id, turn, shown } = await set(desk, door, { probe_url: `${door.url}/weather/` });
    const found = async () => {
      const { closing, findings } = await shown();
      const on = findings.find(({ code }: { code: string }) => code === "cache_on");
      assert.ok(!JSON.stringify(findings).includes("closing"));
      return [closing.cache, on?.detail, closing.revoked, closing.suspended];
    };
    const check = async (version: string, cachesSessions: boolean) => {
      Object.assign(door.gateway, { version, cachesSessions });
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
      await turn();
      return await found();
    };
    const late = (without_quota: number, with_quota: number | null) => ({
      without_quota,
      with_quota,
    });
    assert.deepEqual(await found(), ["not_seen", undefined, late(1, 15), late(1, 15)]);
    assert.deepEqual(await check("v5.14.0", true), ["on", "undone", late(2, null), late(2, null)]);
    assert.deepEqual(await check("v5.15.0-rc1", true), ["on", "2", late(2, 2), late(2, null)]);
    assert.deepEqual(await check("v5.15.0-rc1", false), [
      "not_seen",
      undefined,
      late(1, 1),
      late(1, 15),
    ]);
  },
);

testOnEngines(
  "closing: an undone deletion with the cache off is no cache",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const probe_url = `${door.url}/weather/`;
    // Each deletion is followed by the write-back of a call that was in flight.
    door.instead = async (request) => {
      const name = new URL(request.url).pathname.slice("/tyk/keys/".length);
      const before = request.method === "DELETE" ? door.gateway.session(name) : undefined;
      if (!before || undone.has(name)) return undefined;
      undone.add(name);
      await Promise.resolve();
      return Response.json({ status: "ok" });
    };
    const undone = new Set<string>();
    const { shown } = await set(desk, door, { probe_url });
    const { closing, findings } = await shown();
    assert.ok(undone.size > 1);
    assert.equal(closing.cache, "not_seen");
    assert.ok(!findings.some(({ code }: { code: string }) => code === "cache_on"));
  },
);

testOnEngines(
  "closing: a key that was taken away there may open until no cache has it, and then does not",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, ["plan-free"]);
    await turn();
    door.gateway.records.delete(`apikey-${key_id}`);
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await turn();
    assert.deepEqual(await keyThere(desk, key_id), ["diverged", "it is not there"]);
    assert.equal((await told(desk, key_id)).valid, true);
    clock.at += LAST_MS;
    await turn();
    assert.deepEqual(await keyThere(desk, key_id), ["diverged", "it is not there"]);
    assert.equal((await told(desk, key_id)).valid, false);
    // Whoever has it put right learns that only its holder knows what makes it.
    await call(desk, "POST", `/v1/gateways/${id}/now`);
    assert.equal((await told(desk, key_id)).valid, false, "while it waits");
    await turn();
    assert.deepEqual(await keyThere(desk, key_id), ["stuck", "secret_gone"]);
    assert.deepEqual([(await told(desk, key_id)).valid, await door.open(RawKey)], [false, REFUSED]);
  },
  { clock },
);

Deno.test("closing: versions, caches and quotas decide for how long", () => {
  const facts = (more: Partial<Closing>): Closing => ({ version: "", cache: "on", ...more });
  const of = (one: Closing) => [
    opensFor(one, { hasQuota: false, isDeleted: true }),
    opensFor(one, { hasQuota: true, isDeleted: true }),
    opensFor(one, { hasQuota: true, isDeleted: false }),
  ];
  assert.deepEqual(of(facts({})), [10, null, null]);
  assert.deepEqual(of(facts({ version: "v5.14.9" })), [10, null, null]);
  assert.deepEqual(of(facts({ version: "v5.15.0-rc2" })), [10, 10, null]);
  assert.deepEqual(of(facts({ version: "v6.0.0" })), [10, 10, null]);
  assert.deepEqual(of(facts({ version: "strange" })), [10, null, null]);
  assert.deepEqual(of(facts({ free: 61 })), [61, null, null]);
  assert.deepEqual(of(facts({ free: null, version: "v5.15.0" })), [null, null, null]);
  assert.deepEqual(of(facts({ free: 11, quota: 12 })), [11, 12, 12]);
  assert.deepEqual(of(facts({ cache: "not_seen", free: 0, quota: 0 })), [1, 15, 15]);
  assert.deepEqual(of(facts({ cache: "not_seen", free: null, quota: 0 })), [null, null, null]);
});

testOnEngines(
  "closing: a canary that sees a gateway shut late corrects what its check had measured",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn, shown } = await set(desk, door, { probe_url: `${door.url}/weather/` });
    assert.equal((await shown()).closing.revoked.without_quota, 1);
    // Its cache is switched on behind the check.
    Object.assign(door.gateway, { cachesSessions: true, cachedMs: 2000 });
    clock.at += 61_000;
    await turn();
    await eventually(
      "the canary tells of it",
      async () => (await shown()).closing.revoked.without_quota > 1,
    );
  },
  { clock },
);

testOnEngines(
  "closing: what opens more there is put right by itself, unless more than five keys do",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const keys: string[] = [];
    for (let n = 0; n < 7; n++) keys.push((await issue(desk, ["plan-free"])).key_id);
    // A key that was imported and left as it is goes by its gateway.
    const imported = "cd".repeat(32);
    door.gateway.records.set(`apikey-${imported}`, door.gateway.newSession("", ["plan-free"]));
    await importKeys(desk, [{ hash: imported, developer: "dev-ada", plans: ["plan-free"] }]);
    await turn();
    const widen = (key_id = "") =>
      Object.assign(door.gateway.session(key_id) ?? {}, {
        apply_policies: ["plan-free", "plan-quota"],
      });
    const plansAt = (key_id = "") => door.gateway.session(key_id)?.apply_policies;
    const compare = async () => {
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
      await turn();
      clock.at += LAST_MS;
      await turn();
    };
    for (const key_id of [keys[0], keys[1], imported]) widen(key_id);
    await compare();
    assert.deepEqual([plansAt(keys[0]), plansAt(keys[1])], [["plan-free"], ["plan-free"]]);
    assert.deepEqual(await keyThere(desk, keys[0] ?? ""), ["delivered", ""]);
    assert.deepEqual(plansAt(imported), ["plan-free", "plan-quota"]);
    const more = "opens more there: plans plan-free, plan-quota there, plan-free here";
    assert.deepEqual(await keyThere(desk, imported), ["diverged", more]);
    // Once something of it is changed here it is put right too.
    const change = { expires_at: "2999-01-01T00:00:00Z" };
    await call(desk, "PUT", `/v1/keys/${imported}/expiry`, change);
    await turn();
    assert.deepEqual(plansAt(imported), ["plan-free"]);
    Object.assign(door.gateway.session(imported) ?? {}, { expires: 0 });
    await compare();
    assert.equal(door.gateway.session(imported)?.expires, Date.UTC(2999, 0, 1) / 1000);
    // Of six keys at once a person says it.
    for (const key_id of keys.slice(0, 6)) widen(key_id);
    await compare();
    await compare();
    for (const key_id of keys.slice(0, 6)) {
      assert.deepEqual(await keyThere(desk, key_id), ["diverged", more]);
    }
    assert.deepEqual(await call(desk, "POST", `/v1/gateways/${id}/now`), { tried: 6 });
    await turn();
    for (const key_id of keys) assert.deepEqual(plansAt(key_id), ["plan-free"]);
    // What opens less there is a person's to decide as before.
    Object.assign(door.gateway.session(keys[0] ?? "") ?? {}, { expires: 2_000_000_000 });
    await compare();
    assert.equal((await keyThere(desk, keys[0] ?? ""))[0], "diverged");
    assert.equal(door.gateway.session(keys[0] ?? "")?.expires, 2_000_000_000);
  },
  { clock },
);

for (const wrapsBy of ["", "murmur32", "murmur64", "murmur128", "sha256"] as const) {
  testOnEngines(
    `canary: at a gateway whose function is ${wrapsBy || "none"} it makes what that one makes`,
    async (desk) => {
      await using door = standIn(desk.org_id, wrapsBy || "murmur32");
      door.gateway.wrapsBy = wrapsBy;
      const { id, turn } = await set(desk, door, { probe_url: `${door.url}/weather/` });
      const before = door.gateway.names().length;
      clock.at += 61_000;
      await turn();
      const { data: [run] } = await call(desk, "GET", `/v1/gateways/${id}/canary`);
      assert.equal(run.how, "called");
      assert.ok(run.valid_after_ms !== null && run.invalid_after_ms !== null);
      assert.equal(door.gateway.names().length, before);
      // A key that names another function than the gateway has is not made there.
      const { RawKey, key_id } = await issue(desk, ["plan-free"]);
      await turn();
      const is = wrapsBy === "sha256" ? ["delivered", ""] : ["stuck", "hashed_otherwise"];
      assert.deepEqual(await keyThere(desk, key_id), is);
      assert.equal(await door.open(RawKey), wrapsBy === "sha256" ? 200 : REFUSED);
      const { data: [there] } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
      assert.equal(there.valid, wrapsBy === "sha256");
    },
    { clock },
  );
}

testOnEngines("canary: a gateway that hashes nothing is told what to set", async (desk) => {
  await using door = standIn(desk.org_id, "none");
  const { shown } = await set(desk, door);
  assert.match((await shown()).failure, /turn hash_keys on/);
});
