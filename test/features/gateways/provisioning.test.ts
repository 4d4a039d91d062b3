/** Keys at the original's gateway: brought there, read back, and ended in spite of its traits. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { importKeys, issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

/** What a key is refused with that is not there. */
const REFUSED = 403;
/** What one is refused with that is there, and has ended. */
const SUSPENDED = 401;
const quota = ["plan-quota"];
/** Of the tests that move it. */
const clock = movableClock();

/** A desk's plans and gateway; gives the gateway's id with what brings it to what is wanted. */
async function set(desk: Parameters<typeof addGateway>[0], door: StandIn, more: object = {}) {
  await plansOf(desk);
  const id = await addGateway(desk, door, more);
  const engine = engineOf(desk, door);
  await provision(engine);
  const turn = () => provision(engine);
  /** The turns of another node, for which this one leaves the gateway. */
  const others = async () => {
    await engine.giveBack();
    const other = engineOf(desk, door);
    await provision(other);
    await other.giveBack();
  };
  return { id, turn, others };
}

testOnEngines(
  "gateways: an issued key opens there, and once it is revoked it does not",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["waiting", ""],
      REFUSED,
    ]);
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["delivered", ""],
      200,
    ]);
    const { data: [there] } = await call(desk, "GET", `/v1/gateways/${id}/keys?state=delivered`);
    assert.deepEqual([there.key_id, there.remote_id], [key_id, key_id]);
    assert.equal(door.gateway.session(key_id)?.meta_data instanceof Object, true);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["closing", ""],
      REFUSED,
    ]);
    const shown = JSON.stringify(await call(desk, "GET", `/v1/gateways/${id}`));
    assert.ok(!shown.includes(door.secret) && !desk.logLines.join("").includes(RawKey));
  },
);

testOnEngines(
  "gateways: suspended, resumed, given other plans and an end, and closed with its plan",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    const opens = async () => {
      await turn();
      return await door.open(RawKey);
    };
    const change = (path: string, body: object, method = "POST") =>
      call(desk, method, `/v1/keys/${key_id}${path}`, body);
    assert.equal(await opens(), 200);
    await change("/suspend", { reason: "for now" });
    assert.equal(await opens(), SUSPENDED);
    await change("/resume", { reason: "again" });
    assert.equal(await opens(), 200);
    await change("/plans", { plans: ["plan-free"] }, "PUT");
    assert.equal(await opens(), 200);
    assert.deepEqual(door.gateway.session(key_id)?.apply_policies, ["plan-free"]);
    await change("/expiry", { expires_at: "2999-01-01T00:00:00Z" }, "PUT");
    await turn();
    assert.equal(door.gateway.session(key_id)?.expires, Date.UTC(2999, 0, 1) / 1000);
    await call(desk, "PUT", "/api/portal/policies/plan-free", { active: false });
    assert.equal(await opens(), SUSPENDED);
    await call(desk, "PUT", "/api/portal/policies/plan-free", { active: true });
    assert.equal(await opens(), 200);
  },
);

testOnEngines(
  "gateways: what a call in flight brings back is ended again, at once and 15 seconds later",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    await turn();
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    // In flight over the whole turn: it comes back once everything was read.
    assert.equal(await door.open(RawKey, turn), 200);
    assert.equal(await door.open(RawKey), 200);
    clock.at += 701;
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["closing", ""],
      REFUSED,
    ]);
    // Once more it is brought back, by a call that takes longer than a second.
    door.gateway.records.set(`apikey-${key_id}`, door.gateway.newSession("", quota));
    clock.at += 15_001;
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["closing", ""],
      REFUSED,
    ]);
    for (let n = 0; n < 2; n++) {
      clock.at += 15_001;
      await turn();
    }
    assert.deepEqual(await keyThere(desk, key_id), ["gone", ""]);
  },
  { clock },
);

