/**
 * Developers and catalogue entries that come along in a request: kept, registered, and shown live
 * where they exist.
 */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { create, createAndRead, read, smallRequest, update } from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { registeredDevelopers } from "../../support/stored.ts";

const ADA = { id: "dev-ada", email: "ada@example.org", fields: { Name: "Ada" } };

testOnEngines(
  "developer: one that is not known yet is registered from the embedded object",
  async (desk) => {
    await create(desk, smallRequest({ portal_developer: ADA }));
    assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
    const { portal_developer } = await createAndRead(desk, smallRequest());
    assert.equal(portal_developer.email, "ada@example.org");
    assert.deepEqual(portal_developer.fields, { Name: "Ada" });
  },
);

testOnEngines("developer: portal_developer.id alone says who asks", async (desk) => {
  const shown = await createAndRead(desk, { for_plan: "p", portal_developer: ADA });
  assert.equal(shown.by_user, "dev-ada");
});

testOnEngines("developer: one embedded without an id is the one who asks", async (desk) => {
  const shown = await createAndRead(
    desk,
    smallRequest({ portal_developer: { email: "a@b.example" } }),
  );
  assert.equal(shown.portal_developer.id, "dev-ada");
  assert.equal(shown.portal_developer.email, "a@b.example");
  assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
});

testOnEngines(
  "developer: by_user wins over a differing embedded id, which is not registered",
  async (desk) => {
    const shown = await createAndRead(
      desk,
      smallRequest({ by_user: "dev-bob", portal_developer: ADA }),
    );
    assert.equal(shown.by_user, "dev-bob");
    assert.deepEqual(await registeredDevelopers(desk), []);
    assert.equal(shown.portal_developer.email, "ada@example.org");
  },
);

testOnEngines(
  "developer: what is registered is never overwritten, on create or update",
  async (desk) => {
    const changed = { ...ADA, email: "new@example.org", fields: {}, inactive: true };
    const id = await create(desk, smallRequest({ portal_developer: ADA }));
    const second = await createAndRead(desk, smallRequest({ portal_developer: changed }));
    await update(desk, id, smallRequest({ portal_developer: changed }));
    for (const shown of [second, await read(desk, id)]) {
      assert.equal(shown.portal_developer.email, "ada@example.org");
      assert.deepEqual(shown.portal_developer.fields, { Name: "Ada" });
      assert.equal(shown.portal_developer.inactive, false);
    }
  },
);

testOnEngines("developer: an update registers one that is not known yet", async (desk) => {
  const id = await create(desk, smallRequest({ by_user: "dev-bob" }));
  await update(desk, id, smallRequest({ portal_developer: ADA }));
  assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
});

testOnEngines(
  "developer: an e-mail of another id is kept with the request, not registered",
  async (desk) => {
    await liveRecordsOf(desk).developer(ADA);
    for (const email of ["ada@example.org", "ADA@Example.org"]) {
      const sent = { id: "dev-bob", email, fields: { Name: "Bob" } };
      const shown = await createAndRead(desk, { for_plan: "p", portal_developer: sent });
      assert.equal(shown.by_user, "dev-bob");
      assert.equal(shown.portal_developer.email, email);
      assert.deepEqual(shown.portal_developer.fields, { Name: "Bob" });
    }
    assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
  },
  { extra: liveRecords },
);

testOnEngines("developer: many without an e-mail are no conflict", async (desk) => {
  for (const id of ["a", "b", "c"]) {
    await create(desk, { for_plan: "p", portal_developer: { id, email: "" } });
  }
  assert.deepEqual(await registeredDevelopers(desk), ["a", "b", "c"]);
});

testOnEngines(
  "developer: the same new one in many requests at once is registered once",
  async (desk) => {
    const body = smallRequest({ portal_developer: ADA });
    await Promise.all(Array.from({ length: 12 }, () => create(desk, body)));
    assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
  },
);

testOnEngines("developer: keys, subscriptions and clients move in for display", async (desk) => {
  const moved = {
    ...ADA,
    keys: { k1: ["p1", "p2"] },
    subscriptions: { p1: "k1", p2: "k1" },
    oauth_clients: { p1: [{ client_id: "c1", redirect_uri: "https://a.example" }] },
    PWHistory: ["old hash", 7],
  };
  const { portal_developer } = await createAndRead(desk, smallRequest({ portal_developer: moved }));
  assert.deepEqual(portal_developer.keys, moved.keys);
  assert.deepEqual(portal_developer.subscriptions, moved.subscriptions);
  assert.deepEqual(portal_developer.oauth_clients, {
    p1: [{
      client_id: "c1",
      secret: "",
      redirect_uri: "https://a.example",
      app_description: "",
      use_case: "",
      date_created: "0001-01-01T00:00:00Z",
    }],
  });
  assert.deepEqual(portal_developer.PWHistory, []);
});

