/**
 * Keys by sessions, user names and OAuth clients, as public clients of the original make and change
 * them.
 */
import assert from "node:assert/strict";
import { nobodysId } from "../../../../src/features/developers/nobodys-id.ts";
import type { NamedKeyData } from "../../../../src/features/verification/key-data/key-data.service.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { assertFailure } from "../../../support/answers.ts";
import { POLICIES, post, readDeveloper, register, succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { KEYS, movableClock, readKey, tracesOf } from "../../../support/keys.ts";
import { tokenFor } from "../../../support/oauth.ts";
import { storedText } from "../../../support/stored.ts";
import { heeds, outcome, planWith } from "../../../support/verification.ts";

const send = (desk: TestDesk, method: string, path: string, body?: unknown) =>
  succeed<NamedKeyData>(desk, method, path, { body });
const PASSWORD = "twenty letters at the least";
const basic_auth_data = { password: PASSWORD };

testOnEngines(
  "made keys: a session issues a key, whose text stands in the answer alone",
  async (desk) => {
    const plan = await planWith(desk, { rate: 5, per: 60 }, ["weather"]);
    const ada = await register(desk);
    const session = {
      apply_policies: [plan],
      org_id: "another",
      alias: "Till",
      tags: ["shop"],
      expires: 4102444800,
      allowance: 1000,
      rate: 1,
      per: 1,
      quota_max: 1,
      access_rights: { maps: { api_id: "maps" } },
      basic_auth_data: { password: "" },
      meta_data: { tyk_developer_id: ada, more: 1 },
    };
    const { key_id, key_hash, data } = await send(desk, "POST", "/api/keys", session);
    assert.equal(key_hash, sha256(key_id));
    assert.deepEqual(
      [data.alias, data.tags, data.expires, data.rate, data.quota_max, data.apply_policies],
      ["Till", ["shop"], 4102444800, 5, -1, [plan]],
    );
    const of = (body: string, api: string) => outcome(desk, { key: body, api });
    assert.deepEqual([await of(key_id, "weather"), await of(key_id, "maps")], [
      "valid",
      "wrong_api",
    ]);
    assert.deepEqual((await readDeveloper(desk, ada)).subscriptions, { [plan]: key_hash });
    assert.equal((await tracesOf(desk, key_hash)).audit[0]?.[0], "key.issued");
    assert.ok(!(await storedText(desk)).includes(key_id));
    assert.ok(!desk.logLines.join().includes(key_id));
  },
);

testOnEngines(
  "made keys: without a developer they stand under the one of all such keys",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const [one, two] = [
      await send(desk, "POST", "/api/keys", { policy_id: plan }),
      await send(desk, "POST", "/api/keys", { policy_id: plan }),
    ];
    const nobody = nobodysId(desk.org_id);
    for (const { key_id, key_hash, data } of [one, two]) {
      assert.equal(await outcome(desk, key_id), "valid");
      assert.equal(data.meta_data.tyk_developer_id, nobody);
      assert.equal((await readKey(desk, key_hash)).developer_id, nobody);
    }
    const { keys } = await readDeveloper(desk, nobody);
    assert.deepEqual(Object.keys(keys).sort(), [one.key_hash, two.key_hash].sort());
  },
);

testOnEngines(
  "made keys: PUT changes what it says and differs, in one step, and nothing else",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const other = await planWith(desk, {}, ["maps"]);
    const first = await send(desk, "POST", "/api/keys", { policy_id: plan, expires: 4102444800 });
    const { key_id, key_hash } = first;
    const path = `/api/keys/${key_hash}`;
    const before = await tracesOf(desk, key_hash);
    // What was read is sent back.
    const { data } = await send(desk, "GET", path);
    assert.deepEqual((await send(desk, "PUT", path, data)).data, data);
    assert.deepEqual((await send(desk, "PUT", `/api/keys/${key_id}`, {})).data, data);
    assert.deepEqual(await tracesOf(desk, key_hash), before);

    const change = { policy_id: other, alias: "Map", tags: ["a"], expires: 0, is_inactive: true };
    const changed = await send(desk, "PUT", `/api/apis/maps/keys/${key_hash}`, change);
    assert.deepEqual(
      [changed.key_id, changed.data.apply_policies, changed.data.alias, changed.data.expires],
      [key_hash, [other], "Map", 0],
    );
    await heeds(desk, key_id, "suspended");
    const actions = (await tracesOf(desk, key_hash)).audit.map(([action]) => action);
    assert.deepEqual(actions.sort(), [
      "key.expiry_changed",
      "key.issued",
      "key.labels_changed",
      "key.plans_changed",
      "key.suspended",
    ]);
    await send(desk, "PUT", path, { is_inactive: false });
    await heeds(desk, { key: key_id, api: "maps" }, "valid");

    // All of it or nothing: the end is over, so the plan stays.
    const over = { policy_id: plan, expires: 1 };
    const message = "expires_at: expected a time to come";
    const refused = await desk.send("PUT", path, { body: over });
    await assertFailure(refused, "invalid_input", { message, errors: [message] });
    assert.deepEqual((await send(desk, "GET", path)).data.apply_policies, [other]);
  },
);

