/** What approve answers for each auth type, and what it writes. */
import assert from "node:assert/strict";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { assertAnswer } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call, issue, readKey, tracesOf } from "../../support/keys.ts";
import { approvalOf, approve, create, read, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { storedCredentials } from "../../support/stored.ts";

testOnEngines(
  "credential.issued: an approval writes it as every other issue does, with the key's id",
  async (desk) => {
    const labels = { name: "Checkout", expires_at: "2099-01-01T00:00:00.000Z" };
    const v1 = async (id: string) =>
      (await call<{ key_id: string }>(desk, "POST", `/v1/key-requests/${id}/approve`, labels))
        .key_id;
    const older = async (id: string) => sha256((await approve(desk, id)).RawKey);
    for (const [way, { name, expires_at }] of [[older, {}], [v1, labels]] as const) {
      const [id] = await known(desk, await create(desk, smallRequest()));
      const key_id = await way(id);
      const detail = { developer_id: "dev-ada", plans: ["plan-weather"], key_request_id: id };
      const whole = expires_at ? { ...detail, expires_at } : detail;
      const { audit, topics } = await tracesOf(desk, key_id);
      assert.deepEqual(audit, [["key.issued", whole]]);
      assert.deepEqual(topics, ["key.issued"]);
      const { data: [event] } = await call<{ data: Record<string, unknown>[] }>(
        desk,
        "GET",
        `/v1/audit-log?object_id=${key_id}`,
      );
      const { mask } = await readKey(desk, key_id);
      assert.equal(event?.object_name, name ? `${name} (${mask})` : mask);
      assert.deepEqual((await tracesOf(desk, id)).topics.at(-1), "key_request.approved");
    }
    // What changes a key issues none.
    const { key_id } = await issue(desk);
    const changed = await create(desk, smallRequest({ for_plan: "plan-more", key: key_id }));
    await approve(desk, changed);
    assert.deepEqual((await tracesOf(desk, key_id)).topics, ["key.issued"]);
  },
);

const REDIRECT = "https://app.example.org/back";

testOnEngines(
  "token: RawKey is base64 of org, id and hash in this order, Password empty",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const response = await desk.send("PUT", approvalOf(id));
    const { RawKey } = await response.clone().json();
    await assertAnswer(response, { RawKey, Password: "" });
    const inner = atob(RawKey);
    assert.match(inner, /^\{"org":"[0-9a-f]{24}","id":"[0-9a-f]{32}","h":"sha256"\}$/);
    assert.equal(JSON.parse(inner).org, desk.org_id);
    assert.equal(btoa(inner), RawKey);
    assert.deepEqual((await read(desk, id)).portal_developer.keys, {
      [sha256(RawKey)]: ["plan-weather"],
    });
  },
);

testOnEngines(
  "basic: username and password are letters and digits, 128 bits or more",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-weather", "basic");
    const id = await create(desk, smallRequest());
    const response = await desk.send("PUT", approvalOf(id));
    const { RawKey, Password } = await response.clone().json();
    await assertAnswer(response, { RawKey, Password });
    assert.match(RawKey, /^[A-Za-z0-9]{16,}$/);
    // 22 characters out of 62 hold 130 bits.
    assert.match(Password, /^[A-Za-z0-9]{22,}$/);
    const [stored] = await storedCredentials(desk);
    assert.deepEqual([stored?.key_id, stored?.secret_hash], [sha256(RawKey), sha256(Password)]);
    const { keys, subscriptions } = (await read(desk, id)).portal_developer;
    assert.deepEqual(keys, { [sha256(RawKey)]: ["plan-weather"] });
    assert.deepEqual(subscriptions, { "plan-weather": sha256(RawKey) });
  },
  { extra: liveRecords },
);

testOnEngines(
  "oauth: client id and secret stand twice, with plan and redirect",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-weather", "oauth");
    const fields = { oauth_app_description: "Our app", oauth_use_case: "Forecasts" };
    const id = await create(
      desk,
      smallRequest({ fields, oauth_info: { redirect_uri: REDIRECT } }),
    );
    const response = await desk.send("PUT", approvalOf(id));
    const { RawKey, Password } = await response.clone().json();
    await assertAnswer(response, {
      RawKey,
      Password,
      client_id: RawKey,
      secret: Password,
      policy_id: "plan-weather",
      redirect_uri: REDIRECT,
    });
    assert.match(RawKey, /^[0-9a-f]{32}$/);
    const { keys, subscriptions, oauth_clients = {} } = (await read(desk, id)).portal_developer;
    assert.deepEqual(keys, { [sha256(RawKey)]: ["plan-weather"] });
    assert.deepEqual(subscriptions, { "plan-weather": sha256(RawKey) });
    const [client, ...others] = oauth_clients["plan-weather"] ?? [];
    assert.equal(others.length, 0);
    const { date_created, ...rest } = client ?? {};
    assert.deepEqual(rest, {
      client_id: RawKey,
      secret: Password,
      redirect_uri: REDIRECT,
      app_description: "Our app",
      use_case: "Forecasts",
    });
    assert.match(date_created ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  },
  { extra: liveRecords },
);