testOnEngines(
  "gateways: with sessions kept in memory a revocation waits until it holds",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    await turn();
    door.gateway.cachesSessions = true;
    assert.equal(await door.open(RawKey), 200);
    // Each read of the interface comes with a call that has the session in memory.
    door.instead = async (request) => {
      if (request.method === "GET" && request.url.includes(key_id)) await door.open(RawKey);
      return undefined;
    };
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    await turn();
    const [state, reason] = await keyThere(desk, key_id);
    assert.deepEqual([state, reason], ["waiting", "calls in flight brought it back"]);
    door.gateway.cachesSessions = false;
    clock.at += 1000;
    door.instead = () => undefined;
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["closing", ""],
      REFUSED,
    ]);
  },
  { clock },
);

testOnEngines(
  "gateways: while its Redis is away nothing is believed, and nothing is lost",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn, others } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    await turn();
    door.gateway.redisIsAway = true;
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    const other = await issue(desk, quota);
    await others();
    const shown = await call(desk, "GET", `/v1/gateways/${id}`);
    assert.equal((await keyThere(desk, key_id))[0], "waiting");
    assert.match(shown.failure, /answers 500/);
    assert.ok(shown.failing_since);
    door.gateway.redisIsAway = false;
    await others();
    assert.deepEqual([await door.open(RawKey), await door.open(other.RawKey)], [REFUSED, 200]);
    assert.equal((await call(desk, "GET", `/v1/gateways/${id}`)).failing_since, null);
  },
);

testOnEngines(
  "gateways: behind a wiped Redis what can be made is made, and what was ended stays so",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const kept = await issue(desk, quota);
    const ended = await issue(desk, quota);
    await turn();
    await call(desk, "POST", `/v1/keys/${ended.key_id}/revoke`, { reason: "gone" });
    door.gateway.loseRecords();
    const fresh = await issue(desk, quota);
    await turn();
    assert.deepEqual(await keyThere(desk, kept.key_id), ["stuck", "secret_gone"]);
    assert.deepEqual(await keyThere(desk, ended.key_id), ["closing", ""]);
    assert.deepEqual([await keyThere(desk, fresh.key_id), await door.open(fresh.RawKey)], [
      ["delivered", ""],
      200,
    ]);
    // A rotation mends it.
    const rotated = await call(desk, "POST", `/v1/keys/${kept.key_id}/rotate`, {
      overlap_seconds: 0,
    });
    await turn();
    assert.equal(await door.open(rotated.RawKey), 200);
  },
);

testOnEngines(
  "gateways: a plan without a policy is stuck, goes on once it has one, and others are not held up",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const policies = door.gateway.plans.splice(1, 1);
    const stuck = await issue(desk, quota);
    const other = await issue(desk, ["plan-free"]);
    await turn();
    assert.deepEqual(await keyThere(desk, stuck.key_id), ["stuck", "no_policy plan-quota"]);
    assert.equal(await door.open(other.RawKey), 200);
    door.gateway.plans.push(...policies);
    assert.deepEqual(await call(desk, "POST", `/v1/gateways/${id}/now`), { tried: 1 });
    await turn();
    assert.equal(await door.open(stuck.RawKey), 200);
  },
);

testOnEngines(
  "gateways: user names and OAuth clients are made, suspended and ended too",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const user = await issue(desk, ["plan-basic"]);
    const client = await issue(desk, ["plan-oauth"]);
    await turn();
    const opens = async () =>
      (await door.gateway.openAsUser(user.RawKey, user.Password, "weather")).status;
    const isThere = () => door.gateway.client("weather", client.RawKey) !== undefined;
    assert.deepEqual([await opens(), isThere()], [200, true]);
    const both = async (move: string) => {
      for (const { key_id } of [user, client]) {
        await call(desk, "POST", `/v1/keys/${key_id}/${move}`, { reason: "so" });
      }
      await turn();
      return [await opens(), isThere()];
    };
    assert.deepEqual(await both("suspend"), [401, false]);
    assert.deepEqual(await both("resume"), [200, true]);
    assert.deepEqual(await both("revoke"), [401, false]);
  },
);

