/** Keys that are not at their gateways yet, as lists, people and their holders see them. */
import assert from "node:assert/strict";
import { renameProvisioned } from "../../../src/changes/provisioning.store.ts";
import { findProblems } from "../../../src/features/keys/at-gateways.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { signInAtPages } from "../../support/portal.ts";
import { plansOf as statementsOf, plansOfReads } from "../../support/query-plans.ts";

const clock = movableClock();
const free = ["plan-free"];

type There = { gateway: string; state: string; valid: boolean };

/** Where a key is not as it should be, by the key itself; its list says the same. */
async function notThere(desk: TestDesk, key_id: string): Promise<There[]> {
  const one = await call(desk, "GET", `/v1/keys/${key_id}`);
  const { data } = await call(desk, "GET", "/v1/keys?limit=100");
  const listed = data.find((row: { key_id: string }) => row.key_id === key_id);
  assert.deepEqual(listed.at_gateways, one.at_gateways);
  return one.at_gateways.map(({ gateway, state, valid: opens }: There) => ({
    gateway,
    state,
    valid: opens,
  }));
}

testOnEngines(
  "not there yet: a key says so until every gateway knows it, and from then on what it lacks there",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    await plansOf(desk);
    const { key_id: before } = await issue(desk, free);
    assert.deepEqual(await notThere(desk, before), [], "there is no gateway");
    const city = await addGateway(desk, door);
    await addGateway(desk, other, { name: "Port" });
    const engine = engineOf(desk, door, other);
    await provision(engine);
    const { key_id } = await issue(desk, free);
    const waits = (gateway: string, state = "waiting") => ({ gateway, state, valid: false });
    assert.deepEqual(await notThere(desk, key_id), [waits("City"), waits("Port")]);
    other.instead = () => new Response("", { status: 502 });
    await engine.turn();
    assert.deepEqual(await notThere(desk, key_id), [waits("Port")]);
    clock.at += 61_000;
    assert.deepEqual(await notThere(desk, key_id), [waits("Port", "late")]);
    const { data } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
    assert.deepEqual(data.map(({ state, valid: opens }: There) => [state, opens]), [
      ["delivered", true],
      ["late", false],
    ]);
    // What a gateway knows goes on there while a change waits.
    const change = { expires_at: "2999-01-01T00:00:00Z" };
    await call(desk, "PUT", `/v1/keys/${key_id}/expiry`, change);
    assert.deepEqual((await notThere(desk, key_id))[0], { ...waits("City"), valid: true });
    other.instead = () => undefined;
    await engine.giveBack();
    const next = engineOf(desk, door, other);
    await provision(next);
    assert.deepEqual(await notThere(desk, key_id), []);
    // What it has lost it knows no more.
    door.gateway.records.clear();
    door.instead = ({ url }) =>
      url.includes(key_id) ? new Response("", { status: 502 }) : undefined;
    await call(desk, "POST", `/v1/gateways/${city}/reconcile`);
    await next.turn();
    assert.deepEqual(await notThere(desk, key_id), [waits("City")]);
    door.instead = () => undefined;
    // A gateway that is being emptied is to have it no more.
    await call(desk, "DELETE", `/v1/gateways/${city}?keys=end`);
    assert.deepEqual(await notThere(desk, key_id), []);
  },
  { clock },
);

testOnEngines(
  "not there yet: a gateway of other plans is to have no key of these, by either id of a plan",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const { id, _id } = await call(desk, "POST", "/api/portal/policies", {
      id: "given",
      name: "Given",
      auth_type: "authToken",
    }).then(async ({ Message }) => ({
      id: "given",
      _id: (await call(desk, "GET", `/api/portal/policies/${Message}`))._id,
    }));
    await addGateway(desk, door, { plans: [id] });
    const elsewhere = await issue(desk, free);
    assert.deepEqual(await notThere(desk, elsewhere.key_id), []);
    const { key_id } = await issue(desk, [_id]);
    assert.equal((await notThere(desk, key_id)).length, 1);
  },
  { clock },
);

