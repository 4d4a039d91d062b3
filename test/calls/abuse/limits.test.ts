/**
 * Brute force is answered 429 with a time to wait, what is right passes all the same, and no header
 * buys a fresh start.
 */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, v1 } from "../../support/v1-requests.ts";
import { addOAuthClient, introspected, oauthClientOf, sendForm } from "../../support/oauth.ts";

const client = { client_id: "the-client", client_secret: "the-secret" };
const grant = { grant_type: "client_credentials" };
const clock = { at: Date.parse("2026-03-01T00:00:00.000Z"), now: () => clock.at };

const onEngines = (
  promise: string,
  test: (desk: TestDesk) => Promise<void>,
  settings: Record<string, string> = {},
) => testOnEngines(promise, test, { environment: settings, extra: [addOAuthClient], clock });

/** Statuses of guesses, one after the other; each with another access token. */
async function guesses(desk: TestDesk, count: number, from: string, forwarded?: string) {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) {
    const credential = crypto.randomUUID();
    const headers: Record<string, string> = forwarded === undefined
      ? {}
      : { "x-forwarded-for": forwarded };
    const response = await desk.send("GET", REQUESTS, { credential, from, headers });
    statuses.push(response.status);
    if (response.status === 429) {
      assert.match(response.headers.get("retry-after") ?? "", /^[1-9][0-9]?$/);
      assert.equal(response.headers.get("x-keydesk-error"), "too_many_requests");
      assert.equal((await response.json()).Message, "Too many attempts. Please try again later.");
    }
  }
  return statuses;
}

const countOf = (statuses: number[], status: number) =>
  statuses.filter((one) => one === status).length;

onEngines("limits: guesses at access tokens from one address end in 429", async (desk) => {
  const statuses = await guesses(desk, 60, "192.0.2.1");
  assert.deepEqual([countOf(statuses, 401), countOf(statuses, 429)], [21, 39]);
  assert.deepEqual(await guesses(desk, 1, "192.0.2.2"), [401]);
  // The wait ends when it was said to, and the next one is longer.
  clock.at += 1000;
  assert.deepEqual(await guesses(desk, 2, "192.0.2.1"), [401, 429]);
  clock.at += 1000;
  assert.deepEqual(await guesses(desk, 1, "192.0.2.1"), [429]);
  clock.at += 1000;
  assert.deepEqual(await guesses(desk, 1, "192.0.2.1"), [401]);
});

onEngines("limits: a right access token passes from an address that guesses", async (desk) => {
  const fresh = await desk.token(["portal:read"]);
  const from = "192.0.2.1";
  await guesses(desk, 60, from);
  for (const credential of [desk.admin, fresh]) {
    assert.equal((await desk.send("GET", REQUESTS, { credential, from })).status, 200);
  }
  assert.deepEqual(await guesses(desk, 1, from), [429]);
});

onEngines(
  "limits: a wrong access token that is presented again and again ends in 429 from anywhere",
  async (desk) => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) {
      const init = { credential: "the same wrong one", from: `192.0.2.${i}` };
      statuses.push((await desk.send("GET", REQUESTS, init)).status);
    }
    assert.deepEqual([countOf(statuses, 401), countOf(statuses, 429)], [11, 19]);
    assert.deepEqual(await guesses(desk, 1, "192.0.2.1"), [401]);
  },
);

onEngines("limits: presenting nothing is no attempt", async (desk) => {
  for (let i = 0; i < 100; i++) {
    const init = { credential: i % 2 ? null : " ", from: "192.0.2.1" };
    assert.equal((await desk.send("GET", REQUESTS, init)).status, 401);
  }
});

onEngines("limits: X-Forwarded-For buys nothing where no proxy is trusted", async (desk) => {
  const statuses: number[] = [];
  for (let i = 0; i < 60; i++) statuses.push(...await guesses(desk, 1, "192.0.2.1", `10.0.0.${i}`));
  assert.deepEqual([countOf(statuses, 401), countOf(statuses, 429)], [21, 39]);
});