testOnEngines(
  "gateways: what was changed there diverges and is put right when asked; what came back is ended",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const changed = await issue(desk, quota);
    const ended = await issue(desk, quota);
    await turn();
    const before = structuredClone(door.gateway.session(ended.key_id) ?? {});
    await call(desk, "POST", `/v1/keys/${ended.key_id}/revoke`, { reason: "gone" });
    await turn();
    clock.at += 15_001;
    await turn();
    door.gateway.records.set(`apikey-${ended.key_id}`, before);
    Object.assign(door.gateway.session(changed.key_id) ?? {}, { apply_policies: ["plan-free"] });
    const { key: foreign } = await door.gateway.add("by-hand", door.gateway.newSession("", quota));
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await turn();
    const { reconciled } = await call(desk, "GET", `/v1/gateways/${id}`);
    assert.deepEqual([reconciled.compared, reconciled.returned, reconciled.foreign], [2, 1, 1]);
    assert.deepEqual(await keyThere(desk, changed.key_id), [
      "diverged",
      "opens more there: plans plan-free there, plan-quota here",
    ]);
    assert.deepEqual([await door.open(ended.RawKey), await door.open(foreign)], [REFUSED, 200]);
    await call(desk, "POST", `/v1/gateways/${id}/now`);
    await turn();
    assert.deepEqual(await keyThere(desk, changed.key_id), ["delivered", ""]);
    assert.deepEqual(door.gateway.session(changed.key_id)?.apply_policies, quota);
  },
  { clock },
);

testOnEngines(
  "gateways: a check names what differs, and that revocations were not tried",
  async (desk) => {
    await using door = standIn(desk.org_id);
    door.clockAheadMs = 60_000;
    door.gateway.plans.pop();
    const { id } = await set(desk, door);
    const { findings, reconciled } = await call(desk, "GET", `/v1/gateways/${id}`);
    // The canary that was just made is no foreign key.
    assert.equal(reconciled.foreign, 0);
    const codes = findings.map(({ code }: { code: string }) => code);
    assert.ok(codes.includes("not_checked") && codes.includes("quota_in_policies"));
    assert.ok(codes.includes("clock_differs") && codes.includes("no_policy"));
  },
);

testOnEngines(
  "gateways: a clock is compared at its answer, and differs where two looks say so",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    const ahead = async () => {
      const { findings } = await call(desk, "GET", `/v1/gateways/${id}`);
      return findings.find(({ code }: { code: string }) => code === "clock_differs")?.detail;
    };
    const inspected = async () => {
      clock.at = Date.now();
      await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
      await provision(engine);
      return await ahead();
    };
    const takesSeconds = (after: number) => {
      let policies = 0;
      door.instead = (request) => {
        // The inspection alone reads the policies of a gateway that has its canary.
        if (new URL(request.url).pathname !== "/tyk/policies" || policies++ > 0) return undefined;
        clock.at += 5000;
        door.clockAheadMs = after;
        return undefined;
      };
    };
    clock.at = Date.now();
    await provision(engine);
    assert.equal(await ahead(), undefined);
    // The inspection takes five seconds, for both.
    takesSeconds(5000);
    assert.equal(await inspected(), undefined);
    // It was wrong, and was set meanwhile.
    door.clockAheadMs = -60_000;
    takesSeconds(5000);
    assert.equal(await inspected(), undefined);
    // A second is no difference, and a minute behind is one.
    door.instead = () => undefined;
    for (const aheadMs of [1900, -1900]) {
      door.clockAheadMs = aheadMs;
      assert.equal(await inspected(), undefined, `${aheadMs}`);
    }
    door.clockAheadMs = -60_000;
    assert.match(await inspected(), /^-(59|60)$/);
  },
  { clock },
);

testOnEngines(
  "gateways: a key that was suspended before it was ever there is made there once it is resumed",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for now" });
    await turn();
    assert.equal(await door.open(RawKey), REFUSED);
    await call(desk, "POST", `/v1/keys/${key_id}/resume`, { reason: "again" });
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["delivered", ""],
      200,
    ]);
  },
);

testOnEngines(
  "gateways: a Redis that comes back behind its 404 leaves no revoked key open, and loses none",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    const name = "ab".repeat(32);
    const line = { hash: name, developer: "dev-ada", plans: quota };
    door.gateway.records.set(`apikey-${name}`, door.gateway.newSession("", quota));
    let lies = 0;
    // It is away for this answer alone, and the canary is there again behind it.
    const lieOnceOf = (one: string) => {
      let isOver = false;
      door.instead = (request) => {
        if (isOver || request.method !== "GET" || !request.url.includes(one)) return undefined;
        isOver = true;
        lies++;
        return Response.json({ status: "error", message: "Key not found" }, { status: 404 });
      };
    };
    lieOnceOf(name);
    await importKeys(desk, [line]);
    await turn();
    assert.deepEqual(await keyThere(desk, name), ["delivered", ""]);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    lieOnceOf(key_id);
    await turn();
    assert.deepEqual([lies, await door.open(RawKey)], [2, REFUSED]);
  },
);

