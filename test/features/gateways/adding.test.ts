/** Gateways that are added beside others, and while keys change. */
import assert from "node:assert/strict";
import pg from "pg";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { importKeys, issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { valid } from "../../support/verification.ts";

const clock = movableClock();

testOnEngines(
  "gateways: who issues or changes a key while one is added has ended before, or tells it",
  async (desk) => {
    if (desk.engine !== "postgres") return;
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const { key_id } = await issue(desk, ["plan-free"]);
    const connectionString = desk.config.DATABASE_URL;
    const changes = {
      approves: "select id from developers for update",
      changes: `update credentials set state = state where key_id = '${key_id}'`,
    };
    for (const [name, text] of Object.entries(changes)) {
      const client = new pg.Client({ connectionString });
      const watcher = new pg.Client({ connectionString });
      await Promise.all([client.connect(), watcher.connect()]);
      try {
        await client.query("begin");
        await client.query(text);
        let added = false;
        const adding = addGateway(desk, door).then(() => added = true);
        for (let waits = false; !waits && !added;) {
          const { rows } = await watcher.query(
            "select 1 from pg_locks where not granted and relation is not null",
          );
          waits = rows.length > 0;
        }
        assert.equal(added, false, `whoever ${name} one is waited for`);
        await client.query("commit");
        await adding;
      } finally {
        await Promise.all([client.end(), watcher.end()]);
      }
    }
  },
);

testOnEngines(
  "gateways: several have keys of different plans, and a key of both stands at both",
  async (desk) => {
    await using city = standIn(desk.org_id);
    await using port = standIn(desk.org_id);
    await plansOf(desk);
    await addGateway(desk, city, { plans: ["plan-free"] });
    await addGateway(desk, port, { name: "Port", plans: ["plan-quota"] });
    const engine = engineOf(desk, city, port);
    await provision(engine);
    const free = await issue(desk, ["plan-free"]);
    const both = await issue(desk, ["plan-free", "plan-quota"]);
    const opens = async ({ RawKey }: { RawKey: string }) => {
      await provision(engine);
      return [await city.open(RawKey), await port.open(RawKey)];
    };
    assert.deepEqual([await opens(free), await opens(both)], [[200, 403], [200, 200]]);
    assert.deepEqual(city.gateway.session(both.key_id)?.apply_policies, ["plan-free"]);
    await call(desk, "PUT", `/v1/keys/${free.key_id}/plans`, { plans: ["plan-quota"] });
    // What would make it at the other one was forgotten once the first had it.
    assert.deepEqual(await opens(free), [403, 403]);
    const at = await call(desk, "GET", `/v1/keys/${free.key_id}/gateways`);
    assert.deepEqual(at.data.map(({ state, reason }: Record<string, string>) => [state, reason]), [
      ["closing", ""],
      ["stuck", "secret_gone"],
    ]);
    // What is done at one is not held up by the other.
    port.instead = () => new Response("", { status: 502 });
    await call(desk, "POST", `/v1/keys/${both.key_id}/revoke`, { reason: "gone" });
    assert.deepEqual(await opens(both), [403, 200]);
    const { data } = await call(desk, "GET", `/v1/keys/${both.key_id}/gateways`);
    assert.deepEqual(data.map(({ gateway, state }: Record<string, string>) => [gateway, state]), [
      ["City", "closing"],
      ["Port", "waiting"],
    ]);
  },
);

testOnEngines(
  "gateways: the last day of murmur hashes ends no key there that only the gateway sees",
  async (desk) => {
    await using door = standIn(desk.org_id, "murmur128");
    await plansOf(desk);
    const quota = ["plan-quota"];
    const { key, name } = await door.gateway.add(
      "f".repeat(32),
      door.gateway.newSession("", quota),
    );
    const line = { hash: name, algorithm: "murmur128", developer: "dev-ada", plans: quota };
    const murmurUntil = new Date(clock.at + 60_000).toISOString();
    await importKeys(desk, [line], { murmurUntil });
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    clock.at += 2 * 24 * 60 * 60_000;
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await provision(engine);
    assert.equal(await door.open(key), 200);
    const { expires_at, use_before } = await call(desk, "GET", `/v1/keys/${name}`);
    assert.deepEqual([expires_at, use_before], [null, murmurUntil]);
    // It is suspended and resumed there all the same.
    const move = async (path: string) => {
      await call(desk, "POST", `/v1/keys/${name}/${path}`, { reason: "so" });
      await provision(engine);
      return await door.open(key);
    };
    assert.deepEqual([await move("suspend"), await move("resume"), await move("revoke")], [
      401,
      200,
      403,
    ]);
  },
  { clock },
);

testOnEngines(
  "gateways: keys that get their own hash by a call, while the gateway is compared, stay open there",
  async (desk) => {
    await using door = standIn(desk.org_id, "murmur64");
    await plansOf(desk);
    const plans = ["plan-free"];
    const keys: string[] = [];
    const lines: { hash: string }[] = [];
    // More than are under way at once, so that some wait while their ids change.
    for (let n = 0; n < 40; n++) {
      const session = door.gateway.newSession("", plans);
      const { key, name: hash } = await door.gateway.add(`key number ${n}`, session);
      keys.push(key);
      const line = { hash, algorithm: "murmur64", developer: "dev-ada", plans };
      lines.push(line);
    }
    await importKeys(desk, lines, { murmurUntil: "2999-01-01T00:00:00.000Z" });
    await addGateway(desk, door);
    let used: Promise<unknown> | undefined;
    door.instead = async (request) => {
      if (!lines.some(({ hash }) => request.url.includes(hash))) return undefined;
      await (used ??= Promise.all(keys.map((key) => valid(desk, key))));
      return undefined;
    };
    await provision(engineOf(desk, door));
    assert.ok(used !== undefined);
    assert.deepEqual(door.calls.filter((one) => one.startsWith("DELETE")), []);
    for (const key of keys) assert.equal(await door.open(key), 200);
  },
);
