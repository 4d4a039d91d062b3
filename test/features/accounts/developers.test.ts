/**
 * Developers by their own endpoints: list, create, read, replace; see the neighbours for passwords
 * and deletion.
 */
import assert from "node:assert/strict";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import {
  DEVELOPERS,
  pathTo,
  readDeveloper,
  register,
  type ShownDeveloper,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approve,
  create,
  createAndRead,
  read,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";

const TAKEN = "email: belongs to another developer";
const taken = { message: TAKEN, errors: [TAKEN] };

function put(desk: TestDesk, id: string, body: Sent, credential?: string): Promise<Response> {
  const init = credential === undefined ? { body } : { body, credential };
  return desk.send("PUT", pathTo(DEVELOPERS, id), init);
}

async function replace(desk: TestDesk, id: string, body: Sent, credential?: string): Promise<void> {
  const response = await put(desk, id, body, credential);
  assert.deepEqual(await response.json(), { Status: "OK", Message: "Data updated", Meta: null });
}

testOnEngines("developers: one with an e-mail alone is shown whole", async (desk) => {
  const id = await register(desk);
  assert.match(id, /^[0-9a-f]{24}$/);
  const { date_created, ...rest } = await readDeveloper(desk, id);
  assert.match(date_created, /^\d{4}-.*\.\d{3}Z$/);
  assert.deepEqual(rest, {
    id,
    email: "ada@example.org",
    inactive: false,
    org_id: desk.org_id,
    keys: {},
    subscriptions: {},
    fields: {},
    nonce: "",
    sso_key: "",
    password_max_days: 0,
    password_updated: "0001-01-01T00:00:00Z",
    PWHistory: [],
    last_login_date: "0001-01-01T00:00:00Z",
  });
});

testOnEngines(
  "developers: oauth_clients are left out where there are none, and only the own",
  async (desk) => {
    // What reads like the member elsewhere stays as it came.
    const alike = { sso_key: "", oauth_clients: {}, password_max_days: 1 };
    const fields = { alike, text: ',"oauth_clients":{},"password_max_days":' };
    const none = await register(desk, { email: "none@example.org", fields, nonce: "a secret" });
    const client = { client_id: "c", secret: "s" };
    const some = await register(desk, { fields, oauth_clients: { plan: [client] } });
    for (const [id, expected] of [[none, undefined], [some, "c"]] as const) {
      const shown = await readDeveloper(desk, id);
      assert.deepEqual(shown.fields, fields);
      assert.equal(shown.oauth_clients?.plan?.[0]?.client_id, expected);
      assert.equal("oauth_clients" in shown, expected !== undefined);
      const request = await createAndRead(desk, smallRequest({ by_user: id }));
      assert.deepEqual(request.portal_developer, shown);
    }
  },
);

testOnEngines("developers: what is sent is kept, an id and a date of its own too", async (desk) => {
  const sent = {
    id: "dev-1",
    date_created: "2020-01-02T03:04:05Z",
    inactive: true,
    fields: { company: { name: "Example" } },
    password_max_days: 90,
    last_login_date: "2021-01-01T00:00:00Z",
    PWHistory: ["old"],
    org_id: "somebody else",
  };
  assert.equal(await register(desk, sent), "dev-1");
  const shown = await readDeveloper(desk, "dev-1");
  const { PWHistory: _, org_id, ...kept } = sent;
  for (const [name, value] of Object.entries(kept)) {
    assert.deepEqual(shown[name as keyof ShownDeveloper], value, name);
  }
  assert.notEqual(shown.org_id, org_id);
  assert.deepEqual(shown.PWHistory, []);
});

testOnEngines("developers: an e-mail is one developer's, in whatever case", async (desk) => {
  const id = await register(desk);
  const bob = await register(desk, { email: "bob@example.org" });
  for (const email of ["ada@example.org", "ADA@Example.ORG"]) {
    await assertFailure(
      await desk.send("POST", DEVELOPERS, { body: { email } }),
      "email_taken",
      taken,
    );
    await assertFailure(await put(desk, bob, { email }), "email_taken", taken);
    assert.equal((await succeed(desk, "GET", pathTo(`${DEVELOPERS}/email`, email))).id, id);
  }
  assert.equal((await readDeveloper(desk, bob)).email, "bob@example.org");
  await replace(desk, id, { email: "Ada@Example.org" });
  const other = await desk.otherOrganisation();
  const theirs = { body: { email: "ada@example.org" }, credential: other.admin };
  assert.equal((await desk.send("POST", DEVELOPERS, theirs)).status, 200);
});

testOnEngines("developers: of many at once with one e-mail, one is registered", async (desk) => {
  const calls = Array.from(
    { length: 12 },
    (_, n) => desk.send("POST", DEVELOPERS, { body: { id: `dev-${n}`, email: "ada@example.org" } }),
  );
  const statuses = (await Promise.all(calls)).map((response) => response.status);
  assert.deepEqual(statuses.sort(), [200, ...Array(11).fill(400)]);
  const { Data } = await succeed<{ Data: unknown[] }>(desk, "GET", DEVELOPERS);
  assert.equal(Data.length, 1);
});

testOnEngines("developers: of many that want one e-mail at once, one gets it", async (desk) => {
  const ids = [];
  for (let n = 0; n < 6; n++) ids.push(await register(desk, { email: `${n}@example.org` }));
  const answers = await Promise.all(ids.map((id) => put(desk, id, { email: "new@example.org" })));
  const codes = answers.map((answer) => answer.headers.get("x-keydesk-error"));
  assert.deepEqual(codes.sort(), [...Array(5).fill("email_taken"), null]);
});

testOnEngines("list: newest first, by pages and whole, with the number of pages", async (desk) => {
  for (const n of [3, 1, 5, 2, 4]) {
    await register(desk, {
      id: `dev-${n}`,
      email: `${n}@example.org`,
      // Offsets and fractions: the instant sorts, not the text.
      date_created: n === 4 ? "2026-01-04T02:00:00+02:00" : `2026-01-0${n}T00:00:00Z`,
    });
  }
  // Registered by a key request: counted like any other.
  await create(desk, smallRequest({ portal_developer: { id: "dev-ada" } }));
  const ids = async (query: string) => {
    const list = await succeed<{ Data: ShownDeveloper[]; Pages: number }>(
      desk,
      "GET",
      `${DEVELOPERS}${query}`,
    );
    return [list.Data.map((one) => one.id).join(" "), list.Pages];
  };
  const all = "dev-5 dev-4 dev-3 dev-2 dev-1 dev-ada";
  for (const query of ["", "?p=0", "?p=-1"]) assert.deepEqual(await ids(query), [all, 1]);
  assert.deepEqual(await ids("?p=1"), ["dev-5 dev-4", 3]);
  assert.deepEqual(await ids("?p=3"), ["dev-1 dev-ada", 3]);
  assert.deepEqual(await ids("?p=4"), ["", 3]);
  await replace(desk, "dev-1", { email: "1@example.org", date_created: "2027-01-01T00:00:00Z" });
  assert.deepEqual(await ids("?p=1"), ["dev-1 dev-5", 3]);
  await succeed(desk, "DELETE", pathTo(DEVELOPERS, "dev-5"));
  assert.deepEqual(await ids("?p=1"), ["dev-1 dev-4", 3]);
  await succeed(desk, "DELETE", pathTo(DEVELOPERS, "dev-4"));
  assert.deepEqual(await ids("?p=2"), ["dev-2 dev-ada", 2]);
}, { environment: { KEYDESK_PAGE_SIZE: "2" } });

testOnEngines("list: more than one chunk is streamed whole, each developer once", async (desk) => {
  const date_created = "2026-01-01T00:00:00Z";
  const expected = [];
  for (let n = 100; n < 250; n++) {
    expected.push(`dev-${n}`);
    await register(desk, { id: `dev-${n}`, email: `${n}@example.org`, date_created });
  }
  const { Data, Pages } = await succeed<{ Data: ShownDeveloper[]; Pages: number }>(
    desk,
    "GET",
    DEVELOPERS,
  );
  assert.deepEqual(Data.map((one) => one.id), expected.reverse());
  assert.equal(Pages, 1);
});

const SECRETS = { nonce: "nonce-1", sso_key: "sso-1" };

testOnEngines("secrets: only an access token with `secrets` reads them", async (desk) => {
  const id = await register(desk, SECRETS);
  const credential = await desk.token(["portal:write"]);
  const full = await readDeveloper(desk, id);
  assert.deepEqual([full.nonce, full.sso_key], ["nonce-1", "sso-1"]);
  const paths = [
    pathTo(DEVELOPERS, id),
    pathTo(`${DEVELOPERS}/email`, "ada@example.org"),
    DEVELOPERS,
    `${DEVELOPERS}?p=1`,
  ];
  for (const path of paths) {
    const text = await (await desk.send("GET", path, { credential })).text();
    assert.ok(text.includes(id) && !text.includes("nonce-1") && !text.includes("sso-1"), path);
    const open = await (await desk.send("GET", path)).text();
    assert.ok(open.includes("nonce-1"), path);
  }
});

testOnEngines("replace: what was read can be sent back, and nothing is lost", async (desk) => {
  const id = await register(desk, {
    ...SECRETS,
    inactive: true,
    fields: { name: "Ada" },
    keys: { old: ["p0"] },
    subscriptions: { p0: "old" },
    oauth_clients: { p0: [{ client_id: "c0", secret: "moved in" }] },
  });
  await approve(desk, await create(desk, smallRequest({ by_user: id, oauth_info: {} })));
  const before = await readDeveloper(desk, id);
  const credential = await desk.token(["portal:write"]);
  const masked = await readDeveloper(desk, id, { credential });
  assert.equal(masked.oauth_clients["plan-weather"]?.[0]?.secret, "");
  // As it stands, sent by one who reads secrets as "" and by one who reads them.
  await replace(desk, id, masked, credential);
  assert.deepEqual(await readDeveloper(desk, id), before);
  await replace(desk, id, before);
  assert.deepEqual(await readDeveloper(desk, id), before);
});

testOnEngines(
  "replace: what is left out falls to its default or stays, as promised",
  async (desk) => {
    const sent = { ...SECRETS, inactive: true, fields: { name: "Ada" }, password_max_days: 9 };
    const id = await register(desk, sent);
    const before = await readDeveloper(desk, id);
    await replace(desk, id, { id: "another", email: "ada@example.com" });
    assert.deepEqual(await readDeveloper(desk, id), {
      ...before,
      email: "ada@example.com",
      fields: {},
      password_max_days: 0,
    });
    await replace(desk, id, { email: "ada@example.com", nonce: "", inactive: false });
    const after = await readDeveloper(desk, id);
    assert.deepEqual([after.nonce, after.sso_key, after.inactive], ["", "sso-1", false]);
  },
);

testOnEngines("replace: one who was registered without an e-mail may stay so", async (desk) => {
  await approve(desk, await create(desk, smallRequest()));
  const before = await readDeveloper(desk, "dev-ada");
  await replace(desk, "dev-ada", before);
  assert.deepEqual(await readDeveloper(desk, "dev-ada"), before);
  await replace(desk, "dev-ada", { ...before, email: "ada@example.org" });
  await assertInvalid(await put(desk, "dev-ada", { ...before, email: "" }), "email: required");
});

testOnEngines("replace: maps of credentials can be neither dropped nor claimed", async (desk) => {
  const ada = await register(desk);
  const bob = await register(desk, { email: "bob@example.org" });
  for (const by_user of [ada, bob]) {
    await approve(desk, await create(desk, smallRequest({ by_user })));
  }
  const { keys: adas, subscriptions } = await readDeveloper(desk, ada);
  const [bobs = ""] = Object.keys((await readDeveloper(desk, bob)).keys);
  const email = "ada@example.org";

  await replace(desk, ada, { email, keys: {}, subscriptions: {}, oauth_clients: {} });
  assert.deepEqual((await readDeveloper(desk, ada)).keys, adas);
  assert.deepEqual((await readDeveloper(desk, ada)).subscriptions, subscriptions);

  const [key = ""] = Object.keys(adas);
  await replace(desk, ada, {
    email,
    keys: { [key]: ["every-plan"], [bobs]: ["plan-weather"], shown: ["p"] },
    subscriptions: { "plan-weather": "shown", other: bobs, third: "shown", fourth: key },
  });
  const shown = await readDeveloper(desk, ada);
  assert.deepEqual(shown.keys, { ...adas, shown: ["p"] });
  assert.deepEqual(shown.subscriptions, { ...subscriptions, third: "shown" });

  // Nor at a registration.
  const eve = await register(desk, { email: "eve@x.example", keys: { [bobs]: ["plan-weather"] } });
  assert.deepEqual((await readDeveloper(desk, eve)).keys, {});
  const change = smallRequest({ by_user: eve, key: bobs, for_plan: "every-plan" });
  await assertFailure(
    await desk.send("PUT", `/api/portal/requests/approve/${await create(desk, change)}`),
    "unknown_key",
  );
});

testOnEngines("replace: key requests show the developer as they are now", async (desk) => {
  const id = await register(desk);
  const request = await create(desk, smallRequest({ by_user: id }));
  await replace(desk, id, { email: "new@example.org", fields: { a: 1 } });
  const { portal_developer } = await read(desk, request);
  assert.deepEqual(portal_developer, await readDeveloper(desk, id));
});

testOnEngines("replace: against approvals of the same developer nothing is lost", async (desk) => {
  const id = await register(desk);
  const requests = [];
  for (let n = 0; n < 6; n++) {
    requests.push(await create(desk, smallRequest({ by_user: id, for_plan: `plan-${n}` })));
  }
  const before = await readDeveloper(desk, id);
  await Promise.all(requests.flatMap((request) => [
    approve(desk, request),
    replace(desk, id, before),
  ]));
  const { keys, subscriptions } = await readDeveloper(desk, id);
  assert.equal(Object.keys(keys).length, 6);
  assert.deepEqual(Object.keys(subscriptions).sort(), requests.map((_, n) => `plan-${n}`));
});
