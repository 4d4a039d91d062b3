/** Canaries: keys of the desk's own that are made at a gateway, used and ended each minute. */
import assert from "node:assert/strict";
import { LONGEST_MS, medianMs, NEVER } from "../../../src/features/gateways/canary.ts";
import { noteCanaryRun } from "../../../src/features/gateways/canary.transactions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { callInPerson } from "../../support/sign-in.ts";

const clock = movableClock();
const MINUTE_MS = 60_000;

type Run = {
  at: string;
  how: string | null;
  valid_after_ms: number | null;
  invalid_after_ms: number | null;
};

async function runsOf(desk: TestDesk, id: string, hours = 1): Promise<Run[]> {
  return (await call(desk, "GET", `/v1/gateways/${id}/canary?hours=${hours}`)).data;
}

/** The names of all keys at the stand-in. */
const namesAt = ({ records }: { records: ReadonlyMap<string, unknown> }) =>
  [...records.keys()].filter((name) => name.startsWith("apikey-"));

testOnEngines(
  "canary: each minute a key is made, called with and ended, and nothing of it stays",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const probe_url = `${door.url}/weather/`;
    const id = await addGateway(desk, door, { probe_url });
    const engine = engineOf(desk, door);
    await provision(engine);
    assert.deepEqual((await call(desk, "GET", `/v1/gateways/${id}`)).canary, {
      tried: "called",
      runs: 0,
      last: null,
      median: null,
    });
    const before = namesAt(door.gateway);
    for (let n = 0; n < 3; n++) {
      clock.at += MINUTE_MS;
      await engine.turn();
      // Within the minute it is not tried again.
      await engine.turn();
    }
    const runs = await runsOf(desk, id);
    assert.equal(runs.length, 3);
    for (const { how, valid_after_ms, invalid_after_ms } of runs) {
      assert.equal(how, "called");
      assert.ok(
        valid_after_ms !== null && invalid_after_ms !== null &&
          Math.max(valid_after_ms, invalid_after_ms) < LONGEST_MS,
      );
    }
    assert.deepEqual(namesAt(door.gateway), before);
    const { canary } = await call(desk, "GET", `/v1/gateways/${id}`);
    assert.deepEqual([canary.tried, canary.runs, canary.last], ["called", 3, runs.at(-1)]);
    assert.ok(canary.median.valid_after_ms !== null);
    // None is taken for a key that nobody decided here.
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await provision(engine);
    assert.equal((await call(desk, "GET", `/v1/gateways/${id}`)).reconciled.foreign, 0);
    // A day later they are gone.
    clock.at += 25 * 60 * MINUTE_MS;
    await engine.turn();
    assert.deepEqual((await runsOf(desk, id, 24)).length, 1);
    const status = async (path: string, credential?: string) => {
      const answer = await desk.send("GET", path, credential ? { credential } : {});
      await answer.body?.cancel();
      return answer.status;
    };
    assert.equal(await status(`/v1/gateways/${id}/canary?hours=25`), 400);
    const other = await desk.otherOrganisation();
    assert.equal(await status(`/v1/gateways/${id}/canary`, other.admin), 404);
    assert.equal(await status(`/v1/gateways/${id}/unknown-keys`, other.admin), 404);
    // With its gateway they go.
    await call(desk, "DELETE", `/v1/gateways/${id}`);
    assert.equal(await status(`/v1/gateways/${id}/canary`), 404);
  },
  { clock },
);

testOnEngines(
  "canary: without an API to call it is read back, and a gateway that is away is told as such",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    clock.at += MINUTE_MS;
    await engine.turn();
    assert.equal((await runsOf(desk, id)).at(-1)?.how, "read");
    // Neither is an API called while calls there are observed.
    const { url, secret } = door;
    const probed = { name: "City", url, secret, probe_url: `${url}/weather/` };
    await callInPerson(desk, "PUT", `/v1/gateways/${id}`, probed);
    await call(desk, "POST", "/v1/keys/shadow", { key: "unknown", api_id: "weather" });
    await desk.app.ctx.shadowCalls.flush();
    clock.at += MINUTE_MS;
    await engine.turn();
    assert.equal((await runsOf(desk, id)).at(-1)?.how, "read");
    // Nor by the daily check, which keeps what calls found last.
    const findings = async () => {
      const { findings } = await call(desk, "GET", `/v1/gateways/${id}`);
      return findings.filter(({ code }: { code: string }) => code !== "clock_differs");
    };
    const before = await findings();
    door.calls.length = 0;
    clock.at += 25 * 60 * MINUTE_MS;
    await engine.turn();
    assert.deepEqual(await findings(), before);
    const made = () => door.calls.filter((one) => one.startsWith("POST /tyk/keys/")).length;
    assert.equal(made(), 1, "the canary's key alone");
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await engine.turn();
    assert.equal(made(), 3, "who asks for it has it called with two more");
    door.instead = () => new Response("", { status: 502 });
    clock.at += MINUTE_MS;
    await engine.turn();
    const { how, valid_after_ms, invalid_after_ms } = (await runsOf(desk, id)).at(-1) ?? {};
    assert.deepEqual([how, valid_after_ms, invalid_after_ms], [null, null, null]);
  },
  { clock },
);

