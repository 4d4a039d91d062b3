/** POST /api/portal/requests: specification 4.4, and the rules of what a client may leave out. */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { assertAnswer } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  create,
  createAndRead,
  listIds,
  read,
  REQUESTS,
  smallRequest,
} from "../../support/key-requests.ts";

testOnEngines("create: the full body answers 200 with the id in the envelope", async (desk) => {
  const before = Math.floor(Date.now() / 1000);
  const response = await desk.send("POST", REQUESTS, { body: fullKeyRequest });
  const { Message: id } = await response.clone().json();
  await assertAnswer(response, { Status: "OK", Message: id, Meta: null });
  assert.match(id, /^[0-9a-f]{24}$/);
  const second = parseInt(id.slice(0, 8), 16);
  assert.ok(second >= before && second <= Date.now() / 1000);
});

testOnEngines(
  "create: everything of the full body is given back, under our id and organisation",
  async (desk) => {
    const id = await create(desk, fullKeyRequest);
    // Clients that a developer does not have are left out.
    const { oauth_clients: none, ...portal_developer } = fullKeyRequest.portal_developer;
    assert.deepEqual(none, {});
    assert.deepEqual(await read(desk, id), {
      id,
      ...fullKeyRequest,
      org_id: desk.org_id,
      portal_developer: { ...portal_developer, org_id: desk.org_id },
    });
  },
);

testOnEngines("create: what is absent gets its default", async (desk) => {
  const before = new Date().toISOString();
  const shown = await createAndRead(desk, smallRequest());
  const { date_created, portal_developer, catalogue_entry, ...rest } = shown;
  assert.ok(before <= date_created && date_created <= new Date().toISOString());
  assert.deepEqual(rest, {
    id: shown.id,
    key: "",
    org_id: desk.org_id,
    for_api: "",
    for_plan: "plan-weather",
    apply_policies: ["plan-weather"],
    remove_policies: [],
    by_user: "dev-ada",
    fields: {},
    approved: false,
    version: "v2",
    jwt_secret: "",
    certificate: "",
    catalogues: [],
  });
  assert.equal(portal_developer.id, "dev-ada");
  assert.equal(catalogue_entry.policy_id, "plan-weather");
});

testOnEngines(
  "create: id and org_id of the body are ours to give, not the client's",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const id = await create(desk, smallRequest({ id: "chosen", org_id: other.org_id }));
    assert.notEqual(id, "chosen");
    assert.equal((await read(desk, id)).org_id, desk.org_id);
    assert.deepEqual(await listIds(desk, "", other.admin), []);
  },
);

testOnEngines(
  "create: an empty version or date as sent is told from an absent one",
  async (desk) => {
    const shown = await createAndRead(
      desk,
      smallRequest({ version: "", date_created: "2020-02-29T23:59:59Z" }),
    );
    assert.equal(shown.version, "");
    assert.equal(shown.date_created, "2020-02-29T23:59:59Z");
  },
);

testOnEngines(
  "create: for_plan and apply_policies mirror each other when one is given",
  async (desk) => {
    const both = async (sent: Record<string, unknown>) => {
      const shown = await createAndRead(desk, { by_user: "dev-ada", ...sent });
      return [shown.for_plan, shown.apply_policies];
    };
    assert.deepEqual(await both({ for_plan: "a" }), ["a", ["a"]]);
    assert.deepEqual(await both({ for_plan: "a", apply_policies: [] }), ["a", ["a"]]);
    assert.deepEqual(await both({ apply_policies: ["b", "c"] }), ["b", ["b", "c"]]);
    assert.deepEqual(await both({ for_plan: "", apply_policies: ["b", "c"] }), ["b", ["b", "c"]]);
    assert.deepEqual(await both({ for_plan: "a", apply_policies: ["b"] }), ["a", ["b"]]);
    assert.deepEqual(await both({ catalogue_entry: { policy_id: "d" } }), ["d", ["d"]]);
  },
);

testOnEngines("create: oauth_info is left out where there is none", async (desk) => {
  assert.ok(!("oauth_info" in await createAndRead(desk, smallRequest())));
  assert.ok(!("oauth_info" in await createAndRead(desk, smallRequest({ oauth_info: null }))));
  const redirect_uri = "https://app.example.org/back";
  const shown = await createAndRead(desk, smallRequest({ oauth_info: { redirect_uri, x: 1 } }));
  assert.deepEqual(shown.oauth_info, { redirect_uri });
  const empty = await createAndRead(desk, smallRequest({ oauth_info: {} }));
  assert.deepEqual(empty.oauth_info, { redirect_uri: "" });
});

testOnEngines("create: approved is kept as sent, and mints nothing", async (desk) => {
  const shown = await createAndRead(desk, smallRequest({ approved: true }));
  assert.equal(shown.approved, true);
  assert.deepEqual(shown.portal_developer.keys, {});
});

testOnEngines("create: portal:write is enough", async (desk) => {
  const credential = await desk.token(["portal:write"]);
  const id = await create(desk, smallRequest(), { credential });
  assert.equal((await read(desk, id, credential)).id, id);
});

testOnEngines("create: the same body twice makes two requests", async (desk) => {
  const [first, second] = [await create(desk, fullKeyRequest), await create(desk, fullKeyRequest)];
  assert.notEqual(first, second);
  assert.equal((await listIds(desk)).length, 2);
});

testOnEngines(
  "create: two organisations use the same ids and learn nothing of each other",
  async (desk) => {
    const other = await desk.otherOrganisation();
    await create(desk, fullKeyRequest);
    const theirs = await create(desk, {
      ...fullKeyRequest,
      portal_developer: { ...fullKeyRequest.portal_developer, email: "grace@example.org" },
    }, { credential: other.admin });
    assert.deepEqual(await listIds(desk, "", other.admin), [theirs]);
    const shown = await read(desk, theirs, other.admin);
    assert.equal(shown.org_id, other.org_id);
    assert.equal(shown.portal_developer.email, "grace@example.org");
  },
);
