/** Who adds or moves a gateway, and the yes that it waits for where an access token did. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue } from "../../support/keys.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { call, newPerson } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { bySession, callInPerson, signIn } from "../../support/sign-in.ts";

const FREE = ["plan-free"];

const written = ({ url, secret }: StandIn, more: object = {}) => ({
  name: "City",
  url,
  secret,
  ...more,
});

async function refused(response: Response, code: string): Promise<void> {
  assert.equal((await response.json()).code, code);
}

async function waitsSince(desk: TestDesk, id: string): Promise<string | null> {
  return (await call(desk, "GET", `/v1/gateways/${id}`)).unconfirmed_since;
}

/** The answer to a yes by a session of whoever has this access token. */
async function answerToYes(desk: TestDesk, id: string, since: string | null, by = desk.admin) {
  const browser = await signIn(desk, { credential: by });
  const body = { unconfirmed_since: since };
  return await bySession(desk, browser, "POST", `/v1/gateways/${id}/confirm`, body);
}

testOnEngines(
  "confirming: adding and moving a gateway takes approve beside admin, all else does not",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    const { credential } = await newPerson(desk, ["admin"]);
    const body = { connection: "synced", ...written(door) };
    await refused(
      await desk.send("POST", "/v1/gateways", { credential, body }),
      "access_denied",
    );
    const id = await addGateway(desk, door);
    const browser = await signIn(desk, { credential });
    const change = (more: object) =>
      bySession(desk, browser, "PUT", `/v1/gateways/${id}`, written(door, more));
    const moves = [
      { url: other.url },
      { url: `${door.url}/below` },
      { probe_url: `${other.url}/weather/` },
      { redis_url: "rediss://redis.example.org:6379/0" },
    ];
    for (const more of moves) {
      const answer = await change(more);
      assert.equal(answer.status, 403, JSON.stringify(more));
      assert.match((await answer.json()).detail, /approve beside admin/);
    }
    const answer = await change({ name: "Town", plans: FREE, calls_per_second: 100 });
    assert.equal(answer.status, 200);
    assert.equal((await answer.json()).unconfirmed_since, null);
    assert.deepEqual(other.calls, []);
  },
);

testOnEngines(
  "confirming: what an access token adds is called and brought nothing before a person's yes",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const { id, unconfirmed_since } = await call(desk, "POST", "/v1/gateways", {
      connection: "synced",
      ...written(door),
    });
    assert.ok(unconfirmed_since !== null);
    const engine = engineOf(desk, door);
    const key = await issue(desk, FREE);
    // Neither of these is a yes.
    await call(desk, "POST", `/v1/gateways/${id}/pause`);
    await call(desk, "POST", `/v1/gateways/${id}/resume`);
    await call(desk, "POST", `/v1/gateways/${id}/now`, {});
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, {});
    const ends_at = new Date(Date.now() + 60_000).toISOString();
    const learning = await desk.send("PUT", `/v1/gateways/${id}/lazy-migration`, {
      body: { ends_at },
    });
    await refused(learning, "invalid_input");
    await provision(engine);
    assert.deepEqual([door.calls, await door.open(key.RawKey)], [[], 403]);

    const path = `/v1/gateways/${id}/confirm`;
    const byToken = await desk.send("POST", path, { body: { unconfirmed_since } });
    await refused(byToken, "person_needed");
    const { credential } = await newPerson(desk, ["admin"]);
    await refused(
      await answerToYes(desk, id, unconfirmed_since, credential),
      "access_denied",
    );
    const { admin } = await desk.otherOrganisation();
    await refused(await answerToYes(desk, id, unconfirmed_since, admin), "not_found");
    // Somebody changes what was looked at.
    await call(desk, "PUT", `/v1/gateways/${id}`, written(door, { name: "Town" }));
    const then = await waitsSince(desk, id);
    assert.ok(then !== null && then > unconfirmed_since);
    const late = await answerToYes(desk, id, unconfirmed_since);
    await refused(late, "precondition_failed");
    await provision(engine);
    assert.deepEqual(door.calls, []);

    const both = await Promise.all([answerToYes(desk, id, then), answerToYes(desk, id, then)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
    for (const answer of both) await answer.body?.cancel();
    await provision(engine);
    assert.deepEqual(await keyThere(desk, key.key_id), ["delivered", ""]);
    assert.equal(await door.open(key.RawKey), 200);
    const { data } = await call(desk, "GET", "/v1/audit-log?action=gateway.confirmed");
    assert.deepEqual(data.map((one: { object_id: string }) => one.object_id), [id]);
  },
);