testOnEngines(
  "not there yet: one that is stuck says why, and its holder that people know",
  async (desk) => {
    await openPages(desk);
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    await plansOf(desk);
    await addGateway(desk, door);
    await addGateway(desk, other, { name: "Port" });
    const engine = engineOf(desk, door, other);
    await provision(engine);
    door.gateway.plans.length = 1;
    const { id, email } = await registered(desk, "dev-ada");
    const { key_id } = await issue(desk, ["plan-quota"], id);
    const ada = await signInByCode(desk, email);
    const path = `/v1/my/keys/${key_id}`;
    const way = async () => {
      const one = await ada.get<{ on_its_way: unknown }>("GET", path);
      const { data: [listed] } = await ada.get<{ data: { on_its_way: unknown }[] }>(
        "GET",
        "/v1/my/keys",
      );
      assert.deepEqual(listed?.on_its_way, one.on_its_way);
      return one.on_its_way;
    };
    assert.deepEqual(await way(), { valid_at: 0, of: 2, late: false });
    const pages = await signInAtPages(desk, email);
    const words = async () => (await pages.get(`/portal/keys/${key_id}`)).words;
    assert.match(
      await words(),
      /Not at the gateways yet .*works in a moment: 2 gateways do not know it yet/,
    );
    await provision(engine);
    assert.equal((await keyThere(desk, key_id))[0], "stuck");
    assert.deepEqual(await notThere(desk, key_id), [{
      gateway: "City",
      state: "stuck",
      valid: false,
    }]);
    assert.deepEqual(await way(), { valid_at: 1, of: 2, late: false });
    assert.match(
      await words(),
      /works at 1 of 2 gateways; the others follow\. There is nothing to do/,
    );
    clock.at += 61_000;
    assert.deepEqual(await way(), { valid_at: 1, of: 2, late: true });
    assert.match(await words(), /takes longer than usual\. The administrators know/);
    pages.headers["accept-language"] = "de";
    assert.match(await words(), /Noch nicht da .*gültig an 1 von 2 Gateways/);
    // Neither names nor addresses of gateways are told.
    assert.doesNotMatch(JSON.stringify(await ada.get("GET", path)), /City|Port|127\.0\.0\.1/);
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "no" });
    assert.equal(await way(), null, "a suspended one is to open nowhere");
  },
  { clock },
);

testOnEngines("not there yet: one statement tells it of a page, by an index", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  await addGateway(desk, door);
  const keys = [];
  for (let n = 0; n < 5; n++) keys.push(await issue(desk, free));
  const { reader } = desk.app.ctx.storage;
  const rows = keys.map(({ key_id }) => ({ key_id, plans: JSON.stringify(free) }));
  let found = 0;
  const count = async (db: typeof reader) => {
    found = (await findProblems(db, desk.org_id, rows, clock.now())).size;
  };
  if (reader.dialect === "sqlite") {
    const planned = await plansOfReads(reader, count);
    assert.equal(planned.length, 1);
    const [{ plan = "" } = {}] = planned;
    assert.match(plan, /SEARCH i USING INDEX provisioned_keys_of_key \(org_id=\? AND key_id=\?\)/);
    assert.doesNotMatch(plan, /SCAN (?!w\b)[a-z]\b|SEARCH o .*of_state/);
  } else {
    let asked = 0;
    const counting = { ...reader, dialect: reader.dialect };
    counting.rows = (s, p) => (asked++, reader.rows(s, p));
    await count(counting);
    assert.equal(asked, 1);
  }
  assert.equal(found, 5);
}, { clock });

Deno.test("a key that gets another id is found at its gateways by an index", async () => {
  const statements = await statementsOf((tx) =>
    renameProvisioned(tx, { org_id: "org", key_id: "key", to: "another" })
  );
  assert.equal(statements.length, 1);
  const [{ plan = "" } = {}] = statements;
  assert.match(plan, /provisioned_keys_of_key \(org_id=\? AND key_id=\?\)/);
  assert.match(plan, /SEARCH provisioned_keys .*gateway_id=\? AND key_id=\?/);
});
