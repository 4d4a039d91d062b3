/** Developers by API, subscriptions, and OAuth clients by their id. */
import assert from "node:assert/strict";
import { kdKey } from "../../../src/features/keys/key-form.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertFailure } from "../../support/answers.ts";
import {
  addPlan,
  DEVELOPERS,
  pathTo,
  POLICIES,
  post,
  readDeveloper,
  register,
  type ShownDeveloper,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, REQUESTS, smallRequest, update } from "../../support/key-requests.ts";
import { issue } from "../../support/keys.ts";
import { outcome, planWith } from "../../support/verification.ts";

interface Page {
  Data: ShownDeveloper[];
  Pages: number;
}

testOnEngines("developers by API: whoever has a key of a plan that opens it", async (desk) => {
  const weather = await planWith(desk, {}, ["weather"]);
  const maps = await planWith(desk, {}, ["maps"]);
  const all = await planWith(desk, {});
  for (const [name, plans] of [["ada", [weather]], ["bob", [maps]], ["eve", [all]]] as const) {
    await register(desk, { id: name, email: `${name}@example.org` });
    await issue(desk, [...plans], name);
  }
  await register(desk, { id: "none", email: "none@example.org" });
  const of = async (path: string) => {
    const { Data, Pages } = await succeed<Page>(desk, "GET", `${DEVELOPERS}/api/${path}`);
    return [Data.map(({ id }) => id).sort().join(" "), Pages];
  };
  assert.deepEqual(await of("weather"), ["ada eve", 1]);
  assert.deepEqual(await of("maps/?p=-1"), ["bob eve", 1]);
  assert.deepEqual(await of("nothing"), ["eve", 1]);
  assert.deepEqual(await of("-"), ["ada bob eve", 1]);
  assert.deepEqual(await of("weather?p=1"), ["ada eve", 1]);
  assert.deepEqual(await of("weather?p=2"), ["", 1]);
  const [eve] = (await succeed<Page>(desk, "GET", `${DEVELOPERS}/api/nothing`)).Data;
  assert.deepEqual(eve, await readDeveloper(desk, "eve"));

  // Who lost the key is no longer among them.
  const { keys } = await readDeveloper(desk, "ada");
  await succeed(desk, "DELETE", `/api/keys/${Object.keys(keys)[0]}`);
  assert.deepEqual(await of("weather"), ["eve", 1]);
  const { admin: credential } = await desk.otherOrganisation();
  const foreign = await desk.send("GET", `${DEVELOPERS}/api/-`, { credential });
  assert.deepEqual(await foreign.json(), { Data: [], Pages: 0 });
});

testOnEngines(
  "developers by API: as many as there are, page by page and streamed",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) {
      const date_created = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
      const keys = n % 2 === 0 ? { [`key-${n}`]: [plan] } : {};
      const id = await register(desk, { id: `dev-${n}`, email: `${n}@x.org`, date_created, keys });
      if (n % 2 === 0) ids.unshift(id);
    }
    const path = `${DEVELOPERS}/api/weather`;
    const all = await succeed<Page>(desk, "GET", path);
    assert.deepEqual([all.Data.map(({ id }) => id), all.Pages], [ids, 1]);
    for (const p of [1, 4, 8]) {
      const { Data, Pages } = await succeed<Page>(desk, "GET", `${path}?p=${p}`);
      assert.deepEqual([Data.map(({ id }) => id), Pages], [ids.slice((p - 1) * 10, p * 10), 8]);
    }
  },
);

testOnEngines("subscriptions: subscribing to a plan issues a key for it, once", async (desk) => {
  const plan = await addPlan(desk);
  const id = await register(desk);
  const path = `${DEVELOPERS}/${id}/subscriptions`;
  const call = {
    body: { policy_id: plan },
    headers: { "idempotency-key": "subscribed-only-once" },
  };
  const first = await succeed<{ RawKey: string }>(desk, "POST", path, call);
  assert.deepEqual(Object.keys(first), ["RawKey", "Password"]);
  assert.deepEqual(await succeed(desk, "POST", path, call), first);
  const { subscriptions } = await readDeveloper(desk, id);
  assert.deepEqual(subscriptions, { [plan]: sha256(first.RawKey) });
  assert.equal(await outcome(desk, first.RawKey), "valid");
});