onEngines(
  "limits: behind a trusted proxy each visitor counts, and can't pose as another",
  async (desk) => {
    const statuses: number[] = [];
    for (let i = 0; i < 60; i++) {
      statuses.push(...await guesses(desk, 1, "10.0.0.1", `198.51.100.${i}, 203.0.113.9`));
    }
    assert.deepEqual([countOf(statuses, 401), countOf(statuses, 429)], [21, 39]);
    assert.deepEqual(await guesses(desk, 1, "10.0.0.1", "203.0.113.10"), [401]);
    assert.deepEqual(await guesses(desk, 1, "203.0.113.9", "203.0.113.10"), [429]);
  },
  { KEYDESK_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1" },
);

onEngines(
  "limits: guesses at a client's secret end in 429, and the right one passes",
  async (desk) => {
    await oauthClientOf(desk, client);
    const ask = async (changes: Record<string, string>, from: string) =>
      await sendForm(desk, "/oauth/token", { ...grant, ...client, ...changes }, { from });
    // By the client's id, wherever they come from.
    const byName: number[] = [];
    for (let i = 0; i < 30; i++) {
      byName.push((await ask({ client_secret: `guess ${i}` }, `192.0.2.${i}`)).status);
    }
    assert.deepEqual([countOf(byName, 401), countOf(byName, 429)], [11, 19]);
    // By the address, whoever they are for.
    const byAddress: number[] = [];
    for (let i = 0; i < 60; i++) {
      byAddress.push((await ask({ client_id: `client ${i}` }, "198.51.100.7")).status);
    }
    assert.deepEqual([countOf(byAddress, 401), countOf(byAddress, 429)], [21, 39]);
    const refused = await ask({ client_secret: "guess" }, "198.51.100.7");
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9][0-9]?$/);
    assert.equal((await refused.json()).error, "temporarily_unavailable");
    const granted = await ask({}, "198.51.100.7");
    assert.equal(granted.status, 200);
    const { access_token } = await granted.json();
    assert.equal((await introspected(desk, access_token)).active, true);
    const form = { token: access_token, ...client };
    const revoked = await sendForm(desk, "/oauth/revoke", form, { from: "198.51.100.7" });
    assert.equal(revoked.status, 200);
  },
);

onEngines("limits: no address and nothing that was tried stands in the log", async (desk) => {
  const from = "192.0.2.77";
  for (let i = 0; i < 40; i++) {
    await desk.send("GET", REQUESTS, { credential: "tried-credential", from });
    const form = { ...grant, client_id: "tried-client", client_secret: "tried-secret" };
    await sendForm(desk, "/oauth/token", form, { from });
  }
  const log = desk.logLines.join("");
  assert.ok(log.includes('"error":"too_many_requests"'));
  for (const one of ["tried-", from]) assert.ok(!log.includes(one));
});

onEngines(
  "limits: guesses at one-time links end in 429, and a link that opens passes",
  async (desk) => {
    const guess = async (token: string, from: string) => {
      const init = { credential: null, body: { token }, from };
      const response = await desk.send("POST", "/v1/one-time-links/open", init);
      if (response.status === 429) {
        assert.match(response.headers.get("retry-after") ?? "", /^[1-9][0-9]?$/);
      }
      return response.status;
    };
    const [stranger, other] = ["192.0.2.1", "192.0.2.2"];
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) statuses.push(await guess(crypto.randomUUID(), stranger));
    assert.deepEqual([countOf(statuses, 410), countOf(statuses, 429)], [21, 19]);
    assert.equal(await guess(crypto.randomUUID(), other), 410);
    // One link asked for again and again, from many places.
    const same: number[] = [];
    for (let i = 0; i < 20; i++) same.push(await guess("the same wrong one", `198.51.100.${i}`));
    assert.deepEqual([countOf(same, 410), countOf(same, 429)], [11, 9]);

    const approved = await v1.approve(
      desk,
      await create(desk, smallRequest()),
      "?deliver=one_time_link",
    );
    const token = tokenOf(approved.one_time_link);
    assert.equal(await guess(token, stranger), 200);
    assert.equal(await guess(token, stranger), 429);
    assert.equal(await guess(token, other), 410);
    clock.at += 1000;
    assert.equal(await guess(crypto.randomUUID(), stranger), 410);
  },
);

onEngines(
  "limits: one-time links that were right count for nobody, whether used, withdrawn or over",
  async (desk) => {
    const [visitor, other] = ["192.0.2.1", "192.0.2.2"];
    const open = async (token: string, from = visitor) => {
      const init = { credential: null, body: { token }, from };
      return (await desk.send("POST", "/v1/one-time-links/open", init)).status;
    };
    const handedOver = async () => {
      const id = await create(desk, smallRequest());
      const { one_time_link } = await v1.approve(desk, id, "?deliver=one_time_link");
      return { id: one_time_link?.id, token: tokenOf(one_time_link) };
    };
    const [used, withdrawn, over] = [await handedOver(), await handedOver(), await handedOver()];
    assert.equal(await open(used.token), 200);
    assert.equal((await desk.send("DELETE", `/v1/one-time-links/${withdrawn.id}`)).status, 200);
    clock.at += 60_000;
    // By the setting, one-time links live for a minute.
    for (const { token } of [used, withdrawn, over]) {
      for (let i = 0; i < 30; i++) assert.equal(await open(token), 410);
    }
    // Not one of these was counted: a visitor's guesses are free as ever.
    const guesses: number[] = [];
    for (let i = 0; i < 40; i++) guesses.push(await open(crypto.randomUUID()));
    assert.deepEqual([countOf(guesses, 410), countOf(guesses, 429)], [21, 19]);
    // Whoever has to wait is not told which token was once right.
    for (const { token } of [used, withdrawn, over]) assert.equal(await open(token), 429);
    for (const { token } of [used, withdrawn, over]) assert.equal(await open(token, other), 410);
  },
  { KEYDESK_ONE_TIME_LINK_LIFE: "60" },
);