testOnEngines(
  "oauth: a plan without oauth_info gives an empty redirect_uri",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-weather", "oauth");
    const answer = await approve(desk, await create(desk, smallRequest()));
    assert.equal(answer.redirect_uri, "");
    assert.equal(answer.client_id, answer.RawKey);
  },
  { extra: liveRecords },
);

testOnEngines(
  "oauth: oauth_info makes a client of a request for any plan",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-basic", "basic");
    for (const for_plan of ["plan-token", "plan-basic"]) {
      const oauth_info = { redirect_uri: REDIRECT };
      const answer = await approve(
        desk,
        await create(desk, smallRequest({ for_plan, oauth_info })),
      );
      assert.match(answer.client_id ?? "", /^[0-9a-f]{32}$/);
      assert.deepEqual([answer.policy_id, answer.redirect_uri], [for_plan, REDIRECT]);
    }
    const kinds = (await storedCredentials(desk)).map((credential) => credential.kind);
    assert.deepEqual(kinds, ["oauth", "oauth"]);
  },
  { extra: liveRecords },
);

testOnEngines(
  "oauth: a second client of a plan comes after the first, and each plan has its own",
  async (desk) => {
    const oauth_info = { redirect_uri: REDIRECT };
    const plans = { for_plan: "a", apply_policies: ["a", "b"] };
    const first = await approve(desk, await create(desk, smallRequest({ ...plans, oauth_info })));
    const id = await create(desk, smallRequest({ for_plan: "b", oauth_info }));
    const second = await approve(desk, id);
    const { oauth_clients = {}, subscriptions } = (await read(desk, id)).portal_developer;
    const ids = Object.entries(oauth_clients)
      .map(([plan, clients]) => [plan, clients.map((client) => client.client_id)]);
    assert.deepEqual(ids, [["a", [first.RawKey]], ["b", [first.RawKey, second.RawKey]]]);
    assert.deepEqual(oauth_clients["b"]?.map((client) => client.secret), [
      first.Password,
      second.Password,
    ]);
    assert.deepEqual(subscriptions, { a: sha256(first.RawKey), b: sha256(second.RawKey) });
  },
);

testOnEngines(
  "any other auth type issues a token",
  async (desk) => {
    for (const auth_type of ["", "jwt", "Basic", "OAUTH"]) {
      const for_plan = `plan-${auth_type}`;
      await liveRecordsOf(desk).plan(for_plan, auth_type);
      const { RawKey, Password } = await approve(
        desk,
        await create(desk, smallRequest({ for_plan })),
      );
      assert.equal(JSON.parse(atob(RawKey)).h, "sha256");
      assert.equal(Password, "");
    }
  },
  { extra: liveRecords },
);

testOnEngines(
  "the credential has the union of for_plan and apply_policies, each once",
  async (desk) => {
    const sent = smallRequest({ for_plan: "a", apply_policies: ["b", "a", "c", "b"] });
    const id = await create(desk, sent);
    await approve(desk, id);
    const [credential] = await storedCredentials(desk);
    assert.deepEqual(JSON.parse(credential?.plans ?? ""), ["a", "b", "c"]);
    const shown = await read(desk, id);
    assert.deepEqual([shown.for_plan, shown.apply_policies], ["a", ["b", "a", "c", "b"]]);
  },
);

testOnEngines(
  "every credential is another one",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-basic", "basic");
    const seen = new Set<string>();
    for (let i = 0; i < 5; i++) {
      for (const sent of [{}, { for_plan: "plan-basic" }, { oauth_info: {} }]) {
        const { RawKey, Password } = await approve(desk, await create(desk, smallRequest(sent)));
        seen.add(RawKey);
        if (Password !== "") seen.add(Password);
      }
    }
    assert.equal(seen.size, 25);
  },
  { extra: liveRecords },
);

testOnEngines("plans and developers may be called like members of every object", async (desk) => {
  const plans = ["__proto__", "constructor", "toString"];
  for (const by_user of plans) {
    const sent = { by_user, for_plan: "__proto__", apply_policies: plans, oauth_info: {} };
    const id = await create(desk, sent);
    const { RawKey } = await approve(desk, id);
    const text = await (await desk.send("GET", `/api/portal/requests/${id}`)).text();
    for (const plan of plans) assert.ok(text.includes(`"${plan}":"${sha256(RawKey)}"`), plan);
    assert.equal(text.split(RawKey).length - 1, 3);
  }
  assert.equal(({} as Record<string, unknown>).redirect_uri, undefined);
});