/**
 * Those of the kd form and of the legacy form, known and unknown, and one that a gateway made in a
 * form of its own.
 */
async function plainKeys(desk: TestDesk) {
  const { key_id, RawKey } = await issue(desk, [await addPlan(desk, { name: "Issued" })], "bob");
  const legacy = btoa(JSON.stringify({ org: "o", id: "0".repeat(32), h: "sha256" }));
  const kd = kdKey("live", "x".repeat(43));
  return { own: [RawKey, key_id] as const, unknown: [legacy, kd, `${kd.slice(0, -1)}~`] };
}

testOnEngines(
  "plain keys: in the maps of a developer they are kept as their hash, and claim nothing",
  async (desk) => {
    await register(desk, { id: "bob", email: "bob@example.org" });
    const { own: [RawKey, key_id], unknown } = await plainKeys(desk);
    const keys = Object.fromEntries([...unknown, RawKey, "old"].map((key) => [key, ["p"]]));
    const subscriptions = Object.fromEntries(
      [...unknown, RawKey, "old"].map((key, n) => [`plan-${n}`, key]),
    );
    const shown = [...unknown.map(sha256), "old"];
    const none = async (name: string, expected: { keys: string[]; subscriptions: string[] }) => {
      const ada = await readDeveloper(desk, name);
      assert.deepEqual(Object.keys(ada.keys).sort(), expected.keys.toSorted());
      assert.deepEqual(Object.values(ada.subscriptions).sort(), expected.subscriptions.toSorted());
      const all = await (await desk.send("GET", DEVELOPERS)).text() +
        await (await desk.send("GET", REQUESTS)).text() + desk.logLines.join();
      for (const key of [...unknown, RawKey]) assert.ok(!all.includes(key), key);
    };
    const both = { keys: shown, subscriptions: shown };
    await register(desk, { id: "sent", email: "sent@example.org", keys, subscriptions });
    await none("sent", both);
    await register(desk, { id: "put", email: "put@example.org" });
    const body = { email: "put@example.org", keys, subscriptions };
    await succeed(desk, "PUT", pathTo(DEVELOPERS, "put"), { body });
    await none("put", both);

    // In a request's developer too, where entries that name a key are kept, and open nothing.
    const known = { keys: [...shown, key_id], subscriptions: [...shown, key_id] };
    const portal_developer = { id: "new", email: "new@example.org", keys, subscriptions };
    const sent = smallRequest({ by_user: "new", portal_developer });
    const request = await create(desk, sent);
    await none("new", known);
    await update(desk, request, sent);
    await none("new", known);
    assert.equal((await readDeveloper(desk, "bob")).keys[key_id]?.length, 1);
  },
);

testOnEngines("OAuth clients: one is revoked by its id, and nothing else is", async (desk) => {
  const plan = await post(desk, POLICIES, { name: "OAuth", auth_type: "oauth" });
  const id = await create(desk, smallRequest({ for_plan: plan }));
  const { client_id = "" } = await approve(desk, id) as { client_id?: string };
  const { RawKey, key_id } = await issue(desk, [await addPlan(desk, { name: "Token" })]);
  const at = (client: string) => pathTo(`${DEVELOPERS}/oauth`, client);
  const { admin: credential } = await desk.otherOrganisation();
  const foreign = await desk.send("DELETE", at(client_id), { credential });
  await assertFailure(foreign, "not_found_for_deletion");
  for (const other of [RawKey, key_id, "none"]) {
    const answer = await desk.send("DELETE", at(other));
    if (other.length <= 255) await assertFailure(answer, "not_found_for_deletion");
  }
  assert.equal(await outcome(desk, RawKey), "valid");
  assert.deepEqual(await succeed(desk, "DELETE", at(client_id)), {
    Status: "OK",
    Message: "Data deleted",
    Meta: null,
  });
  const { oauth_clients } = await readDeveloper(desk, "dev-ada");
  assert.deepEqual(oauth_clients, undefined);
  await assertFailure(await desk.send("DELETE", at(client_id)), "not_found_for_deletion");
});
