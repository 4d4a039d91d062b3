/** Developers ask that their keys live longer, and people decide. */
import assert from "node:assert/strict";
import { toTimestamp } from "../../../../src/kernel/clock.ts";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";

type Asked = {
  id: string;
  state: string;
  already_requested: boolean;
  key: unknown;
  later_end: { key: string; until: string } | null;
};
type Key = {
  expires_at: string;
  state: string;
  plans: { id: string }[];
  later_end: { request_id: string; until: string } | null;
};

const DAY_MS = 86_400_000;

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Tides", approval: "automatic" },
    { api: "winds", plan: "Winds" },
  ]);
  const { id, email } = await registered(desk, "dev-ada");
  const begun = desk.app.ctx.clock.now();
  const inDays = (days: number) => toTimestamp(begun + days * DAY_MS);
  const body = { plans: [plans.Tides], expires_at: inDays(10) };
  const { key_id } = await succeed<{ key_id: string }>(
    desk,
    "POST",
    `/v1/developers/${id}/keys`,
    { body },
  );
  const ada = await signInByCode(desk, email);
  const path = `/v1/my/keys/${key_id}`;
  const ask = (days: number, words?: string) =>
    ada.get<Asked>("POST", `${path}/later-end`, {
      until: inDays(days),
      ...words === undefined ? {} : { words },
    });
  const key = () => ada.get<Key>("GET", path);
  const approve = (request: string, more = {}) =>
    succeed<{ key_id: string; key: unknown; one_time_link: unknown; expires_at: string }>(
      desk,
      "POST",
      `/v1/key-requests/${request}/approve`,
      { body: { deliver: "answer", ...more } },
    );
  return { id, ada, plans, key_id, path, inDays, ask, key, approve };
}

testOnEngines("later end: it waits for people, once, and is given as asked", async (desk) => {
  const { ada, plans, key_id, inDays, ask, key, approve } = await begin(desk);
  const asked = await ask(40, "The pilot goes on");
  assert.deepEqual(
    [asked.state, asked.already_requested, asked.key, asked.later_end],
    ["pending", false, null, { key: key_id, until: inDays(40) }],
    "also for a plan that needs nobody",
  );
  const again = await ask(50);
  assert.deepEqual([again.id, again.already_requested], [asked.id, true]);
  assert.deepEqual((await key()).later_end, { request_id: asked.id, until: inDays(40) });
  assert.equal((await key()).expires_at, inDays(10), "nothing is given before");
  const seen = await succeed<{ key: string; requested_end: string; fields: unknown }>(
    desk,
    "GET",
    `/v1/key-requests/${asked.id}`,
  );
  assert.deepEqual(
    [seen.key, seen.requested_end, seen.fields],
    [key_id, inDays(40), { why: "The pilot goes on" }],
  );
  const approved = await approve(asked.id);
  assert.deepEqual(
    [approved.key_id, approved.key, approved.one_time_link, approved.expires_at],
    [key_id, null, null, inDays(40)],
  );
  const after = await key();
  assert.deepEqual([after.expires_at, after.later_end], [inDays(40), null]);
  assert.deepEqual(after.plans.map((plan) => plan.id), [plans.Tides]);
  const { state, later_end } = await ada.get<Asked>("GET", `/v1/my/requests/${asked.id}`);
  assert.deepEqual([state, later_end?.until], ["approved", inDays(40)]);
  const path = `/v1/key-requests/${asked.id}/approve`;
  const second = await desk.send("POST", path, { body: { deliver: "answer" } });
  assert.equal(second.headers.get("x-keydesk-error"), "already_decided");
  const more = await ask(60);
  assert.equal(more.already_requested, false, "after a decision one may ask again");
});

testOnEngines("later end: whoever decides may choose another, or decline", async (desk) => {
  const { ada, inDays, ask, key, approve } = await begin(desk);
  const first = await ask(40);
  const { expires_at } = await approve(first.id, { expires_at: inDays(20) });
  assert.deepEqual([expires_at, (await key()).expires_at], [inDays(20), inDays(20)]);
  const second = await ask(40);
  const body = { reason: "Ask for the other plan" };
  await succeed(desk, "POST", `/v1/key-requests/${second.id}/decline`, { body });
  const declined = await ada.get<Asked & { reason: string }>(
    "GET",
    `/v1/my/requests/${second.id}`,
  );
  assert.deepEqual([declined.state, declined.reason], ["declined", body.reason]);
  assert.deepEqual([(await key()).expires_at, (await key()).later_end], [inDays(20), null]);
});

testOnEngines("later end: an approval never shortens, and widens nothing", async (desk) => {
  const { plans, key_id, inDays, ask, key, approve } = await begin(desk);
  const { id } = await ask(40);
  const set = (path: string, body: unknown) =>
    succeed(desk, "PUT", `/v1/keys/${key_id}/${path}`, { body });
  await set("expiry", { expires_at: inDays(90) });
  // The plan that it was asked with is taken away meanwhile.
  await set("plans", { plans: [plans.Winds] });
  await approve(id);
  const { expires_at: ends_at, plans: left } = await key();
  assert.deepEqual([ends_at, left.map((plan) => plan.id)], [inDays(90), [plans.Winds]]);
});

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

