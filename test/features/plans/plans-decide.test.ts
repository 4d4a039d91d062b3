/**
 * What plans, catalogue and configuration decide about key requests when these are created and
 * approved.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import {
  addPlan,
  CATALOGUE,
  CONFIGURATION,
  pathTo,
  POLICIES,
  register,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  listIds,
  read,
  REQUESTS,
  type Sent,
  smallRequest,
  update,
} from "../../support/key-requests.ts";
import { storedCredentials } from "../../support/stored.ts";

const STRICT = { KEYDESK_REFERENCES: "strict" };

const ask = (desk: TestDesk, changes: Sent) =>
  desk.send("POST", REQUESTS, { body: smallRequest(changes) });

const configure = (desk: TestDesk, body: Sent) => succeed(desk, "PUT", CONFIGURATION, { body });
const offer = (desk: TestDesk, ...apis: Sent[]) =>
  succeed(desk, "PUT", CATALOGUE, { body: { apis } });

const FIELDS = ["company", { name: "use", required: true }, { name: "note" }, 7, null, {
  Name: "Team",
  Required: true,
}];

testOnEngines(
  "fields: open references ask for those that are said to be required",
  async (desk) => {
    await configure(desk, { key_request_fields: FIELDS });
    await assertInvalid(
      await ask(desk, {}),
      "fields.use: required for this plan",
      "fields.Team: required for this plan",
    );
    await assertInvalid(
      await ask(desk, { fields: { use: " ", Team: "x" } }),
      "fields.use: required for this plan",
    );
    await create(desk, smallRequest({ fields: { use: "x", Team: "y" } }));
  },
);

testOnEngines("fields: strict references ask for bare names too", async (desk) => {
  const for_plan = await addPlan(desk);
  const by_user = await register(desk);
  await configure(desk, { key_request_fields: FIELDS });
  const fields = { use: "x", Team: "y" };
  await assertInvalid(
    await ask(desk, { for_plan, by_user, fields }),
    "fields.company: required for this plan",
  );
  const all = { ...fields, company: "z" };
  await create(desk, smallRequest({ for_plan, by_user, fields: all }));
}, { environment: STRICT });

testOnEngines("fields: an entry that overrides has its own, for its plan alone", async (desk) => {
  const key_request_fields = [{ name: "use", required: true }];
  await configure(desk, { key_request_fields });
  await offer(
    desk,
    { policy_id: "free", config: { override: true } },
    { policy_id: "same", config: { override: false, key_request_fields: [] } },
    {
      policy_id: "own",
      config: { override: true, key_request_fields: [{ name: "vat", required: true }] },
    },
  );
  await create(desk, smallRequest({ for_plan: "free" }));
  for (const for_plan of ["same", "unlisted"]) {
    await assertInvalid(await ask(desk, { for_plan }), "fields.use: required for this plan");
  }
  await assertInvalid(await ask(desk, { for_plan: "own" }), "fields.vat: required for this plan");
  await assertInvalid(
    await ask(desk, { for_plan: "own", apply_policies: ["own", "same"] }),
    "fields.vat: required for this plan",
    "fields.use: required for this plan",
  );
});

testOnEngines("fields: what a request embeds requires and waives nothing", async (desk) => {
  const config = { override: true, key_request_fields: [{ name: "use", required: true }] };
  const catalogue_entry = { policy_id: "plan-weather", config };
  await create(desk, smallRequest({ catalogue_entry }));
  await configure(desk, { key_request_fields: config.key_request_fields });
  const waived = { ...catalogue_entry, config: { override: true, key_request_fields: [] } };
  await assertInvalid(
    await ask(desk, { catalogue_entry: waived }),
    "fields.use: required for this plan",
  );
});

testOnEngines("fields: a request that is there already is replaced without them", async (desk) => {
  const id = await create(desk, smallRequest());
  await configure(desk, { key_request_fields: [{ name: "use", required: true }] });
  await update(desk, id, await read(desk, id));
  const { admin: credential } = await desk.otherOrganisation();
  await create(desk, smallRequest(), { credential });
});

testOnEngines("waiting: a repeated click is answered with the request that waits", async (desk) => {
  const for_plan = await addPlan(desk);
  const by_user = await register(desk);
  const body = smallRequest({ for_plan, by_user });
  const id = await create(desk, body);
  assert.equal(await create(desk, { ...body, fields: { more: "words" } }), id);
  assert.equal(await create(desk, { ...body, apply_policies: [for_plan] }), id);
  assert.deepEqual(await listIds(desk), [id]);
  assert.deepEqual((await read(desk, id)).fields, {});
  // Once decided, another may be asked for; another developer, plan or key never was the same.
  await approve(desk, id);
  const second = await create(desk, body);
  assert.notEqual(second, id);
  const other = await addPlan(desk, { name: "Maps" });
  const bob = await register(desk, { email: "bob@example.org" });
  const [key = ""] = (await storedCredentials(desk)).map((row) => row.key_id);
  const ids = [
    second,
    await create(desk, { ...body, for_plan: other }),
    await create(desk, { ...body, apply_policies: [for_plan, other] }),
    await create(desk, { ...body, by_user: bob }),
    await create(desk, { ...body, key }),
  ];
  assert.equal(new Set(ids).size, ids.length);
}, { environment: STRICT });

testOnEngines("waiting: of many clicks at once, one makes the request", async (desk) => {
  const developers = [await register(desk), "dev-new"];
  // Several rounds: the first ones still open their connections.
  for (let round = 0; round < 6; round++) {
    const for_plan = await addPlan(desk, { name: `plan ${round}` });
    for (const by_user of developers) {
      const body = { for_plan, portal_developer: { id: by_user, email: `${by_user}@example.org` } };
      const ids = await Promise.all(Array.from({ length: 12 }, () => create(desk, body)));
      assert.equal(new Set(ids).size, 1);
    }
  }
  assert.equal((await listIds(desk)).length, 12);
}, { environment: STRICT });

testOnEngines("waiting: open references take every request", async (desk) => {
  const ids = [await create(desk, smallRequest()), await create(desk, smallRequest())];
  assert.equal(new Set(ids).size, 2);
});

testOnEngines("inactive: strict references refuse the plan, open ones take it", async (desk) => {
  const by_user = await register(desk);
  const for_plan = await addPlan(desk, { active: false });
  await assertFailure(await ask(desk, { by_user, for_plan }), "inactive_plan");
  await succeed(desk, "PUT", pathTo(POLICIES, for_plan), { body: { active: true } });
  await create(desk, smallRequest({ by_user, for_plan }));
}, { environment: STRICT });

testOnEngines("inactive: open references take a request for such a plan", async (desk) => {
  await create(desk, smallRequest({ for_plan: await addPlan(desk, { active: false }) }));
});

for (const environment of [{}, STRICT]) {
  const name = JSON.stringify(environment);
  testOnEngines(
    `deleted: a plan that is gone is asked for and issued no more ${name}`,
    async (desk) => {
      const by_user = await register(desk);
      const for_plan = await addPlan(desk);
      const body = smallRequest({ by_user, for_plan });
      const issued = await create(desk, body);
      await approve(desk, issued);
      const pending = await create(desk, body);
      await succeed(desk, "DELETE", pathTo(POLICIES, for_plan));
      await assertFailure(await desk.send("POST", REQUESTS, { body }), "unknown_plan");
      await assertFailure(await desk.send("PUT", approvalOf(pending)), "unknown_plan");
      assert.equal((await storedCredentials(desk)).length, 1);
      // What was issued can still be sent back as it was read.
      await update(desk, issued, await read(desk, issued));
    },
    { environment },
  );
}

testOnEngines("automatic: said by the endpoints, for a plan and for all", async (desk) => {
  const credential = await desk.token(["portal:write"]);
  const asWriter = async (for_plan: string) => {
    const id = await create(desk, smallRequest({ for_plan }));
    return (await desk.send("PUT", approvalOf(id), { credential })).status;
  };
  await configure(desk, {});
  // Sent without the member: nobody is let in by what was left out.
  await offer(desk, { policy_id: "own", config: { override: true } });
  assert.deepEqual([await asWriter("own"), await asWriter("other")], [403, 403]);
  await offer(desk, { policy_id: "own", config: { override: true, require_key_approval: false } });
  assert.deepEqual([await asWriter("own"), await asWriter("other")], [200, 403]);
  await configure(desk, { require_key_approval: false });
  assert.deepEqual([await asWriter("own"), await asWriter("other")], [200, 200]);
});

testOnEngines("auth type: the live plan's decides, changed through its endpoint", async (desk) => {
  const for_plan = await addPlan(desk, { auth_type: "keyless" });
  await assertFailure(await ask(desk, { for_plan }), "keyless_plan");
  await succeed(desk, "PUT", pathTo(POLICIES, for_plan), { body: { auth_type: "basic" } });
  const { Password } = await approve(desk, await create(desk, smallRequest({ for_plan })));
  assert.match(Password, /^[A-Za-z0-9]{32}$/);
});