testOnEngines(
  "canary: what a node left that died is ended before the next key is made",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    const { key } = await door.gateway.add("left", door.gateway.newSession("", ["plan-free"]));
    const name = await door.gateway.nameOf(key);
    const run = {
      org_id: desk.org_id,
      gateway_id: id,
      at: new Date(clock.at).toISOString(),
      state: "begun" as const,
      how: "read" as const,
      name,
      opened_ms: NEVER,
      shut_ms: NEVER,
    };
    await desk.app.ctx.storage.commit(noteCanaryRun, { run, now: clock.at });
    // Meanwhile it is no key that nobody decided here.
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await provision(engine);
    assert.equal((await call(desk, "GET", `/v1/gateways/${id}`)).reconciled.foreign, 0);
    assert.equal(await door.open(key), 200);
    clock.at += MINUTE_MS;
    await engine.turn();
    assert.equal(await door.open(key), 403);
    const runs = await runsOf(desk, id);
    assert.deepEqual(runs.map(({ invalid_after_ms }) => invalid_after_ms === null), [true, false]);
  },
  { clock },
);

testOnEngines(
  "canary: what takes long there holds up no key that is ended, and a stop ends its key",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const probe_url = `${door.url}/weather/`;
    await addGateway(desk, door, { probe_url });
    const engine = engineOf(desk, door);
    await provision(engine);
    const { key_id, RawKey } = await issue(desk, ["plan-free"]);
    await provision(engine);
    const begun = Promise.withResolvers<void>();
    // It is never let in by the API that it is tried by.
    door.instead = ({ url }) => {
      if (!url.startsWith(probe_url)) return undefined;
      begun.resolve();
      return new Response("", { status: 403 });
    };
    const before = namesAt(door.gateway).length;
    clock.at += MINUTE_MS;
    const turn = engine.turn();
    await begun.promise;
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    while (await door.open(RawKey) !== 403) await new Promise((resolve) => setTimeout(resolve, 20));
    // Neither does a turn wait for it: another gateway is filled and compared meanwhile.
    await turn;
    assert.equal(namesAt(door.gateway).length, before);
    engine.leaves();
    await engine.giveBack();
    assert.equal(namesAt(door.gateway).length, before - 1);
  },
  { clock },
);

testOnEngines("canary: keys that nobody knows here are listed whole, by cursor", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  const id = await addGateway(desk, door);
  const engine = engineOf(desk, door);
  await provision(engine);
  const add = async (n: number) =>
    await door.gateway.add(`foreign-${n}`, door.gateway.newSession("", ["plan-free"]));
  for (let n = 0; n < 130; n++) await add(n);
  const compare = async () => {
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await provision(engine);
  };
  const names = async () => {
    const all: string[] = [];
    for (let cursor = "";;) {
      const more = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/v1/gateways/${id}/unknown-keys?limit=50${more}`;
      const { data, next_cursor } = await call(desk, "GET", path);
      all.push(...data.map(({ name }: { name: string }) => name));
      if (next_cursor === null) return all;
      cursor = next_cursor;
    }
  };
  await compare();
  const { reconciled } = await call(desk, "GET", `/v1/gateways/${id}`);
  assert.deepEqual([reconciled.foreign, reconciled.foreign_names.length], [130, 100]);
  const all = await names();
  assert.deepEqual(all, [...new Set(all)].toSorted());
  assert.equal(all.length, 130);
  // One goes and another comes.
  door.gateway.records.delete(`apikey-${all[7]}`);
  await add(130);
  await compare();
  const after = await names();
  assert.deepEqual([after.length, after.includes(all[7] ?? "")], [130, false]);
}, { clock });

Deno.test("canary: half of the times are not longer than the median, and what never came is long", () => {
  assert.equal(medianMs([]), null);
  assert.equal(medianMs([300, 100, 200]), 200);
  assert.equal(medianMs([NEVER, 100, 200]), 200);
  assert.equal(medianMs([NEVER, NEVER, 200]), null);
});