testOnEngines(
  "confirming: where an access token moves a gateway nothing goes, and an earlier yes counts no more",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using far = standIn(desk.org_id);
    await using farther = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door, far, farther);
    await provision(engine);
    const move = (to: StandIn) => call(desk, "PUT", `/v1/gateways/${id}`, written(to));
    const first = await move(far);
    const key = await issue(desk, FREE);
    door.calls.length = 0;
    await provision(engine);
    const second = await move(farther);
    await refused(
      await answerToYes(desk, id, first.unconfirmed_since),
      "precondition_failed",
    );
    await provision(engine);
    assert.deepEqual([door.calls, far.calls, farther.calls], [[], [], []]);
    // Moving it by hand is no yes to what else was changed.
    const back = await callInPerson(desk, "PUT", `/v1/gateways/${id}`, written(door));
    assert.ok(back.unconfirmed_since > second.unconfirmed_since);
    await provision(engine);
    assert.deepEqual(door.calls, []);
    assert.equal((await answerToYes(desk, id, back.unconfirmed_since)).status, 200);
    await provision(engine);
    assert.equal(await door.open(key.RawKey), 200);
    // What a person moves goes on at once.
    const moved = await callInPerson(desk, "PUT", `/v1/gateways/${id}`, written(far));
    assert.equal(moved.unconfirmed_since, null);
    await provision(engine);
    assert.equal(
      (await issue(desk, FREE).then(() => provision(engine)), far.calls.length > 0),
      true,
    );
  },
);

testOnEngines(
  "confirming: a door fetches no map of a gateway that waits for a yes",
  async (desk) => {
    const map = { name: "Far", connection: "map", map: { socket: "fetched" } };
    const { id, unconfirmed_since } = await call(desk, "POST", "/v1/gateways", map);
    const credential = await desk.token(["gateways:map"]);
    const fetched = async () => {
      const answer = await desk.send("GET", `/v1/gateways/${id}/map`, { credential });
      await answer.body?.cancel();
      return answer.status;
    };
    assert.equal(await fetched(), 404);
    assert.equal((await answerToYes(desk, id, unconfirmed_since)).status, 200);
    assert.equal(await fetched(), 200);
  },
);

testOnEngines(
  "confirming: other administrators are mailed of it, and of an access token's deed its own person too",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using far = standIn(desk.org_id);
    await using smtp = await mailServer();
    await addMailChannel(desk);
    await addPerson(desk, "approver@example.org");
    await addPerson(desk, "admin@example.org", ["admin"]);
    const { person } = await call(desk, "GET", "/v1/me");
    const { name, permissions } = await call(desk, "GET", `/v1/people/${person.id}`);
    const own = { name, permissions, email: "own@example.org" };
    await call(desk, "PUT", `/v1/people/${person.id}`, own);
    const engine = mailEngine(desk, smtp);
    const mailed = async () => {
      await deliver(engine);
      return smtp.taken.splice(0).flatMap(({ to, parsed: { subject } }) =>
        /gateway/.test(subject ?? "") ? [`${to[0]}: ${subject}`] : []
      ).sort();
    };
    const id = await addGateway(desk, door);
    const [added, ...more] = await mailed();
    assert.match(added ?? "", /^admin@example\.org: .* added the gateway City at /);
    assert.deepEqual(more, []);
    await callInPerson(desk, "PUT", `/v1/gateways/${id}`, written(door, { name: "Town" }));
    assert.deepEqual(await mailed(), [], "it is where it was");
    await call(desk, "PUT", `/v1/gateways/${id}`, written(far, { name: "Town" }));
    const moved = await mailed();
    assert.deepEqual(moved.map((one) => one.split(":")[0]), [
      "admin@example.org",
      "own@example.org",
    ]);
    assert.match(moved[0] ?? "", / moved the gateway Town at /);
  },
);