testOnEngines("later end: a key that ended while it waited lives again", async (desk) => {
  clock.at = Date.parse("2026-03-01T00:00:00Z");
  const { key_id, inDays, ask, approve } = await begin(desk);
  const [{ id }, { id: late }] = [await ask(40), await ask(40)];
  assert.equal(id, late);
  clock.at += 11 * DAY_MS;
  const state = async () =>
    (await succeed<{ state: string }>(desk, "GET", `/v1/keys/${key_id}`)).state;
  assert.equal(await state(), "expired");
  assert.equal((await approve(id)).expires_at, inDays(40));
  assert.equal(await state(), "active");
}, { clock });

testOnEngines("later end: an end that is over by now is not given", async (desk) => {
  clock.at = Date.parse("2026-03-01T00:00:00Z");
  const { inDays, ask, approve } = await begin(desk);
  const { id } = await ask(40);
  clock.at += 41 * DAY_MS;
  const message = "expires_at: expected a time to come";
  const path = `/v1/key-requests/${id}/approve`;
  const refused = await desk.send("POST", path, { body: { deliver: "answer" } });
  await assertFailure(refused, "invalid_input", { message, errors: [message] });
  const { expires_at } = await approve(id, { expires_at: inDays(60) });
  assert.equal(expires_at, inDays(60));
}, { clock });

testOnEngines("later end: of calls at the same time one asks, and one approves", async (desk) => {
  const { ask, approve } = await begin(desk);
  const asked = await Promise.all([ask(40), ask(40), ask(40), ask(40)]);
  assert.equal(new Set(asked.map(({ id }) => id)).size, 1);
  assert.equal(asked.filter(({ already_requested }) => !already_requested).length, 1);
  const id = asked[0]?.id ?? "";
  const tries = await Promise.allSettled([approve(id), approve(id), approve(id)]);
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
  const { data } = await succeed<{ data: unknown[] }>(
    desk,
    "GET",
    "/v1/audit-log?action=key.expiry_changed",
  );
  assert.equal(data.length, 1);
});

testOnEngines("later end: what can't be asked is refused by its rule", async (desk) => {
  const { id, ada, path, inDays, plans } = await begin(desk);
  const send = (key: string, days: number) =>
    ada.send("POST", `${key}/later-end`, { body: { until: inDays(days) } });
  const refusal = (message: string) => ({ message, errors: [message] });
  for (const days of [9, 10]) {
    const said = refusal("until: expected a time after the key's end");
    await assertFailure(await send(path, days), "invalid_input", said);
  }
  const endless = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body: { plans: [plans.Winds] },
  });
  const never = await send(`/v1/my/keys/${endless.key_id}`, 40);
  await assertFailure(never, "invalid_input", refusal("until: the key does not end"));
  await assertFailure(await send(`/v1/my/keys/${"0".repeat(64)}`, 40), "not_found");
  const bob = await signInByCode(desk, (await registered(desk, "dev-bob")).email);
  const foreign = await bob.send("POST", `${path}/later-end`, { body: { until: inDays(40) } });
  await assertFailure(foreign, "not_found");
  await ada.get("POST", `${path}/suspend`);
  await assertFailure(await send(path, 40), "key_suspended");
  await ada.get("POST", `${path}/resume`);
  await ada.get("POST", `${path}/rotate`, {});
  await assertFailure(await send(path, 40), "key_rotated");
  await ada.get("DELETE", path);
  await assertFailure(await send(path, 40), "key_revoked");
});

testOnEngines("later end: a portal's token does not decide, and its session asks", async (desk) => {
  const { id, path, inDays, key } = await begin(desk);
  const link = await signInByLink(desk, id);
  const asked = await link.get<Asked>("POST", `${path}/later-end`, { until: inDays(40) });
  const portal = await desk.token(["portal:read", "portal:write"]);
  // The plan needs nobody; the end of a key does.
  const decide = `/api/portal/requests/approve/${asked.id}`;
  const refused = await desk.send("PUT", decide, { credential: portal });
  assert.equal(refused.headers.get("x-keydesk-error"), "access_denied");
  assert.equal((await key()).expires_at, inDays(10));
  await desk.send("PUT", decide);
  assert.equal((await key()).expires_at, inDays(40), "who may approve does so by any road");
});

testOnEngines("later end: a request that a portal makes another asks for no end", async (desk) => {
  const { id, key_id, plans, ask, inDays, key } = await begin(desk);
  const { id: request } = await ask(40);
  const put = (for_plan: string | undefined) =>
    succeed(desk, "PUT", `/api/portal/requests/${request}`, {
      body: { by_user: id, key: key_id, for_plan, apply_policies: [for_plan], fields: { a: "b" } },
    });
  const end = async () =>
    (await succeed<{ requested_end: string | null }>(desk, "GET", `/v1/key-requests/${request}`))
      .requested_end;
  await put(plans.Tides);
  assert.equal(await end(), inDays(40), "other answers, the same key and plans");
  await put(plans.Winds);
  assert.equal(await end(), null);
  assert.equal((await key()).expires_at, inDays(10));
});
