/**
 * What the page of a one-time link tells before it is opened: whose it is and what for, and nothing
 * secret.
 */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { create, smallRequest } from "../../../support/key-requests.ts";
import { tokenOf, tryOpen, v1 } from "../../../support/v1-requests.ts";
import { call, newPerson, testClock } from "../../../support/people.ts";

const clock = testClock();

const preview = (desk: TestDesk, token: string) =>
  desk.send("POST", "/v1/one-time-links/preview", { credential: null, body: { token } });

async function newPlan(desk: TestDesk): Promise<string> {
  const { id } = await call(desk, "POST", "/v1/plans", {
    name: "Professional",
    rate: 600,
    per: 60,
    quota_max: 2_000_000,
    quota_renewal_rate: 30 * 86_400,
    access_rights: { departures: { api_name: "Departures" }, stops: {} },
  });
  return id;
}

async function handedOver(desk: TestDesk, plan: string) {
  const { id: developer } = await call(desk, "POST", "/v1/developers", {
    email: "ada@example.org",
    fields: { name: "Ada Byron", company: "Byron & Sons" },
  });
  const id = await create(desk, smallRequest({ by_user: developer, for_plan: plan }));
  const approved = await v1.approve(desk, id, "?deliver=one_time_link");
  await call(desk, "PUT", `/v1/keys/${approved.key_id}/labels`, {
    name: "Checkout, live",
    environment: "production",
    note: "Ask Lena first.",
  });
  return { ...approved, token: tokenOf(approved.one_time_link) };
}

testOnEngines(
  "one-time link preview: tells whose the key is, for what, until when, and burns nothing",
  async (desk) => {
    await call(desk, "PUT", "/v1/branding", {
      name: "Coastal Data",
      support: "help@example.org",
      base_url: "https://api.example.org",
    });
    const plan = await newPlan(desk);
    const { token, one_time_link, key_id } = await handedOver(desk, plan);
    const answer = await preview(desk, token);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const text = await answer.text();
    const { organisation, plans, ...rest } = JSON.parse(text);
    assert.deepEqual(rest, {
      kind: "key",
      recipient: { name: "Ada Byron", email: "ada@example.org" },
      name: "Checkout, live",
      environment: "production",
      base_url: "https://api.example.org",
      key_header: "Authorization",
      created_at: new Date(clock.at).toISOString(),
      expires_at: one_time_link?.expires_at,
      key_expires_at: null,
    });
    assert.deepEqual([organisation.name, organisation.support], [
      "Coastal Data",
      "help@example.org",
    ]);
    assert.deepEqual(plans, [{
      id: plan,
      name: "Professional",
      apis: ["Departures", "stops"],
      rate: 600,
      per: 60,
      quota_max: 2_000_000,
      quota_renewal_rate: 30 * 86_400,
    }]);
    assert.equal((await preview(desk, token)).status, 200);
    const { key: credential } = await v1.open(desk, token);
    assert.ok(!text.includes(credential.RawKey) && !text.includes(key_id ?? "-"));
    await assertFailure(await preview(desk, token), "one_time_link_gone");
  },
  { clock },
);

testOnEngines(
  "one-time link preview: a link that opens nothing now is answered like one that never was",
  async (desk) => {
    const plan = await newPlan(desk);
    const gone: { token: string }[] = [];
    const revoked = await handedOver(desk, plan);
    await call(desk, "POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "test" });
    gone.push(revoked);
    const texts: unknown[] = [];
    for (const { token } of [...gone, { token: "never" }]) {
      const { request_id: _, ...said } = await (await preview(desk, token)).json();
      texts.push(said);
      await assertFailure(await tryOpen(desk, token), "one_time_link_gone");
    }
    assert.deepEqual(texts[0], texts[1]);
  },
  { clock },
);

testOnEngines(
  "one-time link fate: used, withdrawn, expired, stopped and wrong are told apart, with whom to ask",
  async (desk) => {
    const fate = (token: string) =>
      desk.send("POST", "/v1/one-time-links/fate", { credential: null, body: { token } });
    await call(desk, "PUT", "/v1/branding", { name: "Coastal Data", support: "help@example.org" });
    const plan = await newPlan(desk);
    const asked = async () => {
      const id = await create(desk, smallRequest({ for_plan: plan }));
      const approved = await v1.approve(desk, id, "?deliver=one_time_link");
      return { ...approved, token: tokenOf(approved.one_time_link) };
    };
    const [used, withdrawn, stopped, late] = [
      await asked(),
      await asked(),
      await asked(),
      await asked(),
    ];
    const stateOf = async ({ token }: { token: string }) => {
      const answer = await (await fate(token)).json();
      assert.deepEqual(
        [answer.organisation.name, answer.organisation.support],
        ["Coastal Data", "help@example.org"],
      );
      return [answer.state, answer.at === null];
    };
    assert.deepEqual(await stateOf(used), ["open", true]);
    const opened = await v1.open(desk, used.token);
    await call(desk, "DELETE", `/v1/one-time-links/${withdrawn.one_time_link?.id}`);
    await call(desk, "POST", `/v1/keys/${stopped.key_id}/suspend`, { reason: "test" });
    assert.deepEqual(await stateOf(used), ["opened", false]);
    assert.deepEqual(await stateOf(withdrawn), ["withdrawn", false]);
    assert.deepEqual(await stateOf(stopped), ["stopped", true]);
    assert.deepEqual(await stateOf(late), ["open", true]);
    const before = clock.at;
    clock.at = Date.parse(late.one_time_link?.expires_at ?? "") + 1000;
    assert.deepEqual(await stateOf(late), ["expired", false]);
    clock.at = before;
    await assertFailure(await fate("never"), "one_time_link_gone");
    assert.ok(!(await (await fate(used.token)).text()).includes(opened.key.RawKey));
  },
  { clock },
);

testOnEngines("one-time link preview: of an access token it names the person", async (desk) => {
  const { id } = await newPerson(desk, ["portal:read"]);
  const { one_time_link } = await call(desk, "POST", `/v1/people/${id}/access-tokens`, {
    name: "laptop",
    deliver: "one_time_link",
  });
  const told = await (await preview(desk, tokenOf(one_time_link))).json();
  assert.deepEqual([told.kind, told.recipient, told.plans], [
    "access_token",
    { name: "Grace", email: "" },
    [],
  ]);
}, { clock });