testOnEngines(
  "made keys: a user name with its own password, of which its SHA-256 is kept",
  async (desk) => {
    // As the original's policies are, which know no type of authentication.
    const plan = await planWith(desk, {}, ["weather"]);
    const path = "/api/apis/keys/basic/ada%20l%C3%B6v";
    const body = { apply_policies: [plan], basic_auth_data };
    const made = await send(desk, "POST", path, body);
    assert.deepEqual([made.key_id, made.key_hash], ["ada löv", sha256("ada löv")]);
    const ask = (password: string) => outcome(desk, { username: "ada löv", password });
    assert.deepEqual([await ask(PASSWORD), await ask("wrong")], ["valid", "unknown"]);
    assert.ok(!(await storedText(desk)).includes(PASSWORD));
    assert.ok(!JSON.stringify(made).includes(PASSWORD));
    assert.equal((await readKey(desk, made.key_hash)).kind, "basic");
    // Other plans of plain keys fit it too.
    const other = await planWith(desk, {}, ["maps"]);
    await send(desk, "PUT", "/api/keys/ada%20l%C3%B6v", { policy_id: other });
    await heeds(desk, { username: "ada löv", password: PASSWORD, api: "maps" }, "valid");

    // A name is given once, whatever became of its key.
    const again = async () => {
      const taken = "user: a key has this name, or had it; a name is given once";
      await assertFailure(await desk.send("POST", path, { body }), "invalid_input", {
        message: taken,
        errors: [taken],
      });
    };
    await again();
    await succeed(desk, "DELETE", "/api/keys/ada%20l%C3%B6v");
    await again();
  },
);

testOnEngines("made keys: twenty at once of one user name make one", async (desk) => {
  const plan = await planWith(desk, {});
  const owners = await Promise.all(
    [0, 1].map((n) => register(desk, { email: `${n}@example.org` })),
  );
  const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => {
    const meta_data = n < 4 ? {} : { tyk_developer_id: owners[n % 2] };
    const body = { policy_id: plan, basic_auth_data, meta_data };
    return (await desk.send("POST", "/api/apis/keys/basic/ada", { body })).status;
  }));
  assert.deepEqual(answers.toSorted(), [200, ...Array(19).fill(400)]);
});

testOnEngines(
  "made keys: an OAuth client is issued, listed by API, read and revoked",
  async (desk) => {
    const plan = await planWith(desk, {}, ["weather"]);
    const tides = await post(desk, POLICIES, {
      name: "Tides",
      auth_type: "oauth",
      access_rights: { tides: { api_id: "tides" } },
    });
    const redirect_uri = "https://shop.example/back";
    const path = "/api/apis/oauth/weather";
    const body = { policy_id: plan, redirect_uri };
    const made = await succeed<Record<string, string>>(desk, "POST", path, { body });
    assert.deepEqual(Object.keys(made), ["client_id", "secret", "redirect_uri", "policy_id"]);
    assert.deepEqual([made.redirect_uri, made.policy_id], [redirect_uri, plan]);
    const other = await succeed<Record<string, string>>(desk, "POST", "/api/apis/oauth/tides", {
      body: { policy_id: tides },
    });
    const { client_id = "", secret: client_secret = "" } = made;
    const token = await tokenFor(desk, { client_id, client_secret });
    assert.equal(await outcome(desk, token), "valid");
    await send(desk, "POST", "/api/keys", { policy_id: plan });

    const list = (api: string) => succeed(desk, "GET", `/api/apis/oauth/${api}`);
    assert.deepEqual(await list("weather"), { apps: [made], pages: 1 });
    assert.deepEqual(await list("tides"), { apps: [other], pages: 1 });
    assert.deepEqual(await list("-?p=2"), { apps: [], pages: 1 });
    const hidden = await desk.token(["approve"]);
    for (const named of [client_id, sha256(client_id)]) {
      const one = `${path}/${named}`;
      assert.deepEqual(await succeed(desk, "GET", one), made);
      const shown = await succeed(desk, "GET", one, { credential: hidden });
      assert.deepEqual(shown, { ...made, secret: "" });
    }
    const ended = await succeed(desk, "DELETE", `${path}/${client_id}`);
    assert.equal(ended.Message, "OAuth Client deleted successfully");
    await heeds(desk, token, "revoked");
    await assertFailure(await desk.send("GET", `${path}/${client_id}`), "not_found");
    assert.deepEqual(await list("weather"), { apps: [], pages: 0 });
  },
);

const clock = movableClock();

testOnEngines("made keys: a search finds by key, id, its beginning and name", async (desk) => {
  const plan = await planWith(desk, {}, ["weather"]);
  const till = await send(desk, "POST", "/api/keys", { policy_id: plan, alias: "The Till" });
  clock.at += 1000;
  const shop = await send(desk, "POST", "/api/keys", { policy_id: plan, alias: "The Shop" });
  const found = async (q: string, api = "weather") => {
    const path = `/api/apis/${api}/keys/search?q=${encodeURIComponent(q)}`;
    return (await succeed<{ data: { keys: string[] } }>(desk, "GET", path)).data.keys;
  };
  for (const q of [till.key_id, till.key_hash, till.key_hash.slice(0, 12), "till"]) {
    assert.deepEqual(await found(q), [till.key_hash], q);
  }
  assert.deepEqual(await found("the", "-"), [shop.key_hash, till.key_hash]);
  assert.deepEqual(await found(""), [shop.key_hash, till.key_hash]);
  assert.deepEqual(await found("till", "maps"), []);
  const { admin: credential } = await desk.otherOrganisation();
  const foreign = await desk.send("GET", "/api/apis/-/keys/search?q=till", { credential });
  assert.deepEqual((await foreign.json()).data.keys, []);
  assert.equal((await succeed<{ data: unknown[] }>(desk, "GET", KEYS)).data.length, 2);
}, { clock });
