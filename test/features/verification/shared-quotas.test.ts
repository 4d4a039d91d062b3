/** A quota is one count for keys that take each other's place, whichever way that happens. */
import assert from "node:assert/strict";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { succeed } from "../../support/companions.ts";
import { openTestDesk, type TestDesk, testEachEngine, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { eventually } from "../../support/eventually.ts";
import { call, importKeys, issue, KEYS, movableClock } from "../../support/keys.ts";
import { offer } from "../../support/offer.ts";
import { close, openSecond, outcome, planWith, verify } from "../../support/verification.ts";

type Shown = { key_id: string; RawKey: string; Password: string };

const QUOTA = { quota_max: 5, quota_renewal_rate: 86_400 };

async function rotate(desk: TestDesk, key_id: string, overlap_seconds = 3600): Promise<Shown> {
  return await call<Shown>(desk, "POST", `${KEYS}/${key_id}/rotate`, { overlap_seconds });
}

async function calls(desk: TestDesk, question: Record<string, unknown>, most = 10) {
  let passed = 0;
  for (; passed < most; passed++) {
    if (await outcome(desk, question) !== "valid") break;
  }
  return passed;
}

testOnEngines("shared quotas: no rotation makes a quota whole again", async (desk) => {
  const plan = await planWith(desk, QUOTA);
  const { key_id, RawKey } = await issue(desk, [plan]);
  assert.equal(await calls(desk, { key: RawKey }, 2), 2);
  const second = await rotate(desk, key_id);
  assert.equal(await calls(desk, { key: second.RawKey }, 2), 2);
  assert.equal(await calls(desk, { key: RawKey }), 1, "one count for both during the overlap");
  assert.equal(await outcome(desk, { key: second.RawKey }), "over_quota");
  const third = await rotate(desk, second.key_id, 0);
  assert.equal(await outcome(desk, { key: third.RawKey }), "over_quota");
  const { data } = await call<{ data: { quota_remaining: number; quota_max: number } }>(
    desk,
    "GET",
    `/api/keys/${third.key_id}`,
  );
  assert.deepEqual([data.quota_remaining, data.quota_max], [0, 5]);
});

testOnEngines("shared quotas: one count for basic users and OAuth clients", async (desk) => {
  const basic = await planWith(desk, { ...QUOTA, auth_type: "basic" });
  const user = await issue(desk, [basic]);
  const asUser = ({ RawKey: username, Password: password }: Omit<Shown, "key_id">) => ({
    username,
    password,
  });
  assert.equal(await calls(desk, asUser(user), 3), 3);
  const freshUser = await rotate(desk, user.key_id);
  assert.equal(await calls(desk, asUser(freshUser)), 2);
  assert.equal(await outcome(desk, asUser(user)), "over_quota");

  const oauth = await planWith(desk, { ...QUOTA, auth_type: "oauth" });
  const client = await issue(desk, [oauth], "dev-bob");
  const tokenOf = async ({ RawKey: id, Password: secret }: Omit<Shown, "key_id">) => {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
    });
    const answer = await desk.send("POST", "/oauth/token", {
      credential: null,
      body: body.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const token: { access_token: string } = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(token));
    return { key: token.access_token };
  };
  assert.equal(await calls(desk, await tokenOf(client), 3), 3);
  const freshClient = await rotate(desk, client.key_id);
  assert.equal(await calls(desk, await tokenOf(freshClient)), 2);
});

testOnEngines("shared quotas: a reissue goes on with the count", async (desk) => {
  const plan = await planWith(desk, QUOTA);
  const { RawKey, request_id } = await issue(desk, [plan]);
  assert.equal(await calls(desk, { key: RawKey }, 4), 4);
  const path = `/v1/key-requests/${request_id}/reissue`;
  const again = await call<Shown>(desk, "POST", path, {});
  assert.equal(await calls(desk, { key: again.RawKey }), 1);
});

testOnEngines("shared quotas: nodes share the count of both keys", async (desk) => {
  const plan = await planWith(desk, { quota_max: 1000, quota_renewal_rate: 86_400 });
  const { key_id, RawKey } = await issue(desk, [plan]);
  const fresh = await rotate(desk, key_id);
  const second = await openSecond(desk);
  try {
    const other = { app: second, admin: desk.admin };
    const asked = [desk, other].flatMap((node) =>
      [RawKey, fresh.RawKey].map((key) => ({ node, key }))
    );
    let passed = 0;
    await Promise.all(asked.map(async ({ node, key }) => {
      for (let n = 0; n < 400; n++) {
        if ((await verify(node, { key })).valid) passed++;
      }
    }));
    assert.ok(passed <= 1000, `${passed} of 1,600 calls within a quota of 1,000`);
    // What nodes were given and have not handed out: at most a lease of each key at each node.
    assert.ok(passed >= 1000 - 4 * 10, `${passed}`);
  } finally {
    await close(second);
  }
});

testOnEngines("shared quotas: a reset is of all keys that are counted together", async (desk) => {
  const plan = await planWith(desk, QUOTA);
  const { key_id, RawKey } = await issue(desk, [plan]);
  const fresh = await rotate(desk, key_id);
  assert.equal(await calls(desk, { key: RawKey }), 5);
  const path = `/api/portal/developers/dev-ada/keys/${fresh.key_id}/reset_quota`;
  await succeed(desk, "POST", path, { body: {} });
  assert.equal(await calls(desk, { key: fresh.RawKey }, 3), 3);
  await eventually(
    "the reset is heeded",
    async () => await outcome(desk, { key: RawKey }) === "valid",
  );
  assert.equal(await calls(desk, { key: RawKey }), 1, "five in all");
});

