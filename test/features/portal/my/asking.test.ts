/** Developers ask for keys and withdraw what they asked for. */
import assert from "node:assert/strict";
import { ANONYMOUS } from "../../../../src/calls/principal.ts";
import { create } from "../../../../src/features/portal/my/requests.service.ts";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";

type Asked = {
  id: string;
  state: string;
  already_requested: boolean;
  key: { id: string; waits_until: string | null } | null;
};
type Shown = { RawKey: string; key_id: string; replaces: { key_id: string }[] };

const REQUESTS = "/v1/my/requests";

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Free", approval: "automatic" },
    { api: "tides", plan: "Partners", fields: [{ name: "use_case", required: true }] },
    { api: "tides", plan: "Secret", show: false },
  ]);
  const { id, email } = await registered(desk, "dev-ada");
  return { id, email, plans, ada: await signInByCode(desk, email) };
}

async function opens(desk: TestDesk, key: string): Promise<boolean> {
  const body = { key, api_id: "tides" };
  return (await succeed<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", { body })).valid;
}

testOnEngines("asking: a plan with approval waits for people, once", async (desk) => {
  const { id, email, plans, ada } = await begin(desk);
  const body = { plan: plans.Partners, fields: { use_case: "A map of tides" } };
  const first = await ada.get<Asked>("POST", REQUESTS, body);
  assert.deepEqual([first.state, first.already_requested, first.key], ["pending", false, null]);
  const again = await ada.get<Asked>("POST", REQUESTS, body);
  assert.deepEqual([again.id, again.already_requested], [first.id, true]);
  const seen = await succeed<{ by_user: string; fields: unknown; state: string }>(
    desk,
    "GET",
    `/v1/key-requests/${first.id}`,
  );
  assert.deepEqual([seen.by_user, seen.fields, seen.state], [id, body.fields, "pending"]);
  const { data } = await succeed<{ data: Record<string, unknown>[] }>(
    desk,
    "GET",
    "/v1/audit-log?action=key_request.created",
  );
  const [{ actor, actor_type, actor_name } = {}] = data;
  assert.deepEqual([actor, actor_type, actor_name], [`developer:${id}`, "developer", email]);
});

testOnEngines("asking: a plan at once leads to a key that waits, shown once", async (desk) => {
  const { id, email, plans, ada } = await begin(desk);
  const asked = await ada.get<Asked>("POST", REQUESTS, { plan: plans.Free });
  assert.equal(asked.state, "approved");
  assert.ok(asked.key?.waits_until);
  const { decided_by_name } = await succeed<{ decided_by_name: string }>(
    desk,
    "GET",
    `/v1/key-requests/${asked.id}`,
  );
  assert.equal(decided_by_name, email, "nobody else was needed");
  const path = `/v1/my/keys/${asked.key.id}`;
  const shown = await ada.get<Shown>("POST", `${path}/one-time-link`);
  assert.ok(await opens(desk, shown.RawKey));
  assert.deepEqual(shown.replaces.map((key) => key.key_id), [asked.key.id]);
  const request = await ada.get<Asked>("GET", `${REQUESTS}/${asked.id}`);
  assert.deepEqual([request.key?.id, request.key?.waits_until], [shown.key_id, null]);
  await assertFailure(await ada.send("POST", `${path}/one-time-link`), "key_revoked");
  const anew = await ada.send("POST", `/v1/my/keys/${shown.key_id}/one-time-link`);
  await assertFailure(anew, "one_time_link_gone");
  const { keys } = await succeed<{ keys: Record<string, string[]> }>(
    desk,
    "GET",
    `/api/portal/developers/${id}`,
  );
  assert.deepEqual(keys, { [shown.key_id]: [plans.Free] });
});

testOnEngines("asking: of six who ask for a plan at once, all get one key", async (desk) => {
  const { plans, ada } = await begin(desk);
  const body = { plan: plans.Free };
  const six = await Promise.all(
    Array.from({ length: 6 }, () => ada.get<Asked>("POST", REQUESTS, body)),
  );
  assert.equal(new Set(six.map(({ id }) => id)).size, 1);
  assert.equal(six.filter(({ already_requested }) => !already_requested).length, 1);
  const { data } = await ada.get<{ data: { id: string }[] }>("GET", "/v1/my/keys");
  assert.deepEqual(data.map(({ id }) => id), [six[0]?.key?.id]);
  await ada.get("POST", `/v1/my/keys/${six[0]?.key?.id}/one-time-link`);
  const refused = await ada.send("POST", REQUESTS, { body });
  assert.equal(refused.status, 409, "once that is opened, there is one for the plan");
  const path = `/v1/plans/${plans.Free}`;
  await succeed(desk, "PUT", path, { body: { max_keys_per_developer: 2 } });
  const second = await ada.get<Asked>("POST", REQUESTS, body);
  assert.notEqual(second.id, six[0]?.id, "where it allows two, another can be had");
});

testOnEngines("asking: where no key can be made, nothing was asked for", async (desk) => {
  const { id, plans } = await begin(desk);
  // What ends the second half: whoever is deactivated gets no key without a decision.
  await succeed(desk, "POST", `/v1/developers/${id}/deactivate`, { body: { keys: "keep" } });
  const developer = {
    id,
    by: "session" as const,
    mayChange: true,
    opensAll: true,
    isFreshOwn: false,
  };
  const principal = { ...ANONYMOUS, org_id: desk.org_id, user_id: `developer:${id}`, developer };
  const ask = create({ ...desk.app.ctx, principal }, { plan: plans.Free ?? "" }, null);
  await assert.rejects(ask, { code: "access_denied" });
  const { data } = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/key-requests");
  assert.deepEqual(data, [], "neither a request that waits, nor a key");
});

testOnEngines("asking: the link of a key that was opened opens nothing", async (desk) => {
  const { plans, ada } = await begin(desk);
  const body = { plan: plans.Partners, fields: { use_case: "A map" } };
  const { id } = await ada.get<Asked>("POST", REQUESTS, body);
  const approved = await succeed<{ key_id: string; one_time_link: { link: string } }>(
    desk,
    "POST",
    `/v1/key-requests/${id}/approve`,
    { body: { deliver: "one_time_link" } },
  );
  const shown = await ada.get<Shown>("POST", `/v1/my/keys/${approved.key_id}/one-time-link`);
  const token = approved.one_time_link.link.split("#")[1];
  const open = await desk.send("POST", "/v1/one-time-links/open", {
    body: { token },
    credential: null,
  });
  await assertFailure(open, "one_time_link_gone");
  assert.ok(await opens(desk, shown.RawKey));
});

testOnEngines("asking: of two who open one key at once, one gets it", async (desk) => {
  const { plans, ada } = await begin(desk);
  const { key } = await ada.get<Asked>("POST", REQUESTS, { plan: plans.Free });
  const path = `/v1/my/keys/${key?.id}/one-time-link`;
  const twins = await Promise.all([1, 2, 3].map(() => ada.send("POST", path)));
  assert.equal(twins.filter(({ status }) => status === 200).length, 1);
});

testOnEngines("asking: what nobody offers is a plan that nobody knows", async (desk) => {
  const { plans, ada } = await begin(desk);
  for (const plan of [plans.Secret, "nothing", "0".repeat(24)]) {
    await assertFailure(await ada.send("POST", REQUESTS, { body: { plan } }), "unknown_plan");
  }
  const body = { plan: plans.Partners, fields: { use_case: " " } };
  const message = "fields.use_case: required for this plan";
  await assertFailure(await ada.send("POST", REQUESTS, { body }), "invalid_input", {
    message,
    errors: [message],
  });
  const whose = await ada.send("POST", REQUESTS, {
    body: { plan: plans.Free, by_user: "dev-bob" },
  });
  assert.equal(whose.status, 400);
  assert.match(await whose.text(), /by_user/);
});

testOnEngines("asking: a session that a portal opened asks and opens nothing", async (desk) => {
  const { id, plans } = await begin(desk);
  const look = await signInByLink(desk, id);
  const asked = await look.get<Asked>("POST", REQUESTS, { plan: plans.Free });
  const path = `/v1/my/keys/${asked.key?.id}/one-time-link`;
  await assertFailure(await look.send("POST", path), "code_required");
});

testOnEngines(
  "asking: two developers with one Idempotency-Key each get their own",
  async (desk) => {
    const { plans, ada } = await begin(desk);
    const { email } = await registered(desk, "dev-bob");
    const bob = await signInByCode(desk, email);
    const headers = { "idempotency-key": "the-same-for-everybody" };
    const body = { plan: plans.Free };
    const answers = [];
    for (const client of [ada, bob, ada]) {
      const answer = await client.send("POST", REQUESTS, { body, headers });
      assert.equal(answer.status, 200, await answer.clone().text());
      answers.push((await answer.json() as Asked).id);
    }
    assert.equal(answers[0], answers[2]);
    assert.notEqual(answers[0], answers[1]);
  },
);

testOnEngines("withdrawing: what waits is gone, what was decided stays", async (desk) => {
  const { plans, ada } = await begin(desk);
  const body = { plan: plans.Partners, fields: { use_case: "A map" } };
  const ask = async () => (await ada.get<Asked>("POST", REQUESTS, body)).id;
  const first = await ask();
  assert.deepEqual(await ada.get("DELETE", `${REQUESTS}/${first}`), { id: first });
  await assertFailure(await ada.send("DELETE", `${REQUESTS}/${first}`), "not_found_for_deletion");
  const { data } = await succeed<{ data: { actor_type: string }[] }>(
    desk,
    "GET",
    "/v1/audit-log?action=key_request.deleted",
  );
  assert.deepEqual(data.map(({ actor_type }) => actor_type), ["developer"]);
  const second = await ask();
  assert.notEqual(second, first);
  await succeed(desk, "POST", `/v1/key-requests/${second}/decline`, { body: {} });
  await assertFailure(await ada.send("DELETE", `${REQUESTS}/${second}`), "already_decided");
});
