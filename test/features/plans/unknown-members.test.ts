/**
 * What a client keeps in a plan, an entry of the catalogue or the configuration comes back as it
 * came.
 */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import { clientPlans } from "../../support/client-plans.ts";
import {
  addPlan,
  CATALOGUE,
  CONFIGURATION,
  pathTo,
  POLICIES,
  type ShownPlan,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { createAndRead, type Sent, smallRequest } from "../../support/key-requests.ts";
import { issue } from "../../support/keys.ts";
import { outcome } from "../../support/verification.ts";

const get = (desk: TestDesk, id: string) => succeed<ShownPlan>(desk, "GET", pathTo(POLICIES, id));

testOnEngines(
  "plans: those that clients send come back whole, and survive a change",
  async (desk) => {
    assert.equal(clientPlans.length, 12);
    for (const sent of clientPlans) {
      const _id = await addPlan(desk, sent);
      const shown = await get(desk, _id);
      for (const [name, value] of Object.entries(sent)) {
        assert.deepEqual(shown[name], value, `${sent.name}: ${name}`);
      }
      assert.equal(shown._id, sent._id ?? _id);
      assert.equal(shown.id, sent.id ?? _id);
      assert.equal(shown.is_inactive, !shown.active);
      // Read, change one member, write the whole back.
      const changed = { ...shown, key_expires_in: 60 };
      await succeed(desk, "PUT", pathTo(POLICIES, shown.id), { body: changed });
      assert.deepEqual(await get(desk, shown.id), changed);
      // `/v1` changes what it knows, and loses nothing.
      const v1 = `/v1/plans/${_id}`;
      await succeed(desk, "PUT", v1, { body: { tags: ["v1"] } });
      assert.deepEqual(await get(desk, _id), { ...changed, tags: ["v1"] });
    }
    const { Data } = await succeed<{ Data: ShownPlan[] }>(desk, "GET", `${POLICIES}?p=-1`);
    assert.equal(Data.length, 12);
  },
);

testOnEngines(
  "plans: unknown members that are left out stay, null is a value of theirs",
  async (desk) => {
    const _id = await addPlan(desk, { kept: { a: 1 }, other: 1, tags: ["x"], rate: 5, per: 1 });
    const body = {
      other: null,
      tags: null,
      rate: null,
      access_rights: { a: null, b: { c: null } },
    };
    await succeed(desk, "PUT", pathTo(POLICIES, _id), { body });
    const { kept, other, tags, rate, access_rights } = await get(desk, _id);
    assert.deepEqual({ kept, other, tags, rate, access_rights }, {
      kept: { a: 1 },
      other: null,
      tags: ["x"],
      rate: 5,
      access_rights: { a: {}, b: { c: null } },
    });
  },
);

testOnEngines(
  "plans: an API whose access rights are null is opened, and no other",
  async (desk) => {
    const rights = { body: { access_rights: { api1: null } } };
    const older = await addPlan(desk, { name: "Older", access_rights: { api2: {} } });
    await succeed(desk, "PUT", pathTo(POLICIES, older), rights);
    const v1 = await addPlan(desk, { name: "Native", access_rights: { api2: {} } });
    await succeed(desk, "PUT", `/v1/plans/${v1}`, rights);
    const { _id: made } = await succeed<{ _id: string }>(desk, "POST", "/v1/plans", {
      body: { name: "Made", ...rights.body },
    });
    for (const plan of [older, v1, made]) {
      assert.deepEqual((await get(desk, plan)).access_rights, { api1: {} });
      const { RawKey: key } = await issue(desk, [plan], `dev-${plan}`);
      assert.equal(await outcome(desk, { key, api_id: "api1" }), "valid");
      assert.equal(await outcome(desk, { key, api_id: "api2" }), "wrong_api");
    }
  },
);

testOnEngines(
  "plans: up to 64 KiB of unknown members, and nothing that reaches a prototype",
  async (desk) => {
    const text = "x".repeat(64 * 1024 - 100);
    const _id = await addPlan(desk, { note: text });
    const message = "body: expected at most 64 KiB of members beyond those that are known";
    const more = { body: { more: "y".repeat(200) } };
    await assertInvalid(await desk.send("PUT", pathTo(POLICIES, _id), more), message);
    const tooMuch = { body: { name: "Other", note: `${text}${"é".repeat(60)}` } };
    await assertInvalid(await desk.send("POST", POLICIES, tooMuch), message);
    assert.equal((await get(desk, _id)).more, undefined);
    // What Keydesk knows does not count.
    await addPlan(desk, { name: "Many tags", tags: Array(999).fill("t".repeat(99)) });
    const hostile = `{"name":"Hostile","__proto__":{"active":false,"polluted":1},"constructor":1,
    "meta_data":{"__proto__":{"polluted":1},"prototype":2,"kept":3}}`;
    const response = await desk.send("POST", POLICIES, { body: hostile });
    const { Message } = await response.json();
    const shown = await get(desk, Message);
    assert.deepEqual([shown.active, shown.meta_data], [true, { kept: 3 }]);
    assert.equal(JSON.stringify(shown).includes("polluted"), false);
    assert.equal(Object.hasOwn(shown, "constructor"), false);
  },
);

interface Catalogue {
  apis: Record<string, unknown>[];
}

testOnEngines(
  "catalogue: unknown members of entries come back, and key requests show none",
  async (desk) => {
    const config = { override: true, more: { deep: null }, email: null };
    const entry = {
      name: "Weather",
      policy_id: "plan-weather",
      hasDocumentation: true,
      fields: { a: null },
      documentation: null,
      config,
      none: null,
    };
    await succeed(desk, "POST", CATALOGUE, { body: { apis: [entry] } });
    const shown = await succeed<Catalogue>(desk, "GET", CATALOGUE);
    const [api = {}] = shown.apis;
    const { override, more, email } = api.config as Sent;
    assert.deepEqual([override, more, email], [true, { deep: null }, ""]);
    const { hasDocumentation, none, documentation, fields } = api;
    assert.deepEqual([hasDocumentation, none, documentation, fields], [true, null, "", {
      a: null,
    }]);
    await succeed(desk, "PUT", CATALOGUE, { body: shown });
    assert.deepEqual(await succeed(desk, "GET", CATALOGUE), shown);
    const request = await createAndRead(desk, smallRequest());
    assert.equal(request.catalogue_entry.name, "Weather");
    assert.equal(Object.hasOwn(request.catalogue_entry, "hasDocumentation"), false);
    assert.equal(Object.hasOwn(request.catalogue_entry.config, "more"), false);
    const tooMuch = { apis: [{ name: "a" }, { config: { x: "x".repeat(65 * 1024) } }] };
    await assertInvalid(
      await desk.send("PUT", CATALOGUE, { body: tooMuch }),
      "apis[1]: expected at most 64 KiB of members beyond those that are known",
    );
  },
);

testOnEngines("catalogue: a change of who approves keeps unknown members", async (desk) => {
  await addPlan(desk, { id: "gold" });
  const config = { mine: { a: null }, require_key_approval: true };
  await succeed(desk, "POST", CONFIGURATION, { body: { theirs: 1 } });
  await succeed(desk, "POST", CATALOGUE, {
    body: { apis: [{ policy_id: "gold", config, more: 1 }] },
  });
  await succeed(desk, "PUT", "/v1/plans/gold/approval", { body: { approval: "automatic" } });
  const { apis: [api = {}] } = await succeed<Catalogue>(desk, "GET", CATALOGUE);
  const { mine, require_key_approval } = api.config as Sent;
  assert.deepEqual([api.more, mine, require_key_approval], [1, { a: null }, false]);
});

testOnEngines(
  "configuration: unknown members come back, at every depth that is known",
  async (desk) => {
    const body = {
      require_key_approval: false,
      oauth: { on: true, none: null },
      email: null,
      mail_options: { sender: "x", email_copy: { key_email: { enabled: true, html: null } } },
    };
    await succeed(desk, "POST", CONFIGURATION, { body });
    const shown = await succeed<Sent>(desk, "GET", CONFIGURATION);
    assert.deepEqual([shown.oauth, shown.email], [{ on: true, none: null }, ""]);
    const { sender, email_copy } = shown.mail_options as Record<string, Record<string, Sent>>;
    assert.deepEqual([sender, email_copy?.key_email?.html], ["x", null]);
    await succeed(desk, "PUT", CONFIGURATION, { body: shown });
    assert.deepEqual(await succeed(desk, "GET", CONFIGURATION), shown);
  },
);