testEachEngine("shared quotas: periods go on as they were", async (engine) => {
  const clock = movableClock();
  await using desk = await openTestDesk(engine, { clock });
  const plan = await planWith(desk, QUOTA);
  const { key_id, RawKey } = await issue(desk, [plan]);
  assert.equal(await calls(desk, { key: RawKey }), 5);
  clock.at += 86_000_000;
  const fresh = await rotate(desk, key_id, 0);
  assert.equal(await outcome(desk, { key: fresh.RawKey }), "over_quota");
  clock.at += 400_000;
  assert.equal(await calls(desk, { key: fresh.RawKey }), 5, "the period of the first key is over");
});

testOnEngines(
  "shared quotas: an imported key that is known by its hash alone, rotated, goes on counting",
  async (desk) => {
    const plan = await planWith(desk, QUOTA);
    const key = "an-imported-key-of-some-length";
    const [, key_hash] = await murmurIdsOf(key);
    const line = { hash: key_hash, algorithm: "murmur64", plans: [plan], developer: "dev-ada" };
    await importKeys(desk, [line], {
      murmurUntil: "2099-01-01T00:00:00Z",
    });
    const fresh = await rotate(desk, key_hash);
    assert.equal(await calls(desk, { key: fresh.RawKey }, 2), 2);
    assert.equal(await calls(desk, { key }), 3, "its first use gives it another id");
    assert.equal(await outcome(desk, { key: fresh.RawKey }), "over_quota");
  },
);

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Free", approval: "automatic", ...QUOTA },
    { api: "tides", plan: "Partners" },
  ]);
  const { email } = await registered(desk, "dev-ada");
  return { plans, ada: await signInByCode(desk, email) };
}

testOnEngines(
  "keys of a plan: one where it is granted at once, and giving it up brings no quota anew",
  async (desk) => {
    const { plans, ada } = await begin(desk);
    const ask = () => ada.send("POST", "/v1/my/requests", { body: { plan: plans.Free } });
    const asked = await ada.get<{ key: { id: string } }>("POST", "/v1/my/requests", {
      plan: plans.Free,
    });
    const open = await ada.get<Shown>("POST", `/v1/my/keys/${asked.key.id}/one-time-link`);
    assert.equal(await calls(desk, { key: open.RawKey }), 5);
    const refused = await ask();
    assert.equal(refused.status, 409);
    const problem: { code: string; detail: string; errors: string[] } = await refused.json();
    assert.equal(problem.code, "key_limit_reached");
    assert.match(problem.detail, /Lost it\? Rotate it\.$/);
    assert.deepEqual(problem.errors, [`key: ${open.key_id}`]);
    const rotated = await ada.get<Shown>("POST", `/v1/my/keys/${open.key_id}/rotate`);
    assert.equal((await ask()).status, 409, "of two in an overlap one counts");
    await ada.get("DELETE", `/v1/my/keys/${open.key_id}`);
    await ada.get("DELETE", `/v1/my/keys/${rotated.key_id}`);
    const again = await ada.get<{ key: { id: string } }>("POST", "/v1/my/requests", {
      plan: plans.Free,
    });
    const anew = await ada.get<Shown>("POST", `/v1/my/keys/${again.key.id}/one-time-link`);
    assert.equal(await outcome(desk, { key: anew.RawKey }), "over_quota");
  },
);

testOnEngines("keys of a plan: as many as it says, which binds no approver", async (desk) => {
  const { plans, ada } = await begin(desk);
  const path = `/v1/plans/${plans.Partners}`;
  const usual = await call<{ max_keys_per_developer: number | null }>(desk, "GET", path);
  assert.equal(usual.max_keys_per_developer, null);
  await call(desk, "PUT", path, { max_keys_per_developer: 2 });
  // A client of the older interface that knows no such member, and sends all that it knows.
  const older = await call<Record<string, unknown>>(
    desk,
    "GET",
    `/api/portal/policies/${plans.Partners}`,
  );
  assert.ok(!Object.hasOwn(older, "max_keys_per_developer"));
  await succeed(desk, "PUT", `/api/portal/policies/${plans.Partners}`, { body: older });
  const kept = await call<{ max_keys_per_developer: number | null }>(desk, "GET", path);
  assert.equal(kept.max_keys_per_developer, 2);
  const developer = "/v1/developers/dev-ada/keys";
  for (let n = 0; n < 3; n++) await call(desk, "POST", developer, { plans: [plans.Partners] });
  const refused = await ada.send("POST", "/v1/my/requests", { body: { plan: plans.Partners } });
  assert.equal(refused.status, 409);
  await call(desk, "PUT", path, { max_keys_per_developer: 0 });
  const asked = await ada.get<{ state: string }>("POST", "/v1/my/requests", {
    plan: plans.Partners,
  });
  assert.equal(asked.state, "pending");
});

testOnEngines(
  "keys of a plan: of six who ask at once for another plan's key one is refused",
  async (desk) => {
    const { plans, ada } = await begin(desk);
    await call(desk, "PUT", `/v1/plans/${plans.Free}`, { max_keys_per_developer: 2 });
    const path = "/v1/my/requests";
    for (let n = 0; n < 2; n++) {
      const { key } = await ada.get<{ key: { id: string } }>("POST", path, { plan: plans.Free });
      await ada.get("POST", `/v1/my/keys/${key.id}/one-time-link`);
    }
    const six = await Promise.all(
      Array.from({ length: 6 }, () => ada.send("POST", path, { body: { plan: plans.Free } })),
    );
    for (const answer of six) {
      await assertFailureCode(answer, "key_limit_reached");
    }
  },
);

async function assertFailureCode(answer: Response, code: string): Promise<void> {
  const problem: { code: string } = await answer.json();
  assert.equal(problem.code, code);
}
