/** What an approval says of gateways, and how long it waits for them. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { call } from "../../support/people.ts";

/** Approves a request for this plan; gives header, status and answer. */
async function approve(
  desk: TestDesk,
  { plan = "plan-free", path = specification, query = "", headers = {} }: {
    plan?: string;
    path?: (id: string) => [method: string, path: string];
    query?: string;
    headers?: Record<string, string>;
  } = {},
) {
  const { Message: id } = await call(desk, "POST", "/api/portal/requests", {
    by_user: "nova",
    for_plan: plan,
    date_created: "2024-02-29T12:00:00Z",
    fields: {},
  });
  const again = async () => {
    const [method, where] = path(id);
    const response = await desk.send(method, `${where}${query}`, { headers });
    const said = response.headers.get("x-keydesk-provisioned");
    return { said, status: response.status, body: await response.json() };
  };
  return { ...await again(), again };
}

const specification = (
  id: string,
): [string, string] => ["PUT", `/api/portal/requests/approve/${id}`];
const v1 = (id: string): [string, string] => ["POST", `/v1/key-requests/${id}/approve`];

testOnEngines("provisioned: without a gateway nothing is said, and nothing waits", async (desk) => {
  await plansOf(desk);
  await call(desk, "POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  for (const path of [specification, v1]) {
    const { said, status } = await approve(desk, { path, query: "?wait=10000" });
    assert.deepEqual([said, status], [null, 200]);
  }
});

testOnEngines(
  "provisioned: an approval says that its key waits, and what it waits for where it is asked to",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    await call(desk, "POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
    await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    for (const path of [specification, v1]) {
      const { said, body } = await approve(desk, { path });
      assert.equal(said, "waiting");
      assert.ok(!JSON.stringify(body).includes("at_gateways"));
      // A short wait for a gateway to which nobody brings anything.
      assert.equal((await approve(desk, { path, query: "?wait=150" })).said, "waiting");
      // Brought there meanwhile, by whichever node.
      let isDone = false;
      const other = engineOf(desk, door);
      await engine.giveBack();
      const turns = (async () => {
        while (!isDone) await other.turn();
        await other.giveBack();
      })();
      const waited = await approve(desk, { path, query: "?wait=10000" });
      isDone = true;
      await turns;
      assert.equal(waited.said, "delivered");
      const { RawKey } = path === v1 ? waited.body.key : waited.body;
      assert.equal(await door.open(RawKey), 200);
    }
  },
);

testOnEngines(
  "provisioned: what is stuck is not waited for, a repeat is told how it is by then",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    await call(desk, "POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
    await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    const headers = { "idempotency-key": "approve-the-first-one" };
    const first = await approve(desk, { headers });
    assert.equal(first.said, "waiting");
    await provision(engine);
    const second = await first.again();
    assert.deepEqual([second.said, second.body], ["delivered", first.body]);

    door.gateway.plans.length = 0;
    await call(desk, "POST", "/api/portal/policies", { id: "bare", name: "bare" });
    const stuck = await approve(desk, {
      plan: "bare",
      headers: { "idempotency-key": "approve-the-second-one" },
    });
    await provision(engineOf(desk, door));
    assert.equal((await stuck.again()).said, "waiting");
  },
);

testOnEngines("provisioned: a wait is whole milliseconds, 10,000 at the most", async (desk) => {
  await plansOf(desk);
  await call(desk, "POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  for (const path of [specification, v1]) {
    for (const wait of ["10001", "-1", "1.5", "soon", ""]) {
      const { status, again } = await approve(desk, { path, query: `?wait=${wait}` });
      assert.equal(status, 400, wait);
      // Nothing was decided by it.
      assert.equal((await again()).status, 400);
    }
  }
});

testOnEngines("provisioned: a call that is given up soon has its key in time", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  await call(desk, "POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
  await addGateway(desk, door);
  // Nobody brings anything: without its caller's time it would wait for 10 seconds.
  const headers = { "x-request-timeout": "4" };
  const { said, status, body } = await approve(desk, { query: "?wait=10000", headers });
  assert.deepEqual([said, status, typeof body.RawKey], ["waiting", 200, "string"]);
});