testOnEngines("developer: one that nobody knows is the id and empty values", async (desk) => {
  const { portal_developer } = await createAndRead(desk, smallRequest());
  assert.deepEqual(portal_developer, {
    id: "dev-ada",
    email: "",
    date_created: "0001-01-01T00:00:00Z",
    inactive: false,
    org_id: "",
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
  "entry: the live one is shown where it exists, else what was sent",
  async (desk) => {
    const live = liveRecordsOf(desk);
    const sent = { policy_id: "plan-weather", name: "Sent", fields: { a: [1, { b: "c" }] } };
    const others = [{ policy_id: "plan-maps", name: "Maps" }, sent];
    const id = await create(desk, smallRequest({ catalogue_entry: sent, catalogues: others }));
    const names = async () => {
      const { catalogue_entry, catalogues } = await read(desk, id);
      return [catalogue_entry.name, ...catalogues.map((entry) => entry.name)];
    };
    assert.deepEqual(await names(), ["Sent", "Maps", "Sent"]);
    assert.deepEqual((await read(desk, id)).catalogue_entry.fields, sent.fields);
    await live.catalogue({ api_id: "w", policy_id: "plan-weather", name: "Live" });
    assert.deepEqual(await names(), ["Live", "Maps", "Live"]);
    await live.catalogue({ api_id: "w", policy_id: "plan-maps", name: "Live maps" });
    assert.deepEqual(await names(), ["Sent", "Live maps", "Sent"]);
  },
  { extra: liveRecords },
);

testOnEngines(
  "entry: a live one without a plan stands for no plan, and replaces nothing",
  async (desk) => {
    await liveRecordsOf(desk).catalogue({ api_id: "free", policy_id: "", name: "Live" });
    const catalogues = [{ policy_id: "", name: "Sent" }];
    const shown = await createAndRead(desk, smallRequest({ catalogues }));
    assert.deepEqual(shown.catalogues.map((entry) => entry.name), ["Sent"]);
  },
  { extra: liveRecords },
);

testOnEngines(
  "entry: another organisation's live entry is never shown",
  async (desk) => {
    const other = await desk.otherOrganisation();
    await liveRecordsOf(desk, other.org_id).catalogue({
      policy_id: "plan-weather",
      name: "Theirs",
    });
    assert.equal((await createAndRead(desk, smallRequest())).catalogue_entry.name, "");
    await liveRecordsOf(desk).catalogue({ policy_id: "plan-weather", name: "Ours" });
    assert.equal((await createAndRead(desk, smallRequest())).catalogue_entry.name, "Ours");
  },
  { extra: liveRecords },
);

testOnEngines("entry: one that nobody knows is its plan and empty values, whole", async (desk) => {
  const { catalogue_entry } = await createAndRead(desk, smallRequest());
  const { config, ...rest } = catalogue_entry;
  assert.deepEqual(rest, {
    name: "",
    short_description: "",
    long_description: "",
    show: false,
    api_id: "",
    policy_id: "plan-weather",
    documentation: "",
    version: "",
    is_keyless: false,
    fields: {},
    auth_type: "",
  });
  assert.deepEqual([config.signup_fields, config.key_request_fields], [[], []]);
  assert.equal(config.mail_options.email_copy.welcome_email.subject, "");
});

testOnEngines("entry: what is sent in part is shown whole", async (desk) => {
  const config = { HashKeys: true, mail_options: { email_copy: { key_email: { subject: "Hi" } } } };
  const catalogue_entry = { policy_id: "plan-weather", config };
  const shown = await createAndRead(desk, smallRequest({ catalogue_entry }));
  const { mail_options, HashKeys, email } = shown.catalogue_entry.config;
  assert.deepEqual([HashKeys, email, mail_options.mail_from_name], [true, "", ""]);
  assert.deepEqual(mail_options.email_copy.key_email, {
    enabled: false,
    subject: "Hi",
    body: "",
    sign_off: "",
    hide_token_data: false,
  });
});