testOnEngines(
  "gateways: keys that were imported by hash are suspended and ended there by it",
  async (desk) => {
    await using door = standIn(desk.org_id, "murmur64");
    await plansOf(desk);
    const { key, name } = await door.gateway.add(
      "f".repeat(32),
      door.gateway.newSession("", quota),
    );
    const line = { hash: name, algorithm: "murmur64", developer: "dev-ada", plans: quota };
    await importKeys(desk, [line], { murmurUntil: "2027-01-01T00:00:00.000Z" });
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    const turn = () => provision(engine);
    await turn();
    assert.equal(await door.open(key), 200);
    await call(desk, "POST", `/v1/keys/${name}/suspend`, { reason: "for now" });
    await turn();
    assert.equal(await door.open(key), SUSPENDED);
    await call(desk, "POST", `/v1/keys/${name}/resume`, { reason: "again" });
    await turn();
    assert.equal(await door.open(key), 200);
    await call(desk, "POST", `/v1/keys/${name}/revoke`, { reason: "gone" });
    await turn();
    assert.equal(await door.open(key), REFUSED);
    const { data: [there] } = await call(desk, "GET", `/v1/gateways/${id}/keys`);
    assert.equal(there.remote_id, name);
  },
);

testOnEngines(
  "gateways: another organisation's is none, and plans of none end all keys there",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id, turn } = await set(desk, door);
    const { RawKey, key_id } = await issue(desk, quota);
    await turn();
    const { admin: credential } = await desk.otherOrganisation();
    for (
      const [method, path, body] of [
        ["GET", `/v1/gateways/${id}`],
        ["PUT", `/v1/gateways/${id}`, { name: "x", url: door.url }],
        ["DELETE", `/v1/gateways/${id}`],
        ["POST", `/v1/gateways/${id}/pause`],
        ["POST", `/v1/gateways/${id}/resume`],
        ["POST", `/v1/gateways/${id}/now`],
        ["POST", `/v1/gateways/${id}/reconcile`],
        ["GET", `/v1/gateways/${id}/keys`],
        ["GET", `/v1/keys/${key_id}/gateways`],
      ] as const
    ) {
      const answer = await desk.send(method, path, { credential, body });
      await answer.body?.cancel();
      assert.equal(answer.status, 404, `${method} ${path}`);
    }
    await call(desk, "PUT", `/v1/gateways/${id}`, { name: "City", url: door.url, plans: [] });
    await turn();
    assert.deepEqual([await keyThere(desk, key_id), await door.open(RawKey)], [
      ["closing", ""],
      REFUSED,
    ]);
    // What makes a key is forgotten with the last gateway that could have made it.
    const waiting = await issue(desk, quota);
    assert.deepEqual(await call(desk, "DELETE", `/v1/gateways/${id}`), {
      left: 0,
      ending: false,
      files: [],
    });
    await addGateway(desk, door);
    await turn();
    assert.deepEqual(await keyThere(desk, waiting.key_id), ["stuck", "secret_gone"]);
  },
);

testOnEngines(
  "gateways: keys that are called behind their end tell whether revocations hold",
  async (desk) => {
    await using door = standIn(desk.org_id);
    door.gateway.cachesSessions = true;
    const more = { probe_url: `${door.url}/weather/` };
    const { id, turn } = await set(desk, door, more);
    const codes = async () =>
      (await call(desk, "GET", `/v1/gateways/${id}`)).findings.map(({ code }: { code: string }) =>
        code
      );
    assert.ok((await codes()).includes("cache_on"));
    door.gateway.cachesSessions = false;
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`);
    await turn();
    const found = await codes();
    assert.ok(!found.includes("cache_on") && !found.includes("not_checked"), found.join());
  },
);
