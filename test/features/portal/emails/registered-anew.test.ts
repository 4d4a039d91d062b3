/**
 * Whoever is registered under an id that had keys before gets none of those, however they came and
 * whatever is done to the keys.
 */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { call } from "../../../support/people.ts";

const OLD = "elif@example.org";
const THIEF = "thief@example.net";
/** A plan that portals may approve by themselves. */
const AUTOMATIC = "at-once";

const pathOf = (id: string) => `/v1/developers/${id}`;
const plans = { for_plan: AUTOMATIC, apply_policies: [AUTOMATIC] };
const embedded = (id: string) => ({
  ...plans,
  by_user: id,
  portal_developer: { id, email: `${id}-${THIEF}` },
});

async function makeAutomatic(desk: TestDesk): Promise<void> {
  await call(desk, "POST", "/api/portal/policies", { name: AUTOMATIC, id: AUTOMATIC });
  await call(desk, "POST", "/api/portal/configuration", { require_key_approval: true });
  const config = { override: true, require_key_approval: false };
  const entry = { name: "Tides", policy_id: AUTOMATIC, api_id: "a", show: true, config };
  await call(desk, "POST", "/api/portal/catalogue", { apis: [entry], email: OLD });
}

/** Each way in which a portal's token registers a developer. */
const ways: readonly [string, (desk: TestDesk, id: string, portal: string) => Promise<unknown>][] =
  [
    ["the older interface", (desk, id, portal) => {
      const body = { id, email: `${id}-${THIEF}` };
      return call(desk, "POST", "/api/portal/developers", body, portal);
    }],
    ["/v1", (desk, id, portal) => {
      return call(desk, "POST", "/v1/developers", { id, email: `${id}-${THIEF}` }, portal);
    }],
    [
      "a key request",
      (desk, id, portal) => call(desk, "POST", "/api/portal/requests", embedded(id), portal),
    ],
    ["a changed key request", async (desk, id, portal) => {
      const path = `/api/portal/requests/${await create(desk, smallRequest())}`;
      await call(desk, "PUT", path, embedded(id), portal);
    }],
    ["an automatic approval, and an address afterwards", async (desk, id, portal) => {
      const request = await create(desk, smallRequest({ ...plans, by_user: id }));
      await call(desk, "PUT", `/api/portal/requests/approve/${request}`, undefined, portal);
      await call(desk, "PUT", pathOf(id), { email: `${id}-${THIEF}`, fields: {} }, portal);
    }],
  ];

/** A key of a developer who is deleted, and whose key lives on. */
async function left(desk: TestDesk, id: string): Promise<string> {
  await call(desk, "POST", "/v1/developers", { id, email: `${id}-${OLD}` });
  const { key_id } = await call(desk, "POST", `${pathOf(id)}/keys`, { plans: [AUTOMATIC] });
  await call(desk, "DELETE", `${pathOf(id)}?keys=keep`);
  return key_id;
}

const mapsOf = async (desk: TestDesk, id: string): Promise<string[]> =>
  Object.keys((await call(desk, "GET", `/api/portal/developers/${id}`)).keys);

testOnEngines(
  "registered anew: by none of the ways is a key from before theirs, until a person says so",
  async (desk) => {
    await makeAutomatic(desk);
    const portal = await desk.token(["portal:read", "portal:write"]);
    const ending = await desk.token(["revoke"]);
    const why = { reason: "x" };
    for (const [n, [name, register]] of ways.entries()) {
      for (const isEnded of [false, true]) {
        const id = `dev-${n}-${isEnded}`;
        const key_id = await left(desk, id);
        if (isEnded) await call(desk, "POST", `/v1/keys/${key_id}/revoke`, why, ending);
        await register(desk, id, portal);
        // Whoever brings a key back says nothing of whose it is by now.
        if (isEnded) await call(desk, "POST", `/v1/keys/${key_id}/restore`, why);
        const { email, email_state, has_former_keys } = await call(desk, "GET", pathOf(id));
        const found = [email_state, has_former_keys];
        assert.deepEqual(found, ["unproved", true], `${name}, ended: ${isEnded}`);
        const naming = smallRequest({ ...plans, by_user: id, key: key_id });
        for (const credential of [portal, desk.admin]) {
          const path = `/api/portal/requests/approve/${await create(desk, naming)}`;
          await assertFailure(await desk.send("PUT", path, { credential }), "unknown_key");
        }
        assert.ok(!(await mapsOf(desk, id)).includes(key_id), name);
        const confirmed = await call(desk, "POST", `${pathOf(id)}/email/confirm`, { email });
        assert.equal(confirmed.has_former_keys, false);
        assert.ok((await mapsOf(desk, id)).includes(key_id), name);
      }
    }
  },
);

testOnEngines(
  "registered anew: what is changed of a key from before, and what takes over, stands in no map until a person says so",
  async (desk) => {
    await makeAutomatic(desk);
    const key_id = await left(desk, "dev-1");
    const rotated = await left(desk, "dev-1");
    await call(desk, "POST", "/v1/developers", { id: "dev-1", email: THIEF });
    await call(desk, "PUT", `/v1/keys/${key_id}/plans`, { plans: ["other"] });
    const fresh = await call(desk, "POST", `/v1/keys/${rotated}/rotate`, { overlap_seconds: 60 });
    const own = await call(desk, "POST", `${pathOf("dev-1")}/keys`, { plans: [AUTOMATIC] });
    assert.deepEqual(await mapsOf(desk, "dev-1"), [own.key_id]);
    await call(desk, "POST", `${pathOf("dev-1")}/email/confirm`, { email: THIEF });
    // A key that was rotated away is in no map, as ever.
    const given = [own.key_id, key_id, fresh.key_id].toSorted();
    assert.deepEqual((await mapsOf(desk, "dev-1")).toSorted(), given);
  },
);
